"""Verdicts on the claims about right and wrong sentences.

The mark to beat is not chance but counting. One model knows how frequent each word is and nothing
else: it takes the more frequent of two homophones, and suspects sentences of rare words. Another
knows three words in a row; what it makes of sentences of a kind that nobody has learned from is
what neighbouring words tell by themselves.
"""

from statistics import fmean

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, figures, gap_of, spread_of
from dragoman.lab.spread import Spread, difference

RNN_1, RNN_2, RNN_3 = "RNN, 1 layer", "RNN, 2 layers", "RNN, 3 layers"
RNN_WIDE, LSTM, ENCODER = "RNN, 1 wide layer", "LSTM", "encoder"
GPT, N_GRAM, FREQUENCY = "GPT", "3-gram", "word frequency"
CLASSIFIERS = (RNN_1, RNN_2, RNN_3, RNN_WIDE, LSTM, ENCODER)
NAMES = (*CLASSIFIERS, GPT, N_GRAM, FREQUENCY)
SLIGHT = 0.05
"""Share of pairs that does not count."""

ALIKE = ExperimentHypothesis(
    ("E92",),
    "of two sentences that sound alike a language model holds the right one for the likelier.",
    Power(effect=0.1, deviation=0.06),
)
BLANK = ExperimentHypothesis(
    ("E93",),
    "a model that gives the probability that a sentence is right can fill a blank: the candidate "
    "that scores best is the word.",
    Power(effect=0.1, deviation=0.06),
)
SPOILT = ExperimentHypothesis(
    ("E94",),
    "such a model is trained on known sentences and on the same with words altered or removed.",
    Power(effect=0.03, deviation=0.018),
)
DEPTH = ExperimentHypothesis(
    ("E96",), "extra hidden layers improve it.", Power(effect=0.1, deviation=0.067)
)
CLAIMS = (ALIKE, BLANK, SPOILT, DEPTH)


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    best = best_classifier(results)
    return [
        decide_ranking(results, ALIKE, GPT),
        decide_ranking(results, BLANK, best),
        decide_spoilt(results, best),
        decide_depth(results),
    ]


def best_classifier(results: Results) -> str:
    """Return the classifier with the largest area on the validation set."""
    return max(CLASSIFIERS, key=lambda name: fmean(figures(results, name, "valid_auc")))


def decide_ranking(results: Results, claim: ExperimentHypothesis, name: str) -> ClaimVerdict:
    """Say whether the right one of two is found more often than counting finds it.

    In frames that were learned from it must be more often than by taking the more frequent word;
    in others, more often than by three words in a row. A model that does the first alone has
    learned sentences by heart.
    """
    seen = gap_of(results, name, FREQUENCY, "seen")
    unseen = gap_of(results, name, N_GRAM, "unseen")
    verdict: Verdict = "undecided"
    if seen.side_of(0.0) == "below":
        verdict = "refuted"
    elif seen.side_of(0.0) == "above" and unseen.side_of(0.0) == "above":
        verdict = "confirmed"
    elif seen.side_of(0.0) == "above" and _is_none(unseen):
        verdict = "corrected"
    others = ", ".join(
        f"{one} {spread_of(results, one, 'seen').mean:.3f} and "
        f"{spread_of(results, one, 'unseen').mean:.3f}"
        for one in (*CLASSIFIERS[-2:], GPT, N_GRAM, FREQUENCY)
        if one != name
    )
    own = [spread_of(results, name, key).written() for key in ("seen", "unseen")]
    return ClaimVerdict(
        claim,
        verdict,
        f"{name}: the right one of two is ranked first in {own[0]} of the pairs of frames that "
        f"were learned from, in {own[1]} of other frames. The first minus taking the more "
        f"frequent word: {seen.interval()}; the second minus the {N_GRAM}: {unseen.interval()}. "
        f"Both of the others: {others}.",
    )


def _is_none(gain: Spread) -> bool:
    """Say whether a gain is surely too small to count, or a loss."""
    return gain.side_of(SLIGHT) == "below"


def decide_spoilt(results: Results, best: str) -> ClaimVerdict:
    """Say whether spoilt sentences teach what is right, and whether they are needed."""
    own = gap_of(results, best, FREQUENCY, "auc")
    model = max((GPT, N_GRAM), key=lambda name: fmean(figures(results, name, "valid_auc")))
    more = gap_of(results, best, model, "auc")
    verdict: Verdict = "undecided"
    if own.side_of(0.0) == "below":
        verdict = "refuted"
    elif own.side_of(0.0) == "above":
        verdict = "corrected" if more.side_of(0.0) == "below" else "confirmed"
    return ClaimVerdict(
        SPOILT,
        verdict,
        f"AUC {spread_of(results, best, 'auc').written()} of the best classifier by validation "
        f"({best}); minus that of the {FREQUENCY}: {own.interval()}, and minus that of the "
        f"{model}, which saw no wrong sentence: {more.interval()}.",
    )


def decide_depth(results: Results) -> ClaimVerdict:
    """Say whether a second layer helps, and more than a wider first one of as many weights."""
    one, two, three, wide = (
        figures(results, name, "auc") for name in (RNN_1, RNN_2, RNN_3, RNN_WIDE)
    )
    deeper, wider = difference(two, one), difference(two, wide)
    verdict: Verdict = "undecided"
    if gap_of(results, RNN_1, FREQUENCY, "auc").side_of(0.0) != "above":
        pass  # nothing was learned that could be improved
    elif deeper.side_of(0.0) == "below":
        verdict = "refuted"
    elif deeper.side_of(0.0) == "above":
        verdict = "confirmed" if wider.side_of(0.0) == "above" else "corrected"
    return ClaimVerdict(
        DEPTH,
        verdict,
        f"AUC of two layers minus one: {deeper.interval()}; of three minus one: "
        f"{difference(three, one).interval()}; of two minus one wider layer of as many weights: "
        f"{wider.interval()}.",
    )
