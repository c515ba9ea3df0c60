"""The learning rate schedule: a share of the highest learning rate for every step.

A pure function of how far the run has come, so that nothing of it needs to be stored for a resume.
"""

import math

from dragoman.config.schedule import (
    Constant,
    Cosine,
    Exponential,
    InverseSqrt,
    Linear,
    Plateau,
    ScheduleSettings,
)


def rate_share(
    step: int, steps: int, settings: ScheduleSettings, epochs: int = 0, plateaus: int = 0
) -> float:
    """Return the share of the highest rate at a step (the first is 1) of a run of `steps`.

    `epochs` are those completed before this step, and `plateaus` how often the validation loss
    has stopped falling; they matter to the schedules that follow them.
    """
    if step <= settings.warmup_steps:
        return step / settings.warmup_steps
    after = step - settings.warmup_steps
    match settings:
        case InverseSqrt(min_ratio=floor):
            # the paper's, scaled to peak at 1
            return max(floor, math.sqrt(max(1, settings.warmup_steps) / step))
        case Linear(min_ratio=floor):
            done = min(1.0, after / (settings.decay_steps or max(1, steps - settings.warmup_steps)))
            return floor + (1 - floor) * (1 - done)
        case Cosine(min_ratio=floor):
            done = min(1.0, after / max(1, steps - settings.warmup_steps))
            return floor + (1 - floor) * (1 + math.cos(math.pi * done)) / 2
        case Exponential(min_ratio=floor):
            times = (after - 1) // settings.every if settings.every else epochs
            return max(floor, settings.factor**times)
        case Plateau(min_ratio=floor):
            return max(floor, settings.factor**plateaus)
        case Constant():
            return 1.0
