"""BLEU, chrF and TER as the whole field computes them: by sacrebleu, with its signature.

The training log, the validation and `dragoman evaluate` all call `score`, so that a number means
the same wherever it stands. sacrebleu is imported at the first score, not before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from dragoman.core.errors import ConfigError, DataError, nearest

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

    from dragoman.metrics.bootstrap import Statistics

METRICS = ("bleu", "chrf", "ter")
SEED = 12345  # sacrebleu's own, so that its command gives the same interval

References = Sequence[Sequence[str | None]]
"""One list of sentences per reference set; None where a sentence has no further reference."""


@dataclass(frozen=True)
class Score:
    """One figure for a whole corpus, with how it came about."""

    name: str
    """As it is written in a report: BLEU, chrF2, TER."""

    value: float
    signature: str
    """sacrebleu's, word for word: quote it with the figure."""

    low: float | None
    """The 2.5 percentile of the scores of resampled sentences, if it was asked for."""

    high: float | None
    """The 97.5 percentile of these: with `low` the 95 % interval."""

    lower_is_better: bool


def score(
    hypotheses: Sequence[str],
    references: References,
    *,
    metrics: Sequence[str] = METRICS,
    bootstrap: int = 0,
    seed: int = SEED,
) -> dict[str, Score]:
    """Score a corpus by each metric; `references` holds one list of sentences per reference set."""
    check_pairs(hypotheses, references)
    return {name: _score_by(name, hypotheses, references, bootstrap, seed) for name in metrics}


def exact_match(hypotheses: Sequence[str], references: References) -> float:
    """Return the percentage of outputs equal to a reference, blanks at the ends aside."""
    check_pairs(hypotheses, references)
    equal = sum(
        hypothesis.strip() in {each.strip() for each in those if each is not None}
        for hypothesis, *those in zip(hypotheses, *references, strict=True)
    )
    return 100.0 * equal / len(hypotheses)


def check_pairs(hypotheses: Sequence[str], references: References) -> None:
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
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    kinds: dict[str, type[Metric]] = {"bleu": BLEU, "chrf": CHRF, "ter": TER}
    return kinds[name]()


def corpus_statistics(
    metric: "Metric", hypotheses: Sequence[str], references: References
) -> "Statistics":
    """Return sacrebleu's counts for each sentence, from which it scores the corpus."""
    # sacrebleu's types know of no missing reference, though its code and its signature do.
    return cast("Statistics", metric._extract_corpus_statistics(hypotheses, references))  # type: ignore[arg-type]


def _score_by(
    name: str, hypotheses: Sequence[str], references: References, bootstrap: int, seed: int
) -> Score:
    metric = build_metric(name)
    statistics = corpus_statistics(metric, hypotheses, references)
    found = metric._aggregate_and_compute(statistics)
    interval = None
    if bootstrap > 1:
        from dragoman.metrics.bootstrap import Interval, resampled_scores

        interval = Interval.of(resampled_scores(metric, statistics, bootstrap, seed))
        metric.n_bootstrap, metric.seed = bootstrap, str(seed)  # for the signature
    return Score(
        name=found.name,
        value=float(found.score),
        signature=str(metric.get_signature()),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        lower_is_better=name == "ter",
    )
