"""Training FLOPs per token of a recipe: forward and backward, matrix products and convolutions."""

from typing import Protocol

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from dragoman.config.recipe import Recipe
from dragoman.engine.training.task import Task

BATCHES = 8
"""Batches that are counted, spread over an epoch: they differ in length, and so in attention."""


class FlopsCounter(Protocol):
    """Says what a token of a recipe costs."""

    def __call__(self, recipe: Recipe, task: Task) -> float:
        """Return the training FLOPs per target token; a multiplication and an addition are two."""
        ...


def counted_flops_per_token(recipe: Recipe, task: Task) -> float:
    """Count the FLOPs of some real batches with torch's counter, attention by its reference.

    Fused kernels of attention and of recurrent layers are not counted by torch, so that both are
    taken apart into matrix products.
    """
    objective, stream = task.objective, task.train_batches()
    objective.model.train()
    objective.progress = 0.5
    plan = stream.plan(0)
    chosen = sorted({place * len(plan) // BATCHES for place in range(BATCHES)})
    flops = tokens = 0
    for number in chosen:
        batch = stream.batch(plan, number, 0)
        tokens += objective.targets(batch)
        counter = FlopCounterMode(display=False)
        with (
            torch.backends.mkldnn.flags(enabled=False),
            sdpa_kernel(SDPBackend.MATH),
            counter,
        ):
            objective.loss(batch, torch.device("cpu")).smoothed.backward()
        flops += counter.get_total_flops()
        objective.model.zero_grad(set_to_none=True)
    return flops / tokens


flops_per_token: FlopsCounter = counted_flops_per_token
"""How the sweep counts."""
