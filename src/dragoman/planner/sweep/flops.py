"""Training FLOPs per token of a recipe: forward and backward, matrix products and convolutions."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from dragoman.config.recipe import Recipe
from dragoman.engine.training.objective import Objective
from dragoman.engine.training.task import Task

BATCHES = 8
"""Batches that are counted, spread over an epoch: they differ in length, and so in attention."""


def _added_product(
    total: Sequence[int], first: Sequence[int], second: Sequence[int], *, out_shape: object = None
) -> int:
    return 2 * first[0] * first[1] * second[1]


IN_PLACE = {torch.ops.aten.addmm_: _added_product}
"""Torch's counter passes over it; the cross entropy adds up its matrix' gradient so."""


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
        flops += count_flops(partial(_forward_and_backward, objective, batch))
        objective.model.zero_grad(set_to_none=True)
    return flops / tokens


def _forward_and_backward(objective: Objective, batch: Any) -> None:
    objective.loss(batch, torch.device("cpu")).smoothed.backward()


def count_flops(work: Callable[[], None]) -> int:
    """Count the FLOPs of matrix products and convolutions that some work does."""
    counter = FlopCounterMode(display=False, custom_mapping=IN_PLACE)
    with _without_fused_cells(), sdpa_kernel(SDPBackend.MATH), counter:
        work()
    return counter.get_total_flops()


@contextmanager
def _without_fused_cells() -> Iterator[None]:
    """Run an LSTM as matrix products; its fused kernel counts as nothing."""
    before = torch.backends.mkldnn.enabled
    torch.backends.mkldnn.enabled = False  # type: ignore[assignment]
    try:
        yield
    finally:
        torch.backends.mkldnn.enabled = before


flops_per_token: FlopsCounter = counted_flops_per_token
"""How the sweep counts."""
