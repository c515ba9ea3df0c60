"""Verdicts, tables and the plot: how many examples a pretrained start saves.

A curve is a score against the number of examples; one that falls is taken to stay at its best.
Over the scores that both curves reach, the one needs so many times the examples of the other: the
mean of that, on a scale of doublings, is what pretraining saves. Where one curve lies wholly above
the other, it saves at least as much as the sets span, and that is what is counted.
"""

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import fmean

from dragoman.lab.experiment import Result, ResultTable
from dragoman.lab.experiments.pretraining_pays.data import ONE_IN, Share, Task
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Measurement, Results, figures, select
from dragoman.lab.spread import Spread, difference, spread
from dragoman.plots.lab import Panel, PlotLine, draw_panels

PRETRAINED, RANDOM, PRETRAINING = "pretrained", "random", "pretraining"
STARTS = (PRETRAINED, RANDOM)
TASKS: tuple[Task, ...] = ("number", "verb")
TITLES: dict[Task, str] = {"number": "The number of the subject", "verb": "Right and wrong verbs"}
SCORES = {"accuracy": "accuracy %", "macro_f1": "macro-F1 %"}
"""The first is what the curves are of."""

ONE_ITEM = 0.05
"""Doublings that the curves cannot tell apart."""
FEW = 80
"""Labelled sentences with which the two steps are compared with one."""
HEIGHTS = 50
"""Scores between the lowest and the highest that both curves reach."""
LITTLE = 2.0
"""Points of macro-F1 that evening out the classes may gain and still not be needed."""
LEAST = 60.0
"""Accuracy that the better start must reach with the most examples."""

Curve = Sequence[tuple[int, float]]

SAVES = ExperimentHypothesis(
    ("D27", "E22"),
    "one starts from pretrained parameters, almost all of them; a random start is rare.",
    power=Power(effect=1.0, deviation=0.85),
)
"""In doublings of the examples."""
TWO_STEPS = ExperimentHypothesis(
    ("D28",),
    "there are two steps: pretrain on language modelling, then fine-tune on the task.",
    power=Power(effect=12.0, deviation=9.0),
)
"""In points of accuracy, with 80 examples."""
UNWEIGHTED = ExperimentHypothesis(
    ("D29",),
    "fine-tuning needs no weighting of the data, because it starts from set parameters.",
    power=Power(effect=4.0, deviation=3.4),
)
"""In points of macro-F1. The deviations are from a first run with other seeds, which had pretrained
for half as long; see the page of the results."""
CLAIMS = (SAVES, TWO_STEPS, UNWEIGHTED)

NOTE = (
    "± is the deviation over seeds; each seed has its own sentences, first weights and order. Both "
    "starts take the same steps with the same batches and rates, set beforehand; their weights are "
    "those that validated best. The validation set has more labels than the smallest training set, "
    "for both starts alike."
)


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    return [_saves(results), _two_steps(results), _unweighted(results)]


def counts(results: Results, task: Task) -> list[int]:
    """Return the sizes of a task's sets, in order."""
    mine = select(results, f"{task}, {RANDOM}")
    return sorted({int(result["examples"]["count"]) for result in mine if _is(result, "even")})


def scores_at(
    results: Results, task: Task, start: str, count: int, key: str, share: Share = "even"
) -> list[float]:
    """Return a score after a set of examples, for each seed."""
    mine = select(results, f"{task}, {start}")
    return [
        float(result[key])
        for result in mine
        if result["examples"]["count"] == count and _is(result, share)
    ]


def uneven_count(results: Results) -> int:
    """Return the size of the set with uneven classes."""
    mine = select(results, f"number, {RANDOM}")
    return next(int(result["examples"]["count"]) for result in mine if _is(result, "uneven"))


def shared(results: Results, task: Task) -> float:
    """Return the share of the parameters that come from pretraining."""
    result = select(results, f"{task}, {PRETRAINED}")[0]
    return 1 - float(result["new"]) / float(result["parameters"])


def curves(results: Results, task: Task, start: str) -> list[Curve]:
    """Return the curve of a start for each seed."""
    key, places = next(iter(SCORES)), counts(results, task)
    each = zip(*(scores_at(results, task, start, count, key) for count in places), strict=True)
    return [list(zip(places, heights, strict=True)) for heights in each]


def doublings(pretrained: Curve, random: Curve) -> float:
    """Return how often the examples of a random start double to match those of a pretrained one."""
    mine, other = _rising(pretrained), _rising(random)
    low = max(mine[0][1], other[0][1])
    high = min(mine[-1][1], other[-1][1])
    span = mine[-1][0] - mine[0][0]
    if low >= high:  # no score that both reach between their ends
        return math.copysign(span, mine[-1][1] - other[-1][1]) if mine != other else 0.0
    heights = [low + (high - low) * (n + 0.5) / HEIGHTS for n in range(HEIGHTS)]
    return fmean(_place(other, height) - _place(mine, height) for height in heights)


def _rising(curve: Curve) -> list[tuple[float, float]]:
    """Return doublings against the best score so far."""
    best = accumulate((height for _, height in curve), max)
    return [(math.log2(count), height) for (count, _), height in zip(curve, best, strict=True)]


def _place(curve: Sequence[tuple[float, float]], height: float) -> float:
    """Return where a rising curve first reaches a height, along straight lines."""
    for (left, low), (right, high) in pairwise(curve):
        if low <= height <= high and high > low:
            return left + (right - left) * (height - low) / (high - low)
    return curve[0][0] if height <= curve[0][1] else curve[-1][0]


def _is(result: Measurement, share: Share) -> bool:
    return bool(result["examples"]["share"] == share)


def _saved(results: Results, task: Task) -> Spread:
    both = (curves(results, task, start) for start in STARTS)
    return spread([doublings(one, other) for one, other in zip(*both, strict=True)], ONE_ITEM)


def _one_item(results: Results, task: Task) -> float:
    """Return what one test sentence is worth, in points."""
    return 100 / int(select(results, f"{task}, {RANDOM}")[0]["tested"])


def _learned(results: Results, task: Task) -> bool:
    """Say whether some start has learned the task from the most examples."""
    heights = [fmean(curve[-1][1] for curve in curves(results, task, start)) for start in STARTS]
    return max(heights) >= LEAST


def _times(found: Spread) -> str:
    """Write doublings as times, with the interval."""
    if found.count < 2:
        return f"{2**found.mean:.1f} times (one seed, so no interval)"
    low, high = (2.0 ** (found.mean + side * found.margin) for side in (-1, 1))
    return f"{2**found.mean:.1f} times [{low:.1f}, {high:.1f}]"


def _saves(results: Results) -> ClaimVerdict:
    saved = {task: _saved(results, task) for task in TASKS}
    sides = [
        found.side_of(0.0) if _learned(results, task) else "unclear"
        for task, found in saved.items()
    ]
    details = []
    for task, found in saved.items():
        places = counts(results, task)
        details.append(
            f"for the {task} the random start needs {_times(found)} the examples of the pretrained "
            f"one (more than {places[-1] / places[0]:.0f} times cannot be seen)"
        )
    seconds = fmean(figures(results, PRETRAINING, "seconds"))
    return ClaimVerdict(
        SAVES,
        _from(sides),
        f"To the same score, {'; '.join(details)}. {100 * shared(results, TASKS[0]):.1f} % of the "
        f"parameters were pretrained, in {seconds:.0f} s. This is of small networks and of what "
        "plain text does tell about the tasks, and says nothing about large ones; how rare a "
        "random start is in practice was not measured.",
    )


def _two_steps(results: Results) -> ClaimVerdict:
    gains = {task: _gain(results, task, FEW) for task in TASKS}
    most = {task: _gain(results, task, counts(results, task)[-1]) for task in TASKS}
    sides = [
        found.side_of(0.0) if _learned(results, task) else "unclear"
        for task, found in gains.items()
    ]
    details = "; ".join(
        f"{task} {gains[task].interval(1)} points of accuracy with {FEW:,} "
        f"examples, {most[task].interval(1)} with {counts(results, task)[-1]:,}"
        for task in TASKS
    )
    return ClaimVerdict(
        TWO_STEPS,
        _from(sides),
        f"What the first step adds to the second, at equal steps: {details}.",
    )


def _gain(results: Results, task: Task, count: int) -> Spread:
    key = next(iter(SCORES))
    mine, other = (scores_at(results, task, start, count, key) for start in STARTS)
    return difference(mine, other, _one_item(results, task))


def _from(sides: Sequence[str]) -> Verdict:
    """Return the verdict where "above" on both tasks is what the notes say."""
    if set(sides) == {"above"}:
        return "confirmed"
    if set(sides) == {"below"}:
        return "refuted"
    return "corrected" if "below" in sides and "above" in sides else "undecided"


def _unweighted(results: Results) -> ClaimVerdict:
    """Say whether evening out the classes gains anything, from either start."""
    task: Task = "number"
    count = uneven_count(results)
    gains = {
        start: difference(
            scores_at(results, task, start, count, "macro_f1", "evened"),
            scores_at(results, task, start, count, "macro_f1", "uneven"),
            _one_item(results, task),
        )
        for start in STARTS
    }
    mine, other = gains[PRETRAINED], gains[RANDOM]
    verdict: Verdict = "undecided"
    if not _learned(results, task):
        pass
    elif mine.side_of(0.0) == "above":
        verdict = "refuted"
    elif mine.side_of(LITTLE) == "below":
        if other.side_of(LITTLE) == "below":  # so it is not the start that makes it needless
            verdict = "corrected"
        elif other.side_of(0.0) == "above":
            verdict = "confirmed"
    return ClaimVerdict(
        UNWEIGHTED,
        verdict,
        "With one plural in five subjects, leaving out singulars until both are as many "
        f"changes macro-F1 on an even test by {mine.interval(1)} points from pretrained weights "
        f"and by {other.interval(1)} from random ones.",
    )


def tables(results: Results) -> list[ResultTable]:
    """Return the curves, what pretraining cost, and what uneven classes did."""
    return [
        *(_curve_table(results, task) for task in TASKS),
        _cost_table(results),
        _uneven_table(results),
    ]


def _curve_table(results: Results, task: Task) -> ResultTable:
    places = counts(results, task)
    lines = [
        (
            start,
            title,
            f"{select(results, f'{task}, {start}')[0]['rate']:g}",
            *(spread(scores_at(results, task, start, count, key)).written(1) for count in places),
        )
        for key, title in SCORES.items()
        for start in STARTS
    ]
    often = fmean(figures(results, f"{task}, {RANDOM}", "majority"))
    lines.append(("majority baseline", "accuracy %", "", *(f"{often:.1f}" for _ in places)))
    return ResultTable(
        f"{TITLES[task]}: the test after fine-tuning",
        ("start", "score", "rate", *(f"{count:,} examples" for count in places)),
        lines,
        NOTE,
    )


def _cost_table(results: Results) -> ResultTable:
    before = select(results, PRETRAINING)
    fine = [
        row for task in TASKS for start in STARTS for row in select(results, f"{task}, {start}")
    ]
    line = (
        f"{fine[0]['parameters']:,}",
        f"{100 * shared(results, TASKS[0]):.1f}",
        f"{before[0]['steps']:,}",
        spread(figures(results, PRETRAINING, "before")).written(2),
        spread(figures(results, PRETRAINING, "after")).written(2),
        f"{fmean(figures(results, PRETRAINING, 'seconds')):.0f}",
        f"{fine[0]['steps']:,}",
        f"{fmean(float(row['seconds']) for row in fine):.0f}",
    )
    return ResultTable(
        "What pretraining gave and cost",
        (
            "parameters", "pretrained %", "steps", "loss before", "after", "seconds",
            "steps of fine-tuning", "seconds of each",
        ),
        [line],
        "Losses are nats per hidden word, on held-out text.",
    )  # fmt: skip


def _uneven_table(results: Results) -> ResultTable:
    whole = uneven_count(results)
    few = whole // ONE_IN
    shares: tuple[Share, ...] = ("uneven", "evened")
    lines = [
        (
            start,
            *(
                spread(scores_at(results, "number", start, whole, "macro_f1", share)).written(1)
                for share in shares
            ),
        )
        for start in STARTS
    ]
    return ResultTable(
        "The number of the subject: macro-F1 % on an even test after uneven classes",
        ("start", f"{few:,} plurals in {whole:,}", f"evened: {few:,} of each"),
        lines,
        "Evened: the singulars that are too many were left out, which is the simplest weighting.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw the score against the number of examples."""
    key, title = next(iter(SCORES.items()))
    panels = [
        Panel(
            f"{TITLES[task]}: {title}",
            [
                PlotLine(
                    f"{start} start",
                    [float(count) for count in counts(result.measurements, task)],
                    [
                        scores_at(result.measurements, task, start, count, key)
                        for count in counts(result.measurements, task)
                    ],
                    color=number,
                )
                for number, start in enumerate(STARTS)
            ],
            "labelled sentences",
            doubling=True,
        )
        for task in TASKS
    ]
    draw_panels(panels, path, "Does it pay to pretrain?")
