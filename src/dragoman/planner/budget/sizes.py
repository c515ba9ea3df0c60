"""Sizes of a model around a recipe's own, and their speed, interpolated between measured ones."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dragoman.config.reading import changed_keys
from dragoman.config.recipe import Recipe
from dragoman.core.errors import ConfigError
from dragoman.planner.batch_cost import BatchCost
from dragoman.planner.measure import SampleRun, Speed, SpeedMeasurement
from dragoman.planner.sizes import width_share, with_width

WIDTHS, DEPTHS = (0.5, 1.0, 1.5, 2.0), (0.5, 1.0)
"""Shares of the recipe's width and of its layers."""

LAYERS = ("layers", "encoder_layers", "decoder_layers")


@dataclass(frozen=True)
class ModelSize:
    """A recipe with another width and depth."""

    recipe: Recipe
    speed: Speed
    measured: bool
    changes: tuple[str, ...] = ()
    """Of the recipe, as `dragoman train` takes them."""

    @property
    def name(self) -> str:
        """Width and depth."""
        model = self.recipe.model
        found = [(key, getattr(model, key, None)) for key in ("width", *LAYERS)]
        return " ".join(f"{key}={value}" for key, value in found if value)


def has_sizes(recipe: Recipe) -> bool:
    """Whether other sizes can be proposed: for models that write text, trained from nothing."""
    writes = recipe.task.row_lengths(2)[1] > 0
    return writes and recipe.start is None and hasattr(recipe.model, "width")


def proposed_sizes(recipe: Recipe) -> list[Recipe]:
    """Return the recipe in several sizes, its own among them; impossible ones are left out."""
    found = [recipe]
    for width in WIDTHS:
        for depth in DEPTHS:
            try:
                sized = _sized(recipe, width, depth)
            except ConfigError:  # as heads that do not split a width
                continue
            if all(sized.model != one.model for one in found):
                found.append(sized)
    return found


def _sized(recipe: Recipe, width: float, depth: float) -> Recipe:
    layers = [
        f"{key}={math.ceil(value * depth)}"
        for key in LAYERS
        if (value := getattr(recipe.model, key, None))
    ]
    return with_width(recipe, width_share(recipe, width), *layers)


def measured_sizes(
    sample: SampleRun, recipe: Recipe, own: SpeedMeasurement, seconds: float
) -> list[ModelSize]:
    """Measure the smallest and the largest size beside the recipe's own; interpolate the others.

    FLOPs and memory of each are counted for the batches that the recipe's own size was given.
    """
    sizes = [
        replace(_counted(one, own.speed, own.batches.resized(one)), changes=_changes(recipe, one))
        for one in proposed_sizes(recipe)
    ]
    sizes = [
        replace(one, speed=own.speed, measured=True) if one.recipe.model == recipe.model else one
        for one in sorted(sizes, key=lambda one: one.speed.flops)
    ]
    for place in {0, len(sizes) - 1}:
        if not sizes[place].measured:
            sizes = measure_size(sample, sizes, sizes[place], seconds)
    return sizes


def measure_size(
    sample: SampleRun, sizes: Sequence[ModelSize], chosen: ModelSize, seconds: float
) -> list[ModelSize]:
    """Measure one of the sizes, in rising order of FLOPs, and interpolate the others anew."""
    step = sample.measure(chosen.recipe, seconds).speed.seconds
    speed = replace(chosen.speed, seconds=step)
    found = [replace(one, speed=speed, measured=True) if one is chosen else one for one in sizes]
    points = [
        (one.speed.flops, one.speed.seconds / one.speed.flops) for one in found if one.measured
    ]
    return [
        one
        if one.measured
        else replace(
            one,
            speed=replace(
                one.speed, seconds=one.speed.flops * interpolated(points, one.speed.flops)
            ),
        )
        for one in found
    ]


def _changes(before: Recipe, after: Recipe) -> tuple[str, ...]:
    changed = changed_keys(before.model, after.model)
    return tuple(f"model.{key}={value}" for key, value in changed.items())


def _counted(recipe: Recipe, own: Speed, cost: BatchCost) -> ModelSize:
    """Take a size's counts, and of the recipe's own speed what does not depend on the size.

    Validations and checkpoints are taken to grow with FLOPs and parameters.
    """
    flops = cost.flops * recipe.training.accumulate
    parameters = cost.parameters
    speed = replace(
        own,
        parameters=parameters,
        flops=flops,
        memory=cost.memory,
        validation=own.validation * flops / own.flops,
        checkpoint=own.checkpoint * parameters / own.parameters,
    )
    return ModelSize(recipe, speed, measured=False)


def interpolated(points: Sequence[tuple[float, float]], flops: float) -> float:
    """Return the seconds per FLOP of a step between measured ones: linear in log FLOPs."""
    before = [one for one in points if one[0] <= flops]
    after = [one for one in points if one[0] >= flops]
    if not before or not after:
        return (before or after)[-1 if before else 0][1]
    (low, first), (high, second) = before[-1], after[0]
    if low == high:
        return first
    share = math.log(flops / low) / math.log(high / low)
    return first + share * (second - first)
