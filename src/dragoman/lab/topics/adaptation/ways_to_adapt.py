"""Claims on full fine-tuning, a frozen body, a prefix and LoRA: which weights change, and how."""

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_most, equal, largest_difference, same
from dragoman.lab.experiments.scaling.flop_counter import count_flops
from dragoman.lab.topics.adaptation.tiny_network import (
    CLASSES,
    NEW,
    NOWHERE,
    TinyAdaptationSettings,
    changed,
    kept_weights,
    make_ready,
    pretrained,
    texts,
    train_adapted,
)
from dragoman.neural.adapt.lora import lora_matrices, merge_for_good
from dragoman.neural.adapt.parts import trainable_count
from dragoman.neural.adapt.prefix import prefixed_attentions
from dragoman.neural.models.encoder import Encoder
from dragoman.plots.lab import Bars, Panel, curve


@claim(
    "D38",
    "Full fine-tuning continues to train every weight of the network: none stays as it was.",
    r"\theta \gets \theta - \eta\, \nabla_{\theta} L(\theta) \quad \mathrm{for\ all\ } \theta",
)
def full_fine_tuning(settings: TinyAdaptationSettings) -> Evidence:
    """Adapt a network in full, and compare its weights bit by bit."""
    model = pretrained(settings)
    before = kept_weights(model)
    losses = train_adapted(model, FullStart(run=NOWHERE), settings)
    names, numbers = changed(before, model)
    whole = sum(weight.numel() for weight in before.values())
    unused = before["embedding.table.weight"][0].numel()  # padding stands in no text
    return Evidence(
        stated=[
            equal("weights that are trained", trainable_count(model), whole),
            equal("tensors that have changed", len(names), len(before)),
            equal("weights that have changed", numbers, whole - unused),
        ],
        numbers={"weights": whole, "loss at the start": losses[0], "loss at the end": losses[-1]},
    )


class TinyPrefixSettings(TinyAdaptationSettings):
    """A prefix before every attention of a tiny network."""

    length: int = Field(default=4, ge=1, le=64)
    """Virtual positions of each attention."""


@claim(
    "D40",
    "Prefix tuning prepends trainable keys and values to those of every text and trains only these "
    "and the new head: the weights of the network stay the same bit for bit.",
    r"\mathrm{Attention}(Q, [P_K; K], [P_V; V]), \qquad P_K, P_V \in \mathbb{R}^{h \times m "
    r"\times k} \mathrm{\ in\ each\ layer}",
)
def prefix_tuning(settings: TinyPrefixSettings) -> Evidence:
    """Train a prefix, compare the network bit by bit, and count what was added."""
    model = pretrained(settings)
    before = kept_weights(model)
    tokens, _ = texts(settings)
    with torch.no_grad():
        plain = model.states(tokens)
    losses = train_adapted(model, PrefixStart(run=NOWHERE, length=settings.length), settings)
    names, _ = changed(before, model)
    others = [name for name in names if not name.startswith(NEW)]
    prefixes = [one.prefix() for one in prefixed_attentions(model).values() if one.prefix]
    shape = (settings.heads, settings.length, 4)
    shaped = sum(part.shape == shape for pair in prefixes for part in pair)
    added = 2 * settings.layers * settings.length * settings.width
    head = CLASSES * settings.width + CLASSES
    with torch.no_grad():
        moved = (model.states(tokens) - plain).abs().max()
    return Evidence(
        stated=[
            equal("tensors of the network that have changed", len(others), 0),
            equal("keys and values of the right shape", shaped, 2 * settings.layers),
            equal("weights that are trained", trainable_count(model), added + head),
            above("largest change of a state that the prefix makes", moved, 1e-9),
        ],
        numbers={
            "weights of the network": sum(weight.numel() for weight in before.values()),
            "of the prefix": added,
            "of the new head": head,
            "loss at the start": losses[0],
            "loss at the end": losses[-1],
        },
    )


class TinyLoraSettings(TinyAdaptationSettings):
    """LoRA beside the matrices of a tiny network."""

    rank: int = Field(default=2, ge=1, le=32)
    """Rows of A and columns of B."""
    alpha: float = Field(default=4.0, gt=0.0, le=64.0)
    """Scale of the update: it is multiplied by alpha over the rank."""


@claim(
    "D41",
    "LoRA keeps a matrix fixed and learns a low-rank update of it. The update is zero at the "
    "start, its rank is at most $r$ after training, and adding it to the matrix gives the same "
    "network without an adapter. (Whether this is easier than a prefix only training can tell.)",
    r"W' = W + \frac{\alpha}{r} B A, \qquad B = 0 \mathrm{\ at\ first}, \quad "
    r"\mathrm{rank}(B A) \le r",
)
def low_rank_difference(settings: TinyLoraSettings) -> Evidence:
    """Train LoRA, look at the rank of each difference, and merge it into the matrices."""
    start = LoraStart(run=NOWHERE, rank=settings.rank, alpha=settings.alpha)
    model, fresh = pretrained(settings), pretrained(settings)
    before = kept_weights(model)
    tokens, _ = texts(settings)
    with torch.no_grad():
        plain = fresh.classify(tokens)
        make_ready(fresh, start, settings)
        untrained = fresh.classify(tokens)
    train_adapted(model, start, settings)
    others = [name for name in changed(before, model)[0] if not name.startswith(NEW)]
    matrices = lora_matrices(model)
    scale = settings.alpha / settings.rank
    by_hand = {
        name: before[f"{name}.weight"] + scale * one.up.weight @ one.down.weight
        for name, one in matrices.items()
    }
    values = [torch.linalg.svdvals(one.difference()) for one in matrices.values()]
    rank = max(int((value > 1e-9 * value[0]).sum()) for value in values)
    with torch.no_grad():
        adapted = model.classify(tokens)
        merge_for_good(model)
        merged = model.classify(tokens)
    after = dict(model.named_parameters())
    gap = max(largest_difference(after[f"{name}.weight"], one) for name, one in by_hand.items())
    return Evidence(
        stated=[
            same("scores with an untrained adapter minus without", untrained, plain),
            equal("tensors of the network that have changed", len(others), 0),
            at_most("largest rank of an update", rank, settings.rank),
            above("largest singular value of an update", max(float(v[0]) for v in values), 1e-9),
            at_most("merged matrices minus W + (α/r) BA", gap, 1e-12),
            same("scores of the merged network minus those with the adapter", merged, adapted),
        ],
        numbers={
            "adapted matrices": len(matrices),
            "weights of A and B": len(matrices) * 2 * settings.rank * settings.width,
            "weights of the matrices": len(matrices) * settings.width**2,
        },
        plot=[
            Panel(
                "singular values of the updates",
                [
                    curve(name, range(1, len(value) + 1), value.tolist(), number)
                    for number, (name, value) in enumerate(zip(matrices, values, strict=True))
                ],
                "number",
                lowest=0.0,
            )
        ],
    )


@claim(
    "A39",
    "Freezing the body of a network shortens training: the forward pass remains, but the backward "
    "pass through the body, about two thirds of the work, is no longer needed, and only the head's "
    "weights are updated.",
    r"F + 2F \to F, \qquad \mathrm{FLOPs}_{\mathrm{full}} / \mathrm{FLOPs}_{\mathrm{frozen}} "
    r"\approx 3",
)
def frozen_body(settings: TinyAdaptationSettings) -> Evidence:
    """Count the FLOPs of both passes, in full and with a frozen body, and the trained weights."""
    tokens, classes = texts(settings)
    passes = {}
    for name, start in (("full", FullStart(run=NOWHERE)), ("frozen", FrozenStart(run=NOWHERE))):
        model = pretrained(settings)
        make_ready(model, start, settings)
        model.train()

        def forward(model: Encoder = model) -> None:
            model.classify(tokens)

        def step(model: Encoder = model) -> None:
            F.cross_entropy(model.classify(tokens), classes).backward()

        once = count_flops(forward)
        passes[name] = (once, count_flops(step) - once, trainable_count(model))
    full, frozen = passes["full"], passes["frozen"]
    head = CLASSES * settings.width
    return Evidence(
        stated=[
            equal("FLOPs forward, frozen and in full", frozen[0], full[0]),
            equal("FLOPs backward, frozen: the head's matrix alone", frozen[1],
                  2 * len(tokens) * head),
            equal("trained weights, frozen", frozen[2], head + CLASSES),
            equal("FLOPs backward over forward, in full", full[1] / full[0], 2.0, 0.05),
            equal("FLOPs per step, in full over frozen", sum(full[:2]) / sum(frozen[:2]), 3.0, 0.1),
        ],
        numbers={
            "FLOPs of a step, in full": sum(full[:2]),
            "FLOPs of a step, frozen": sum(frozen[:2]),
            "trained weights, in full": full[2],
            "trained weights, frozen": frozen[2],
        },
        plot=[
            Bars(
                "FLOPs of a step",
                ["full: forward", "full: backward", "frozen: forward", "frozen: backward"],
                [[float(one)] for one in (*full[:2], *frozen[:2])],
            )
        ],
    )  # fmt: skip
