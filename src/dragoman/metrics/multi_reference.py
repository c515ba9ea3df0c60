"""Several references: a source that recurs in a test set, judged by all its translations at once.

A set with one reference a line asks the same source again for each of its translations, and counts
all but one of them as wrong. Here each distinct source is asked once, with every reference it has;
sacrebleu's signature says `nrefs:var`. Scores of either kind are comparable only among themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from dragoman.metrics.scores import METRICS, Score, exact_match, score


@dataclass(frozen=True)
class MultiReferenceScores:
    """Scores of distinct sources by all their references."""

    sources: int
    references: int
    scores: dict[str, Score]
    exact: float
    """Percentage of the outputs that match one of the references."""


def references_by_source(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Gather the distinct translations of each source, in the order of the pairs."""
    found: dict[str, dict[str, None]] = {}
    for source, target in pairs:
        found.setdefault(source, {})[target] = None
    return {source: list(targets) for source, targets in found.items()}


def score_by_all_references(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Mapping[str, Sequence[str]],
    *,
    metrics: Sequence[str] = METRICS,
    bootstrap: int = 0,
) -> MultiReferenceScores | None:
    """Score each distinct source once by all its references; None where each has only one."""
    outputs: dict[str, str] = {}
    for source, hypothesis in zip(sources, hypotheses, strict=True):
        outputs.setdefault(source, hypothesis)
    known = [references[source] for source in outputs]
    if not any(len(those) > 1 for those in known):
        return None
    texts = list(outputs.values())
    streams = list(zip_longest(*known))  # None where a source has no further reference
    return MultiReferenceScores(
        sources=len(texts),
        references=sum(map(len, known)),
        scores=score(texts, streams, metrics=metrics, bootstrap=bootstrap),
        exact=exact_match(texts, streams),
    )
