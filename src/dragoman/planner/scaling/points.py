"""Points of a scaling study: one trained size at one compute budget, and its validation loss."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.core.errors import DataError


class ScalingFitError(DataError):
    """A fit, or an extrapolation of one, that the points do not support."""


@dataclass(frozen=True)
class ScalingPoint:
    """A model size trained at a compute budget: all in plain units, never as logarithms."""

    parameters: int
    """N."""
    tokens: float
    """D: tokens that were trained on, repeats included."""
    flops: float
    """C: FLOPs that were really used, which are whole steps and so not quite the budget."""
    budget: float
    """The FLOPs of its isoFLOP profile."""
    loss: float | None
    """On held-out data; None where the trial is not finished."""
    seed: int = 1
    run: str = ""
    """Points read off one training share its name, and so its noise."""

    def __str__(self) -> str:
        return f"{self.parameters:,} parameters at {flops_text(self.budget)}, seed {self.seed}"


def flops_text(flops: float) -> str:
    """Return a number of FLOPs as people write it: 8e+10 FLOPs."""
    return f"{flops:.3g} FLOPs"


def check_points(points: Sequence[ScalingPoint]) -> None:
    """Refuse points that no fit may use: unfinished, not finite, or given as logarithms."""
    if not points:
        raise ScalingFitError("scaling: there are no points to fit.")
    for point in points:
        if point.loss is None:
            raise ScalingFitError(
                f"scaling: {point}: this trial is not finished. Run the same command to resume it."
            )
        if not math.isfinite(point.loss):
            raise ScalingFitError(
                f"scaling: {point}: the loss is {point.loss}, so this trial diverged. Lower "
                "optimizer.learning_rate, or leave this size out."
            )
        sizes = (point.parameters, point.tokens, point.flops, point.budget)
        if not all(math.isfinite(size) and size > 0 for size in sizes):
            raise ScalingFitError(
                f"scaling: {point}: parameters, tokens and FLOPs must be positive and finite."
            )
        if point.parameters != int(point.parameters) or point.flops < point.parameters:
            raise ScalingFitError(
                f"scaling: {point}: {point.parameters:g} parameters and {point.flops:g} FLOPs look "
                "like logarithms. Give the counts themselves; the logarithm is taken here, and is "
                "the natural one."
            )
