"""Alignment error rate of word alignments (Och & Ney 2003), written out.

A link pairs a source word with a target word, both counted from 0. Gold links are sure or merely
possible; every sure link is possible too. For found links A, sure links S and possible links P,
counted over all sentences of a set:

    precision  =  |A ∩ P| / |A|
    recall     =  |A ∩ S| / |S|
    AER        =  1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

0 is perfect and 1 is all wrong. Where every gold link is sure, AER is 1 − F1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dragoman.core.errors import DataError

if TYPE_CHECKING:
    import numpy as np

Link = tuple[int, int]
"""(source word, target word)"""


@dataclass(frozen=True, slots=True)
class AlignmentScore:
    """Alignment error rate, precision and recall of links against gold ones."""

    error: float
    """The alignment error rate, 0 to 1."""

    precision: float
    """The share of found links that are possible; 1 where none is found, for none is wrong."""

    recall: float
    """The share of sure links that are found; 1 where none is sure, for none is missed."""

    found: int
    sure: int


def alignment_error(
    found: Sequence[Iterable[Link]],
    sure: Sequence[Iterable[Link]],
    possible: Sequence[Iterable[Link]] | None = None,
) -> AlignmentScore:
    """Score the links of some sentences; without `possible`, only the sure ones are possible."""
    maybe = sure if possible is None else possible
    if not len(found) == len(sure) == len(maybe):
        raise DataError(
            f"alignment: {len(found)} sentences with links, {len(sure)} with sure and {len(maybe)} "
            "with possible ones; each sentence must have all of them."
        )
    links = surely = in_sure = in_possible = 0
    for mine, certain, further in zip(found, sure, maybe, strict=True):
        a, s = set(mine), set(certain)
        links += len(a)
        surely += len(s)
        in_sure += len(a & s)
        in_possible += len(a & (s | set(further)))
    return AlignmentScore(
        error=1 - (in_sure + in_possible) / (links + surely) if links + surely else 0.0,
        precision=in_possible / links if links else 1.0,
        recall=in_sure / surely if surely else 1.0,
        found=links,
        sure=surely,
    )


def links_from_weights(weights: "np.ndarray", least: float = 0.0) -> set[Link]:
    """Link each target word (row) to the source word (column) that it looks at most.

    Of several with the same weight the first is taken. A word whose largest weight is below `least`
    has no link; with 0 every word has one.
    """
    if weights.ndim != 2:
        raise DataError(f"alignment: weights of shape {weights.shape} are no table of two words.")
    if not weights.shape[1]:
        return set()
    best = weights.argmax(axis=1)
    return {
        (int(source), target)
        for target, source in enumerate(best)
        if weights[target, source] >= least
    }
