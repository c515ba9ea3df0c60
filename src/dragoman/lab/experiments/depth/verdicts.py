"""Verdicts and tables on depth, residual connections and initialization.

Errors are in per cent. A difference counts where the 95 % interval over seeds has nought on one
side, and counts as none where the whole interval lies below `SLIGHT`. With a single seed, or where
the shallow networks have learned nothing, all stays undecided.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from dragoman.lab.experiment import ResultTable
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Measurement, Results, figures, gap_of, names, select, spread_of
from dragoman.lab.spread import Spread, difference, spread

SLIGHT = 1.0
"""Points of error that do not count."""

SLIGHT_NATS = 0.02
"""The same for the loss."""

HEALTHY = 10.0
"""How many times larger or smaller gradients may be at the first layer than at the last."""

DEGRADED = ExperimentHypothesis(
    ("E73",),
    "a plain network of 56 layers is worse than one of 20 on training and on test pictures, so "
    "that it does not overfit.",
    power=Power(effect=15.0, deviation=4.3),
)
FIRST_WEIGHTS = ExperimentHypothesis(
    ("E74",),
    "what is wrong with it are the values it is initialised with.",
    power=Power(effect=17.5, deviation=5.5),
)
EASIER = ExperimentHypothesis(
    ("E141",),
    "F(x) = 0 is learned more easily than F(x) = x, so that residual networks help learn the "
    "identity.",
    power=Power(effect=17.0, deviation=5.2),
)
DEEPER = ExperimentHypothesis(
    ("E77",),
    "a deeper residual network is better than a shallower one, in training and after.",
    power=Power(effect=2.0, deviation=1.5),
)
FASTER = ExperimentHypothesis(
    ("D16",),
    "with residual connections training converges faster.",
    power=Power(effect=0.5, deviation=0.15),
)
"""In points of error, and for the speed in nats; the deviations are those of the published run with
three seeds. To see two points between two depths of residual networks it takes seven."""
CLAIMS = (DEGRADED, FIRST_WEIGHTS, EASIER, DEEPER, FASTER)


@dataclass(frozen=True)
class Depths:
    """The names of the networks of two depths."""

    shallow: int
    deep: int

    @classmethod
    def of(cls, results: Results) -> "Depths":
        """Find the two depths in rows."""
        found = {int(result["model"]["depth"]) for result in results}
        return cls(min(found), max(found))

    @property
    def plain(self) -> str:
        """The shallow plain network."""
        return f"plain {self.shallow}"

    @property
    def deep_plain(self) -> str:
        """The deep plain network."""
        return f"plain {self.deep}"

    @property
    def identities(self) -> str:
        """The deep plain network whose further layers begin by handing on what they get."""
        return f"plain {self.deep} from identities"

    @property
    def residual(self) -> str:
        """The shallow residual network."""
        return f"residual {self.shallow}"

    @property
    def deep_residual(self) -> str:
        """The deep residual network."""
        return f"residual {self.deep}"


def decide(results: Results) -> list[ClaimVerdict]:
    """Give a verdict on each claim."""
    return [
        _degraded(results),
        _first_weights(results),
        _easier(results),
        _deeper(results),
        _faster(results),
    ]


def learned(results: Results) -> bool:
    """Say whether the shallow networks surely err less than the majority baseline."""
    depths = Depths.of(results)
    gains = (
        difference(figures(results, one, "majority"), figures(results, one, "test_error"))
        for one in (depths.plain, depths.residual)
    )
    return all(gain.side_of(0.0) == "above" for gain in gains)


def _is_none(found: Spread, slight: float = SLIGHT) -> bool:
    """Say whether a difference is surely too small to count, or the other way round."""
    return found.side_of(slight) == "below"


def _degraded(results: Results) -> ClaimVerdict:
    """Worse in training too: not overfitted. Worse on the test alone: overfitted."""
    depths = Depths.of(results)
    training = gap_of(results, depths.deep_plain, depths.plain, "training_error")
    test = gap_of(results, depths.deep_plain, depths.plain, "test_error")
    verdict: Verdict = "undecided"
    if not learned(results):
        pass
    elif training.side_of(0.0) == test.side_of(0.0) == "above":
        verdict = "confirmed"
    elif test.side_of(0.0) == "above" and _is_none(training):
        verdict = "corrected"
    elif _is_none(test):
        verdict = "refuted"
    return ClaimVerdict(
        DEGRADED,
        verdict,
        f"{_errors(results, depths.plain)}; {_errors(results, depths.deep_plain)}. The deep one's "
        f"error minus the shallow one's, points: training {training.interval(1)}, test "
        f"{test.interval(1)}.",
    )


def _first_weights(results: Results) -> ClaimVerdict:
    """If other first weights make the deep network as good as the shallow one, it was these."""
    depths = Depths.of(results)
    lost = gap_of(results, depths.deep_plain, depths.plain, "training_error")
    saved = gap_of(results, depths.deep_plain, depths.identities, "training_error")
    left = gap_of(results, depths.identities, depths.plain, "training_error")
    verdict: Verdict = "undecided"
    if not learned(results) or lost.side_of(0.0) != "above":
        pass  # there is nothing to explain
    elif saved.side_of(0.0) == "above":
        if _is_none(left):
            verdict = "confirmed"
        elif left.side_of(0.0) == "above":
            verdict = "corrected"
    elif _is_none(saved):
        verdict = "refuted"
    details = "; ".join(
        _health(results, one)
        for one in (depths.plain, depths.deep_plain, depths.identities, depths.deep_residual)
    )
    return ClaimVerdict(
        FIRST_WEIGHTS,
        verdict,
        f"Training error of the deep plain network minus that of the shallow one "
        f"{lost.interval(1)} points. With first weights under which its further layers hand on "
        f"what they get, nothing else changed, it errs less by {saved.interval(1)}, and "
        f"{left.interval(1)} more than the shallow one. Before the first step, {details}.",
    )


def ratio(row: Measurement, when: str) -> float:
    """Return how many times larger the gradient is at the first convolution than at the last."""
    gradients = row[when]["gradients"]
    return float(gradients[0]) / max(float(gradients[-1]), 1e-30)


def middle(values: Sequence[float]) -> float:
    """Return the geometric mean."""
    return math.exp(fmean(math.log(max(value, 1e-30)) for value in values))


def _health(results: Results, name: str) -> str:
    """Say in a clause whether signals and gradients are alike at both ends of a network."""
    mine = select(results, name)
    times = middle([ratio(result, "before") for result in mine])
    first, last = (
        fmean(float(result["before"]["signals"][end]) for result in mine) for end in (0, -1)
    )
    sound = 1 / HEALTHY <= times <= HEALTHY
    return (
        f"{name}: gradients at the first layer {times:,.3g} times those at the last "
        f"({'healthy' if sound else 'not healthy'}), deviation of what the stem gives {first:.2f} "
        f"and of what the last block gives {last:.2f}"
    )


def _easier(results: Results) -> ClaimVerdict:
    """Further layers that could be identities do harm where the identity is hard to learn."""
    depths = Depths.of(results)
    without = _added(results, depths.deep_plain, depths.plain)
    skipping = _added(results, depths.deep_residual, depths.residual)
    plain, residual, more = spread(without), spread(skipping), difference(without, skipping)
    verdict: Verdict = "undecided"
    if not learned(results):
        pass
    elif more.side_of(0.0) == "above":
        if _is_none(residual):
            verdict = "confirmed"
        elif residual.side_of(0.0) == "above":
            verdict = "corrected"
    elif _is_none(more):
        verdict = "refuted"
    return ClaimVerdict(
        EASIER,
        verdict,
        f"The further layers, which need only be identities to do no harm, add points of training "
        f"error: {plain.interval(1)} without skips, {residual.interval(1)} with them; the first "
        f"minus the second {more.interval(1)}. How far a block of the deep networks is from the "
        "identity (1 is as far as nought): "
        + "; ".join(
            f"{name} {_change(results, name, 'before')} before and "
            f"{_change(results, name, 'after')} after training"
            for name in (depths.deep_plain, depths.deep_residual)
        )
        + ".",
    )


def _added(results: Results, deep: str, shallow: str) -> list[float]:
    """Return the training error that further layers add, for each seed."""
    errors = (figures(results, name, "training_error") for name in (deep, shallow))
    return [one - other for one, other in zip(*errors, strict=True)]


def _deeper(results: Results) -> ClaimVerdict:
    depths = Depths.of(results)
    training = gap_of(results, depths.residual, depths.deep_residual, "training_error")
    test = gap_of(results, depths.residual, depths.deep_residual, "test_error")
    better = [one.side_of(0.0) == "above" for one in (training, test)]
    none = [_is_none(one) for one in (training, test)]
    verdict: Verdict = "undecided"
    if not learned(results):
        pass
    elif all(better):
        verdict = "confirmed"
    elif all(none):
        verdict = "refuted"
    elif any(better) and any(none):
        verdict = "corrected"
    return ClaimVerdict(
        DEEPER,
        verdict,
        f"{_errors(results, depths.residual)}; {_errors(results, depths.deep_residual)}. The deep "
        f"one errs less by: training {training.interval(1)}, test {test.interval(1)} points.",
    )


def _faster(results: Results) -> ClaimVerdict:
    """Compare the loss over the whole training, at either depth."""
    depths = Depths.of(results)
    pairs = ((depths.plain, depths.residual), (depths.deep_plain, depths.deep_residual))
    gains = [
        difference(_mean_losses(results, one), _mean_losses(results, two)) for one, two in pairs
    ]
    better = [gain.side_of(0.0) == "above" for gain in gains]
    none = [_is_none(gain, SLIGHT_NATS) for gain in gains]
    verdict: Verdict = "undecided"
    if not learned(results):
        pass
    elif all(better):
        verdict = "confirmed"
    elif all(none):
        verdict = "refuted"
    elif any(better) and any(none):
        verdict = "corrected"
    details = "; ".join(
        f"{two} is below {one} by {gain.interval(3)} nats, and comes to the other's last loss "
        f"after {_reached(results, one, two)}"
        for (one, two), gain in zip(pairs, gains, strict=True)
    )
    return ClaimVerdict(FASTER, verdict, f"Training loss, mean over all steps: {details}.")


def _mean_losses(results: Results, name: str) -> list[float]:
    return [fmean(map(float, result["curve"])) for result in select(results, name)]


def _reached(results: Results, plain: str, residual: str) -> str:
    """Say after which share of the steps one network has the loss that another ends with."""
    shares = []
    for slow, quick in zip(select(results, plain), select(results, residual), strict=True):
        points = zip(quick["steps_at"], quick["curve"], strict=True)
        at = next((step for step, loss in points if loss <= slow["curve"][-1]), None)
        if at is None:
            return "more steps than there were"
        shares.append(100 * at / quick["steps_at"][-1])
    return f"{fmean(shares):.0f} % of the steps"


def _errors(results: Results, name: str) -> str:
    training, test = (spread_of(results, name, key) for key in ("training_error", "test_error"))
    return f"{name} errs on {training.written(1)} % in training and {test.written(1)} % in the test"


def _change(results: Results, name: str, when: str) -> str:
    return f"{fmean(float(result[when]['change']) for result in select(results, name)):.2f}"


def tables(results: Results, trained: str) -> list[ResultTable]:
    """Return the errors, and what was seen inside the networks before and after."""
    most = fmean(float(result["majority"]) for result in results)
    return [
        ResultTable(
            "Errors, %",
            (
                "network", "parameters", "rate", "training error", "test error", "macro-F1",
                "last training loss", "seconds",
            ),
            [
                *(_line(results, name) for name in names(results)),
                ("majority baseline", "0", "", "", f"{most:.1f}", "", "", ""),
            ],
            trained,
        ),
        ResultTable(
            "Inside: from the first layer to the last",
            (
                "network", "when", "gradient at the first convolution", "at the last",
                "first / last", "deviation after the stem", "after the last block",
                "blocks from identity",
            ),
            [
                _inside(results, name, when)
                for name in names(results)
                for when in ("before", "after")
            ],
            "Norms of the gradient at the weights of a convolution, for one batch of pictures that "
            "are trained on, in training mode; geometric means over seeds.",
        ),
    ]  # fmt: skip


def _line(results: Results, name: str) -> tuple[str, ...]:
    mine = select(results, name)
    return (
        name,
        f"{mine[0]['parameters']:,}",
        f"{mine[0]['rate']:g}",
        *(
            spread_of(results, name, key).written(1)
            for key in ("training_error", "test_error", "macro_f1")
        ),
        spread([float(result["curve"][-1]) for result in mine]).written(3),
        f"{fmean(figures(results, name, 'seconds')):.0f}",
    )


def _inside(results: Results, name: str, when: str) -> tuple[str, ...]:
    looks = [result[when] for result in select(results, name)]
    gradients = [middle([float(one["gradients"][end]) for one in looks]) for end in (0, -1)]
    signals = [middle([float(one["signals"][end]) for one in looks]) for end in (0, -1)]
    times = middle([ratio(result, when) for result in select(results, name)])
    return (
        name,
        when,
        *(f"{one:.3g}" for one in gradients),
        f"{times:,.3g}",
        *(f"{one:.2f}" for one in signals),
        _change(results, name, when),
    )
