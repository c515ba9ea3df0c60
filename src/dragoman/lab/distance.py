"""Verdicts on memory from accuracy against distance: who forgets, from where on, and who less.

Accuracies are in per cent. A difference counts where the 95 % interval over seeds has nought on one
side, and counts as none where the whole interval lies below `SLIGHT`; with a single seed there is
no interval, and everything stays undecided.
"""

from collections.abc import Sequence
from statistics import fmean

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.results import Results, select
from dragoman.lab.spread import Spread, difference, spread

SLIGHT = 5.0
"""Points of accuracy that do not count as forgetting, or as help."""


def at(results: Results, name: str, place: int) -> list[float]:
    """Return the accuracy of a model at a place, counted from the nearest, for each seed."""
    return [float(result["accuracies"][place]) for result in select(results, name)]


def far(results: Results, name: str) -> list[float]:
    """Return the mean accuracy of a model over the farther half of the places, for each seed.

    Not at the farthest alone: where all have failed, it would make them equal.
    """
    each = [result["accuracies"] for result in select(results, name)]
    return [fmean(map(float, one[len(one) // 2 :])) for one in each]


def curve(results: Results, name: str) -> list[list[float]]:
    """Return the accuracies of the seeds for each place."""
    places = len(select(results, name)[0]["accuracies"])
    return [at(results, name, place) for place in range(places)]


def half_way(results: Results, name: str, places: Sequence[int], chance: float) -> int | None:
    """Return the first place, after its best, where a model has lost half of that above chance."""
    means = [fmean(values) for values in curve(results, name)]
    best = max(means)
    after = list(zip(places, means, strict=True))[means.index(best) :]
    return next((place for place, mean in after if mean < (chance + best) / 2), None)


def learned(results: Results, name: str, chance: float) -> bool:
    """Say whether a model can do the nearest: what has not been learned cannot be lost."""
    return fmean(at(results, name, 0)) > chance + (100.0 - chance) / 2


def lost_at(results: Results, name: str, places: Sequence[int], chance: float) -> str:
    """Say where a model has lost half, in a word or two."""
    if not learned(results, name, chance):
        return "not learned"
    return str(half_way(results, name, places, chance) or "nowhere")


def gain_far(results: Results, name: str, plain: str, items: int) -> Spread:
    """Return the points that a model has more than another at the far places, seed by seed.

    `items` is how many questions there are at each place.
    """
    places = len(far_places(results, name))
    return difference(far(results, name), far(results, plain), 100 / (items * places))


def far_places(results: Results, name: str) -> list[float]:
    """Return the accuracies at the farther half of the places, with the first seed."""
    accuracies: list[float] = select(results, name)[0]["accuracies"]
    return accuracies[len(accuracies) // 2 :]


def decide_fading(
    claim: ExperimentHypothesis,
    results: Results,
    plain: str,
    places: Sequence[int],
    chance: float,
    items: int,
) -> ClaimVerdict:
    """Say whether a model loses accuracy from the nearest place to the far ones.

    `items` is how many questions there are at each place.
    """
    fall = difference(at(results, plain, 0), far(results, plain), 100 / items)
    verdict: Verdict = "undecided"
    if not learned(results, plain, chance):
        pass
    elif fall.side_of(SLIGHT) == "below":
        verdict = "corrected" if fall.side_of(0.0) == "above" else "refuted"
    elif fall.side_of(0.0) == "above":
        verdict = "confirmed"
    return ClaimVerdict(
        claim,
        verdict,
        f"Accuracy of the {plain}, where chance is {chance:.1f} %: "
        f"{spread(at(results, plain, 0)).written(1)} % at {places[0]} and "
        f"{spread(far(results, plain)).written(1)} % at {_far_places(places)} on average, a fall "
        f"of {fall.interval(1)}. Half is lost at: {lost_at(results, plain, places, chance)}.",
    )


def decide_gates(
    claim: ExperimentHypothesis,
    results: Results,
    models: tuple[str, Sequence[str]],
    places: Sequence[int],
    chance: float,
    items: int,
) -> ClaimVerdict:
    """Say whether gated models are better than a plain one at the far places.

    `models` are the plain one and the gated ones. Where some are better and the others surely not
    by more than slightly, or where all are better but slightly, the claim needs correcting.
    """
    plain, gated = models
    gains = {one: gain_far(results, one, plain, items) for one in gated}
    better = [gain.side_of(0.0) == "above" for gain in gains.values()]
    hardly = [gain.side_of(SLIGHT) == "below" for gain in gains.values()]
    verdict: Verdict = "undecided"
    if not all(learned(results, one, chance) for one in (plain, *gated)):
        pass
    elif all(better):
        verdict = "corrected" if all(hardly) else "confirmed"
    elif all(one or other for one, other in zip(better, hardly, strict=True)):
        verdict = "corrected" if any(better) else "refuted"
    details = ", ".join(f"{one} {gain.interval(1)}" for one, gain in gains.items())
    lost = ", ".join(f"{one} {lost_at(results, one, places, chance)}" for one in (plain, *gated))
    return ClaimVerdict(
        claim,
        verdict,
        f"Points of accuracy at {_far_places(places)} on average, minus those of the {plain} "
        f"({spread(far(results, plain)).written(1)} %): {details}. Half is lost at: {lost}.",
    )


def _far_places(places: Sequence[int]) -> str:
    return f"{places[len(places) // 2]} to {places[-1]}"
