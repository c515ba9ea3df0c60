"""Verdicts on the claims about right and wrong sentences."""

from statistics import fmean

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.results import Results, figures, gap_of, spread_of
from dragoman.lab.spread import difference

RNN_1, RNN_2, RNN_3 = "RNN, 1 layer", "RNN, 2 layers", "RNN, 3 layers"
RNN_WIDE, LSTM, ENCODER = "RNN, 1 wide layer", "LSTM", "encoder"
GPT, N_GRAM = "GPT", "3-gram"
CLASSIFIERS = (RNN_1, RNN_2, RNN_3, RNN_WIDE, LSTM, ENCODER)
NAMES = (*CLASSIFIERS, GPT, N_GRAM)

CHANCE = 0.5
LEAST = 0.6
"""AUC that a network must reach before its depth can be said to help or not."""

ALIKE = ExperimentHypothesis(
    ("E92",),
    "of two sentences that sound alike a language model holds the right one for the likelier.",
)
BLANK = ExperimentHypothesis(
    ("E93",),
    "a model that gives the probability that a sentence is right can fill a blank: the candidate "
    "that scores best is the word.",
)
SPOILT = ExperimentHypothesis(
    ("E94",),
    "such a model is trained on known sentences and on the same with words altered or removed.",
)
DEPTH = ExperimentHypothesis(("E96",), "extra hidden layers improve it.")
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
    """Say whether the right one of two is found, in frames that were learned from and in others."""
    seen, unseen = (spread_of(results, name, key) for key in ("seen", "unseen"))
    verdict: Verdict = "undecided"
    if seen.side_of(CHANCE) == "below":
        verdict = "refuted"
    elif seen.side_of(CHANCE) == "above":
        verdict = "confirmed" if unseen.side_of(CHANCE) == "above" else "corrected"
    others = ", ".join(
        f"{spread_of(results, one, 'seen').mean:.3f} and "
        f"{spread_of(results, one, 'unseen').mean:.3f} for the {one}"
        for one in (*CLASSIFIERS[-2:], GPT, N_GRAM)
        if one != name
    )
    return ClaimVerdict(
        claim,
        verdict,
        f"{name}: the right one of two is ranked first in {seen.written()} of the pairs of frames "
        f"that were learned from, in {unseen.written()} of other frames (chance {CHANCE}); "
        f"{others}.",
    )


def decide_spoilt(results: Results, best: str) -> ClaimVerdict:
    """Say whether spoilt sentences teach what is right, and whether they are needed."""
    own = spread_of(results, best, "auc")
    model = max((GPT, N_GRAM), key=lambda name: fmean(figures(results, name, "valid_auc")))
    more = gap_of(results, best, model, "auc")
    verdict: Verdict = "undecided"
    if own.side_of(CHANCE) == "below":
        verdict = "refuted"
    elif own.side_of(CHANCE) == "above":
        verdict = "corrected" if more.side_of(0.0) == "below" else "confirmed"
    return ClaimVerdict(
        SPOILT,
        verdict,
        f"AUC {own.written()} of the best classifier by validation ({best}); minus that of the "
        f"{model}, which saw no wrong sentence: {more.interval()}.",
    )


def decide_depth(results: Results) -> ClaimVerdict:
    """Say whether a second layer helps, and more than a wider first one of as many weights."""
    one, two, three, wide = (
        figures(results, name, "auc") for name in (RNN_1, RNN_2, RNN_3, RNN_WIDE)
    )
    deeper, wider = difference(two, one), difference(two, wide)
    verdict: Verdict = "undecided"
    if max(fmean(one), fmean(two)) < LEAST:
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
