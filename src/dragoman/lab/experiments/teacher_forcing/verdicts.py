"""A verdict on teacher forcing, from nothing but results; shares are in per cent."""

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, figures, gap_of, spread_of
from dragoman.lab.spread import Spread, difference

TOLD, OWN, MIXED = "told", "own words", "scheduled"
NETWORKS = ("summary", "attention")
LEAST = 20.0
"""Right sentences, %, that some network must reach before anything is decided."""

FORCING = ExperimentHypothesis(
    ("B19",),
    "a decoder learns well when it is fed the correct previous word in training (teacher forcing).",
    Power(effect=3.0, deviation=2.3),
)
"""The deviation is that of a pilot with the seeds 90 to 93, on validation sentences."""


def arm(network: str, mode: str) -> str:
    """Return the name of a network that is trained in one way."""
    return f"{network}, {mode}"


def exposure(results: Results, name: str) -> Spread:
    """Return the words that are right when told those before, less those right on one's own."""
    return difference(figures(results, name, "told"), figures(results, name, "alone"))


def decide(results: Results) -> ClaimVerdict:
    """Say whether teacher forcing leads to more right sentences after equally many steps."""
    gains = [gap_of(results, arm(one, TOLD), arm(one, OWN), "exact") for one in NETWORKS]
    sides = {gain.side_of(0.0) for gain in gains}
    best = max(spread_of(results, arm(one, TOLD), "exact").mean for one in NETWORKS)
    verdict: Verdict = "undecided"
    if best < LEAST or "unclear" in sides:
        pass
    elif sides == {"above"}:
        verdict = "confirmed"
    elif sides == {"below"}:
        verdict = "refuted"
    else:
        verdict = "corrected"
    parts = [
        f"With {network}: {spread_of(results, arm(network, TOLD), 'exact').written(1)} % of the "
        f"sentences right when told the words in training, "
        f"{spread_of(results, arm(network, OWN), 'exact').written(1)} % when fed its own, "
        f"difference {gain.interval(1)}; words right when told those before minus on its own "
        f"(exposure bias): {exposure(results, arm(network, TOLD)).interval(1)} and "
        f"{exposure(results, arm(network, OWN)).interval(1)}."
        for network, gain in zip(NETWORKS, gains, strict=True)
    ]
    return ClaimVerdict(FORCING, verdict, " ".join(parts))
