"""BLEU, chrF and TER as the whole field computes them: by sacrebleu, with its signature.

The training log, the validation and `dragoman evaluate` all call `score`, so that a number means
the same wherever it stands. sacrebleu is imported at the first score, not before.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dragoman.core.errors import ConfigError, DataError, nearest

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

METRICS = ("bleu", "chrf", "ter")
SEED = 12345  # sacrebleu's own, so that its command gives the same interval
_SEED_VARIABLE = "SACREBLEU_SEED"


@dataclass(frozen=True)
class Score:
    """One figure for a whole corpus, with how it came about."""

    name: str
    """As it is written in a report: BLEU, chrF2, TER."""

    value: float
    signature: str
    """sacrebleu's, word for word: quote it with the figure."""

    low: float | None
    """Lower end of the 95 % interval from resampling the sentences, if it was asked for."""

    high: float | None
    lower_is_better: bool


def score(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    metrics: Sequence[str] = METRICS,
    bootstrap: int = 0,
    seed: int = SEED,
) -> dict[str, Score]:
    """Score a corpus by each metric; `references` holds one list of sentences per reference set."""
    check_pairs(hypotheses, references)
    return {name: _score_by(name, hypotheses, references, bootstrap, seed) for name in metrics}


def exact_match(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return the percentage of outputs equal to a reference, blanks at the ends aside."""
    check_pairs(hypotheses, references)
    equal = sum(
        hypothesis.strip() in {each.strip() for each in those}
        for hypothesis, *those in zip(hypotheses, *references, strict=True)
    )
    return 100.0 * equal / len(hypotheses)


def check_pairs(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Refuse a corpus whose outputs and references do not stand side by side."""
    if not hypotheses or not references:
        raise DataError("score: there is nothing to score; give outputs and references.")
    for stream in references:
        if len(stream) != len(hypotheses):
            raise DataError(
                f"score: {len(hypotheses)} outputs but {len(stream)} references; "
                "there must be one for each, in the same order."
            )


def build_metric(name: str) -> "Metric":
    """Build sacrebleu's metric of that name with its default settings."""
    if name not in METRICS:
        raise ConfigError(f"score: unknown metric {name!r}. {nearest(name, METRICS)}")
    import numpy as np
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF, CHRFScore
    from sacrebleu.metrics.ter import TER

    class PlainCHRF(CHRF):
        """chrF with one kind of number: sacrebleu cannot average its float32 and a plain 0.0."""

        def _compute_score_from_stats(self, stats: list[Any]) -> CHRFScore:
            found = super()._compute_score_from_stats(stats)
            kind: Any = type(stats[0])
            if issubclass(kind, np.floating):  # a resample, which has float32 counts
                found.score = kind(found.score)
            return found

    kinds: dict[str, type[Metric]] = {"bleu": BLEU, "chrf": PlainCHRF, "ter": TER}
    return kinds[name]()


@contextmanager
def seed_sacrebleu(seed: int) -> Iterator[None]:
    """Have sacrebleu resample from a seed: it takes it from the environment and nowhere else."""
    before = os.environ.get(_SEED_VARIABLE)
    os.environ[_SEED_VARIABLE] = str(seed)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SEED_VARIABLE]
        else:
            os.environ[_SEED_VARIABLE] = before


def _score_by(
    name: str,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    bootstrap: int,
    seed: int,
) -> Score:
    metric = build_metric(name)
    with seed_sacrebleu(seed):
        found = metric.corpus_score(hypotheses, references, n_bootstrap=max(bootstrap, 1))
    low = high = None
    if bootstrap > 1:
        # sacrebleu keeps the mean and half the width of the interval, and prints them so.
        low, high = float(found._mean - found._ci), float(found._mean + found._ci)
    return Score(
        name=found.name,
        value=float(found.score),
        signature=str(metric.get_signature()),
        low=low,
        high=high,
        lower_is_better=name == "ter",
    )
