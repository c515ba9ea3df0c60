"""The loss of held-out batches, every token counted once."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from dragoman.engine.training.objective import Objective


def mean_loss(
    objective: Objective, batches: Sequence[Any], device: torch.device, check: Callable[[int], None]
) -> float:
    """Return nats per token; `check` is called after each batch."""
    nats, positions = 0.0, 0
    with torch.inference_mode():
        for batch in batches:
            one = objective.loss(batch, device)
            nats += one.nats.item()
            positions += one.positions
            check(0)
    return nats / max(1, positions)
