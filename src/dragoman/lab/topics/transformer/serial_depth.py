"""Claims on recurrence and parallel work: how long the chain of dependent operations is.

The chain is read off the graph that autograd records: the longest path from an output back to the
input. The backward pass runs along the same graph, so it takes as many sequential steps.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor
from torch.autograd.graph import Node

from dragoman.config.cells import CellSettings, GruCell, LstmCell, RnnCell
from dragoman.config.encoder import EncoderSettings
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, below, equal, same
from dragoman.lab.experiments.scaling.flop_counter import count_flops
from dragoman.lab.topics.transformer.networks import drawn
from dragoman.neural.layers.attention import attend_written_out
from dragoman.neural.layers.blocks import EncoderLayer
from dragoman.neural.layers.recurrent.reading import read_by_loop
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.models.stack import Parts
from dragoman.plots.lab import Panel, curve

WIDTH = 16
Cell = Literal["rnn", "gru", "lstm"]
Run = Callable[[Tensor], Tensor]


class SerialDepthSettings(Settings):
    """A recurrent layer and an attention layer that read the same texts."""

    cell: Cell = "lstm"
    """The recurrent cell."""
    length: int = Field(default=64, ge=4, le=192)
    """Tokens of the longest text; the others have a half and a quarter of them."""
    layers: int = Field(default=1, ge=1, le=3)
    """Number of layers."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the weights and the texts."""


def recurrent(cell: Cell, layers: int, seed: int) -> RecurrentStack:
    """Return the product's recurrent layers, written out position by position."""
    kinds: dict[str, CellSettings] = {"rnn": RnnCell(), "gru": GruCell(), "lstm": LstmCell()}
    stack = drawn(lambda: RecurrentStack(kinds[cell], WIDTH, WIDTH, layers), seed)
    stack.read = read_by_loop
    return stack


def attention_layers(layers: int, seed: int) -> Run:
    """Return the product's Transformer layers as one function."""
    chosen = EncoderSettings(
        width=WIDTH, heads=2, ffn_width=2 * WIDTH, layers=layers, dropout=0.0, positions="none"
    )
    parts = Parts(chosen, chosen.heads, chosen.ffn_width, causal=False)
    built = [drawn(parts.encoder_layer, seed + number) for number in range(layers)]
    for layer in built:
        layer.attention.attend = attend_written_out
    return lambda x: _through(built, x)


def _through(layers: list[EncoderLayer], x: Tensor) -> Tensor:
    for layer in layers:
        x = layer(x, None)
    return x


def _recurrent_run(stack: RecurrentStack) -> Run:
    return lambda x: stack(x)[0]


def longest_chain(output: Tensor) -> int:
    """Return how many operations lie on the longest path from the inputs to an output."""
    depths: dict[Node, int] = {}
    waiting = [output.grad_fn] if output.grad_fn is not None else []
    while waiting:
        node = waiting[-1]
        below_it = [one for one, _ in node.next_functions if one is not None]
        unknown = [one for one in below_it if one not in depths]
        if unknown:
            waiting += unknown
        else:
            depths[node] = 1 + max((depths[one] for one in below_it), default=0)
            waiting.pop()
    return max(depths.values(), default=0)


def _text(length: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(1, length, WIDTH, generator=generator, dtype=torch.float64)


def _chains(run: Run, lengths: list[int], seed: int) -> list[int]:
    texts = (_text(length, seed).requires_grad_() for length in lengths)
    return [longest_chain(run(text)[0, -1].sum()) for text in texts]


def _seconds(run: Run, text: Tensor) -> float:
    """Return the time of a forward pass, the shorter of two."""
    taken = []
    with torch.no_grad():
        for _ in range(2):
            began = time.perf_counter()
            run(text)
            taken.append(time.perf_counter() - began)
    return min(taken)


def _lengths(longest: int) -> list[int]:
    return [longest // 4, longest // 2, longest]


@claim(
    "B35",
    "A recurrent network must take its $T$ steps one after another, forward and backward: the "
    "longest chain of dependent operations grows linearly with the length of the text. The chain "
    "of an attention layer has the same length for any text.",
    r"\mathrm{depth}_{\mathrm{RNN}}(T) = a + c\,T, \qquad "
    r"\mathrm{depth}_{\mathrm{attention}}(T) = a'",
)
def serial_operations(settings: SerialDepthSettings) -> Evidence:
    """Measure the longest chain at three lengths, and the time as an illustration."""
    stack = recurrent(settings.cell, settings.layers, settings.seed)
    loop = _recurrent_run(stack)
    attention = attention_layers(settings.layers, settings.seed)
    lengths = _lengths(settings.length)
    chain, flat = (_chains(run, lengths, settings.seed) for run in (loop, attention))
    slope = (chain[1] - chain[0]) / (lengths[1] - lengths[0])
    steps = lengths[2] - lengths[1]
    times = {
        name: [1000 * _seconds(run, _text(length, settings.seed)) for length in lengths]
        for name, run in (("recurrent", loop), ("attention", attention))
    }
    places = [float(length) for length in lengths]
    return Evidence(
        stated=[
            above("recurrence: operations that each token adds to the chain", slope, 0.99),
            equal("recurrence: chain of the longest text, extrapolated from the shorter two",
                  chain[2], chain[1] + slope * steps),
            equal("attention: operations that four times the tokens add to the chain",
                  flat[2] - flat[0], 0),
        ],
        numbers={
            "chain of the recurrence, operations": chain[2],
            "chain of attention, operations": flat[2],
            "milliseconds of a forward pass, recurrence": round(times["recurrent"][2], 2),
            "milliseconds of a forward pass, attention": round(times["attention"][2], 2),
        },
        plot=[
            Panel("longest chain of dependent operations", [
                curve(settings.cell, places, [float(n) for n in chain]),
                curve("attention", places, [float(n) for n in flat], 1),
            ], "tokens", lowest=0.0),
            Panel("milliseconds of a forward pass, on this machine", [
                curve(settings.cell, places, times["recurrent"]),
                curve("attention", places, times["attention"], 1),
            ], "tokens", lowest=0.0),
        ],
    )  # fmt: skip


class ParallelismSettings(Settings):
    """Recurrent layers and an attention layer that read texts of two lengths."""

    length: int = Field(default=32, ge=8, le=128)
    """Tokens of the shorter text; the other is twice as long."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the weights and the texts."""


@claim(
    "C4",
    "The sequential part of an LSTM or a GRU grows with the text, so more processors help little: "
    "its parallelism, the total work divided by the longest chain, is about the same for short and "
    "long texts. The parallelism of an attention layer grows with the text.",
    r"\mathrm{parallelism} = \mathrm{work} / \mathrm{depth}: \qquad "
    r"\frac{\Theta(T)}{\Theta(T)} = \Theta(1) \quad \mathrm{and} \quad "
    r"\frac{\Omega(T)}{\Theta(1)} = \Omega(T)",
)
def little_to_share(settings: ParallelismSettings) -> Evidence:
    """Count the FLOPs of each network at two lengths, and divide them by its longest chain."""
    short, long = settings.length, 2 * settings.length
    cells: tuple[Cell, ...] = ("gru", "lstm")
    ratios: dict[str, float] = {
        name: _more_parallel(_recurrent_run(recurrent(name, 1, settings.seed)), short, long)
        for name in cells
    }
    ratios["attention"] = _more_parallel(attention_layers(1, settings.seed), short, long)
    return Evidence(
        stated=[
            below(
                "GRU: parallelism of a text twice as long over that of the shorter one",
                ratios["gru"],
                1.2,
            ),
            below("LSTM: the same ratio", ratios["lstm"], 1.2),
            above("attention: the same ratio", ratios["attention"], 1.99),
        ],
        numbers={f"{name}, ratio": round(ratio, 3) for name, ratio in ratios.items()},
    )


def _more_parallel(run: Run, short: int, long: int) -> float:
    """Return the parallelism (FLOPs over longest chain) of a long text over a short one's."""
    found = []
    for length in (short, long):
        text = _text(length, length).requires_grad_()
        outputs: list[Tensor] = []
        work = count_flops(partial(_keep, outputs, run, text))
        found.append(work / longest_chain(outputs[0][0, -1].sum()))
    return found[1] / found[0]


def _keep(outputs: list[Tensor], run: Run, text: Tensor) -> None:
    outputs.append(run(text))


@claim(
    "E130",
    "It is recurrence that keeps a network from processing all positions at once. In "
    "self-attention every position reads all positions of the previous layer, and each output can "
    "be computed on its own, in any order. A recurrent state requires all states before it.",
    r"y_i = \sum_j \mathrm{softmax}_j\!\left(\frac{q_i \cdot k_j}{\sqrt{d}}\right) v_j "
    r"\quad \mathrm{needs\ no\ } y_{i'}, \qquad h_t = f(x_t, h_{t-1})",
)
def all_places_at_once(settings: SerialDepthSettings) -> Evidence:
    """Compute each position alone, from last to first, and find all dependencies."""
    length = min(settings.length, 24)
    text = _text(length, settings.seed)
    chosen = EncoderSettings(width=WIDTH, heads=2, ffn_width=2 * WIDTH, dropout=0.0)
    layer = drawn(Parts(chosen, 2, 2 * WIDTH, causal=False).encoder_layer, settings.seed)
    stack = recurrent(settings.cell, settings.layers, settings.seed)
    with torch.no_grad():
        whole = layer.attention(text, text)
        alone = [layer.attention(text[:, i : i + 1], text) for i in reversed(range(length))]
        states = stack(text)[0]
        fresh = torch.cat([stack(text[:, i : i + 1])[0] for i in range(length)], dim=1)
    reads = _reads(lambda x: layer(x, None), text)
    seen = _reads(lambda x: stack(x)[0], text)
    order = torch.ones(length, length).tril().double()
    return Evidence(
        stated=[
            same(
                "attention: each position alone, minus all at once",
                torch.cat(alone[::-1], 1),
                whole,
            ),
            same("attention: dependency matrix minus all ones", reads, torch.ones_like(reads)),
            same("recurrence: dependency matrix minus lower-triangular ones", seen, order),
            apart(
                "recurrence: change when each token starts from a zero state",
                fresh[:, 1:],
                states[:, 1:],
                1e-3,
            ),
        ],
        numbers={"positions": length},
    )


def _reads(run: Run, text: Tensor) -> Tensor:
    """Return 1 where an output position depends on an input position, else 0."""
    direction = _text(1, 0).flatten()  # a plain sum is constant after a norm
    jacobian: Any = torch.autograd.functional.jacobian(lambda x: (run(x) @ direction)[0], text)
    return jacobian.abs().sum(dim=(1, 3)).gt(0).double()
