"""Claims on the cost of positions, and on the KV cache."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from pydantic import Field
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from dragoman.config.settings import Settings
from dragoman.config.stack import Positions
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_most, below, equal, largest_difference
from dragoman.lab.experiments.scaling.flop_counter import count_flops
from dragoman.lab.sampling import shuffled
from dragoman.lab.topics.positions.kinds import (
    ABSOLUTE,
    RELATIVE,
    WORDS,
    network_settings,
    random_network,
)
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes
from dragoman.plots.lab import Bars, Panel, curve

CHEAP: tuple[Positions, ...] = ("rotary", "alibi", "relative", "t5")
"""Relative positions without a matrix product of their own."""
FEW = 0.1
"""Share of the work that we call small."""


class PositionCostSettings(Settings):
    """A small network for each kind of positions."""

    length: int = Field(default=32, ge=2, le=64)
    """Tokens in the sequence."""
    width: int = Field(default=64, ge=32, le=128, multiple_of=4)
    """Entries of each state."""
    seed: int = Field(default=1, ge=0)
    """Seed of the weights and of the tokens."""


class _ElementCounter(TorchDispatchMode):
    """Counts the entries that elementwise operations compute."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.elements = 0

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[object] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Run an operation, and count its entries if it works elementwise."""
        result = func(*args, **(kwargs or {}))
        if torch.Tag.pointwise in func.tags and isinstance(result, Tensor):
            self.elements += result.numel()
        return result


def _tokens(settings_seed: int, length: int) -> Tensor:
    return shuffled(settings_seed, length)[None] % WORDS


@torch.no_grad()
def _reading_flops(network: DecoderOnly, tokens: Tensor, *, scores: bool = False) -> int:
    """Return the FLOPs of a forward pass, with or without the output layer."""

    def read() -> None:
        states = network.read(tokens)
        if scores:
            network.output(states)

    return count_flops(read)


@torch.no_grad()
def _pointwise(network: DecoderOnly, tokens: Tensor) -> int:
    """Return how many entries elementwise operations compute in one forward pass."""
    network.read(tokens)  # the table of sinusoids is built only once
    with _ElementCounter() as counter:
        network.read(tokens)
    return counter.elements


@claim(
    "C26",
    "Learned positions cost memory: one vector per position. Relative positions are not "
    "inefficient as such. Rotary positions, ALiBi, T5 and a bias per offset need no more matrix "
    "products than sinusoids, and very little additional elementwise work. Only a *vector* per "
    "offset (Shaw) needs additional matrix products.",
    r"\mathrm{FLOPs}_{\mathrm{rotary}} = \mathrm{FLOPs}_{\mathrm{ALiBi}} = "
    r"\mathrm{FLOPs}_{\mathrm{sinusoidal}} < \mathrm{FLOPs}_{\mathrm{Shaw}}, \qquad "
    r"\Delta\mathrm{parameters}_{\mathrm{learned}} = L d",
    notes="relative positions are computationally inefficient.",
)
def cost_of_positions(settings: PositionCostSettings) -> Evidence:
    """Count FLOPs and parameters of a network of each kind, with the planner and with torch."""
    length, width = settings.length, settings.width
    sizes = Sizes(1, WORDS, WORDS, 0, length)
    tokens = _tokens(settings.seed, length)
    flops, parameters, extra, gaps = {}, {}, {}, []
    for kind in ("none", *ABSOLUTE, *RELATIVE):
        chosen = network_settings(kind, width, max_positions=128)
        network = random_network(chosen, settings.seed)
        total = count_network(chosen, sizes, training=False).total
        flops[kind], parameters[kind] = total.forward, total.parameters
        counted = _reading_flops(network, tokens, scores=True)
        held = sum(one.numel() for one in network.parameters())
        gaps.append(abs(counted - total.forward) + abs(held - total.parameters))
        extra[kind] = _pointwise(network, tokens)
    plain = flops["sinusoidal"]
    shares = {kind: (extra[kind] - extra["none"]) / plain for kind in flops}
    memory = equal(
        "parameters of a learned table", parameters["learned"] - parameters["none"], 128 * width
    )
    return Evidence(
        premises=[equal("difference of our counts from torch's", max(gaps), 0, 0)],
        stated=[
            memory,
            above(
                "smallest FLOPs of relative positions", min(flops[one] for one in RELATIVE), plain
            ),
        ],
        corrected=[
            memory,
            *(equal(f"FLOPs with {kind} positions", flops[kind], plain, 0) for kind in CHEAP),
            above("FLOPs with Shaw's vectors", flops["shaw"], plain),
            at_most("largest share of elementwise work", max(shares[one] for one in CHEAP), FEW),
        ],
        numbers={
            f"{kind}": f"{parameters[kind] - parameters['none']} parameters, "
            f"{flops[kind] - flops['none']} FLOPs, {shares[kind]:.2%} elementwise"
            for kind in flops
            if kind != "none"
        },
        plot=[
            Bars(
                "Additional FLOPs",
                list(flops),
                [[one - flops["none"]] for one in flops.values()],
            ),
            Bars(
                "Additional parameters",
                list(flops),
                [[one - parameters["none"]] for one in parameters.values()],
            ),
        ],
    )


class CacheSettings(Settings):
    """A network that generates with and without a cache."""

    tokens: int = Field(default=12, ge=5, le=32)
    """Tokens that are generated."""
    seed: int = Field(default=1, ge=0)
    """Seed of the weights and of the tokens."""


@torch.no_grad()
def _step_by_step(
    network: DecoderOnly, tokens: Tensor, count: Callable[[Callable[[], None]], int]
) -> tuple[Tensor, list[int]]:
    """Return the states of all tokens but the first, read from a cache, and the work of each."""
    state = network.go_on_from(tokens[:, :2], torch.tensor([2]))
    found: list[Tensor] = []

    def step() -> None:
        nonlocal state
        token = tokens[:, len(found) + 1].unsqueeze(1)
        states, state = network.read_on(token, state)
        found.append(states[0, 0])

    work = [count(step) for _ in range(tokens.shape[1] - 1)]
    return torch.stack(found), work


def _run(step: Callable[[], None]) -> int:
    """Run a step without counting, which is faster."""
    step()
    return 0


@claim(
    "C27",
    "A KV cache reduces the *time* of inference. Keys and values of earlier tokens are kept, so "
    "the work for one more token grows linearly with the length instead of quadratically, and "
    "the result is the same. This holds for relative positions too: a rotary key is rotated "
    "once, by its own position, and biases are added to the scores.",
    r"\mathrm{work}(t) = \alpha + \beta t \;\; \mathrm{with\ the\ cache}, \qquad "
    r"\alpha t + \beta t^2 \;\; \mathrm{without}",
    notes="the cache reduces the *speed* of inference, and that relative positions change the "
    "embedding of each token at every step.",
)
def kv_cache(settings: CacheSettings) -> Evidence:
    """Generate with every kind of position; count the work per token, with a cache and without."""
    tokens = _tokens(settings.seed, settings.tokens)
    changes = {}
    for kind in (*ABSOLUTE, *RELATIVE):
        network = random_network(network_settings(kind, layers=1), settings.seed)
        with torch.no_grad():
            whole = network.read(tokens)[0, 1:]
        states = _step_by_step(network, tokens, _run)[0]
        changes[kind] = largest_difference(states, whole)
    network = random_network(network_settings("rotary", layers=1), settings.seed)
    cached = _step_by_step(network, tokens, count_flops)[1]
    lengths = list(range(2, settings.tokens + 1))
    plain = [_reading_flops(network, tokens[:, :end]) for end in lengths]
    second_differences = [torch.tensor(one).diff(n=2) for one in (cached, plain)]
    relative = max(changes[kind] for kind in RELATIVE)
    return Evidence(
        stated=[
            above("FLOPs of the last token with the cache", cached[-1], plain[-1]),
            above("largest change by the cache with relative positions", relative, 1e-9),
        ],
        corrected=[
            below("FLOPs of the last token with the cache", cached[-1], plain[-1]),
            *(at_most(f"change by the cache, {kind}", one, 1e-10) for kind, one in changes.items()),
            equal(
                "second difference of the work with the cache (linear)",
                second_differences[0].abs().max(),
                0,
                0,
            ),
            above(
                "smallest second difference without the cache (quadratic)",
                second_differences[1].min(),
                0,
            ),
            equal(
                "spread of that second difference",
                second_differences[1].max() - second_differences[1].min(),
                0,
                0,
            ),
        ],
        numbers={
            "FLOPs of the last token with the cache": cached[-1],
            "FLOPs of the last token without it": plain[-1],
            "FLOPs of all tokens with the cache": sum(cached),
            "FLOPs of all tokens without it": sum(plain),
        },
        plot=[
            Panel(
                "FLOPs for one more token",
                [
                    curve("without a cache", lengths, plain, 1),
                    curve("with the cache", lengths, cached),
                ],
                "tokens so far",
                lowest=0.0,
            )
        ],
    )
