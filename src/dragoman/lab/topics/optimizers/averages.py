"""Claims on running means and their bias, and on Adam."""

import math

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.optimizer import Adam, RmsProp
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, below, equal, same
from dragoman.lab.topics.optimizers.paths import (
    draw_steps,
    follow,
    follow_built,
    follow_torch,
    numbers,
    valley,
)
from dragoman.neural.optim.equations import no_memory, rmsprop
from dragoman.plots.lab import Panel, curve


class RunningMeanSettings(Settings):
    """A running mean of squared gradients."""

    beta: float = Field(default=0.7, ge=0.05, le=0.999)
    """Share of the mean that is kept in each step (β)."""
    steps: int = Field(default=3, ge=2, le=200)
    """Gradients that are taken in."""
    seed: int = Field(default=1, ge=0)
    """Seed of the gradients."""

    def gradients(self) -> Tensor:
        """Return as many numbers."""
        generator = torch.Generator().manual_seed(self.seed)
        return torch.randn(self.steps, generator=generator, dtype=torch.float64)


def running_mean(gradients: Tensor, beta: float) -> Tensor:
    """Return what RMSProp remembers after all gradients: t d -> d."""
    place = torch.zeros_like(gradients[0])
    memory = no_memory(place)
    for gradient in gradients:
        place, memory = rmsprop(place, gradient, memory, RmsProp(beta=beta), 0.1)
    return memory.second


def shares_of(steps: int, beta: float) -> Tensor:
    """Return the share of each step's square, found by gradients that are 1 in one step only."""
    return running_mean(torch.eye(steps, dtype=torch.float64), beta)


@claim(
    "E29",
    "Written out, a running mean weighs each square by $(1-\\beta)$ and by a power of $\\beta$ "
    "that grows with its age. The smaller $\\beta$, the more it is about the last few steps.",
    r"s_3 = \beta^2 (1 - \beta)\, g_0^2 + \beta (1 - \beta)\, g_1^2 + (1 - \beta)\, g_2^2",
)
def expansion(settings: RunningMeanSettings) -> Evidence:
    """Find the shares by single gradients; compare them with powers, and the mean with a sum."""
    beta, steps = settings.beta, settings.steps
    found, shorter = shares_of(steps, beta), shares_of(steps, beta / 2)
    ages = torch.arange(steps - 1, -1, -1, dtype=torch.float64)
    expected = (1 - beta) * beta**ages
    gradients = settings.gradients()
    mean = running_mean(gradients[:, None], beta)[0]
    return Evidence(
        stated=[
            same("shares against (1-β) β^age", found, expected),
            same("running mean against the sum", mean, (expected * gradients**2).sum()),
            below("mean age with β/2, beside that with β",
                  (shorter * ages).sum() / shorter.sum(), (found * ages).sum() / found.sum()),
        ],
        numbers={f"share of step {step}": float(share) for step, share in enumerate(found[:6])},
        plot=[
            Panel("Share of each step's square", [
                draw_steps(f"β = {beta:g}", found, 0), draw_steps(f"β = {beta / 2:g}", shorter, 1),
            ], "step"),
        ],
    )  # fmt: skip


@claim(
    "E30",
    "The shares of a running mean that began at zero sum to $1-\\beta^t$, so it leans towards zero "
    "at first. Dividing by that sum takes the lean away, and matters less and less.",
    r"\sum_{i=1}^{t} (1 - \beta) \beta^{t-i} = 1 - \beta^t, \qquad "
    r"\hat{s}_t = \frac{s_t}{1 - \beta^t}",
    notes="the factor 1-β biases the mean to history, and it is corrected by dividing by 1-β",
)
def bias_correction(settings: RunningMeanSettings) -> Evidence:
    """Sum the shares; correct the mean of a constant by both divisors."""
    beta, steps = settings.beta, settings.steps
    total = shares_of(steps, beta).sum()
    constant = numbers(2.0)
    mean = running_mean(constant.expand(steps, 1), beta)[0]
    means = torch.stack([running_mean(constant.expand(t, 1), beta)[0] for t in range(1, 31)])
    powers = 1 - beta ** torch.arange(1, 31, dtype=torch.float64)
    return Evidence(
        stated=[
            equal("shares divided by 1-β: their sum", total / (1 - beta), 1.0),
            equal("corrected mean of a constant", mean / (1 - beta), constant**2),
        ],
        corrected=[
            equal("shares divided by 1-β^t: their sum", total / (1 - beta**steps), 1.0),
            equal("corrected mean of a constant", mean / (1 - beta**steps), constant**2),
        ],
        numbers={"sum of the shares": float(total), "1-β^t": 1 - beta**steps, "1-β": 1 - beta},
        plot=[
            Panel("Running mean of a constant 4", [
                curve("as it is", [*range(1, 31)], means.tolist(), 0),
                curve("over 1-β^t", [*range(1, 31)], (means / powers).tolist(), 1),
                curve("over 1-β, as printed", [*range(1, 31)], (means / (1 - beta)).tolist(), 2),
            ], "step"),
        ],
    )  # fmt: skip


class AdamSettings(Settings):
    """Adam's shares, and the gradients it is given."""

    first: float = Field(default=0.9, ge=0.05, le=0.99)
    """Share of the mean of gradients that is kept in each step (β₁)."""
    second: float = Field(default=0.999, ge=0.1, le=0.9999)
    """Share of the mean of squares that is kept in each step (β₂)."""
    slope: float = Field(default=0.3, ge=0.01, le=100.0)
    """Size of a gradient that is always the same."""
    steps: int = Field(default=300, ge=12, le=400)
    """Steps that are taken."""


@claim(
    "E31",
    "Adam divides a running mean of gradients by the root of one of their squares, both corrected "
    "by $1-\\beta^t$. Under a constant gradient each of its steps is $\\eta$, from the first on.",
    r"\hat{s}_t = \frac{s_t}{1 - \beta_1^t}, \qquad \hat{r}_t = \frac{r_t}{1 - \beta_2^t}, \qquad "
    r"\theta_{t+1} = \theta_t - \eta \frac{\hat{s}_t}{\sqrt{\hat{r}_t} + \epsilon}",
    notes="both means are divided by 1-β without the power (and ε is inside the root), so that the "
    "steps first grow too large and later stay too small",
)
def adam_rule(settings: AdamSettings) -> Evidence:
    """Follow Adam, its misprint and torch's Adam under a constant gradient and in a valley."""
    betas, epsilon, steps = (settings.first, settings.second), 1e-12, settings.steps
    slope, origin = numbers(-settings.slope), numbers(0.0)
    chosen = Adam(learning_rate=1.0, betas=betas, epsilon=epsilon)
    right = follow(chosen, lambda _: slope, origin, 1.0, steps)[:, 0]
    oracle = follow_torch(
        lambda w: torch.optim.Adam(w, lr=1.0, betas=betas, eps=epsilon),
        lambda _: slope, origin, steps,
    )[:, 0]  # fmt: skip
    built = follow_built(chosen, lambda _: slope, origin, steps)[:, 0]
    printed = _printed_moves(settings, epsilon)
    moves, largest = right.diff(), int(printed.argmax())
    _, gradient_at = valley(10.0)
    start = numbers(2.0, 2.0)
    curved = follow(chosen, gradient_at, start, 0.1, 60)
    curved_oracle = follow_torch(
        lambda w: torch.optim.Adam(w, lr=0.1, betas=betas, eps=epsilon), gradient_at, start, 60
    )
    return Evidence(
        stated=[same("printed steps against torch's Adam", printed, oracle.diff())],
        corrected=[
            same("steps against torch's Adam, constant gradient", moves, oracle.diff(), 1e-9),
            same("steps against η", moves, torch.ones_like(moves), 1e-9),
            same("path in a valley against torch's Adam", curved, curved_oracle, 1e-9),
            same("optimizer of a training against torch's", built, oracle, 1e-9),
        ],
        numbers={
            **{f"printed step {step + 1}": float(printed[step]) for step in range(3)},
            "largest printed step": f"{printed[largest]:.3f} at step {largest + 1}",
            "printed step in the long run": math.sqrt(1 - betas[1]) / (1 - betas[0]),
        },
        plot=[
            Panel("Steps under a constant gradient, η = 1", [
                draw_steps("Adam", moves, 0), draw_steps("as printed", printed, 1),
            ], "step", lowest=0.0),
        ],
    )  # fmt: skip


def _printed_moves(settings: AdamSettings, epsilon: float) -> Tensor:
    """Return the steps of the notes' Adam, whose corrections lack the power."""
    beta1, beta2 = settings.first, settings.second
    first = second = 0.0
    moves = []
    for _ in range(settings.steps):
        first = beta1 * first + (1 - beta1) * settings.slope
        second = beta2 * second + (1 - beta2) * settings.slope**2
        moves.append(first / (1 - beta1) / (math.sqrt(second / (1 - beta2)) + epsilon))
    return numbers(*moves)
