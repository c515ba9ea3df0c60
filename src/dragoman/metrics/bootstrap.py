"""Bootstrap resampling of a test set (Efron 1979; Koehn 2004), as sacrebleu does it.

A test set is drawn anew many times, sentence by sentence and with replacement, and scored each
time. The draws are those of sacrebleu's command for the same seed, and so is the mean. The 95 %
interval goes from the 2.5 to the 97.5 percentile of the scores, so that it never leaves the scale
of its metric; sacrebleu prints half of its width after a ±, around the mean.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

TAIL = 40
"""One score in forty lies below a 95 % interval, and one above."""

Statistics = list[list[Any]]
"""sacrebleu's counts for each sentence, from which a corpus is scored."""


@dataclass(frozen=True)
class Interval:
    """The percentiles at both ends of a 95 % interval."""

    low: float
    high: float

    @classmethod
    def of(cls, scores: NDArray[np.float64]) -> "Interval":
        """Take the ends of resampled scores, counted as sacrebleu counts them."""
        ordered = np.sort(scores)
        outside = len(ordered) // TAIL
        return cls(float(ordered[outside]), float(ordered[len(ordered) - outside - 1]))


def resampled_scores(
    metric: "Metric", statistics: Statistics, draws: int, seed: int
) -> NDArray[np.float64]:
    """Score a corpus on each of many draws of its sentences."""
    random = np.random.default_rng(seed)
    # One table of places, as sacrebleu has it: rows drawn one by one would be other ones.
    places = random.choice(len(statistics), size=(draws, len(statistics)), replace=True)
    counts = np.array(statistics, dtype=np.float32)
    scores = [metric._compute_score_from_stats(counts[row].sum(0)).score for row in places]
    return np.array(scores, dtype=np.float64).round(9)  # a perfect BLEU is 100 and a hair more
