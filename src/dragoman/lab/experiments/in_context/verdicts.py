"""Verdicts on in-context learning: learned from the examples, called up by them, or neither."""

from statistics import fmean
from typing import Final

from dragoman.lab.experiments.in_context.data import CONTROLS, MOST, MOVED, RIGHT, SHOWN, Kind
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, names, select
from dragoman.lab.spread import Spread, difference, spread

TRAINED: Final = "trained here"
SMOLLM2: Final = "SmolLM2"

LITTLE = 5.0
"""Percentage points; examples that surely give less than this teach nothing worth the name."""

LEAST = 20.0
"""Per cent right on tasks it was shown below which a model trained here has learned nothing."""

SAID = "a model learns a task from a few examples in its prompt, without any step of the gradient."
CLAIM = ExperimentHypothesis(("D46",), SAID, power=Power(effect=20.0, deviation=10.0))
PUBLISHED = ExperimentHypothesis(("D46",), SAID, power=Power(effect=2.5, deviation=3.0))
"""Of the model trained here and of SmolLM2, in points of right answers. In a pilot the first gained
100 points with each of two seeds; a deviation of 10 allows for one that learns late. Of the second,
three draws of 192 questions differed by 3, and half of what it had gained was 2.5."""


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict for each model."""
    return [_finding(results, name) for name in names(results)]


def decide_gain(gain: Spread, owed: Spread) -> Verdict:
    """Judge by what examples give, and by what of it is owed to their answers.

    Where examples help but wrong ones lose surely less than half of that, the task was called up
    and not learned; where the interval is too wide to tell, nothing is decided.
    """
    if gain.side_of(0.0) == "above":
        if owed.side_of(0.0) == "above":
            return "confirmed"
        return "corrected" if owed.side_of(gain.mean / 2) == "below" else "undecided"
    return "refuted" if gain.side_of(LITTLE) == "below" else "undecided"


def _finding(results: Results, name: str) -> ClaimVerdict:
    none, most = (accuracies(results, name, shots) for shots in (0, MOST))
    wrong = accuracies(results, name, MOST, control_of(results, name))
    one = 100 / asked(results, name)
    gain, owed = difference(most, none, one), difference(most, wrong, one)
    changed = [
        result
        for result in select(results, name)
        if result["weights_before"] != result["weights_after"]
    ]
    shown = accuracies(results, name, MOST, SHOWN)
    unlearned = shown and spread(shown).mean < LEAST
    verdict: Verdict = "undecided" if changed or unlearned else decide_gain(gain, owed)
    each = ", ".join(
        f"{family} {difference(accuracies(results, name, MOST, family=family), less).mean:+.0f}"
        for family in families(results, name)
        for less in [accuracies(results, name, 0, family=family)]
    )
    weights = "Some weights changed" if changed else "No weight changed"
    what = "moved answers" if control_of(results, name) == MOVED else "examples of another task"
    return ClaimVerdict(
        CLAIM if name == TRAINED else PUBLISHED,
        verdict,
        f"{name[0].upper()}{name[1:]}: {spread(none).written(1)} % right without examples, "
        f"{spread(most).written(1)} % after {MOST}; the difference {gain.interval(1)} ({each}). "
        f"With {what} {spread(wrong).written(1)} %; right minus that {owed.interval(1)}. "
        f"A guess: {spread(guesses(results, name)).mean:.1f} %. {weights}.",
    )


def control_of(results: Results, name: str) -> Kind:
    """Return the kind of wrong examples that a model was given."""
    kinds = {cell["kind"] for result in select(results, name) for cell in result["cells"]}
    return next(kind for kind in CONTROLS if kind in kinds)


def asked(results: Results, name: str) -> int:
    """Return how many questions a figure of one seed rests on, those of all families together."""
    first = select(results, name)[0]["seed"]
    return sum(
        int(cell["asked"])
        for result in select(results, name)
        for cell in result["cells"]
        if result["seed"] == first and (cell["shots"], cell["kind"]) == (MOST, RIGHT)
    )


def accuracies(
    results: Results, name: str, shots: int, kind: Kind = RIGHT, family: str | None = None
) -> list[float]:
    """Return the accuracy of each seed: of a family, or the mean of all."""
    return _of_cells(results, name, "accuracy", shots, kind, family)


def guesses(results: Results, name: str, family: str | None = None) -> list[float]:
    """Return what guessing reaches on the questions after most examples, seed by seed."""
    return _of_cells(results, name, "guess", MOST, RIGHT, family)


def families(results: Results, name: str) -> list[str]:
    """Return the families that a model was asked about, in order."""
    return list(
        dict.fromkeys(
            cell["family"] for result in select(results, name) for cell in result["cells"]
        )
    )


def _of_cells(
    results: Results, name: str, figure: str, shots: int, kind: Kind, family: str | None
) -> list[float]:
    found: dict[int, list[float]] = {}
    for result in select(results, name):
        found.setdefault(result["seed"], []).extend(
            cell[figure]
            for cell in result["cells"]
            if (cell["shots"], cell["kind"]) == (shots, kind) and family in (None, cell["family"])
        )
    return [fmean(values) for values in found.values() if values]
