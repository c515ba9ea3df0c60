"""Quality by the length of the source."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dragoman.core.errors import ConfigError, DataError
from dragoman.metrics.scores import check_pairs, exact_match, score

EDGES = (5, 10, 15, 20, 30, 50)


@dataclass(frozen=True)
class LengthRow:
    """The scores of the sentences of about one length."""

    bucket: str
    """Words of the source: "≤ 5", "6–10", … "> 50"."""

    sentences: int
    bleu: float
    chrf: float
    exact: float


def by_length(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    edges: Sequence[int] = EDGES,
) -> list[LengthRow]:
    """Score the corpus in buckets of source words; an edge is the last length of its bucket.

    Buckets without a sentence are left out.
    """
    check_pairs(hypotheses, references)
    if len(sources) != len(hypotheses):
        raise DataError(f"by length: {len(sources)} sources but {len(hypotheses)} outputs.")
    if not edges or any(first >= second for first, second in pairwise(edges)):
        raise ConfigError(f"by length: edges {list(edges)} must rise.")
    buckets: list[list[int]] = [[] for _ in range(len(edges) + 1)]
    for index, source in enumerate(sources):
        buckets[bisect_left(edges, len(source.split()))].append(index)
    return [
        _row(label, members, hypotheses, references)
        for label, members in zip(_labels(edges), buckets, strict=True)
        if members
    ]


def _labels(edges: Sequence[int]) -> list[str]:
    between = [f"{low + 1}–{high}" for low, high in pairwise(edges)]
    return [f"≤ {edges[0]}", *between, f"> {edges[-1]}"]


def _row(
    label: str, members: list[int], hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> LengthRow:
    outputs = [hypotheses[index] for index in members]
    streams = [[stream[index] for index in members] for stream in references]
    scores = score(outputs, streams, metrics=("bleu", "chrf"))
    return LengthRow(
        bucket=label,
        sentences=len(members),
        bleu=scores["bleu"].value,
        chrf=scores["chrf"].value,
        exact=exact_match(outputs, streams),
    )
