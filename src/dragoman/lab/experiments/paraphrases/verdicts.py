"""The verdict on convolutional networks and paraphrases, and the table of accuracies.

Accuracies are in per cent. A difference counts where the 95 % interval over seeds has nought on one
side, and counts as none where the whole interval lies below `SLIGHT`. With a single seed, or where
the recurrent network has not learned the task, all stays undecided.
"""

from statistics import fmean

from dragoman.lab.experiment import ResultTable
from dragoman.lab.experiments.paraphrases.data import DISTANCES, ORDERS, Order
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, figures, names, select
from dragoman.lab.spread import Spread, difference, spread

LSTM, CNN, BAG = "LSTM", "TextCNN", "bag of words"
SLIGHT = 5.0
"""Points of accuracy that do not count."""

REORDERED = ExperimentHypothesis(
    ("E79",),
    "a convolutional network over words has trouble with paraphrases in another order (“I went to "
    "IIT in 2017”, “In 2017, I went to IIT”).",
    Power(effect=15.0, deviation=15.0),
)


def at(results: Results, name: str, order: Order, distance: int) -> list[float]:
    """Return the accuracy with one order and distance, for each seed."""
    place = DISTANCES.index(distance)
    return [float(result["accuracies"][order][place]) for result in select(results, name)]


def of_order(results: Results, name: str, order: Order) -> list[float]:
    """Return the mean accuracy over all distances, for each seed."""
    return [fmean(map(float, result["accuracies"][order])) for result in select(results, name)]


def learned(results: Results) -> bool:
    """Say whether the recurrent network surely knows more than a bag of words."""
    gain = difference(of_order(results, LSTM, "moved"), of_order(results, BAG, "moved"))
    return gain.side_of(SLIGHT) == "above"


def decide(results: Results) -> ClaimVerdict:
    """Say whether the convolutional network does worse, and whether the order is what does it.

    By the order it is where the network does worse on moved sentences even if name and year stand
    side by side, within its filters; else it is the distance alone.
    """
    more = difference(of_order(results, LSTM, "moved"), of_order(results, CNN, "moved"))
    lost = difference(at(results, CNN, "kept", 0), at(results, CNN, "moved", 0))
    kept = difference(at(results, LSTM, "kept", 0), at(results, LSTM, "moved", 0))
    farther = difference(at(results, CNN, "kept", 0), at(results, CNN, "kept", DISTANCES[-1]))
    return ClaimVerdict(
        REORDERED,
        _verdict(more, lost) if learned(results) else "undecided",
        f"Paraphrases in another order: {CNN} {_mean(results, CNN)} %, {LSTM} "
        f"{_mean(results, LSTM)} %, {BAG} {_mean(results, BAG)} %; the recurrent network is better "
        f"by {more.interval(1)} points. With name and year side by side, another order costs the "
        f"{CNN} {lost.interval(1)} points and the {LSTM} {kept.interval(1)}; {DISTANCES[-1]} words "
        f"in between, in the same order, cost the {CNN} {farther.interval(1)}.",
    )


def _verdict(more: Spread, lost: Spread) -> Verdict:
    if more.side_of(SLIGHT) == "below":
        return "refuted"
    if more.side_of(0.0) == "above":
        if lost.side_of(0.0) == "above":
            return "confirmed"
        if lost.side_of(SLIGHT) == "below":
            return "corrected"
    return "undecided"


def _mean(results: Results, name: str) -> str:
    return spread(of_order(results, name, "moved")).written(1)


def table(results: Results, rates: str) -> ResultTable:
    """Return the accuracies by order and distance."""
    lines = [
        (
            name,
            order,
            f"{select(results, name)[0]['parameters']:,}",
            *(spread(at(results, name, order, one)).written(1) for one in DISTANCES),
            f"{fmean(figures(results, name, 'seconds')):.0f}",
        )
        for order in ORDERS
        for name in names(results)
    ]
    most = fmean(float(result["majority"]) for result in results)
    return ResultTable(
        "Same or different? Accuracy, %, by words between name and year",
        ("model", "second sentence", "parameters", *map(str, DISTANCES), "seconds"),
        lines,
        f"{rates} The majority baseline has {most:.1f} %. Names and years of the test never stood "
        "together in training.",
    )
