"""How the learning rate rises and falls: a share of the highest rate for every step.

A pure function of the step, so that nothing of it needs to be stored for a resume.
"""

import math

from dragoman.config.training import ScheduleSettings


def rate_share(step: int, steps: int, settings: ScheduleSettings) -> float:
    """Return the share of the highest rate at a step (the first is 1) of a run of `steps`.

    inverse-sqrt falls as √(warmup / step) (Vaswani et al. 2017, scaled to peak at 1); linear and
    cosine fall to `floor` at the last step; constant stays.
    """
    if step <= settings.warmup:
        return step / settings.warmup
    done = min(1.0, (step - settings.warmup) / max(1, steps - settings.warmup))
    match settings.kind:
        case "inverse-sqrt":
            return math.sqrt(max(1, settings.warmup) / step)
        case "linear":
            return settings.floor + (1 - settings.floor) * (1 - done)
        case "cosine":
            return settings.floor + (1 - settings.floor) * (1 + math.cos(math.pi * done)) / 2
        case "constant":
            return 1.0
