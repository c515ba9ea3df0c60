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
from dragoman.lab.results import Measurement, Results, figures, select
from dragoman.lab.spread import Spread, difference, spread
from dragoman.plots.lab import Panel, PlotLine, draw_panels

PRETRAINED, RANDOM = "pretrained", "random"
STARTS = (PRETRAINED, RANDOM)
TASKS: tuple[Task, ...] = ("classification", "translation")
SCORES: dict[Task, dict[str, str]] = {
    "classification": {"accuracy": "accuracy %", "macro_f1": "macro-F1 %"},
    "translation": {"chrf": "chrF", "bleu": "BLEU"},
}
"""The first of each task is what the curves are of."""

HEIGHTS = 50
"""Scores between the lowest and the highest that both curves reach."""
LITTLE = 2.0
"""Points of macro-F1 that evening out the classes may gain and still not be needed."""
LEAST = {"classification": 55.0, "translation": 10.0}
"""Accuracy and chrF that the better start must reach with the most examples."""

Curve = Sequence[tuple[int, float]]

SAVES = ExperimentHypothesis(
    ("D27", "E22"),
    "one starts from pretrained parameters, almost all of them; a random start is rare.",
)
TWO_STEPS = ExperimentHypothesis(
    ("D28",), "there are two steps: pretrain on language modelling, then fine-tune on the task."
)
UNWEIGHTED = ExperimentHypothesis(
    ("D29",), "fine-tuning needs no weighting of the data, because it starts from set parameters."
)
CLAIMS = (SAVES, TWO_STEPS, UNWEIGHTED)

NOTE = (
    "± is the deviation over seeds; each seed has its own texts, split, first weights and order. "
    "Both starts take the same steps with the same batches; their weights are those that validated "
    "best, and the rates the best of {rates} there, on average over the second smallest and the "
    "largest set. The validation set has more labels than the smallest training set, for both "
    "starts alike."
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
    mine = select(results, f"classification, {RANDOM}")
    return next(int(result["examples"]["count"]) for result in mine if _is(result, "uneven"))


def pretrainings(results: Results, task: Task) -> list[Measurement]:
    """Return the rows of a task's pretraining."""
    return select(results, f"{task}, pretraining")


def shared(results: Results, task: Task) -> float:
    """Return the share of the parameters that come from pretraining."""
    result = select(results, f"{task}, {PRETRAINED}")[0]
    return 1 - float(result["new"]) / float(result["parameters"])


def curves(results: Results, task: Task, start: str) -> list[Curve]:
    """Return the curve of a start for each seed."""
    key, places = next(iter(SCORES[task])), counts(results, task)
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
    return spread([doublings(one, other) for one, other in zip(*both, strict=True)])


def _learned(results: Results, task: Task) -> bool:
    """Say whether some start has learned the task from the most examples."""
    heights = [fmean(curve[-1][1] for curve in curves(results, task, start)) for start in STARTS]
    return max(heights) >= LEAST[task]


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
        seconds = fmean(float(result["seconds"]) for result in pretrainings(results, task))
        details.append(
            f"for {task} the random start needs {_times(found)} the examples of the pretrained one "
            f"({100 * shared(results, task):.1f} % of whose parameters were pretrained, in "
            f"{seconds:.0f} s; more than {places[-1] / places[0]:.0f} times cannot be seen)"
        )
    return ClaimVerdict(
        SAVES,
        _from(sides),
        f"To the same score, {'; '.join(details)}. This is of small networks that were pretrained "
        "for minutes, and says nothing about large ones; how rare a random start is in practice "
        "was not measured.",
    )


def _two_steps(results: Results) -> ClaimVerdict:
    gains = {task: _gain(results, task, counts(results, task)[0]) for task in TASKS}
    most = {task: _gain(results, task, counts(results, task)[-1]) for task in TASKS}
    sides = [
        found.side_of(0.0) if _learned(results, task) else "unclear"
        for task, found in gains.items()
    ]
    details = "; ".join(
        f"{task} {gains[task].interval(1)} {_score(task)} with {counts(results, task)[0]:,} "
        f"examples, {most[task].interval(1)} with {counts(results, task)[-1]:,}"
        for task in TASKS
    )
    return ClaimVerdict(
        TWO_STEPS,
        _from(sides),
        f"What the first step adds to the second, at equal steps: {details}.",
    )


def _gain(results: Results, task: Task, count: int) -> Spread:
    key = next(iter(SCORES[task]))
    mine, other = (scores_at(results, task, start, count, key) for start in STARTS)
    return difference(mine, other)


def _score(task: Task) -> str:
    return next(iter(SCORES[task].values()))


def _from(sides: Sequence[str]) -> Verdict:
    """Return the verdict where "above" on both tasks is what the notes say."""
    if set(sides) == {"above"}:
        return "confirmed"
    if set(sides) == {"below"}:
        return "refuted"
    return "corrected" if "below" in sides and "above" in sides else "undecided"


def _unweighted(results: Results) -> ClaimVerdict:
    """Say whether evening out the classes gains anything, from either start."""
    task: Task = "classification"
    count = uneven_count(results)
    gains = {
        start: difference(
            scores_at(results, task, start, count, "macro_f1", "evened"),
            scores_at(results, task, start, count, "macro_f1", "uneven"),
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
        verdict = "corrected" if other.side_of(LITTLE) == "below" else "confirmed"
    return ClaimVerdict(
        UNWEIGHTED,
        verdict,
        "With one negative in five texts, leaving out positives until both classes are equal "
        f"changes macro-F1 on an even test by {mine.interval(1)} points from pretrained weights "
        f"and by {other.interval(1)} from random ones.",
    )


def tables(results: Results, rates: Sequence[float]) -> list[ResultTable]:
    """Return the curves, what pretraining cost, and what uneven classes did."""
    return [
        *(_curve_table(results, task, rates) for task in TASKS),
        _cost_table(results),
        _uneven_table(results),
    ]


def _curve_table(results: Results, task: Task, rates: Sequence[float]) -> ResultTable:
    places = counts(results, task)
    lines = [
        (
            start,
            title,
            f"{fmean(result['rate'] for result in select(results, f'{task}, {start}')):g}",
            *(spread(scores_at(results, task, start, count, key)).written(1) for count in places),
        )
        for key, title in SCORES[task].items()
        for start in STARTS
    ]
    if task == "classification":
        often = fmean(figures(results, f"{task}, {RANDOM}", "majority"))
        lines.append(("majority baseline", "accuracy %", "", *(f"{often:.1f}" for _ in places)))
    return ResultTable(
        f"{task.capitalize()}: the test after fine-tuning",
        ("start", "score", "rate", *(f"{count:,} examples" for count in places)),
        lines,
        NOTE.format(rates=", ".join(f"{rate:g}" for rate in rates)),
    )


def _cost_table(results: Results) -> ResultTable:
    lines = []
    for task in TASKS:
        before = pretrainings(results, task)
        fine = [result for start in STARTS for result in select(results, f"{task}, {start}")]
        lines.append(
            (
                task,
                f"{fine[0]['parameters']:,}",
                f"{100 * shared(results, task):.1f}",
                f"{before[0]['steps']:,}",
                spread([float(result["before"]) for result in before]).written(2),
                spread([float(result["after"]) for result in before]).written(2),
                f"{fmean(float(result['seconds']) for result in before):.0f}",
                f"{fine[0]['steps']:,}",
                f"{fmean(float(result['seconds']) for result in fine):.0f}",
            )
        )
    return ResultTable(
        "What pretraining gave and cost",
        (
            "task", "parameters", "pretrained %", "steps", "loss before", "after", "seconds",
            "steps of fine-tuning", "seconds of each",
        ),
        lines,
        "Losses are nats per hidden word, and per token of the spans, on held-out text. Seconds of "
        "pretraining include the learning of the pieces, which both starts use.",
    )  # fmt: skip


def _uneven_table(results: Results) -> ResultTable:
    whole = uneven_count(results)
    few = whole // ONE_IN
    return ResultTable(
        "Classification: macro-F1 % on an even test after uneven classes",
        ("start", f"{few:,} negatives in {whole:,}", f"evened: {few:,} of each"),
        [
            (
                start,
                *(
                    spread(
                        scores_at(results, "classification", start, whole, "macro_f1", share)
                    ).written(1)
                    for share in ("uneven", "evened")
                ),
            )
            for start in STARTS
        ],
        "Evened: the positives that are too many were left out, which is the simplest weighting.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw the score against the number of examples."""
    panels = [
        Panel(
            f"{task}: {title}",
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
            "labelled sentences" if task == "classification" else "sentence pairs",
            doubling=True,
        )
        for task in TASKS
        for key, title in list(SCORES[task].items())[:1]
    ]
    draw_panels(panels, path, "Does it pay to pretrain?")
