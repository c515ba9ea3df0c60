"""Translations that cannot be of their source, told without a reference.

empty      nothing for something
loop       a phrase stands in a row more often than in the source
longer     far longer than any translation of so long a source is, or far shorter
script     written in other letters than translations are, as a copy of the source would be

What is usual is learned from pairs: lengths are compared in characters, ten more on either side, so
that short texts are given some room. A text may be wrong in many other ways that this cannot see.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dragoman.core.letters import scripts
from dragoman.metrics.loops import loop

Why = Literal["empty", "loop", "longer", "shorter", "script"]

ROOM = 10
OUTSIDE = 0.001
"""Share of the pairs at either end that do not count as usual."""

SLACK = 1.5
"""By how much a ratio may still exceed what is usual."""

MOSTLY, SHARE = 0.5, 0.05
"""Of a text's letters that make its script; of a corpus's letters that make a script usual."""

FEWEST = 4
"""Letters below which a text says nothing of its script."""


@dataclass(frozen=True)
class UsualRatios:
    """Usual translations: the least and largest ratio of lengths, and their scripts."""

    least: float = 1 / 8
    most: float = 8.0
    scripts: frozenset[str] = frozenset()
    """None: any."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], slack: float = SLACK) -> "UsualRatios":
        """Learn what is usual from pairs of source and target; of none, what holds for most."""
        ratios, letters = [], Counter[str]()
        for source, target in pairs:
            ratios.append(_ratio(source, target))
            letters.update(scripts(target))
        if not ratios:
            return cls()
        least, most = np.quantile(ratios, [OUTSIDE, 1 - OUTSIDE])
        kept = {name for name, count in letters.items() if count > SHARE * letters.total()}
        return cls(float(least) / slack, float(most) * slack, frozenset(kept))

    def is_short(self, source: str, target: str) -> bool:
        """Say whether a text is far shorter than a translation of its source would be."""
        return _ratio(source, target) < self.least


def hallucination_reason(source: str, target: str, usual: UsualRatios | None = None) -> Why | None:
    """Say why a text cannot be a translation of its source, or None where nothing speaks for it."""
    usual = usual or UsualRatios()
    if not source.strip():
        return "longer" if target.strip() else None
    if not target.strip():
        return "empty"
    if loop(target, source) is not None:
        return "loop"
    ratio = _ratio(source, target)
    if not usual.least <= ratio <= usual.most:
        return "longer" if ratio > usual.most else "shorter"
    letters = scripts(target)
    if usual.scripts and letters.total() >= FEWEST:
        own = sum(letters[name] for name in usual.scripts)
        return "script" if own < MOSTLY * letters.total() else None
    return None


def _ratio(source: str, target: str) -> float:
    return (len(target.strip()) + ROOM) / (len(source.strip()) + ROOM)
