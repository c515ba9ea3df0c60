"""Update rules of the optimizers, as their papers have them.

θ  the weights          ε  the rate of this step
g  their gradient       α, β  shares of what is remembered that are kept

Training runs torch's kernels of the same mathematics (see optimizer.py); tests keep them equal.
All operations are element by element.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from dragoman.config.optimizer import (
    AdaGrad,
    Adam,
    AdamW,
    Momentum,
    Nesterov,
    OptimizerSettings,
    RmsProp,
    Sgd,
)

Weights = Float[Tensor, "*w"]


@dataclass(frozen=True)
class OptimizerState:
    """The moments of earlier gradients: none before the first step."""

    steps: int
    first: Weights
    """Of the gradients themselves: v, m."""
    second: Weights
    """Of their squares: r, s."""


Moved = tuple[Weights, OptimizerState]


def no_memory(weights: Weights) -> OptimizerState:
    """Return the memory before the first step."""
    return OptimizerState(0, torch.zeros_like(weights), torch.zeros_like(weights))


def update_weights(
    weights: Weights,
    gradient: Weights,
    memory: OptimizerState,
    settings: OptimizerSettings,
    rate: float,
) -> Moved:
    """Take one step of whichever method the settings name."""
    match settings:
        case Sgd():
            return sgd(weights, gradient, memory, settings, rate)
        case Momentum():
            return momentum(weights, gradient, memory, settings, rate)
        case Nesterov():
            return nesterov(weights, gradient, memory, settings, rate)
        case AdaGrad():
            return adagrad(weights, gradient, memory, settings, rate)
        case RmsProp():
            return rmsprop(weights, gradient, memory, settings, rate)
        case Adam():
            return adam(weights, gradient, memory, settings, rate)
        case AdamW():
            return adamw(weights, gradient, memory, settings, rate)


def sgd(
    weights: Weights, gradient: Weights, memory: OptimizerState, settings: Sgd, rate: float
) -> Moved:
    """θ ← θ - ε g."""
    g = gradient + settings.weight_decay * weights
    return weights - rate * g, memory


def momentum(
    weights: Weights, gradient: Weights, memory: OptimizerState, settings: Momentum, rate: float
) -> Moved:
    """v ← α v + g; θ ← θ - ε v."""
    g = gradient + settings.weight_decay * weights
    v = settings.momentum * memory.first + g
    return weights - rate * v, OptimizerState(memory.steps + 1, v, memory.second)


def nesterov(
    weights: Weights, gradient: Weights, memory: OptimizerState, settings: Nesterov, rate: float
) -> Moved:
    """v ← α v + g; θ ← θ - ε (g + α v)."""
    g = gradient + settings.weight_decay * weights
    v = settings.momentum * memory.first + g
    ahead = g + settings.momentum * v
    return weights - rate * ahead, OptimizerState(memory.steps + 1, v, memory.second)


def adagrad(
    weights: Weights, gradient: Weights, memory: OptimizerState, settings: AdaGrad, rate: float
) -> Moved:
    """r ← r + g²; θ ← θ - ε g / (√r + epsilon)."""
    g = gradient + settings.weight_decay * weights
    r = memory.second + g**2
    step = g / (r.sqrt() + settings.epsilon)
    return weights - rate * step, OptimizerState(memory.steps + 1, memory.first, r)


def rmsprop(
    weights: Weights, gradient: Weights, memory: OptimizerState, settings: RmsProp, rate: float
) -> Moved:
    """s ← β s + (1 - β) g²; θ ← θ - ε g / (√s + epsilon)."""
    g = gradient + settings.weight_decay * weights
    s = settings.beta * memory.second + (1 - settings.beta) * g**2
    step = g / (s.sqrt() + settings.epsilon)
    return weights - rate * step, OptimizerState(memory.steps + 1, memory.first, s)


def adam(
    weights: Weights, gradient: Weights, memory: OptimizerState, settings: Adam, rate: float
) -> Moved:
    """Take a step of Adam, its gradient with the decay in it."""
    g = gradient + settings.weight_decay * weights
    step, after = _adaptive(g, memory, settings)
    return weights - rate * step, after


def adamw(
    weights: Weights, gradient: Weights, memory: OptimizerState, settings: AdamW, rate: float
) -> Moved:
    """Take a step of Adam with the decay beside it: no mean is taken of it, and no root."""
    step, after = _adaptive(gradient, memory, settings)
    return weights - rate * (step + settings.weight_decay * weights), after


def _adaptive(g: Weights, memory: OptimizerState, settings: Adam | AdamW) -> Moved:
    """m ← β₁ m + (1 - β₁) g; s ← β₂ s + (1 - β₂) g²; return m̂ / (√ŝ + epsilon).

    Both means began at zero and lean towards it: after t steps their shares of gradients sum to
    1 - βᵗ, by which they are divided.
    """
    (beta1, beta2), t = settings.betas, memory.steps + 1
    m = beta1 * memory.first + (1 - beta1) * g
    s = beta2 * memory.second + (1 - beta2) * g**2
    unbiased_m = m / (1 - beta1**t)
    unbiased_s = s / (1 - beta2**t)
    return unbiased_m / (unbiased_s.sqrt() + settings.epsilon), OptimizerState(t, m, s)


# Momentum as the textbooks have it, with the rate inside the velocity. While the rate stays the
# same, the moves are those above; when it changes, torch's forms heed the new one at once.


def rolling(
    weights: Weights, velocity: Weights, gradient: Weights, rate: float, share: float
) -> tuple[Weights, Weights]:
    """v ← α v - ε g; θ ← θ + v. Return the weights and the velocity."""
    velocity = share * velocity - rate * gradient
    return weights + velocity, velocity


def looking_ahead(
    weights: Weights,
    velocity: Weights,
    gradient_at: Callable[[Weights], Weights],
    rate: float,
    share: float,
) -> tuple[Weights, Weights]:
    """v ← α v - ε g(θ + α v); θ ← θ + v. Return the weights and the velocity.

    Where `nesterov` stands is this one's θ + α v: it keeps the place where gradients are taken.
    """
    velocity = share * velocity - rate * gradient_at(weights + share * velocity)
    return weights + velocity, velocity


def within_norm(gradient: Weights, norm: float, limit: float) -> Weights:
    """g ← g · min(1, limit / ‖g‖), the norm being that of all gradients together."""
    return gradient * min(1.0, limit / (norm + 1e-6))


def within_value(gradient: Weights, limit: float) -> Weights:
    """g ← the nearest number between -limit and limit."""
    return gradient.clamp(-limit, limit)
