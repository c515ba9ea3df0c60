"""Claims on the learning rate: how large it may be, and how it should decay."""

import math
from itertools import accumulate

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.optimizer import Sgd
from dragoman.config.schedule import Exponential, InverseSqrt, Linear
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_most, below, equal, same
from dragoman.lab.topics.optimizers.paths import draw_steps, follow, numbers, valley
from dragoman.neural.optim.equations import no_memory, sgd
from dragoman.neural.optim.schedule import rate_share
from dragoman.plots.lab import Panel, curve


class RateSettings(Settings):
    """A valley, and learning rates around the largest that converges."""

    condition: float = Field(default=10.0, ge=1.0, le=1000.0)
    """Condition number (κ): curvature across the valley over curvature along it."""
    share: float = Field(default=0.05, ge=0.01, le=0.3)
    """Relative distance of two of the learning rates from 2/λ, below and above."""
    steps: int = Field(default=100, ge=20, le=200)
    """Number of steps, over which the learning rate decays."""
    last_rate: float = Field(default=0.001, ge=0.0, le=0.01)
    """Final learning rate of the linear decay, which starts at 0.1 (ε_T)."""


@claim(
    "E15",
    r"Gradient descent diverges if the learning rate exceeds $2/\lambda_{\max}$, oscillates just "
    "below that limit, and is slow far below it. So the learning rate starts high and decays "
    r"linearly to a small value $\varepsilon_T$, where it stays.",
    r"\varepsilon_k = (1 - a)\, \varepsilon_0 + a\, \varepsilon_T, \qquad "
    r"a = \min\left(1, \frac{k}{T}\right)",
)
def learning_rate(settings: RateSettings) -> Evidence:
    """Descend with learning rates around the limit; compare the schedule with its line."""
    curvature, gradient_at = valley(settings.condition)
    start, limit = numbers(1.0, 1.0), 2 / settings.condition
    rates = {
        "just below 2/λ": (1 - settings.share) * limit,
        "2/λ": limit,
        "just above 2/λ": (1 + settings.share) * limit,
        "a quarter of 2/λ": 0.25 * limit,
        "a hundredth of 2/λ": 0.01 * limit,
    }
    steps = settings.steps
    left = {
        name: follow(Sgd(), gradient_at, start, rate, steps)[:, 1].abs()
        for name, rate in rates.items()
    }
    first, last = 0.1, settings.last_rate
    schedule = Linear(warmup_steps=0, decay_steps=steps, min_ratio=last / first)
    found = [first * rate_share(step, 2 * steps, schedule) for step in range(1, 2 * steps + 1)]
    shares = [min(1.0, step / steps) for step in range(1, 2 * steps + 1)]
    line = [(1 - a) * first + a * last for a in shares]
    closed = {name: abs(1 - rate * settings.condition) ** steps for name, rate in rates.items()}
    return Evidence(
        stated=[
            below("distance left just below the limit", left["just below 2/λ"][-1], 1.0),
            equal("distance left at the limit", left["2/λ"][-1], 1.0, 1e-9),
            above("distance left just above the limit", left["just above 2/λ"][-1], 1.0),
            above("distance left at 1/100 of the limit, above that at 1/4",
                  left["a hundredth of 2/λ"][-1], left["a quarter of 2/λ"][-1]),
            *(equal(f"distance left over |1 - ελ|^t, ε = {name}", left[name][-1] / one, 1.0, 1e-9)
              for name, one in closed.items()),
            same("schedule against the line", numbers(*found), numbers(*line)),
        ],
        numbers={
            "2/λ": limit,
            **{f"distance left, ε = {name}": float(one[-1]) for name, one in left.items()},
        },
        plot=[
            Panel("Distance from the minimum across the valley",
                  [draw_steps(name, one, color) for color, (name, one) in enumerate(left.items())],
                  "step", logarithmic=True),
            Panel("Linear decay",
                  [curve("learning rate", [*range(1, 2 * steps + 1)], found)], "step"),
        ],
    )  # fmt: skip


class NoisyBowlSettings(Settings):
    """A quadratic loss whose target is drawn anew in every step."""

    steps: int = Field(default=2000, ge=200, le=5000)
    """Number of steps."""
    constant: float = Field(default=0.1, ge=0.02, le=1.0)
    """Learning rate of the constant tail after a linear decay from 1."""
    factor: float = Field(default=0.9, ge=0.5, le=0.95)
    """Factor of the geometric decay."""
    seed: int = Field(default=1, ge=0)
    """Seed of the targets."""


@claim(
    "E17",
    "Stochastic gradient descent converges if the learning rates sum to infinity, so that it "
    "can travel any distance, while their squares sum to a finite value, so that the noise dies "
    "out. The rates $1/k$ satisfy both conditions. Geometrically decaying rates stop short, and "
    "a constant tail, as in linear decay, keeps fluctuating forever.",
    r"\sum_{k=1}^{\infty} \varepsilon_k = \infty, \qquad "
    r"\sum_{k=1}^{\infty} \varepsilon_k^2 < \infty",
)
def robbins_monro(settings: NoisyBowlSettings) -> Evidence:
    """Sum the rates of four schedules and follow the expected error on a noisy quadratic."""
    half, steps = settings.steps // 2, settings.steps // 2 * 2
    rates = _rates(settings, steps)
    sums = {name: numbers(*one).cumsum(0) for name, one in rates.items()}
    squares = {name: numbers(*one).square().cumsum(0) for name, one in rates.items()}
    errors = {name: _expected_errors(one) for name, one in rates.items()}
    generator = torch.Generator().manual_seed(settings.seed)
    targets = 3 + torch.randn(steps, generator=generator, dtype=torch.float64)
    tail, geometric = settings.constant, rates["geometric"][0] / (1 - settings.factor)
    reached = _descend(targets, rates["1/k"])
    limit, at_the_end_of_the_line = (
        tail / (2 - tail),
        errors["linear, then constant"][DECAY_STEPS - 1],
    )
    faded = (1 - tail) ** (2 * (steps - DECAY_STEPS))
    trembling = limit + faded * (at_the_end_of_the_line - limit)
    return Evidence(
        stated=[
            equal("sum of 1/k: increase when k doubles, minus ln 2",
                  sums["1/k"][-1] - sums["1/k"][half - 1] - math.log(2), 0.0, 1 / half),
            below("sum of the squares of 1/k, below π²/6", squares["1/k"][-1], math.pi**2 / 6),
            same("final weight with 1/k against the mean of the targets", reached, targets.mean()),
            equal("expected squared error with 1/k, over σ², against 1/k",
                  errors["1/k"][-1], 1 / steps),
            at_most("sum of the geometric rates, below its limit",
                    sums["geometric"][-1], geometric * (1 + 1e-12)),
            above("sum of the squares of 1/√k: increase when k doubles",
                  squares["1/√k"][-1] - squares["1/√k"][half - 1], math.log(2) - 1 / half),
            equal("sum of the squares of the constant tail: increase when k doubles",
                  squares["linear, then constant"][-1] - squares["linear, then constant"][half - 1],
                  half * tail**2, 1e-9),
            equal("expected squared error of the constant tail, over σ²",
                  errors["linear, then constant"][-1], trembling),
        ],
        numbers={f"expected error over σ², {name}": one[-1] for name, one in errors.items()},
        plot=[
            Panel("Expected squared error on a noisy quadratic, over σ²",
                  [curve(name, [*range(1, steps + 1, 10)], one[::10], color)
                   for color, (name, one) in enumerate(errors.items())], "step", logarithmic=True),
        ],
    )  # fmt: skip


DECAY_STEPS = 50
"""Steps of the linear decay."""


def _rates(settings: NoisyBowlSettings, steps: int) -> dict[str, list[float]]:
    """Return the learning rates of four schedules; none exceeds 1."""
    root = InverseSqrt(warmup_steps=1)
    tail = Linear(warmup_steps=0, decay_steps=DECAY_STEPS, min_ratio=settings.constant)
    falling = Exponential(warmup_steps=0, factor=settings.factor, every=1)
    every = range(1, steps + 1)
    return {
        "1/k": [1 / step for step in every],
        "1/√k": [rate_share(step, steps, root) for step in every],
        "linear, then constant": [rate_share(step, steps, tail) for step in every],
        "geometric": [0.1 * rate_share(step, steps, falling) for step in every],
    }


def _expected_errors(rates: list[float]) -> list[float]:
    """Return E(θ - θ*)² after each step on ½(θ - x)², where x has variance 1; |θ₀ - θ*| = 3."""
    return [*accumulate(rates, lambda error, rate: (1 - rate) ** 2 * error + rate**2, initial=9.0)][
        1:
    ]


def _descend(targets: Tensor, rates: list[float]) -> Tensor:
    """Return where stochastic gradient descent ends if each step sees one target."""
    theta = torch.zeros((), dtype=torch.float64)
    memory = no_memory(theta)
    for target, rate in zip(targets, rates, strict=True):
        theta, memory = sgd(theta, theta - target, memory, Sgd(), rate)
    return theta
