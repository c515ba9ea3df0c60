"""An exponential moving average of the weights: smoother, and often better, than the last ones."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn


class WeightAverage:
    """Follow a model's weights: average ← decay · average + (1 - decay) · weights.

    Early on the decay is smaller, (1 + n) / (10 + n) after n updates, so that the first random
    weights are soon forgotten.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.updates = 0
        self.weights: dict[str, Tensor] = {
            name: weight.detach().clone() for name, weight in _averaged(model)
        }

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        """Move the average towards the model's present weights."""
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        mine = list(self.weights.values())
        theirs = [weight.detach() for _, weight in _averaged(model)]
        torch._foreach_lerp_(mine, theirs, 1 - decay)

    @torch.no_grad()
    def swap(self, model: nn.Module) -> None:
        """Exchange the average and the model's weights; a second call puts them back."""
        for name, weight in _averaged(model):
            kept = weight.detach().clone()
            weight.copy_(self.weights[name])
            self.weights[name].copy_(kept)


def _averaged(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights and, as they belong to these, the statistics of batch norms."""
    yield from model.named_parameters()
    for name, part in model.named_modules():
        if isinstance(part, nn.BatchNorm2d):
            for key, kept in (
                ("running_mean", part.running_mean),
                ("running_var", part.running_var),
            ):
                if kept is not None:
                    yield f"{name}.{key}", kept
