"""The training objective: what the training loop needs of a task, whatever it is."""

from typing import Any, Protocol

import torch
from torch import nn

from dragoman.neural.objectives.cross_entropy import Loss


class Objective(Protocol):
    """A network and its loss: which part of a batch it reads, and which part it is asked for."""

    progress: float
    """How far training is: 0 at the first step, 1 at the last."""

    @property
    def model(self) -> nn.Module:
        """The network that is trained."""
        ...

    def denominator(self, batch: Any) -> int:
        """Return how many tokens a batch asks for, by which its loss is divided."""
        ...

    def targets(self, batch: Any) -> int:
        """Return how many tokens of a batch count for the speed."""
        ...

    def loss(self, batch: Any, device: torch.device) -> Loss:
        """Return the summed loss of a batch."""
        ...
