"""The length of a trial: a recipe made to last so many steps, with its learning rate schedule."""

from dragoman.config.recipe import Recipe

LOOKS = 8
"""Validations of each run under a budget: equally many chances to choose the best weights."""

SCHEDULED = ("warmup_steps", "decay_steps", "every")
"""Keys of the schedules that count steps."""


def with_steps(recipe: Recipe, steps: int) -> Recipe:
    """Return a recipe made to last so many steps, with all that depends on their number.

    The lengths of the schedule keep their share of the whole; each recipe has the same number of
    validations, and none stops early.
    """
    own, schedule = recipe.training, recipe.schedule
    lengths = {key: getattr(schedule, key, 0) for key in SCHEDULED}
    between = -(-steps // LOOKS)
    training = {
        "steps": steps,
        "validate_every": between,
        "checkpoint_every": between,
        "log_every": min(own.log_every, between),
        "patience": 0,
    }
    scaled = {
        key: min(steps, max(1, round(length * steps / own.steps)))
        for key, length in lengths.items()
        if length
    }
    return recipe.model_copy(
        update={
            "training": own.model_copy(update=training),
            "schedule": schedule.model_copy(update=scaled),
        }
    )
