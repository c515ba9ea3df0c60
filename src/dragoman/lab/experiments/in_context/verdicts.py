"""Verdicts on in-context learning: learned from the examples, called up by them, or neither."""

from statistics import fmean
from typing import Final

from dragoman.lab.experiments.in_context.data import MOST, MOVED, RIGHT, SHOWN, Kind
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.results import Results, names, select
from dragoman.lab.spread import Spread, difference, spread

TRAINED: Final = "trained here"
SMOLLM2: Final = "SmolLM2"

LITTLE = 5.0
"""Percentage points; examples that surely give less than this teach nothing worth the name."""

LEAST = 20.0
"""Per cent right on tasks it was shown below which a model trained here has learned nothing."""

CLAIM = ExperimentHypothesis(
    ("D46",),
    "a model learns a task from a few examples in its prompt, without any step of the gradient.",
)


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict for each model."""
    return [_finding(results, name) for name in names(results)]


def decide_gain(gain: Spread, owed: Spread) -> Verdict:
    """Judge by what examples give, and by what of it is owed to their answers.

    Where examples help but moved answers lose surely less than half of that, the task was called up
    and not learned; where the interval is too wide to tell, nothing is decided.
    """
    if gain.side_of(0.0) == "above":
        if owed.side_of(0.0) == "above":
            return "confirmed"
        return "corrected" if owed.side_of(gain.mean / 2) == "below" else "undecided"
    return "refuted" if gain.side_of(LITTLE) == "below" else "undecided"


def _finding(results: Results, name: str) -> ClaimVerdict:
    none, most = (accuracies(results, name, shots) for shots in (0, MOST))
    moved = accuracies(results, name, MOST, MOVED)
    gain, owed = difference(most, none), difference(most, moved)
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
    return ClaimVerdict(
        CLAIM,
        verdict,
        f"{name[0].upper()}{name[1:]}: {spread(none).written(1)} % right without examples, "
        f"{spread(most).written(1)} % after {MOST}; the difference {gain.interval(1)} ({each}). "
        f"With moved answers {spread(moved).written(1)} %; right minus moved {owed.interval(1)}. "
        f"A guess: {spread(guesses(results, name)).mean:.1f} %. {weights}.",
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
