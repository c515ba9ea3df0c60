"""Attention weights of a translator, seen through the seam that every layer has.

Seeing changes nothing: the same scores come out, bit for bit, and the seam is put back. A map is
one of four kinds, and a network is asked which of them its layers have (`kinds_of`):

    across   what is written looks at the source        target × source
    source   the source looks at itself                 source × source
    target   what is written looks at what is before    target × target
    row      START, the source without its END, a mark, what is written: all in one row, which
             looks at itself; its part of what is written over the source is a map across
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from dragoman.core.errors import ConfigError, ShapeError
from dragoman.data.tokenizer.special_tokens import END, PAD, START, UNKNOWN
from dragoman.neural.layers.watchable import Watchable

Maps = dict[str, list[Tensor]]
Kind = Literal["across", "source", "target", "row"]
Ids = Sequence[int]

BATCH = 32


@contextmanager
def attention_maps(model: nn.Module) -> Iterator[Maps]:
    """Collect the weights [b, h, t, s] of every attention layer, by the layer's name."""
    maps: Maps = {}
    layers = {name: part for name, part in model.named_modules() if isinstance(part, Watchable)}
    for name, layer in layers.items():
        layer.watcher = maps.setdefault(name, []).append
    try:
        yield maps
    finally:
        for layer in layers.values():
            layer.watcher = None


def kinds_of(model: nn.Module) -> dict[str, Kind]:
    """Say of every layer with attention what looks at what in it; none has none.

    The network is given a source and a target whose lengths cannot be taken for each other.
    """
    source, target = (UNKNOWN,) * 4 + (END,), (START, UNKNOWN, UNKNOWN)
    s, t = len(source), len(target)
    kinds: dict[tuple[int, int], Kind] = {
        (t, s): "across",
        (s, s): "source",
        (t, t): "target",
        (s + t, s + t): "row",
    }
    found: dict[str, Kind] = {}
    for name, told in _told(model, [source], [target]).items():
        for weights in told:
            queries, keys = weights.shape[-2:]
            if (queries, keys) not in kinds:
                raise ShapeError(f"{name}: {queries} positions look at {keys}, which is no kind.")
            found[name] = kinds[queries, keys]
    return found


def check_attention(model: nn.Module) -> None:
    """Refuse a network that never looks at its source."""
    if not {"across", "row"} & set(kinds_of(model).values()):
        raise ConfigError(
            "--attention: this model has no attention to be drawn. It hands the source on as one "
            "fixed vector. Leave --attention out, or train a model with attention."
        )


@dataclass(frozen=True, slots=True)
class AttentionWeights:
    """Attention weights of one sentence: for each layer of a kind, [heads, rows, columns].

    A row of the target is the subword that was being written, END last; a column is a subword that
    could be looked at: START first, where it is the target's.
    """

    across: list[np.ndarray] = field(default_factory=list)
    source: list[np.ndarray] = field(default_factory=list)
    target: list[np.ndarray] = field(default_factory=list)
    row: list[np.ndarray] = field(default_factory=list)


def read_attention(
    model: nn.Module, sources: Sequence[Ids], targets: Sequence[Ids]
) -> list[AttentionWeights]:
    """Return what a network looks at while it reads sources and is told what to write.

    A source ends with END; a target has neither START nor END.
    """
    kinds = kinds_of(model)
    seen = [AttentionWeights() for _ in sources]
    order = sorted(range(len(sources)), key=lambda row: len(sources[row]))
    for rows in (order[begin : begin + BATCH] for begin in range(0, len(order), BATCH)):
        written = [[START, *targets[row]] for row in rows]
        told = _told(model, [sources[row] for row in rows], written)
        for name, weights in ((name, w) for name, each in told.items() for w in each):
            table = weights.float().cpu().numpy()
            for place, row in enumerate(rows):
                s, t = len(sources[row]), len(written[place])
                _keep(seen[row], kinds[name], table[place], s, t)
    return seen


def _keep(seen: AttentionWeights, kind: Kind, weights: np.ndarray, s: int, t: int) -> None:
    """Put the map [h, rows, columns] of one layer where it belongs, without its padding."""
    match kind:
        case "across":
            seen.across.append(weights[:, :t, :s])
        case "source":
            seen.source.append(weights[:, :s, :s])
        case "target":
            seen.target.append(weights[:, :t, :t])
        case "row":
            seen.row.append(weights[:, : s + t, : s + t])
            seen.across.append(weights[:, s : s + t, 1:s])


def _told(model: nn.Module, sources: Sequence[Ids], targets: Sequence[Ids]) -> Maps:
    """Let a network read and write once, and return what its layers told."""
    device = next(model.parameters()).device
    with torch.inference_mode(), attention_maps(model) as maps:
        model(_padded(sources, device), _padded(targets, device))
    return {name: weights for name, weights in maps.items() if weights}


def _padded(rows: Sequence[Ids], device: torch.device) -> Tensor:
    table = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return torch.from_numpy(table).to(device)
