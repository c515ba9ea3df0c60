"""Verdicts on the claims of the notes about scaling, decided by the fitted laws.

A claim about a figure stands or falls with the 95 % bootstrap interval; where a profile has no
interior minimum nothing is extrapolated, and the claim stays undecided, as it does with one seed.
"""

from itertools import pairwise

from dragoman.lab.experiments.scaling.formulas import parameters
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Results, gap_of, names, spread_of
from dragoman.planner.scaling.laws import ScalingLaws
from dragoman.planner.scaling.points import ScalingFitError
from dragoman.planner.sweep.report import count_text

FAR = 1e15
NOTES, PUBLIC = 3.7e6, 1.94e6
"""N* at 1e15 FLOPs in the notes, and by the public fit N* ~ C^0.435."""
OWN_RUN = (268_062, 5.0e6, 8.63e12)
"""Parameters, tokens and FLOPs of the decoder-only run that the notes judge."""
PUBLISHED = {16: 4862, 32: 17886, 48: 39102, 64: 68510, 96: 151902, 128: 268062}
"""Parameters by width, with four layers and thirty entries."""
CLOSE = 0.1
"""Share by which the formula may differ from the counted matrix products."""

CURVES = ExperimentHypothesis(
    ("A31", "A32"),
    "larger models end at a lower loss, small ones win at few FLOPs, and returns diminish.",
    power=Power(effect=0.6, deviation=0.19),
)
PARABOLAS = ExperimentHypothesis(
    ("A33",),
    "at each budget the loss is a quadratic in log N with a minimum between the sizes.",
    power=Power(effect=0.3, deviation=0.09),
)
SIZE = ExperimentHypothesis(
    ("A34",),
    "the compute-optimal size at 1e15 FLOPs has 3.7 million parameters.",
    power=Power(effect=0.5, deviation=0.15),
)
NOT_OPTIMAL = ExperimentHypothesis(
    ("A35",),
    "a model of 268,062 parameters trained on 5.0 M tokens (8.6 TFLOP; they write 6.6 M) is not "
    "compute-optimal: it needs more data or a smaller model.",
    power=Power(effect=0.15, deviation=0.09),
)
FORMULAS = ExperimentHypothesis(
    ("A36",), "parameters are L(4h²+4h)+hV+V, and a sequence costs 3[L(8sh²+4s²h+3s²)+2sVh] FLOPs."
)
"""In nats of the first, in powers of ten of a size of the others; the deviations are those of the
published run. That the formulas hold is computed, and takes no seeds."""
CLAIMS = (CURVES, PARABOLAS, SIZE, NOT_OPTIMAL, FORMULAS)


def decide(results: Results, laws: ScalingLaws) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    return [
        _curves(results, laws),
        _parabolas(laws),
        _size(laws),
        _not_optimal(laws),
        _formulas(results),
    ]


def _curves(results: Results, laws: ScalingLaws) -> ClaimVerdict:
    sizes = names(results)  # in rising order
    gaps = [gap_of(results, small, large, "loss") for small, large in pairwise(sizes)]
    whole = gap_of(results, sizes[0], sizes[-1], "loss")
    lower = [gap.side_of(0.0) for gap in gaps]
    best = [
        min(one.points, key=lambda point: point.loss or 0.0).parameters for one in laws.profiles
    ]
    lowest = [min(float(point.loss or 0.0) for point in one.points) for one in laws.profiles]
    gains = [before - after for before, after in pairwise(lowest)]
    grows, diminish = best[-1] > best[0], bool(gains) and gains[-1] < gains[0]
    verdict: Verdict = "undecided"
    if whole.side_of(0.0) == "below" or not grows:
        verdict = "refuted"
    elif whole.side_of(0.0) == "above":
        orderly = "below" not in lower and "unclear" not in lower
        verdict = "confirmed" if orderly and diminish else "corrected"
    ends = ", ".join(f"{name} {spread_of(results, name, 'loss').written()}" for name in sizes)
    return ClaimVerdict(
        CURVES,
        verdict,
        f"Loss at the end: {ends}; the smallest minus the largest {whole.interval()}. The best "
        f"size is {best[0]:,} at {laws.profiles[0].budget:.2g} FLOPs and {best[-1]:,} at "
        f"{laws.profiles[-1].budget:.2g}; a doubling of FLOPs gains {gains[0]:.3f} first and "
        f"{gains[-1]:.3f} last.",
    )


def _parabolas(laws: ScalingLaws) -> ClaimVerdict:
    refused = [one.refusal for one in laws.profiles if one.refusal]
    found = ", ".join(
        f"{count_text(one.parabola.optimum)} at {one.budget:.2g}"
        for one in laws.profiles
        if one.parabola
    )
    verdict: Verdict = "confirmed" if _several_seeds(laws) and not refused else "undecided"
    if len(refused) == len(laws.profiles):
        verdict = "refuted"
    return ClaimVerdict(PARABOLAS, verdict, " ".join([f"N*: {found or 'none'}.", *refused]))


def _size(laws: ScalingLaws) -> ClaimVerdict:
    try:
        found = laws.at(FAR)
    except ScalingFitError as error:
        return ClaimVerdict(SIZE, "undecided", str(error))
    interval = found.parameters_interval
    verdict: Verdict = "confirmed" if interval.holds(NOTES) else "refuted"
    law = ""
    if found.by_law and found.by_law_intervals:
        own = found.by_law_intervals[0]
        law = (
            f"; the parametric law says {found.by_law.parameters:.3g} [{own.low:.3g}, "
            f"{own.high:.3g}]"
        )
    return ClaimVerdict(
        SIZE,
        verdict if _several_seeds(laws) else "undecided",
        f"The line of the parabolas says {found.parameters:.3g} [{interval.low:.3g}, "
        f"{interval.high:.3g}]{law}; the public runs {PUBLIC:.3g}. It {found.extrapolates}.",
    )


def _not_optimal(laws: ScalingLaws) -> ClaimVerdict:
    size, tokens, flops = OWN_RUN
    try:
        found = laws.at(flops)
    except ScalingFitError as error:
        return ClaimVerdict(NOT_OPTIMAL, "undecided", str(error))
    interval = found.parameters_interval
    verdict: Verdict = "undecided"
    if _several_seeds(laws) and not interval.holds(size):
        verdict = "confirmed" if size > interval.high else "refuted"
    return ClaimVerdict(
        NOT_OPTIMAL,
        verdict,
        f"At {flops:.3g} FLOPs N* is {count_text(found.parameters)} "
        f"[{count_text(interval.low)}, {count_text(interval.high)}] and D* "
        f"{count_text(found.tokens)} tokens; the run had {size:,} and {tokens:.2g}. It "
        f"{found.extrapolates}.",
    )


def _several_seeds(laws: ScalingLaws) -> bool:
    return len({point.seed for point in laws.points}) > 1


def _formulas(results: Results) -> ClaimVerdict:
    exact = all(
        result["with_embeddings"] - result["embeddings"] == result["parameters"]
        for result in results
    )
    published = all(parameters(width, 30) == count for width, count in PUBLISHED.items())
    ratios = [result["formula_flops"] / result["counted_flops"] for result in results]
    close = all(abs(ratio - 1) <= CLOSE for ratio in ratios)
    verdict: Verdict = "confirmed" if exact and published and close else "corrected"
    if not (exact and published):
        verdict = "refuted"
    return ClaimVerdict(
        FORMULAS,
        verdict,
        f"The networks have {'exactly' if exact else 'not'} these parameters besides their "
        f"embeddings; the formula's FLOPs are {min(ratios):.2f} to {max(ratios):.2f} times the "
        "matrix products that torch counts in a step, which asks for the target's letters alone.",
    )
