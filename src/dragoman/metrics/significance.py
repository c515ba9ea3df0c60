"""Is one system better than another, or only luckier with these sentences?

The paired bootstrap (Koehn 2004) draws the test set anew many times, with replacement, scores both
systems on each draw and asks how often chance alone would give a difference as large as the real
one. Draws, means and p-values are those of sacrebleu's command.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import ConfigError, DataError
from dragoman.metrics.bootstrap import Interval, resampled_scores
from dragoman.metrics.scores import (
    SEED,
    References,
    build_metric,
    check_pairs,
    corpus_statistics,
)

LEVEL = 0.05


@dataclass(frozen=True)
class SystemScore:
    """One system's score, with the mean and the 95 % interval (percentiles) of its draws."""

    score: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """Two systems side by side."""

    metric: str
    first: SystemScore
    second: SystemScore
    p_value: float
    significant: bool
    verdict: str
    signature: str


def compare(
    first: Sequence[str],
    second: Sequence[str],
    references: References,
    *,
    metric: str = "bleu",
    draws: int = 1000,
    seed: int = SEED,
) -> Comparison:
    """Compare the outputs of two systems on the same sentences."""
    if len(first) != len(second):
        raise DataError(
            f"compare: the first system has {len(first)} outputs and the second {len(second)}; "
            "both must translate the same sentences."
        )
    check_pairs(first, references)
    if seed < 1 or draws < 2:
        raise ConfigError(
            f"compare: {draws} draws from seed {seed}; use at least 2 draws and a seed above 0."
        )
    judge = build_metric(metric)
    statistics = [corpus_statistics(judge, outputs, references) for outputs in (first, second)]
    drawn = [resampled_scores(judge, one, draws, seed) for one in statistics]
    whole = [judge._aggregate_and_compute(one) for one in statistics]
    one, two = (_system(a.score, scores) for a, scores in zip(whole, drawn, strict=True))
    p_value = _p_value(abs(two.score - one.score), np.abs(drawn[1] - drawn[0]))
    judge.n_bootstrap, judge.seed = draws, str(seed)  # for the signature
    name = whole[0].name
    return Comparison(
        metric=name,
        first=one,
        second=two,
        p_value=p_value,
        significant=p_value < LEVEL,
        verdict=_verdict(name, one.score, two.score, p_value, lower_is_better=metric == "ter"),
        signature=str(judge.get_signature()),
    )


def _system(score: float, drawn: NDArray[np.float64]) -> SystemScore:
    interval = Interval.of(drawn)
    return SystemScore(float(score), float(drawn.mean()), interval.low, interval.high)


def _p_value(difference: float, drawn: NDArray[np.float64]) -> float:
    """Return how often chance alone makes a difference as large: draws around their own mean.

    Without any difference no draw lies above it, which would give the smallest p.
    """
    if difference == 0:
        return 1.0
    above = int(np.count_nonzero(drawn - drawn.mean() > difference))
    return (above + 1) / (len(drawn) + 1)


def _verdict(
    name: str, first: float, second: float, p_value: float, *, lower_is_better: bool
) -> str:
    figures = f"{name} {first:.1f} and {second:.1f}, p = {p_value:.3f}"
    if p_value >= LEVEL:
        return f"The systems cannot be told apart ({figures})."
    better = "second" if (second > first) != lower_is_better else "first"
    return f"The {better} system is better ({figures})."
