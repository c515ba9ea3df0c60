"""Claims on exponential moving averages and their bias, and on Adam."""

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


class MovingAverageSettings(Settings):
    """A moving average of squared gradients."""

    beta: float = Field(default=0.7, ge=0.05, le=0.999)
    """Fraction of the average that is kept in each step (β)."""
    steps: int = Field(default=3, ge=2, le=200)
    """Number of gradients averaged."""
    seed: int = Field(default=1, ge=0)
    """Seed of the gradients."""

    def gradients(self) -> Tensor:
        """Return one random gradient per step."""
        generator = torch.Generator().manual_seed(self.seed)
        return torch.randn(self.steps, generator=generator, dtype=torch.float64)


def moving_average(gradients: Tensor, beta: float) -> Tensor:
    """Return RMSProp's moving average after all gradients: t d -> d."""
    theta = torch.zeros_like(gradients[0])
    memory = no_memory(theta)
    for gradient in gradients:
        theta, memory = rmsprop(theta, gradient, memory, RmsProp(beta=beta), 0.1)
    return memory.second


def weights_of_steps(steps: int, beta: float) -> Tensor:
    """Return the weight of each step, found with gradients that are 1 in one step only."""
    return moving_average(torch.eye(steps, dtype=torch.float64), beta)


@claim(
    "E29",
    r"Written out, an exponential moving average weights each squared gradient by $1-\beta$ "
    r"times a power of $\beta$ that grows with its age. The smaller $\beta$ is, the more the "
    "average is dominated by the last few steps.",
    r"s_3 = \beta^2 (1 - \beta)\, g_0^2 + \beta (1 - \beta)\, g_1^2 + (1 - \beta)\, g_2^2",
)
def expansion(settings: MovingAverageSettings) -> Evidence:
    """Find the weights from single gradients; compare them with powers, the average with a sum."""
    beta, steps = settings.beta, settings.steps
    found, shorter = weights_of_steps(steps, beta), weights_of_steps(steps, beta / 2)
    ages = torch.arange(steps - 1, -1, -1, dtype=torch.float64)
    expected = (1 - beta) * beta**ages
    gradients = settings.gradients()
    mean = moving_average(gradients[:, None], beta)[0]
    return Evidence(
        stated=[
            same("weights against (1-β) β^age", found, expected),
            same("moving average against the weighted sum", mean, (expected * gradients**2).sum()),
            below("mean age with β/2, below that with β",
                  (shorter * ages).sum() / shorter.sum(), (found * ages).sum() / found.sum()),
        ],
        numbers={f"weight of step {step}": float(one) for step, one in enumerate(found[:6])},
        plot=[
            Panel("Weight of each step in the average", [
                draw_steps(f"β = {beta:g}", found, 0), draw_steps(f"β = {beta / 2:g}", shorter, 1),
            ], "step"),
        ],
    )  # fmt: skip


@claim(
    "E30",
    r"The weights of a moving average that starts at zero sum to $1-\beta^t$, so the average is "
    "biased toward zero at first. Dividing by that sum removes the bias; the correction fades "
    "as $t$ grows.",
    r"\sum_{i=1}^{t} (1 - \beta) \beta^{t-i} = 1 - \beta^t, \qquad "
    r"\hat{s}_t = \frac{s_t}{1 - \beta^t}",
    notes=r"the factor $1-\beta$ biases the average toward history, and that dividing by "
    r"$1-\beta$ corrects this.",
)
def bias_correction(settings: MovingAverageSettings) -> Evidence:
    """Sum the weights; correct the average of a constant by both divisors."""
    beta, steps = settings.beta, settings.steps
    total = weights_of_steps(steps, beta).sum()
    constant = numbers(2.0)
    mean = moving_average(constant.expand(steps, 1), beta)[0]
    means = torch.stack([moving_average(constant.expand(t, 1), beta)[0] for t in range(1, 31)])
    powers = 1 - beta ** torch.arange(1, 31, dtype=torch.float64)
    return Evidence(
        stated=[
            equal("sum of the weights, divided by 1-β", total / (1 - beta), 1.0),
            equal("average of a constant 4, divided by 1-β", mean / (1 - beta), constant**2),
        ],
        corrected=[
            equal("sum of the weights, divided by 1-β^t", total / (1 - beta**steps), 1.0),
            equal("average of a constant 4, divided by 1-β^t",
                  mean / (1 - beta**steps), constant**2),
        ],
        numbers={"sum of the weights": float(total), "1-β^t": 1 - beta**steps, "1-β": 1 - beta},
        plot=[
            Panel("Moving average of a constant 4", [
                curve("uncorrected", [*range(1, 31)], means.tolist(), 0),
                curve("divided by 1-β^t", [*range(1, 31)], (means / powers).tolist(), 1),
                curve("divided by 1-β, as in the notes",
                      [*range(1, 31)], (means / (1 - beta)).tolist(), 2),
            ], "step"),
        ],
    )  # fmt: skip


class AdamSettings(Settings):
    """Adam's decay rates and a constant gradient."""

    first: float = Field(default=0.9, ge=0.05, le=0.99)
    """Decay rate of the average of gradients (β₁)."""
    second: float = Field(default=0.999, ge=0.1, le=0.9999)
    """Decay rate of the average of squared gradients (β₂)."""
    slope: float = Field(default=0.3, ge=0.01, le=100.0)
    """The constant gradient."""
    steps: int = Field(default=300, ge=12, le=400)
    """Number of steps."""


@claim(
    "E31",
    "Adam divides a moving average of the gradients by the square root of a moving average of "
    r"their squares, after correcting each for its bias by $1-\beta^t$. Under a constant "
    r"gradient every step therefore has length $\eta$, from the first one on.",
    r"\hat{s}_t = \frac{s_t}{1 - \beta_1^t}, \qquad \hat{r}_t = \frac{r_t}{1 - \beta_2^t}, \qquad "
    r"\theta_{t+1} = \theta_t - \eta \frac{\hat{s}_t}{\sqrt{\hat{r}_t} + \epsilon}",
    notes=r"both averages are divided by $1-\beta$, without the power $t$ (and $\epsilon$ is "
    "inside the square root), so the steps first grow too large and later stay too small.",
)
def adam_rule(settings: AdamSettings) -> Evidence:
    """Follow Adam, the notes' version and torch's Adam, on a constant slope and in a valley."""
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
        stated=[same("the notes' steps against torch's Adam", printed, oracle.diff())],
        corrected=[
            same("steps against torch's Adam", moves, oracle.diff(), 1e-9),
            same("steps against η", moves, torch.ones_like(moves), 1e-9),
            same("path in a valley against torch's Adam", curved, curved_oracle, 1e-9),
            same("training's optimizer against torch's", built, oracle, 1e-9),
        ],
        numbers={
            **{f"the notes' step {step + 1}": float(printed[step]) for step in range(3)},
            "the notes' largest step": f"{printed[largest]:.3f} at step {largest + 1}",
            "the notes' step in the long run": math.sqrt(1 - betas[1]) / (1 - betas[0]),
        },
        plot=[
            Panel("Step length under a constant gradient, η = 1", [
                draw_steps("Adam", moves, 0), draw_steps("as in the notes", printed, 1),
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
