"""Verdicts on the parts of a Transformer."""

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, figures, gap_of, percent_of, select, spread_of

FULL, ALONE = "with feed-forward", "attention alone"
TWO, ONE = "two heads", "one head"
LEARNED, FIXED, FITTED = "learned q, k, v", "fixed attention", "fixed, learned embeddings"

PARTED = 0.5
"""Of a head's weight, by how much its own rule must outweigh the other one."""

FEED_FORWARD = ExperimentHypothesis(
    ("D5",),
    "the feed-forward enhances what attention has gathered, for translation and the like.",
    Power(effect=0.3, deviation=0.26),
)
HEADS = ExperimentHypothesis(
    ("D8",),
    "several heads look at several things: one at entities, one at words that matter for syntax.",
    Power(effect=0.25, deviation=0.22),
)
LEARNED_WEIGHTS = ExperimentHypothesis(
    ("B43",),
    "attention without learned parameters is general, and knows nothing of what a context means in "
    "the data at hand.",
    Power(effect=0.05, deviation=0.03),
)
CLAIMS = (FEED_FORWARD, HEADS, LEARNED_WEIGHTS)


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    return [decide_feed_forward(results), decide_heads(results), decide_learned(results)]


def decide_feed_forward(results: Results) -> ClaimVerdict:
    """Compare networks of equal size, with the feed-forward and with attention alone."""
    gain = gap_of(results, FULL, ALONE, "accuracy")
    sizes = [f"{select(results, name)[0]['parameters']:,}" for name in (FULL, ALONE)]
    return ClaimVerdict(
        FEED_FORWARD,
        _better(gain.side_of(0.0)),
        f"Right senses of words that depend on the word before: {FULL} "
        f"{percent_of(results, FULL, 'accuracy')} %, {ALONE} "
        f"{percent_of(results, ALONE, 'accuracy')} %, with {sizes[0]} and {sizes[1]} weights; the "
        f"first minus the second {gain.points()}.",
    )


def decide_heads(results: Results) -> ClaimVerdict:
    """Say whether two heads part two rules, and whether that is better than one head."""
    parted = spread_of(results, TWO, "parted")
    gain = gap_of(results, TWO, ONE, "accuracy")
    sides = parted.side_of(PARTED), gain.side_of(0.0)
    verdict: Verdict = "undecided"
    if sides == ("above", "above"):
        verdict = "confirmed"
    elif sides == ("below", "above"):
        verdict = "corrected"
    elif "below" in sides:
        verdict = "refuted"
    return ClaimVerdict(
        HEADS,
        verdict,
        f"Each of two heads gives its own rule {parted.interval(2)} more weight than the other "
        f"one. Right labels: {TWO} {percent_of(results, TWO, 'accuracy')} %, {ONE} of the same "
        f"width {percent_of(results, ONE, 'accuracy')} %, the first minus the second "
        f"{gain.points()}.",
    )


def decide_learned(results: Results) -> ClaimVerdict:
    """Compare attention that learns with attention that does not, on embeddings that stay."""
    gain = gap_of(results, LEARNED, FIXED, "accuracy")
    fitted = gap_of(results, LEARNED, FITTED, "accuracy")
    return ClaimVerdict(
        LEARNED_WEIGHTS,
        _better(gain.side_of(0.0)),
        f"Whether a word's partner is in the text: {LEARNED} "
        f"{percent_of(results, LEARNED, 'accuracy')} %, {FIXED} "
        f"{percent_of(results, FIXED, 'accuracy')} %, where a guess has 50 %; the first minus the "
        f"second {gain.points()}. If the embeddings may learn, fixed attention has "
        f"{percent_of(results, FITTED, 'accuracy')} %, {fitted.points()} less.",
    )


def _better(side: str) -> Verdict:
    verdicts: dict[str, Verdict] = {"above": "confirmed", "below": "refuted"}
    return verdicts.get(side, "undecided")


def head_weights(results: Results, rule: str) -> list[list[float]]:
    """Return the weight of the head that gives a rule more, and of the other, seed by seed."""
    found = [sorted(one[rule], reverse=True) for one in select(results, TWO)]
    return [[one[place] for one in found] for place in range(2)]


def accuracies(results: Results, name: str) -> list[float]:
    """Return the accuracy of a network in per cent, seed by seed."""
    return [100 * one for one in figures(results, name, "accuracy")]
