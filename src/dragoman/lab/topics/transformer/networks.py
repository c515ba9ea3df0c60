"""Small networks for checks: in double precision, with weights that follow from a seed alone."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn

from dragoman.config.optimizer import Adam
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.watchable import watching
from dragoman.neural.optim.optimizer import build_optimizer

Network = TypeVar("Network", bound=nn.Module)


def drawn(build: Callable[[], Network], seed: int) -> Network:
    """Build a network in double precision; the random state of everybody else stays as it is."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build().double().eval()


def scrambled(model: Network, seed: int, deviation: float = 0.3) -> Network:
    """Draw every weight anew, so that no bias is 0 and no gain of a norm 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            noise = torch.randn(weight.shape, generator=generator, dtype=weight.dtype)
            weight.copy_(deviation * noise)
    return model


def weights_watched(model: nn.Module, run: Callable[[], Tensor]) -> tuple[Tensor, list[Tensor]]:
    """Run a network; return its output and the attention weights of each layer, in order."""
    seen: list[Tensor] = []
    layers = [part for part in model.modules() if isinstance(part, Attention)]

    def go(rest: list[Attention]) -> Tensor:
        if not rest:
            return run()
        with watching(rest[0], seen.append):
            return go(rest[1:])

    return go(layers), seen


def fit(
    model: nn.Module, loss: Callable[[], Tensor], steps: int, learning_rate: float
) -> list[float]:
    """Take steps with the product's Adam; return the loss before each."""
    optimizer = build_optimizer(model, Adam(learning_rate=learning_rate, betas=(0.9, 0.999)))
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        torch.autograd.backward(value)
        optimizer.step()
        losses.append(value.item())
    return losses
