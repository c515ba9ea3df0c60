"""How the learning rate rises and falls: a share of the highest rate for every step.

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
    if step <= settings.warmup:
        return step / settings.warmup
    after = step - settings.warmup
    match settings:
        case InverseSqrt(floor=floor):
            # the paper's, scaled to peak at 1
            return max(floor, math.sqrt(max(1, settings.warmup) / step))
        case Linear(floor=floor):
            done = min(1.0, after / (settings.over or max(1, steps - settings.warmup)))
            return floor + (1 - floor) * (1 - done)
        case Cosine(floor=floor):
            done = min(1.0, after / max(1, steps - settings.warmup))
            return floor + (1 - floor) * (1 + math.cos(math.pi * done)) / 2
        case Exponential(floor=floor):
            times = (after - 1) // settings.every if settings.every else epochs
            return max(floor, settings.factor**times)
        case Plateau(floor=floor):
            return max(floor, settings.factor**plateaus)
        case Constant():
            return 1.0
