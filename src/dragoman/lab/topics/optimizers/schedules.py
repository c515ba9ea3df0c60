"""Claims on the learning rate: how large it may be, and how it should fall."""

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
    """A valley, and rates below and above the largest that converges."""

    condition: float = Field(default=10.0, ge=1.0, le=1000.0)
    """Condition number: how many times steeper the valley is across than along."""
    share: float = Field(default=0.05, ge=0.01, le=0.3)
    """How far below and above 2/λ two of the rates are."""
    steps: int = Field(default=100, ge=20, le=200)
    """Steps that are taken, and over which the rate falls."""
    last_rate: float = Field(default=0.001, ge=0.0, le=0.01)
    """Rate at which the linear decay ends; it begins with 0.1."""


@claim(
    "E15",
    "Descent diverges from a rate of $2/\\lambda_{\\max}$ on, swings from side to side just below "
    "it, and crawls far below it. So the rate begins high and falls along a line to a small "
    "$\\varepsilon_T$, where it stays.",
    r"\varepsilon_k = (1 - a)\, \varepsilon_0 + a\, \varepsilon_T, \qquad "
    r"a = \min\left(1, \frac{k}{T}\right)",
)
def learning_rate(settings: RateSettings) -> Evidence:
    """Descend with rates around the limit; compare the schedule with its line."""
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
            below("height left just below the limit", left["just below 2/λ"][-1], 1.0),
            equal("height left at the limit", left["2/λ"][-1], 1.0, 1e-9),
            above("height left just above the limit", left["just above 2/λ"][-1], 1.0),
            above("height left at a hundredth of it, beside a quarter",
                  left["a hundredth of 2/λ"][-1], left["a quarter of 2/λ"][-1]),
            *(equal(f"height left over |1 - ελ|^t, {name}", left[name][-1] / one, 1.0, 1e-9)
              for name, one in closed.items()),
            same("schedule against the line", numbers(*found), numbers(*line)),
        ],
        numbers={"2/λ": limit, **{f"left, {name}": float(one[-1]) for name, one in left.items()}},
        plot=[
            Panel("Height left across the valley",
                  [draw_steps(name, one, color) for color, (name, one) in enumerate(left.items())],
                  "step", logarithmic=True),
            Panel("Linear decay", [curve("rate", [*range(1, 2 * steps + 1)], found)], "step"),
        ],
    )  # fmt: skip


class NoisyBowlSettings(Settings):
    """A bowl around targets that are drawn anew for every step."""

    steps: int = Field(default=2000, ge=200, le=5000)
    """Steps that are taken."""
    constant: float = Field(default=0.1, ge=0.02, le=1.0)
    """Rate at which the linear decay ends and the constant tail begins; the first rate is 1."""
    factor: float = Field(default=0.9, ge=0.5, le=0.95)
    """What the exponential rate is multiplied by after each step."""
    seed: int = Field(default=1, ge=0)
    """Seed of the targets."""


@claim(
    "E17",
    "Stochastic descent converges if the rates sum to infinity (it can go as far as it must) and "
    "their squares do not (the noise dies out): $1/k$ does both. Rates that fall geometrically "
    "stop short, and a tail of constant rates, as linear decay has it, trembles for ever.",
    r"\sum_{k=1}^{\infty} \varepsilon_k = \infty, \qquad "
    r"\sum_{k=1}^{\infty} \varepsilon_k^2 < \infty",
)
def robbins_monro(settings: NoisyBowlSettings) -> Evidence:
    """Sum the rates of schedules; follow the expected error on a noisy bowl; run it once."""
    half, steps = settings.steps // 2, settings.steps // 2 * 2
    rates = _rates(settings, steps)
    sums = {name: numbers(*one).cumsum(0) for name, one in rates.items()}
    squares = {name: numbers(*one).square().cumsum(0) for name, one in rates.items()}
    errors = {name: _expected_errors(one) for name, one in rates.items()}
    generator = torch.Generator().manual_seed(settings.seed)
    targets = 3 + torch.randn(steps, generator=generator, dtype=torch.float64)
    tail, geometric = settings.constant, rates["geometric"][0] / (1 - settings.factor)
    reached = _descend(targets, rates["1/k"])
    limit, at_the_end_of_the_line = tail / (2 - tail), errors["linear, then constant"][FALLS - 1]
    faded = (1 - tail) ** (2 * (steps - FALLS))
    trembling = limit + faded * (at_the_end_of_the_line - limit)
    return Evidence(
        stated=[
            equal("sum of 1/k: what a doubling adds, minus ln 2",
                  sums["1/k"][-1] - sums["1/k"][half - 1] - math.log(2), 0.0, 1 / half),
            below("sum of the squares of 1/k", squares["1/k"][-1], math.pi**2 / 6),
            same("place with 1/k against the mean of the targets", reached, targets.mean()),
            equal("expected error with 1/k, in variances", errors["1/k"][-1], 1 / steps),
            at_most("sum of the geometric rates", sums["geometric"][-1], geometric * (1 + 1e-12)),
            above("squares of 1/√k: what a doubling adds",
                  squares["1/√k"][-1] - squares["1/√k"][half - 1], math.log(2) - 1 / half),
            equal("squares of the constant tail: what a doubling adds",
                  squares["linear, then constant"][-1] - squares["linear, then constant"][half - 1],
                  half * tail**2, 1e-9),
            equal("expected error of the constant tail, in variances",
                  errors["linear, then constant"][-1], trembling),
        ],
        numbers={f"expected error, {name}": one[-1] for name, one in errors.items()},
        plot=[
            Panel("Expected error on a noisy bowl, in variances of the noise",
                  [curve(name, [*range(1, steps + 1, 10)], one[::10], color)
                   for color, (name, one) in enumerate(errors.items())], "step", logarithmic=True),
        ],
    )  # fmt: skip


FALLS = 50
"""Steps over which the linear decay falls."""


def _rates(settings: NoisyBowlSettings, steps: int) -> dict[str, list[float]]:
    """Return the rates of four schedules, the first of each being at most 1."""
    root = InverseSqrt(warmup_steps=1)
    tail = Linear(warmup_steps=0, decay_steps=FALLS, min_ratio=settings.constant)
    falling = Exponential(warmup_steps=0, factor=settings.factor, every=1)
    every = range(1, steps + 1)
    return {
        "1/k": [1 / step for step in every],
        "1/√k": [rate_share(step, steps, root) for step in every],
        "linear, then constant": [rate_share(step, steps, tail) for step in every],
        "geometric": [0.1 * rate_share(step, steps, falling) for step in every],
    }


def _expected_errors(rates: list[float]) -> list[float]:
    """Return E(θ - θ*)² after each step on ½(θ - x)², x of variance 1, from a distance of 3."""
    return [*accumulate(rates, lambda error, rate: (1 - rate) ** 2 * error + rate**2, initial=9.0)][
        1:
    ]


def _descend(targets: Tensor, rates: list[float]) -> Tensor:
    """Return where descent ends whose every step sees one target."""
    place = torch.zeros((), dtype=torch.float64)
    memory = no_memory(place)
    for target, rate in zip(targets, rates, strict=True):
        place, memory = sgd(place, place - target, memory, Sgd(), rate)
    return place
