"""Verdicts on masking, the next sentence, and writing with a masked model."""

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, gap_of, percent_of, spread_of

MIXED, MASKS, CAUSAL = "80/10/10", "masks alone", "causal"
ROBERTA, STATIC, PAIRS, BERT = "dynamic", "static", "dynamic, pairs", "static, pairs"
"""The last four learn from stories: with new masks in each epoch or always the same, and with the
next sentence to be guessed or without."""

WORTH = 0.03
"""Of the texts of the probe: the smallest share that would be worth the trouble."""
GUESS = 0.5

WITHOUT_MASKS = ExperimentHypothesis(
    ("D32",),
    "some of the chosen words are replaced or left, because there are no masks in fine-tuning.",
    Power(effect=WORTH, deviation=0.028),
)
NEXT_SENTENCE = ExperimentHypothesis(
    ("D33",),
    "a network can be taught whether a sentence follows another, with embeddings of the segments.",
    Power(effect=0.1, deviation=0.05),
)
NOT_FOR_WRITING = ExperimentHypothesis(
    ("D36",),
    "BERT is for filling gaps and for classifying, and not for generating text.",
    Power(effect=0.1, deviation=0.05),
)
RATHER_ROBERTA = ExperimentHypothesis(
    ("D37",), "RoBERTa is to be used instead of BERT.", Power(effect=0.2, deviation=0.15)
)
CLAIMS = (WITHOUT_MASKS, NEXT_SENTENCE, NOT_FOR_WRITING, RATHER_ROBERTA)


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    return [
        decide_mixture(results),
        decide_pairs(results),
        decide_writing(results),
        decide_roberta(results),
    ]


def decide_mixture(results: Results) -> ClaimVerdict:
    """Compare both ways of masking on texts without masks: by a probe, and at visible words.

    The probe is what fine-tuning would use. If it gains nothing that is worth having while what is
    said of visible words differs, the reason is true and the gain is not there.
    """
    gain = gap_of(results, MIXED, MASKS, "probe")
    doubt = gap_of(results, MASKS, MIXED, "visible")
    verdict: Verdict = "undecided"
    if gain.side_of(0.0) == "above":
        verdict = "confirmed"
    elif gain.side_of(WORTH) == "below":
        verdict = "corrected" if doubt.side_of(0.0) == "above" else "refuted"
    return ClaimVerdict(
        WITHOUT_MASKS,
        verdict,
        f"On texts without masks: a probe of the states is right for "
        f"{percent_of(results, MIXED, 'probe')} % after {MIXED} and "
        f"{percent_of(results, MASKS, 'probe')} % after {MASKS}, a difference of {gain.points()}; "
        f"words in plain sight cost {doubt.interval(2)} nats more after {MASKS}.",
    )


def decide_pairs(results: Results) -> ClaimVerdict:
    """Hold the answers on pairs against a guess."""
    found = spread_of(results, PAIRS, "follows")
    verdicts: dict[str, Verdict] = {"above": "confirmed", "below": "refuted"}
    return ClaimVerdict(
        NEXT_SENTENCE,
        verdicts.get(found.side_of(GUESS), "undecided"),
        f"Pairs of unseen stories judged rightly: {percent_of(results, PAIRS, 'follows')} %, where "
        f"a guess has 50 %; with pairs and masks that are always the same, "
        f"{percent_of(results, BERT, 'follows')} %.",
    )


def decide_writing(results: Results) -> ClaimVerdict:
    """Compare what both write, by the share of sentences in which every word may follow."""
    less = gap_of(results, CAUSAL, MIXED, "in_order")
    verdicts: dict[str, Verdict] = {"above": "confirmed", "below": "refuted"}
    return ClaimVerdict(
        NOT_FOR_WRITING,
        verdicts.get(less.side_of(0.0), "undecided"),
        f"Sentences in which every word is known to follow the one before: "
        f"{percent_of(results, CAUSAL, 'in_order')} % of those of the causal network, "
        f"{percent_of(results, MIXED, 'in_order')} % of those that the masked one of the same size "
        f"wrote word by word, {percent_of(results, MIXED, 'real_in_order')} % of true ones; the "
        f"first minus the second {less.points()}.",
    )


def decide_roberta(results: Results) -> ClaimVerdict:
    """Compare both recipes by the loss of masked words, and each of their differences alone."""
    whole, masks, pairs = (
        gap_of(results, other, ROBERTA, "loss") for other in (BERT, STATIC, PAIRS)
    )
    side = whole.side_of(0.0)
    verdict: Verdict = "undecided"
    if side == "below":
        verdict = "refuted"
    elif side == "above":
        parts = {masks.side_of(0.0), pairs.side_of(0.0)}
        verdict = "confirmed" if parts == {"above"} else "corrected"
    return ClaimVerdict(
        RATHER_ROBERTA,
        verdict,
        "Loss of masked words of unseen text, in nats, more than with new masks in each epoch and "
        f"no pairs: {whole.interval(2)} with the same masks and pairs, {masks.interval(2)} with "
        f"the same masks alone, {pairs.interval(2)} with pairs alone.",
    )
