"""A proposal for a budget: the size of the model, its steps and tokens, and what is against it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.core.duration import written
from dragoman.core.errors import ConfigError
from dragoman.planner.budget.budget import TrainingBudget, steps_within
from dragoman.planner.budget.law import LossLaw
from dragoman.planner.budget.prediction import Prediction, predict
from dragoman.planner.budget.sizes import ModelSize
from dragoman.planner.choose import MOST_EPOCHS
from dragoman.planner.count.report import memory as memory_text
from dragoman.planner.measure import resident

LANGUAGE_MODEL_TOKENS, TRANSLATOR_TOKENS = 20, 5
"""Tokens per parameter of a compute-optimal training, as rules of thumb. Of language models:
Hoffmann et al. 2022 (arXiv 2203.15556). Of translators that are trained for minutes, in target
tokens: the English–Hindi study of docs/results/scaling-translation.md; it grows with the budget."""

HARMLESS_EPOCHS = 4
"""Passes over a corpus that teach about as much as new text would (Muennighoff et al. 2023, arXiv
2305.16264), and are too few to learn it by heart."""


@dataclass(frozen=True)
class SizedPrediction:
    """A size of the model with the training that fits into a budget."""

    size: ModelSize
    prediction: Prediction | None
    """None where not one step fits."""
    fits_memory: bool
    loss: float | None = None
    """By the law, where one was given."""

    @property
    def possible(self) -> bool:
        """Whether the budget allows it."""
        return self.prediction is not None and self.fits_memory

    @property
    def tokens_per_parameter(self) -> float:
        """Tokens met in training for each parameter."""
        return self.prediction.tokens / self.size.speed.parameters if self.prediction else 0.0

    @property
    def tokens_wanted(self) -> int:
        """Tokens for each parameter by the rule of thumb."""
        source, target = self.size.recipe.task.row_lengths(2)
        return TRANSLATOR_TOKENS if source and target else LANGUAGE_MODEL_TOKENS

    @property
    def well_trained(self) -> bool:
        """Whether it meets as many tokens as the rule of thumb wants."""
        return self.tokens_per_parameter >= self.tokens_wanted


def within_budget(
    sizes: Sequence[ModelSize], budget: TrainingBudget, law: LossLaw | None = None
) -> list[SizedPrediction]:
    """Predict for each size the training that fits into a budget."""
    found = []
    for size in sizes:
        steps = steps_within(budget, size.speed, size.recipe.training)
        prediction = predict(size.recipe, size.speed, steps) if steps else None
        loss = law.loss(size.speed.parameters, prediction.tokens) if law and prediction else None
        fits = budget.memory is None or resident(size.speed) <= budget.memory
        found.append(SizedPrediction(size, prediction, fits, loss))
    return found


def propose(sizes: Sequence[SizedPrediction]) -> SizedPrediction:
    """Choose a size: that of the lowest loss by the law, else the largest that is well trained.

    Where none is well trained, the smallest.
    """
    possible = [one for one in sizes if one.possible]
    if not possible:
        least = min(resident(one.size.speed) for one in sizes)
        raise ConfigError(
            "no size of this model fits the budget; the smallest takes "
            f"{memory_text(least)} of memory. Raise the budget, or lower batches.max_tokens."
        )
    judged = [one for one in possible if one.loss is not None]
    if judged:
        return min(judged, key=lambda one: one.loss or 0.0)
    trained = [one for one in possible if one.well_trained]
    if trained:
        return max(trained, key=lambda one: one.size.speed.parameters)
    return min(possible, key=lambda one: one.size.speed.parameters)


def warnings(
    prediction: Prediction, budget: TrainingBudget, machine_memory: float, planned: int
) -> list[str]:
    """Say plainly what speaks against a training: its model, its data or its memory.

    The recipe wanted so many steps as were `planned`.
    """
    speed, recipe, told = prediction.speed, prediction.recipe, []
    counted = recipe.task.rows != "images"
    often = prediction.epochs > HARMLESS_EPOCHS
    if counted and often and speed.parameters > prediction.corpus_tokens:
        told.append(
            f"The model is too big for the data: {speed.parameters:,} parameters for "
            f"{prediction.corpus_tokens:,.0f} training tokens, which it can learn by heart. "
            "Give it more text, a smaller model, or dropout."
        )
    if prediction.epochs > MOST_EPOCHS:
        reason = "budget" if budget.limits_steps else "training"
        told.append(
            f"The data is too small for the {reason}: {prediction.epochs:,.0f} passes over the "
            f"corpus; more than {MOST_EPOCHS} only learn it by heart."
        )
    needed = resident(speed)
    if budget.memory is not None and needed > budget.memory:
        told.append(_too_much(needed, f"the {memory_text(budget.memory)} of the budget"))
    elif needed > machine_memory * 2**30:
        told.append(_too_much(needed, f"the {machine_memory:.1f} GiB of this machine"))
    if budget.limits_steps and prediction.steps < planned:
        told.append(
            f"The recipe does not fit: {prediction.steps:,} of its {planned:,} steps do, in "
            f"{written(prediction.wall_clock)}."
        )
    return told


def _too_much(needed: int, there: str) -> str:
    return (
        f"The memory does not fit: training takes about {memory_text(needed)}, more than {there}. "
        "Lower batches.max_tokens, or set training.gradient_checkpointing = true."
    )
