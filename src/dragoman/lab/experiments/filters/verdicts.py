"""What small convolutional networks say about pooling and about filters: verdicts and tables.

Accuracies and changed answers are in per cent. A difference counts where the 95 % interval over
seeds has nought on one side, and counts as none where the whole interval lies below `SLIGHT`. With
a single seed, or where a network has learned nothing, everything stays undecided.
"""

from collections.abc import Sequence
from statistics import fmean

from dragoman.lab.experiment import Claim, ClaimVerdict, ResultTable, Row, Verdict
from dragoman.lab.experiments.filters.data import SHIFTS
from dragoman.lab.rows import figures, named, names
from dragoman.lab.spread import Spread, difference, spread

MAX, AVERAGE, STRIDE = "max", "average", "stride"
MAX_FIRST, AVERAGE_FIRST = "max first", "average first"
SOBEL, RANDOM, ALL_RANDOM = "Sobel", "random", "all random"
FIXED = (SOBEL, RANDOM, ALL_RANDOM)

SLIGHT = 0.5
"""Percentage points that do not count."""

LEARNED = Claim(("E40",), "learned filters are better than predefined ones.")
POOLING = Claim(("E48",), "pooling makes the maps smaller and brings invariance to small shifts.")
LARGEST = Claim(
    ("E49",), "max pooling is better than average pooling, for it is the more invariant."
)
ORDER = Claim(("E50",), "one pools after the convolution; otherwise only intensity is kept.")
STATEMENTS = (LEARNED, POOLING, LARGEST, ORDER)


def judge(rows: Sequence[Row]) -> list[ClaimVerdict]:
    """Give a verdict on each statement."""
    return [_learned_filters(rows), _pooling(rows), _largest(rows), _order(rows)]


def accuracy(rows: Sequence[Row], name: str) -> list[float]:
    """Return the accuracy on the whole test set for each seed."""
    return figures(rows, name, "accuracy")


def changed(rows: Sequence[Row], name: str) -> list[float]:
    """Return how many answers a shift changes, mean over all shifts, for each seed."""
    return [fmean(map(float, row["changed"])) for row in named(rows, name)]


def lost(rows: Sequence[Row], name: str) -> list[float]:
    """Return the points of accuracy that a shift costs, mean over all shifts, for each seed."""
    return [
        float(row["accuracies"][0]) - fmean(map(float, row["accuracies"][1:]))
        for row in named(rows, name)
    ]


def learned(rows: Sequence[Row], models: Sequence[str]) -> bool:
    """Say whether each network is surely better than always naming the most frequent class."""
    gains = (difference(accuracy(rows, one), figures(rows, one, "majority")) for one in models)
    return all(gain.side_of(0.0) == "above" for gain in gains)


def decide(gains: Sequence[Spread]) -> Verdict:
    """Say what becomes of a statement that promises several gains.

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


def _learned_filters(rows: Sequence[Row]) -> ClaimVerdict:
    gains = {name: difference(accuracy(rows, MAX), accuracy(rows, name)) for name in FIXED}
    verdict = decide([*gains.values()]) if learned(rows, (MAX, *gains)) else "undecided"
    whole = int(named(rows, MAX)[0]["parameters"])
    first, every = (whole - int(named(rows, name)[0]["trained"]) for name in (SOBEL, ALL_RANDOM))
    told = "; ".join(
        f"over {name}, fixed ({spread(accuracy(rows, name)).written(1)} %), {gain.interval(1)}"
        for name, gain in gains.items()
    )
    return ClaimVerdict(
        LEARNED,
        verdict,
        f"Accuracy with all filters learned {spread(accuracy(rows, MAX)).written(1)} %; points "
        f"gained {told}. Of {whole:,} weights {first:,} are fixed, those of the first filters, and "
        f"with all filters {every:,}; norms and head are always learned.",
    )


def _pooling(rows: Sequence[Row]) -> ClaimVerdict:
    """Compare with a network that makes its maps smaller by strides alone."""
    gains = {
        name: difference(changed(rows, STRIDE), changed(rows, name)) for name in (MAX, AVERAGE)
    }
    verdict = decide([*gains.values()]) if learned(rows, (STRIDE, *gains)) else "undecided"
    calmer = ", ".join(f"{name} {gain.interval(1)}" for name, gain in gains.items())
    at = ", ".join(
        f"{name} {_changed_at(rows, name, 0)} % and {_changed_at(rows, name, -1)} %"
        for name in (STRIDE, MAX, AVERAGE)
    )
    return ClaimVerdict(
        POOLING,
        verdict,
        f"Answers changed by shifts of {SHIFTS[0]} to {SHIFTS[-1]} pixels, of strides minus of "
        f"pooling, points: {calmer}. At {SHIFTS[0]} and at {SHIFTS[-1]}: {at}. Each stage leaves a "
        "quarter of the places, by strides no less than by pooling.",
    )


def _changed_at(rows: Sequence[Row], name: str, place: int) -> str:
    return spread([float(row["changed"][place]) for row in named(rows, name)]).written(1)


def _largest(rows: Sequence[Row]) -> ClaimVerdict:
    """Better is meant of the accuracy, more invariant of the answers that shifts change."""
    better = difference(accuracy(rows, MAX), accuracy(rows, AVERAGE))
    calmer = difference(changed(rows, AVERAGE), changed(rows, MAX))
    cheaper = difference(lost(rows, AVERAGE), lost(rows, MAX))
    verdict = decide([better, calmer]) if learned(rows, (MAX, AVERAGE)) else "undecided"
    return ClaimVerdict(
        LARGEST,
        verdict,
        f"Max minus average: accuracy {better.interval(1)} points. Average minus max: answers "
        f"changed by shifts {calmer.interval(1)}, accuracy lost by them {cheaper.interval(1)}.",
    )


def _order(rows: Sequence[Row]) -> ClaimVerdict:
    pairs = ((MAX, MAX_FIRST), (AVERAGE, AVERAGE_FIRST))
    gains = [difference(accuracy(rows, one), accuracy(rows, other)) for one, other in pairs]
    both = [name for pair in pairs for name in pair]
    verdict = decide(gains) if learned(rows, both) else "undecided"
    told = "; ".join(
        f"{one} {spread(accuracy(rows, one)).written(1)} % after and "
        f"{spread(accuracy(rows, other)).written(1)} % before the convolution, a gain of "
        f"{gain.interval(1)} points for {_products(rows, one) / _products(rows, other):.1f} times "
        "the multiplications"
        for (one, other), gain in zip(pairs, gains, strict=True)
    )
    guess = fmean(figures(rows, MAX, "majority"))
    return ClaimVerdict(
        ORDER,
        verdict,
        f"Pooling: {told}. What pools first has its convolutions all the same, on smaller maps; "
        f"the most frequent class alone would have {guess:.1f} %.",
    )


def _products(rows: Sequence[Row], name: str) -> int:
    return int(named(rows, name)[0]["multiplications"])


def tables(rows: Sequence[Row], rates: str) -> list[ResultTable]:
    """Return how well the networks sort pictures, and what shifts do to them."""
    first = named(rows, names(rows)[0])
    guess = fmean(float(row["majority"]) for row in first)
    guess_f1 = fmean(float(row["majority_f1"]) for row in first)
    places = ("0", *map(str, SHIFTS))
    return [
        ResultTable(
            "The test set",
            (
                "network", "trained", "parameters", "million products", "rate", "accuracy %",
                "macro-F1 %", "seconds",
            ),
            [
                *(_line(rows, name) for name in names(rows)),
                (
                    "most frequent class", "", "", "", "", f"{guess:.1f}", f"{guess_f1:.1f}", "",
                ),
            ],
            f"{rates} The first three pool after the convolution or take strides, with all filters "
            "learned; Sobel and random have fixed first filters, with all random every filter is "
            "fixed; these three pool by the maximum.",
        ),
        ResultTable(
            "Accuracy, %, by pixels that the pictures are moved",
            ("network", *places),
            [(name, *_by_shift(rows, name, "accuracies", len(places))) for name in names(rows)],
            "Mean of four ways; nothing was moved in training.",
        ),
        ResultTable(
            "Answers changed, %, by pixels that the pictures are moved",
            ("network", *places[1:]),
            [(name, *_by_shift(rows, name, "changed", len(SHIFTS))) for name in names(rows)],
        ),
    ]  # fmt: skip


def _line(rows: Sequence[Row], name: str) -> tuple[str, ...]:
    first = named(rows, name)[0]
    return (
        name,
        f"{first['trained']:,}",
        f"{first['parameters']:,}",
        f"{first['multiplications'] / 1e6:.2f}",
        f"{first['rate']:g}",
        spread(accuracy(rows, name)).written(1),
        spread(figures(rows, name, "macro_f1")).written(1),
        f"{fmean(figures(rows, name, 'seconds')):.0f}",
    )


def _by_shift(rows: Sequence[Row], name: str, key: str, count: int) -> tuple[str, ...]:
    return tuple(
        spread([float(row[key][place]) for row in named(rows, name)]).written(1)
        for place in range(count)
    )
