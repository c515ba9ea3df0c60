"""Counts for people and for programs: a tree, a table that compares several, and JSON."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any

from dragoman.planner.count.count import ModelCount
from dragoman.planner.count.tree import Cost, CountNode

HEAD = ("part", "kind", "parameters", "forward", "backward", "multiplications", "activations")
COMPARED = (
    "name", "model", "parameters", "trained", "batch", "forward", "backward", "FLOPs/unit",
    "training peak", "KV/token",
)  # fmt: skip
KEYS = {
    "parameters": "parameters",
    "trained": "trained_parameters",
    "forward": "forward_flops",
    "backward": "backward_flops",
    "multiplications": "multiplications",
    "activations": "activation_bytes",
}
"""Counts and what they are called in JSON."""


def flops(count: int) -> str:
    """Write FLOPs with a unit."""
    return _with_unit(count, 1000, ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"))


def memory(count: int) -> str:
    """Write bytes with a unit."""
    return _with_unit(count, 1024, ("B", "KiB", "MiB", "GiB", "TiB"))


def _with_unit(count: int, base: int, units: Sequence[str]) -> str:
    value, unit = float(count), 0
    while value >= base and unit < len(units) - 1:
        value, unit = value / base, unit + 1
    if unit == 0:
        return f"{count} {units[0]}" if count else "-"
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {units[unit]}"


def tree(counted: ModelCount, depth: int) -> str:
    """Write a network as a tree, equal layers in one row, and its memory below."""
    rows = [HEAD, *_rows(replace(counted.network, name=counted.subject.name), depth)]
    return "\n\n".join([_title(counted), aligned(rows, left=2), _memory(counted)])


def _title(counted: ModelCount) -> str:
    subject, sizes = counted.subject, counted.subject.sizes
    shape = [f"batch of {sizes.batch:,}"]
    if sizes.image_size:
        shape.append(f"images of {sizes.channels}×{sizes.image_size}×{sizes.image_size}")
    if sizes.source_length:
        shape.append(f"{sizes.source_length:,} source tokens")
    if sizes.target_length:
        shape.append(f"{sizes.target_length:,} target tokens")
    lines = [
        f"{subject.name}: {subject.model.kind}, {subject.task}",
        ", ".join(shape),
        *subject.assumptions,
    ]
    if subject.start is not None:
        trained = f"{counted.total.trained:,} of {counted.total.parameters:,} parameters trained"
        lines.append(f"starts from {subject.start.run}, {subject.start.method}: {trained}")
    return "\n".join(lines)


def _rows(node: CountNode, depth: int, indent: int = 0) -> list[tuple[str, ...]]:
    cost = node.total
    kind = f"{node.kind} ({node.note})" if node.note else node.kind
    row = (f"{'  ' * indent}{node.name}", kind, *_figures(cost))
    below = _merged(node.parts) if indent < depth else []
    return [row, *(one for part in below for one in _rows(part, depth, indent + 1))]


def _figures(cost: Cost) -> tuple[str, ...]:
    return (
        f"{cost.parameters:,}" if cost.parameters else "-",
        flops(cost.forward),
        flops(cost.backward),
        f"{cost.multiplications:,}" if cost.multiplications else "-",
        memory(cost.activations),
    )


def _merged(parts: Sequence[CountNode]) -> list[CountNode]:
    """Add up neighbours that are numbered and alike, as the layers of a stack are."""

    def alike(node: CountNode) -> tuple[object, ...]:
        cost = node.total
        numbered = node.name.isdigit() and bool(node.parts)
        return numbered or node.name, node.kind, cost.forward, cost.backward, len(node.parts)

    return [_added_up(list(group)) for _, group in groupby(parts, alike)]


def _added_up(nodes: list[CountNode]) -> CountNode:
    first, *others = nodes
    if not others:
        return first
    own = first.own
    for other in others:
        own = own + other.own
    parts = tuple(
        replace(_added_up([node.parts[place] for node in nodes]), name=part.name, kind=part.kind)
        for place, part in enumerate(first.parts)
    )
    name, kind = f"{first.name}-{others[-1].name}", f"{len(nodes)} × {first.kind}"
    return replace(first, name=name, kind=kind, own=own, parts=parts)


def _memory(counted: ModelCount) -> str:
    used, cache, optimizer = counted.memory, counted.cache, counted.subject.optimizer
    rows = [
        ("memory", ""),
        ("parameters", memory(used.parameters)),
        ("gradients", memory(used.gradients)),
        (f"optimizer state ({optimizer.kind})", memory(used.optimizer)),
        ("moving average", memory(used.average)),
        ("activations", memory(used.activations)),
        ("fragmentation of the heap", memory(used.fragmentation)),
        ("training peak", memory(used.peak)),
    ]
    if cache is not None:
        if cache.per_token:
            rows.append(("KV cache per token", memory(cache.per_token)))
        if cache.per_source_token and cache.source_length:
            rows.append(("KV cache per source token", memory(cache.per_source_token)))
        if cache.fixed:
            rows.append(("recurrent state", memory(cache.fixed)))
        longest = f"{cache.longest:,} tokens"
        if cache.source_length:
            longest = f"{cache.source_length:,} source tokens to {longest}"
        if cache.beam > 1:
            longest += f", beam {cache.beam}"
        rows.append((f"decoding: {longest}", memory(cache.at_longest)))
    return aligned(rows, left=1)


def table(counts: Sequence[ModelCount]) -> str:
    """Write several networks side by side, with all that was assumed of each below."""
    rows = [COMPARED, *(_compared(one) for one in counts)]
    said = [f"{one.subject.name}: {said}" for one in counts for said in one.subject.assumptions]
    return "\n\n".join([aligned(rows, left=2), *(["\n".join(said)] if said else [])])


def _compared(counted: ModelCount) -> tuple[str, ...]:
    total, cache = counted.total, counted.cache
    return (
        counted.subject.name,
        counted.subject.model.kind,
        f"{total.parameters:,}",
        f"{total.trained:,}",
        f"{counted.tokens:,}",
        flops(total.forward),
        flops(total.backward),
        flops((total.forward + total.backward) // max(1, counted.tokens)),
        memory(counted.memory.peak),
        memory(cache.per_token) if cache is not None else "-",
    )


def aligned(rows: Sequence[Sequence[str]], *, left: int) -> str:
    """Write rows in columns, the first ones to the left and figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def as_json(counted: ModelCount) -> dict[str, Any]:
    """Return a count as plain values: the whole tree, memory and what was assumed."""
    subject, cache = counted.subject, counted.cache
    return {
        "name": subject.name,
        "model": subject.model.kind,
        "task": subject.task,
        "sizes": asdict(subject.sizes),
        "assumptions": list(subject.assumptions),
        "units_per_step": counted.tokens,
        **_counts(counted.total),
        "memory": {f"{key}_bytes": value for key, value in asdict(counted.memory).items()},
        "decoding": None if cache is None else {**asdict(cache), "at_longest": cache.at_longest},
        "network": _tree(counted.network),
    }


def _tree(node: CountNode) -> dict[str, Any]:
    return {
        "name": node.name,
        "kind": node.kind,
        "note": node.note,
        **_counts(node.total),
        "parts": [_tree(part) for part in node.parts],
    }


def _counts(cost: Cost) -> dict[str, int]:
    return {name: getattr(cost, key) for key, name in KEYS.items()}
