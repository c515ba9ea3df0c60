"""Claims on momentum and on Nesterov's look-ahead."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.optimizer import Momentum, Nesterov, Sgd
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, same
from dragoman.lab.topics.optimizers.paths import (
    Gradient,
    draw_path,
    draw_steps,
    follow,
    follow_built,
    follow_torch,
    level_curves,
    numbers,
    valley,
)
from dragoman.neural.optim.equations import looking_ahead, rolling
from dragoman.plots.lab import Panel


class MomentumSettings(Settings):
    """A valley and the settings of momentum."""

    condition: float = Field(default=20.0, ge=1.0, le=1000.0)
    """Condition number (κ): curvature across the valley over curvature along it."""
    rate_share: float = Field(default=0.5, ge=0.01, le=1.0)
    """Learning rate, as a fraction of 1/λ for the largest curvature λ."""
    momentum: float = Field(default=0.8, ge=0.1, le=0.99)
    """Fraction of the velocity that is kept in each step (α)."""
    steps: int = Field(default=60, ge=2, le=200)
    """Number of steps."""

    @property
    def rate(self) -> float:
        """The learning rate."""
        return self.rate_share / self.condition


START = numbers(3.0, 1.0)


@claim(
    "E23",
    "Momentum keeps a velocity, an exponentially decaying sum of past gradients, and moves the "
    "weights by the full velocity.",
    r"v_t = \alpha v_{t-1} - \varepsilon g_t, \qquad \theta_{t+1} = \theta_t + v_t",
    notes=r"the weights move by $\alpha v$ instead of $v$, which is momentum with the smaller "
    r"learning rate $\alpha\varepsilon$.",
)
def momentum(settings: MomentumSettings) -> Evidence:
    """Follow both rules and torch's momentum through a valley."""
    curvature, gradient_at = valley(settings.condition)
    rate, alpha, steps = settings.rate, settings.momentum, settings.steps
    right = _rolled(gradient_at, rate, alpha, steps)
    printed = _printed(gradient_at, rate, alpha, steps)
    oracle = follow_torch(
        lambda w: torch.optim.SGD(w, lr=rate, momentum=alpha), gradient_at, START, steps
    )
    built = Momentum(learning_rate=rate, momentum=alpha)
    plain = follow(Sgd(), gradient_at, START, rate, steps)
    return Evidence(
        stated=[same("path of θ + α v against torch's momentum", printed, oracle)],
        corrected=[
            same("path of θ + v against torch's momentum", right, oracle),
            same("training's update equations against torch's",
                 follow(built, gradient_at, START, rate, steps), oracle),
            same("training's optimizer against torch's",
                 follow_built(built, gradient_at, START, steps), oracle),
            same("the notes' path against momentum with learning rate αε", printed,
                 _rolled(gradient_at, alpha * rate, alpha, steps)),
        ],
        numbers={
            "distance left, gradient descent": float(plain[-1].norm()),
            "distance left, momentum": float(right[-1].norm()),
            "distance left, as in the notes": float(printed[-1].norm()),
        },
        plot=[
            Panel("Paths in the valley: θ₂ over θ₁",
                  [draw_path("gradient descent", plain, 0), draw_path("momentum", right, 1),
                   draw_path("as in the notes", printed, 2), *level_curves(curvature, START)],
                  "θ₁ (along the valley)"),
            Panel("Distance from the minimum",
                  [draw_steps("gradient descent", plain.norm(dim=1), 0),
                   draw_steps("momentum", right.norm(dim=1), 1),
                   draw_steps("as in the notes", printed.norm(dim=1), 2)],
                  "step", logarithmic=True),
        ],
    )  # fmt: skip


def _rolled(gradient_at: Gradient, rate: float, alpha: float, steps: int) -> Tensor:
    """Return the path of momentum as in textbooks."""
    theta, velocity, path = START, torch.zeros_like(START), [START]
    for _ in range(steps):
        theta, velocity = rolling(theta, velocity, gradient_at(theta), rate, alpha)
        path.append(theta)
    return torch.stack(path)


def _printed(gradient_at: Gradient, rate: float, alpha: float, steps: int) -> Tensor:
    """Return the path of momentum as in the notes, with α applied twice."""
    theta, velocity, path = START, torch.zeros_like(START), [START]
    for _ in range(steps):
        velocity = alpha * velocity - rate * gradient_at(theta)
        theta = theta + alpha * velocity
        path.append(theta)
    return torch.stack(path)


@claim(
    "E24",
    "Nesterov momentum evaluates the gradient at a look-ahead point, the *current weights* plus "
    "the momentum step that is about to be taken.",
    r"\tilde{\theta}_t = \theta_t + \alpha v_{t-1}, \qquad "
    r"v_t = \alpha v_{t-1} - \varepsilon \nabla L(\tilde{\theta}_t), \qquad "
    r"\theta_{t+1} = \theta_t + v_t",
    notes="each look-ahead point is computed from the previous look-ahead point instead of from "
    "the weights (and the gradient sign is missing); then the look-ahead point converges to the "
    "minimum while the weights end up elsewhere.",
)
def nesterov(settings: MomentumSettings) -> Evidence:
    """Follow both recursions and torch's Nesterov momentum, which stores the look-ahead points."""
    curvature, gradient_at = valley(settings.condition)
    rate, alpha, steps = settings.rate, settings.momentum, settings.steps
    right, looked = _looking(gradient_at, rate, alpha, steps)
    printed, printed_looked = _printed_looking(gradient_at, rate, alpha, steps)
    oracle = follow_torch(
        lambda w: torch.optim.SGD(w, lr=rate, momentum=alpha, nesterov=True),
        gradient_at, START, steps,
    )  # fmt: skip
    built = Nesterov(learning_rate=rate, momentum=alpha)
    rolled = _rolled(gradient_at, rate, alpha, steps)
    return Evidence(
        stated=[same("the notes' look-ahead points against torch's", printed_looked, oracle)],
        corrected=[
            same("look-ahead points against torch's", looked, oracle),
            same("training's update equations against torch's",
                 follow(built, gradient_at, START, rate, steps), oracle),
            same("training's optimizer against torch's",
                 follow_built(built, gradient_at, START, steps), oracle),
            same("the notes' look-ahead: α times the displacement of the weights",
                 printed_looked - START, alpha * (printed - START)),
        ],
        numbers={
            "distance left, momentum": float(rolled[-1].norm()),
            "distance left, Nesterov": float(right[-1].norm()),
            "distance left, weights of the notes' rule": float(printed[-1].norm()),
            "distance left, look-ahead point of the notes' rule": float(printed_looked[-1].norm()),
            "factor (1 - 1/α) of the start at which the notes' weights end": 1 - 1 / alpha,
        },
        plot=[
            Panel("Paths in the valley: θ₂ over θ₁",
                  [draw_path("momentum", rolled, 0), draw_path("Nesterov", right, 1),
                   draw_path("as in the notes", printed, 2), *level_curves(curvature, START)],
                  "θ₁ (along the valley)"),
            Panel("Distance from the minimum",
                  [draw_steps("momentum", rolled.norm(dim=1), 0),
                   draw_steps("Nesterov", right.norm(dim=1), 1),
                   draw_steps("as in the notes", printed.norm(dim=1), 2)],
                  "step", logarithmic=True),
        ],
    )  # fmt: skip


def _looking(gradient_at: Gradient, rate: float, alpha: float, steps: int) -> tuple[Tensor, Tensor]:
    """Return the path of Nesterov's weights and the points at which gradients are evaluated."""
    theta, velocity, path, aheads = START, torch.zeros_like(START), [START], [START]
    for _ in range(steps):
        theta, velocity = looking_ahead(theta, velocity, gradient_at, rate, alpha)
        path.append(theta)
        aheads.append(theta + alpha * velocity)
    return torch.stack(path), torch.stack(aheads)


def _printed_looking(
    gradient_at: Gradient, rate: float, alpha: float, steps: int
) -> tuple[Tensor, Tensor]:
    """Return the same for the notes' recursion: each look-ahead starts from the last one."""
    theta, ahead, velocity, path, aheads = START, START, torch.zeros_like(START), [START], [START]
    for _ in range(steps):
        velocity = alpha * velocity - rate * gradient_at(ahead)
        theta = theta + velocity
        ahead = ahead + alpha * velocity
        path.append(theta)
        aheads.append(ahead)
    return torch.stack(path), torch.stack(aheads)
