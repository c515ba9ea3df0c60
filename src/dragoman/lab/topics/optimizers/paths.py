"""Paths of optimizers on loss functions with known gradients: by the equations and by torch."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from dragoman.config.optimizer import (
    AdaGrad,
    Adam,
    Momentum,
    Nesterov,
    OptimizerSettings,
    RmsProp,
    Sgd,
)
from dragoman.neural.optim.equations import no_memory, update_weights
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.plots.lab import PlotLine, curve

Gradient = Callable[[Tensor], Tensor]


def numbers(*values: float) -> Tensor:
    """Return a vector in double precision."""
    return torch.tensor(values, dtype=torch.float64)


def valley(condition: float) -> tuple[Tensor, Gradient]:
    """Return the curvatures of ½(θ₁² + κ θ₂²) and its gradient: flat along θ₁, steep across."""
    curvature = numbers(1.0, condition)
    return curvature, lambda theta: curvature * theta


def saddle(theta: Tensor) -> Tensor:
    """Return the gradient of ½(θ₁² - θ₂²): a minimum along θ₁, a maximum along θ₂."""
    return theta * numbers(1.0, -1.0)


def follow(
    settings: OptimizerSettings, gradient_at: Gradient, start: Tensor, rate: float, steps: int
) -> Tensor:
    """Return all points that a method visits by its equations, the start first: t d."""
    theta, memory, path = start, no_memory(start), [start]
    for _ in range(steps):
        theta, memory = update_weights(theta, gradient_at(theta), memory, settings, rate)
        path.append(theta)
    return torch.stack(path)


def follow_torch(
    build: Callable[[list[Tensor]], Optimizer], gradient_at: Gradient, start: Tensor, steps: int
) -> Tensor:
    """Return all points that one of torch's optimizers visits."""
    theta = nn.Parameter(start.clone())
    return _walk(build([theta]), theta, gradient_at, steps)


class OnePoint(nn.Module):
    """A model whose only weights are the coordinates of a point."""

    def __init__(self, start: Tensor) -> None:
        super().__init__()
        self.theta = nn.Parameter(start.clone())


def follow_built(
    settings: OptimizerSettings, gradient_at: Gradient, start: Tensor, steps: int
) -> Tensor:
    """Return all points that the optimizer built for training with these settings visits."""
    model = OnePoint(start)
    return _walk(build_optimizer(model, settings), model.theta, gradient_at, steps)


def _walk(optimizer: Optimizer, theta: nn.Parameter, gradient_at: Gradient, steps: int) -> Tensor:
    path = [theta.detach().clone()]
    for _ in range(steps):
        theta.grad = gradient_at(theta.detach())
        optimizer.step()
        path.append(theta.detach().clone())
    return torch.stack(path)


def every_method(rate: float, slow: float) -> dict[str, OptimizerSettings]:
    """Return each method by name; adaptive methods get a learning rate of their own."""
    return {
        "gradient descent": Sgd(learning_rate=rate),
        "momentum": Momentum(learning_rate=rate, momentum=0.8),
        "Nesterov": Nesterov(learning_rate=rate, momentum=0.8),
        "AdaGrad": AdaGrad(learning_rate=3 * slow),
        "RMSProp": RmsProp(learning_rate=slow, beta=0.9),
        "Adam": Adam(learning_rate=slow, betas=(0.9, 0.98)),
    }


def draw_path(label: str, path: Tensor, color: int, *, dashed: bool = False) -> PlotLine:
    """Return a path in the plane as a line."""
    return curve(label, path[:, 0].tolist(), path[:, 1].tolist(), color, dashed=dashed)


def draw_steps(label: str, values: Tensor, color: int, *, dashed: bool = False) -> PlotLine:
    """Return one value per step as a line; the start is step 0."""
    found: Sequence[float] = values.tolist()
    return curve(label, [float(step) for step in range(len(found))], found, color, dashed=dashed)


def level_curves(curvature: Tensor, start: Tensor, count: int = 3) -> list[PlotLine]:
    """Return contour lines of a valley, the outermost through the start."""
    angle = torch.linspace(0, 2 * torch.pi, 60, dtype=torch.float64)
    circle = torch.stack((angle.cos(), angle.sin()), dim=1)
    radius = (curvature * start**2).sum().sqrt()
    ellipse = radius * circle / curvature.sqrt()
    return [
        draw_path("", ellipse * (number / count), 4, dashed=True) for number in range(1, count + 1)
    ]
