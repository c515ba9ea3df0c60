"""Verdicts on depth, on a reversed source and on attention, from nothing but results.

Accuracies and errors are in per cent. A difference counts where the 95 % interval over seeds has
nought on one side. Where a network has learned too little, what it lacks cannot be judged.
"""

from collections.abc import Sequence
from statistics import fmean

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, figures, gap_of, select, spread_of
from dragoman.lab.spread import difference, spread

ONE, TWO, THREE = "1 layer", "2 layers", "3 layers"
NARROW, REVERSED = "3 narrow layers", "source reversed"
ATTENTION = "attention"

LEAST = 40.0
"""Right words, %, that a network must reach before it is compared."""
LEARNED = 90.0
"""The same before attention is read."""
HALF = 50.0

DEEPER = ExperimentHypothesis(
    ("B29",),
    "LSTMs of three layers, with more context vectors and a hierarchy, give better results.",
    Power(effect=3.0, deviation=2.5),
)
TURNED = ExperimentHypothesis(
    ("B30",),
    "reversing the input helps, where the first words hold much context.",
    Power(effect=3.0, deviation=2.1),
)
ALIGNED = ExperimentHypothesis(
    ("B34",),
    "the weights of attention are learned by back-propagation with all else, and align the words.",
    Power(effect=5.0, deviation=3.5),
)
PART = ExperimentHypothesis(
    ("B48",),
    "one word of the output needs only part of the input.",
    Power(effect=10.0, deviation=1.0),
)
"""Deviations are those of a pilot with the seeds 90 to 93, on validation sentences."""

CLAIMS = (DEEPER, TURNED, ALIGNED, PART)


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    return [
        decide_depth(results),
        decide_reversal(results),
        decide_alignment(results),
        decide_needed(results),
    ]


def decide_depth(results: Results) -> ClaimVerdict:
    """Say whether three layers are better than one, as wide or with as many parameters."""
    wide, narrow = (gap_of(results, name, ONE, "accuracy") for name in (THREE, NARROW))
    verdict: Verdict = "undecided"
    if not _learned(results, (ONE,), LEAST):
        pass
    elif wide.side_of(0.0) == "below":
        verdict = "refuted"
    elif wide.side_of(0.0) == "above":
        verdict = "corrected" if narrow.side_of(0.0) == "below" else "confirmed"
    return ClaimVerdict(
        DEEPER,
        verdict,
        f"Right words after equally many steps: {_of(results, ONE)} % with one layer, "
        f"{_of(results, TWO)} % with two, {_of(results, THREE)} % with three as wide, "
        f"{_of(results, NARROW)} % with three that have as many parameters as the one. Three minus "
        f"one {wide.interval(1)}, with as many parameters {narrow.interval(1)}.",
    )


def decide_reversal(results: Results) -> ClaimVerdict:
    """Say whether a reversed source helps, and whether it does where words come nearer."""
    gain = gap_of(results, REVERSED, ONE, "accuracy")
    near, far = halves(results)
    nearer = difference(near, far)
    verdict: Verdict = "undecided"
    if not _learned(results, (ONE, REVERSED), LEAST):
        pass
    elif gain.side_of(0.0) == "below":
        verdict = "refuted"
    elif gain.side_of(0.0) == "above":
        verdict = "corrected" if nearer.side_of(0.0) == "below" else "confirmed"
    return ClaimVerdict(
        TURNED,
        verdict,
        f"Right words: {_of(results, REVERSED)} % with the source reversed, {_of(results, ONE)} % "
        f"without; gain {gain.interval(1)}. In the longest sentences, told the words before, the "
        f"gain is {spread(near).written(1)} for words that the reversal brings nearer to their "
        f"source word and {spread(far).written(1)} for the others; the first minus the second "
        f"{nearer.interval(1)}.",
    )


def halves(results: Results) -> tuple[list[float], list[float]]:
    """Return the gain of a reversed source seed by seed, where words come nearer and elsewhere."""
    gains = [
        [one - other for one, other in zip(turned["by_place"], plain["by_place"], strict=True)]
        for turned, plain in zip(select(results, REVERSED), select(results, ONE), strict=True)
    ]
    brought = [distance(place, len(gains[0])) for place in range(len(gains[0]))]
    near = [
        fmean(g for g, (new, old) in zip(one, brought, strict=True) if new < old) for one in gains
    ]
    far = [
        fmean(g for g, (new, old) in zip(one, brought, strict=True) if new >= old) for one in gains
    ]
    return near, far


def distance(place: int, words: int) -> tuple[int, int]:
    """Return the steps between reading a word and writing it: of a reversed source, and of another.

    Words are counted from 0, and END is read too: last, or first where the source is reversed.
    """
    return 2 * place + 1, words + 1


def decide_alignment(results: Results) -> ClaimVerdict:
    """Say whether attention aligns the words, with less than half the error of a diagonal."""
    error = figures(results, ATTENTION, "alignment_error")
    diagonal = figures(results, ATTENTION, "diagonal_error")
    below_half = difference(error, [one / 2 for one in diagonal])
    below_all = difference(error, diagonal)
    guess = spread_of(results, ATTENTION, "guess_error")
    verdict: Verdict = "undecided"
    if not _learned(results, (ATTENTION,), LEARNED):
        pass
    elif below_half.side_of(0.0) == "below":
        verdict = "confirmed"
    elif below_all.side_of(0.0) == "above":
        verdict = "refuted"
    elif below_half.side_of(0.0) == "above" and below_all.side_of(0.0) == "below":
        verdict = "corrected"
    return ClaimVerdict(
        ALIGNED,
        verdict,
        f"Alignment error: {spread(error).written(1)} % of attention, "
        f"{spread(diagonal).written(1)} % of the diagonal, {guess.written(1)} % of a guess; "
        f"attention minus half of the diagonal {below_half.interval(1)}. It has "
        f"{_of(results, ATTENTION)} % of the words right.",
    )


def decide_needed(results: Results) -> ClaimVerdict:
    """Say whether most source words can be taken away without changing an output word."""
    needed = spread_of(results, ATTENTION, "needed")
    own = spread_of(results, ATTENTION, "needed_aligned")
    more = difference(
        figures(results, ATTENTION, "needed_aligned"), figures(results, ATTENTION, "needed")
    )
    verdict: Verdict = "undecided"
    if _learned(results, (ATTENTION,), LEARNED):
        if needed.side_of(HALF) == "above":
            verdict = "refuted"
        elif needed.side_of(HALF) == "below" and more.side_of(0.0) == "above":
            verdict = "confirmed"
    return ClaimVerdict(
        PART,
        verdict,
        f"Taking away one source word changes an output word in {needed.written(1)} % of all "
        f"cases, and in {own.written(1)} % where it is the word that it translates.",
    )


def _learned(results: Results, names: Sequence[str], least: float) -> bool:
    return all(spread_of(results, name, "accuracy").mean >= least for name in names)


def _of(results: Results, name: str) -> str:
    return spread_of(results, name, "accuracy").written(1)
