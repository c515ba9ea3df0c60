"""Verdicts and tables on LSTM, GRU and convolutional networks that sort reviews.

A difference counts where the 95 % interval over seeds has nought on one side; two figures count as
the same where two one-sided tests of 5 % put their difference within a margin. With a single seed,
or where a network is no better than the majority baseline, everything stays undecided.
"""

from collections.abc import Sequence
from fractions import Fraction
from statistics import fmean

from dragoman.lab.experiment import ResultTable
from dragoman.lab.experiments.sentiment.data import NEGATIVE, ORDERS, POSITIVE, Order
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, figures, gap_of, names, over_majority, select, spread_of
from dragoman.lab.spread import Spread, difference, spread

LSTM, GRU, CNN, BAG = "LSTM", "GRU", "TextCNN", "bag of words"
THREE_QUARTERS = Fraction(3, 4)
MARGIN = 1.5
"""Percentage points within which two figures count as the same: little more than the standard error
of one test of 1,280 reviews, 1.2 points, so that a single article could not have told them apart.
"""

SLIGHTLY = ExperimentHypothesis(
    ("C1",),
    "for sentiment an LSTM and a GRU have the same accuracy, and the LSTM slightly better "
    "precision, recall and F1.",
    Power(effect=1.0, deviation=0.85),
)
EFFICIENT = ExperimentHypothesis(
    ("C2",),
    "a GRU is more efficient, and is preferred where the difference is minor.",
    Power(effect=1.0, deviation=0.85),
)
NEGATIVES = ExperimentHypothesis(
    ("C3",), "both are better on negative sentiment.", Power(effect=2.5, deviation=2.0)
)
CLAIMS = (SLIGHTLY, EFFICIENT, NEGATIVES)

NOTE = (
    "± is the deviation over seeds; each seed splits the reviews anew (70 % to train on, 15 % to "
    "validate, 15 % to test). Cells are the parameters that are neither embeddings nor output. The "
    "rates are the best of {rates} on the validation set of the first seed, the weights those that "
    "validated best. A step is one batch of 1,024 slots on one thread."
)


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    return [_slightly(results), _efficient(results), _negatives(results)]


def of_class(results: Results, name: str, label: str, key: str) -> list[float]:
    """Return a figure of one class for each seed."""
    return [
        float(one[key])
        for result in select(results, name)
        for one in result["classes"]
        if one["label"] == label
    ]


def of_order(results: Results, name: str, order: Order, key: str) -> list[float]:
    """Return a figure of texts in another order for each seed."""
    return [float(result["orders"][order][key]) for result in select(results, name)]


def learned(results: Results, models: Sequence[str]) -> bool:
    """Say whether each network is surely better than the majority baseline."""
    gains = (over_majority(results, one) for one in models)
    return all(gain.side_of(0.0) == "above" for gain in gains)


def _points(first: Sequence[float], second: Sequence[float]) -> Spread:
    """Gather first minus second in percentage points."""
    return difference([100 * one for one in first], [100 * one for one in second])


def _gap(results: Results, key: str) -> Spread:
    """Gather LSTM minus GRU."""
    return _points(figures(results, LSTM, key), figures(results, GRU, key))


def _slightly(results: Results) -> ClaimVerdict:
    """Two parts: the accuracy is the same, and precision, recall and F1 are slightly better."""
    accuracy = _gap(results, "accuracy")
    gaps = {key: _gap(results, f"macro_{key}") for key in ("precision", "recall", "f1")}
    same, better = _sameness(accuracy), _betterness([*gaps.values()])
    verdict: Verdict = "undecided"
    if learned(results, (LSTM, GRU)) and None not in (same, better):
        verdict = "confirmed" if same and better else "corrected" if same or better else "refuted"
    return ClaimVerdict(
        SLIGHTLY,
        verdict,
        f"LSTM minus GRU in percentage points: accuracy {accuracy.interval(1)}, mean precision "
        f"{gaps['precision'].interval(1)}, mean recall {gaps['recall'].interval(1)}, macro-F1 "
        f"{gaps['f1'].interval(1)}. The same accuracy, to {MARGIN:g} points by two one-sided "
        f"tests: {_told(same)}; better in all three others: {_told(better)}. Where both classes "
        "are equally frequent, as here, the mean recall is the accuracy.",
    )


def _sameness(gap: Spread) -> bool | None:
    """Say whether two are the same, to the margin; None where that is not known."""
    if gap.is_within(MARGIN):
        return True
    apart = gap.side_of(MARGIN) == "above" or gap.side_of(-MARGIN) == "below"
    return False if apart else None


def _betterness(gaps: Sequence[Spread]) -> bool | None:
    """Say whether all gaps are above nought, or one surely is none; None where nobody knows."""
    sides = [gap.side_of(0.0) for gap in gaps]
    if all(side == "above" for side in sides):
        return True
    none = (
        side == "below" or (side == "unclear" and gap.is_within(MARGIN))
        for side, gap in zip(sides, gaps, strict=True)
    )
    return False if any(none) else None


def _told(found: bool | None) -> str:
    return {True: "yes", False: "no", None: "not known"}[found]


def _efficient(results: Results) -> ClaimVerdict:
    cells = [int(select(results, one)[0]["cells"]) for one in (GRU, LSTM)]
    ratio = Fraction(*cells)
    pace = gap_of(results, GRU, LSTM, "step_ms")
    better = _gap(results, "macro_f1")
    verdict: Verdict = "undecided"
    if not learned(results, (LSTM, GRU)):
        pass
    elif pace.side_of(0.0) == "above" or ratio > THREE_QUARTERS:
        verdict = "refuted"
    elif pace.side_of(0.0) == "below":
        verdict = "corrected" if better.side_of(0.0) == "above" else "confirmed"
    faster = spread_of(results, GRU, "step_ms").mean / spread_of(results, LSTM, "step_ms").mean
    return ClaimVerdict(
        EFFICIENT,
        verdict,
        f"At equal widths the cells of the GRU have {cells[0]:,} parameters and those of the LSTM "
        f"{cells[1]:,}: {ratio} of them, exactly. A step takes {faster:.2f} of the time "
        f"({pace.interval(1)} ms); LSTM minus GRU in macro-F1 {better.interval(1)} points.",
    )


def _negatives(results: Results) -> ClaimVerdict:
    gaps = {
        name: _points(
            of_class(results, name, NEGATIVE, "f1"), of_class(results, name, POSITIVE, "f1")
        )
        for name in (LSTM, GRU)
    }
    sides = {gap.side_of(0.0) for gap in gaps.values()}
    verdict: Verdict = "undecided"
    if not learned(results, (LSTM, GRU)) or "unclear" in sides:
        pass
    elif sides == {"above"}:
        verdict = "confirmed"
    elif sides == {"below"}:
        verdict = "refuted"
    else:
        verdict = "corrected"
    details = ", ".join(f"{name} {gap.interval(1)}" for name, gap in gaps.items())
    return ClaimVerdict(
        NEGATIVES, verdict, f"F1 of negatives minus F1 of positives, points: {details}."
    )


def tables(results: Results, rates: Sequence[float]) -> list[ResultTable]:
    """Return the whole, the classes and the orders."""
    return [
        ResultTable(
            "The test set",
            (
                "model", "parameters", "cells", "rate or decay", "accuracy %", "macro-F1 %",
                "ms per step", "seconds",
            ),
            [*(_line(results, name) for name in names(results)), _majority(results)],
            NOTE.format(rates=", ".join(f"{rate:g}" for rate in rates)),
        ),
        ResultTable(
            "By class, %",
            ("model", "class", "precision", "recall", "F1"),
            [
                (
                    name,
                    label,
                    *(
                        _percent(of_class(results, name, label, key))
                        for key in ("precision", "recall", "f1")
                    ),
                )
                for name in names(results)
                for label in [str(one["label"]) for one in results[0]["classes"]]
            ],
        ),
        ResultTable(
            "The same words in another order, %",
            ("model", "order", "texts", "accuracy before", "after", "answers changed"),
            [
                (
                    name,
                    details,
                    f"{fmean(of_order(results, name, order, 'texts')):.0f}",
                    *(
                        _percent(of_order(results, name, order, key))
                        for key in ("before", "after", "changed")
                    ),
                )
                for order, details in ORDERS.items()
                for name in names(results)
            ],
            "Clauses are what stands before and after the comma nearest to the middle; texts "
            "without one are left out of those lines. A bag has no order, so nothing changes.",
        ),
    ]  # fmt: skip


def _line(results: Results, name: str) -> tuple[str, ...]:
    first = select(results, name)[0]
    pace = f"{fmean(figures(results, name, 'step_ms')):.1f}" if "step_ms" in first else ""
    return (
        name,
        f"{int(fmean(figures(results, name, 'parameters'))):,}",
        f"{first['cells']:,}" if "cells" in first else "",
        f"{first['rate']:g}",
        _percent(figures(results, name, "accuracy")),
        _percent(figures(results, name, "macro_f1")),
        pace,
        f"{fmean(figures(results, name, 'seconds')):.0f}",
    )


def _majority(results: Results) -> tuple[str, ...]:
    """Return the line of the majority baseline."""
    name = names(results)[0]
    shares = (_percent(figures(results, name, key)) for key in ("majority", "majority_f1"))
    return ("majority baseline", "", "", "", *shares, "", "")


def _percent(shares: Sequence[float]) -> str:
    return spread([100 * share for share in shares]).written(1)
