"""A convolutional network with batch norm, without it, or with it and a shift put back."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from dragoman.config.vision import CnnSettings
from dragoman.neural.models.images.cnn import Cnn


class ShiftAgain(nn.Module):
    """Scales and shifts each channel by other random numbers at each step of training.

    So what a layer reads changes from step to step, more than without any norm (Santurkar et al.
    2018); the gain of batch norm over the batch is still there.
    """

    def __init__(self, channels: int, strength: float) -> None:
        super().__init__()
        self.channels, self.strength = channels, strength

    def forward(self, x: Tensor) -> Tensor:
        """Return b c h w with other means and deviations; outside training, x."""
        if not self.training:
            return x
        scale, shift = (2 * torch.rand(2, self.channels, 1, 1) - 1) * self.strength
        return x * (1 + scale) + shift


def build_cnn(norm: bool, strength: float, size: int, classes: int) -> Cnn:
    """Build the network; with a strength, every batch norm is followed by a shift."""
    settings = CnnSettings(
        channels=(8, 16), convolutions=3, hidden_width=0, dropout=0.0, batch_norm=norm
    )
    model = Cnn(settings, 3, size, classes)
    if strength:
        for stage in model.stages:
            for name, part in list(stage.named_children()):
                if isinstance(part, nn.BatchNorm2d):
                    after = nn.Sequential(part, ShiftAgain(part.num_features, strength))
                    setattr(stage, name, after)
    return model


class ShiftMeter:
    """Measures how far the mean of each channel moves from one step to the next.

    Means are of what the activations read, in deviations of that channel.
    """

    def __init__(self) -> None:
        self._before: dict[nn.Module, Tensor] = {}
        self._moved: list[float] = []

    @property
    def shift(self) -> float:
        """The mean over channels, layers and steps."""
        return sum(self._moved) / max(1, len(self._moved))

    def note(self, layer: nn.Module, x: Tensor) -> None:
        """Take what an activation reads at a step: b c h w."""
        mean, deviation = x.mean(dim=(0, 2, 3)), x.std(dim=(0, 2, 3)).clamp(min=1e-6)
        if layer in self._before:
            self._moved.append(float(((mean - self._before[layer]).abs() / deviation).mean()))
        self._before[layer] = mean


@contextmanager
def measuring(model: nn.Module, meter: ShiftMeter) -> Iterator[None]:
    """Have a meter look at every activation of a network while it is trained."""

    def look(layer: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        if layer.training and inputs[0].dim() == 4:
            meter.note(layer, inputs[0].detach())

    activations = [part for part in model.modules() if isinstance(part, nn.ReLU)]
    hooks = [part.register_forward_pre_hook(look) for part in activations]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
