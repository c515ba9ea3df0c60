"""Verdicts and tables on pooling and filters in small convolutional networks.

Accuracies and changed answers are in per cent. A difference counts where the 95 % interval over
seeds has nought on one side, and counts as none where the whole interval lies below `SLIGHT`. With
a single seed, or where a network has learned nothing, everything stays undecided.
"""

from collections.abc import Sequence
from statistics import fmean

from dragoman.lab.experiment import ResultTable
from dragoman.lab.experiments.filters.data import SHIFTS
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, figures, names, select, spread_of
from dragoman.lab.spread import Spread, difference, spread

MAX, AVERAGE, STRIDE = "max", "average", "stride"
MAX_FIRST, AVERAGE_FIRST = "max first", "average first"
SOBEL, RANDOM, ALL_RANDOM = "Sobel", "random", "all random"
FIXED = (SOBEL, RANDOM, ALL_RANDOM)

SLIGHT = 0.5
"""Percentage points that do not count."""

LEARNED = ExperimentHypothesis(
    ("E40",),
    "learned filters are better than predefined ones.",
    power=Power(effect=SLIGHT, deviation=0.35),
)
POOLING = ExperimentHypothesis(
    ("E48",),
    "pooling makes the maps smaller and brings invariance to small shifts.",
    power=Power(effect=2.0, deviation=1.2),
)
LARGEST = ExperimentHypothesis(
    ("E49",),
    "max pooling is better than average pooling, for it is the more invariant.",
    power=Power(effect=1.1, deviation=0.75),
)
ORDER = ExperimentHypothesis(
    ("E50",),
    "one pools after the convolution; otherwise only intensity is kept.",
    power=Power(effect=1.0, deviation=0.3),
)
"""In points of accuracy or of changed answers; deviations are those of an earlier run with other
seeds, and a little more, for training is shorter."""
CLAIMS = (LEARNED, POOLING, LARGEST, ORDER)


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    return [_learned_filters(results), _pooling(results), _largest(results), _order(results)]


def accuracy(results: Results, name: str) -> list[float]:
    """Return the accuracy on the whole test set for each seed."""
    return figures(results, name, "accuracy")


def changed(results: Results, name: str) -> list[float]:
    """Return how many answers a shift changes, mean over all shifts, for each seed."""
    return [fmean(map(float, result["changed"])) for result in select(results, name)]


def lost(results: Results, name: str) -> list[float]:
    """Return the points of accuracy that a shift costs, mean over all shifts, for each seed."""
    return [
        float(result["accuracies"][0]) - fmean(map(float, result["accuracies"][1:]))
        for result in select(results, name)
    ]


def learned(results: Results, models: Sequence[str]) -> bool:
    """Say whether each network is surely better than the majority baseline."""
    gains = (
        difference(accuracy(results, one), figures(results, one, "majority")) for one in models
    )
    return all(gain.side_of(0.0) == "above" for gain in gains)


def decide_gains(gains: Sequence[Spread]) -> Verdict:
    """Give the verdict on a claim that promises several gains.

    All there: confirmed, or corrected where all are slight. None: refuted. One of them surely not:
    it needs correcting, whatever becomes of the others.
    """
    there = [gain.side_of(0.0) == "above" for gain in gains]
    slight = [gain.side_of(SLIGHT) == "below" for gain in gains]
    missed = [small and not so for small, so in zip(slight, there, strict=True)]
    if all(there):
        return "corrected" if all(slight) else "confirmed"
    if all(missed):
        return "refuted"
    return "corrected" if any(missed) else "undecided"


def _learned_filters(results: Results) -> ClaimVerdict:
    gains = {name: difference(accuracy(results, MAX), accuracy(results, name)) for name in FIXED}
    verdict = decide_gains([*gains.values()]) if learned(results, (MAX, *gains)) else "undecided"
    whole = int(select(results, MAX)[0]["parameters"])
    first, every = (
        whole - int(select(results, name)[0]["trained"]) for name in (SOBEL, ALL_RANDOM)
    )
    details = "; ".join(
        f"over {name}, fixed ({spread(accuracy(results, name)).written(1)} %), {gain.interval(1)}"
        for name, gain in gains.items()
    )
    return ClaimVerdict(
        LEARNED,
        verdict,
        f"Accuracy with all filters learned {spread(accuracy(results, MAX)).written(1)} %; points "
        f"gained {details}. Of {whole:,} weights {first:,} are fixed, those of the first filters, "
        f"and with all filters {every:,}; norms and head are always learned.",
    )


def _pooling(results: Results) -> ClaimVerdict:
    """Compare with a network that makes its maps smaller by strides alone."""
    gains = {
        name: difference(changed(results, STRIDE), changed(results, name))
        for name in (MAX, AVERAGE)
    }
    verdict = decide_gains([*gains.values()]) if learned(results, (STRIDE, *gains)) else "undecided"
    calmer = ", ".join(f"{name} {gain.interval(1)}" for name, gain in gains.items())
    at = ", ".join(
        f"{name} {_changed_at(results, name, 0)} % and {_changed_at(results, name, -1)} %"
        for name in (STRIDE, MAX, AVERAGE)
    )
    return ClaimVerdict(
        POOLING,
        verdict,
        f"Answers changed by shifts of {SHIFTS[0]} to {SHIFTS[-1]} pixels, of strides minus of "
        f"pooling, points: {calmer}. At {SHIFTS[0]} and at {SHIFTS[-1]}: {at}. Each stage leaves a "
        "quarter of the places, by strides no less than by pooling.",
    )


def _changed_at(results: Results, name: str, place: int) -> str:
    return spread([float(result["changed"][place]) for result in select(results, name)]).written(1)


def _largest(results: Results) -> ClaimVerdict:
    """Better is meant of the accuracy, more invariant of the answers that shifts change."""
    better = difference(accuracy(results, MAX), accuracy(results, AVERAGE))
    calmer = difference(changed(results, AVERAGE), changed(results, MAX))
    cheaper = difference(lost(results, AVERAGE), lost(results, MAX))
    verdict = decide_gains([better, calmer]) if learned(results, (MAX, AVERAGE)) else "undecided"
    return ClaimVerdict(
        LARGEST,
        verdict,
        f"Max minus average: accuracy {better.interval(1)} points. Average minus max: answers "
        f"changed by shifts {calmer.interval(1)}, accuracy lost by them {cheaper.interval(1)}.",
    )


def _order(results: Results) -> ClaimVerdict:
    pairs = ((MAX, MAX_FIRST), (AVERAGE, AVERAGE_FIRST))
    gains = [difference(accuracy(results, one), accuracy(results, other)) for one, other in pairs]
    both = [name for pair in pairs for name in pair]
    verdict = decide_gains(gains) if learned(results, both) else "undecided"
    details = "; ".join(
        f"{one} {spread(accuracy(results, one)).written(1)} % after and "
        f"{spread(accuracy(results, other)).written(1)} % before the convolution, a gain of "
        f"{gain.interval(1)} points for "
        f"{_products(results, one) / _products(results, other):.1f} times the multiplications"
        for (one, other), gain in zip(pairs, gains, strict=True)
    )
    guess = fmean(figures(results, MAX, "majority"))
    return ClaimVerdict(
        ORDER,
        verdict,
        f"Pooling: {details}. What pools first has its convolutions all the same, on smaller maps; "
        f"the majority baseline has {guess:.1f} %.",
    )


def _products(results: Results, name: str) -> int:
    return int(select(results, name)[0]["multiplications"])


def tables(results: Results, rates: str) -> list[ResultTable]:
    """Return how well the networks sort pictures, and what shifts do to them."""
    first = select(results, names(results)[0])
    guess = fmean(float(result["majority"]) for result in first)
    guess_f1 = fmean(float(result["majority_f1"]) for result in first)
    places = ("0", *map(str, SHIFTS))
    return [
        ResultTable(
            "The test set",
            (
                "network", "trained", "parameters", "million products", "rate", "accuracy %",
                "macro-F1 %", "seconds",
            ),
            [
                *(_line(results, name) for name in names(results)),
                (
                    "majority baseline", "", "", "", "", f"{guess:.1f}", f"{guess_f1:.1f}", "",
                ),
            ],
            f"{rates} The first three pool after the convolution or take strides, with all filters "
            "learned; Sobel and random have fixed first filters, with all random every filter is "
            "fixed; these three pool by the maximum.",
        ),
        ResultTable(
            "Accuracy, %, by pixels that the pictures are moved",
            ("network", *places),
            [
                (name, *_by_shift(results, name, "accuracies", len(places)))
                for name in names(results)
            ],
            "Mean of four ways; nothing was moved in training.",
        ),
        ResultTable(
            "Answers changed, %, by pixels that the pictures are moved",
            ("network", *places[1:]),
            [(name, *_by_shift(results, name, "changed", len(SHIFTS))) for name in names(results)],
        ),
    ]  # fmt: skip


def _line(results: Results, name: str) -> tuple[str, ...]:
    first = select(results, name)[0]
    return (
        name,
        f"{first['trained']:,}",
        f"{first['parameters']:,}",
        f"{first['multiplications'] / 1e6:.2f}",
        f"{first['rate']:g}",
        spread(accuracy(results, name)).written(1),
        spread_of(results, name, "macro_f1").written(1),
        f"{fmean(figures(results, name, 'seconds')):.0f}",
    )


def _by_shift(results: Results, name: str, key: str, count: int) -> tuple[str, ...]:
    return tuple(
        spread([float(result[key][place]) for result in select(results, name)]).written(1)
        for place in range(count)
    )
