"""Claims on momentum and Nesterov's look ahead."""

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
    """A valley, a rate and a share of the velocity."""

    condition: float = Field(default=20.0, ge=1.0, le=1000.0)
    """Condition number: how many times steeper the valley is across than along."""
    rate_share: float = Field(default=0.5, ge=0.01, le=1.0)
    """Learning rate, as a share of one over the steepest curvature."""
    momentum: float = Field(default=0.8, ge=0.1, le=0.99)
    """Share of the velocity that is kept in each step (α)."""
    steps: int = Field(default=60, ge=2, le=200)
    """Steps that are taken."""

    @property
    def rate(self) -> float:
        """The learning rate."""
        return self.rate_share / self.condition


START = numbers(3.0, 1.0)


@claim(
    "E23",
    "Momentum keeps a velocity, a sum of past gradients in which the older ones fade, and moves by "
    "the whole of it.",
    r"v_t = \alpha v_{t-1} - \varepsilon g_t, \qquad \theta_{t+1} = \theta_t + v_t",
    notes="the weights move by α v instead of v, which is momentum with the smaller rate αε",
)
def momentum(settings: MomentumSettings) -> Evidence:
    """Follow both rules and torch's momentum through a valley."""
    curvature, gradient_at = valley(settings.condition)
    rate, share, steps = settings.rate, settings.momentum, settings.steps
    right = _rolled(gradient_at, rate, share, steps)
    printed = _printed(gradient_at, rate, share, steps)
    oracle = follow_torch(
        lambda w: torch.optim.SGD(w, lr=rate, momentum=share), gradient_at, START, steps
    )
    built = Momentum(learning_rate=rate, momentum=share)
    plain = follow(Sgd(), gradient_at, START, rate, steps)
    return Evidence(
        stated=[same("path of θ + α v against torch's momentum", printed, oracle)],
        corrected=[
            same("path of θ + v against torch's momentum", right, oracle),
            same("equations of training against torch's",
                 follow(built, gradient_at, START, rate, steps), oracle),
            same("optimizer of a training against torch's",
                 follow_built(built, gradient_at, START, steps), oracle),
            same("printed path against momentum with the rate αε", printed,
                 _rolled(gradient_at, share * rate, share, steps)),
        ],
        numbers={
            "distance left, descent": float(plain[-1].norm()),
            "momentum": float(right[-1].norm()),
            "as printed": float(printed[-1].norm()),
        },
        plot=[
            Panel("In a valley",
                  [draw_path("descent", plain, 0), draw_path("momentum", right, 1),
                   draw_path("as printed", printed, 2), *level_curves(curvature, START)],
                  "θ₁, along the valley"),
            Panel("Distance from the minimum",
                  [draw_steps(name, path.norm(dim=1), color) for color, (name, path) in enumerate(
                      (("descent", plain), ("momentum", right), ("as printed", printed)))],
                  "step", logarithmic=True),
        ],
    )  # fmt: skip


def _rolled(gradient_at: Gradient, rate: float, share: float, steps: int) -> Tensor:
    """Return the path of momentum as the textbooks have it."""
    place, velocity, path = START, torch.zeros_like(START), [START]
    for _ in range(steps):
        place, velocity = rolling(place, velocity, gradient_at(place), rate, share)
        path.append(place)
    return torch.stack(path)


def _printed(gradient_at: Gradient, rate: float, share: float, steps: int) -> Tensor:
    """Return the path of momentum as the notes have it, with its share twice."""
    place, velocity, path = START, torch.zeros_like(START), [START]
    for _ in range(steps):
        velocity = share * velocity - rate * gradient_at(place)
        place = place + share * velocity
        path.append(place)
    return torch.stack(path)


@claim(
    "E24",
    "Nesterov's momentum takes the gradient where the velocity is about to lead, one look ahead "
    "*of the weights*.",
    r"\tilde{\theta}_t = \theta_t + \alpha v_{t-1}, \qquad "
    r"v_t = \alpha v_{t-1} - \varepsilon \nabla L(\tilde{\theta}_t), \qquad "
    r"\theta_{t+1} = \theta_t + v_t",
    notes="each look starts from the last look instead of from the weights (and the sign of the "
    "gradient is missing): then what is looked at finds the minimum, and the weights end elsewhere",
)
def nesterov(settings: MomentumSettings) -> Evidence:
    """Follow both recursions and torch's Nesterov momentum, which keeps the places looked at."""
    curvature, gradient_at = valley(settings.condition)
    rate, share, steps = settings.rate, settings.momentum, settings.steps
    right, looked = _looking(gradient_at, rate, share, steps)
    printed, printed_looked = _printed_looking(gradient_at, rate, share, steps)
    oracle = follow_torch(
        lambda w: torch.optim.SGD(w, lr=rate, momentum=share, nesterov=True),
        gradient_at, START, steps,
    )  # fmt: skip
    built = Nesterov(learning_rate=rate, momentum=share)
    rolled = _rolled(gradient_at, rate, share, steps)
    return Evidence(
        stated=[same("printed looks ahead against torch's", printed_looked, oracle)],
        corrected=[
            same("looks ahead against torch's", looked, oracle),
            same("equations of training against torch's",
                 follow(built, gradient_at, START, rate, steps), oracle),
            same("optimizer of a training against torch's",
                 follow_built(built, gradient_at, START, steps), oracle),
        ],
        numbers={
            "distance left, momentum": float(rolled[-1].norm()),
            "Nesterov": float(right[-1].norm()),
            "as printed, weights": float(printed[-1].norm()),
            "as printed, last look": float(printed_looked[-1].norm()),
            "where the printed weights end": f"(1 - 1/α) times the start: {1 - 1 / share:.3f}",
        },
        plot=[
            Panel("In a valley",
                  [draw_path("momentum", rolled, 0), draw_path("Nesterov", right, 1),
                   draw_path("as printed", printed, 2), *level_curves(curvature, START)],
                  "θ₁, along the valley"),
            Panel("Distance from the minimum",
                  [draw_steps(name, path.norm(dim=1), color) for color, (name, path) in enumerate(
                      (("momentum", rolled), ("Nesterov", right), ("as printed", printed)))],
                  "step", logarithmic=True),
        ],
    )  # fmt: skip


def _looking(gradient_at: Gradient, rate: float, share: float, steps: int) -> tuple[Tensor, Tensor]:
    """Return the path of Nesterov's weights, and the places where gradients are taken next."""
    place, velocity, path, looks = START, torch.zeros_like(START), [START], [START]
    for _ in range(steps):
        place, velocity = looking_ahead(place, velocity, gradient_at, rate, share)
        path.append(place)
        looks.append(place + share * velocity)
    return torch.stack(path), torch.stack(looks)


def _printed_looking(
    gradient_at: Gradient, rate: float, share: float, steps: int
) -> tuple[Tensor, Tensor]:
    """Return the same for the recursion of the notes, in which a look follows the last look."""
    place, look, velocity, path, looks = START, START, torch.zeros_like(START), [START], [START]
    for _ in range(steps):
        velocity = share * velocity - rate * gradient_at(look)
        place = place + velocity
        look = look + share * velocity
        path.append(place)
        looks.append(look)
    return torch.stack(path), torch.stack(looks)
