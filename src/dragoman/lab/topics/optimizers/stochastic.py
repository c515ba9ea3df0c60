"""Claims on stochastic gradient descent; all sequences of examples are enumerated."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.optimizer import Sgd
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal, same
from dragoman.lab.topics.optimizers.paths import (
    draw_steps,
    every_method,
    follow,
    follow_torch,
    numbers,
)
from dragoman.neural.optim.equations import no_memory, sgd
from dragoman.plots.lab import Panel


class ExamplesSettings(Settings):
    """Examples whose losses are linear, with slopes 1, 2, …, N."""

    examples: int = Field(default=10, ge=2, le=1000)
    """Examples in the data set (N)."""
    learning_rate: float = Field(default=0.1, gt=0.0, le=1.0)
    """Learning rate."""


@claim(
    "E12",
    "Stochastic gradient descent uses the loss $J$ of one random example, undivided. On average "
    "over the examples, its step equals the step on the whole data set.",
    r"\mathrm{E}_r\left[\nabla J(x^{(r)})\right] = \frac{1}{N} \sum_{i=1}^{N} \nabla J(x^{(i)}) = "
    r"\nabla L",
    notes="the loss of the single example is divided by $N$, which makes every step $N$ times "
    "too small.",
)
def one_example(settings: ExamplesSettings) -> Evidence:
    """Take the step of every single example and average them, with and without 1/N."""
    slopes = torch.arange(1, settings.examples + 1, dtype=torch.float64)
    weight = torch.zeros((), dtype=torch.float64, requires_grad=True)
    n, rate = settings.examples, settings.learning_rate

    def moved(loss: Tensor) -> Tensor:
        (gradient,) = torch.autograd.grad(loss, weight)
        return sgd(weight.detach(), gradient, no_memory(weight), Sgd(), rate)[0]

    whole = moved((slopes * weight).mean())
    each = torch.stack([moved(slope * weight) for slope in slopes]).mean()
    divided = torch.stack([moved(slope * weight / n) for slope in slopes]).mean()
    return Evidence(
        stated=[same("mean step with J/N against the step on all data", divided, whole)],
        corrected=[
            same("mean step with J against the step on all data", each, whole),
            equal("step on all data over ε(N + 1)/2", -whole / (rate * (n + 1) / 2), 1.0),
        ],
        numbers={
            "gradient on all data": float(-whole / rate),
            "mean gradient with J": float(-each / rate),
            "mean gradient with J/N": float(-divided / rate),
        },
    )


class SequenceSettings(Settings):
    """Four targets, one of which is seen in each step."""

    learning_rate: float = Field(default=0.4, ge=0.05, le=0.9)
    """Learning rate."""
    steps: int = Field(default=5, ge=2, le=7)
    """Number of steps; all sequences of targets are followed."""
    start: float = Field(default=1.0, ge=0.1, le=1.4)
    """Distance from the minimum at the start; the farthest target is at 1.5."""


TARGETS = numbers(-1.5, -0.5, 0.5, 1.5)
"""Their mean, where the mean loss has its minimum, is 0."""


@claim(
    "E13",
    "The loss of stochastic gradient descent fluctuates, because every example pulls in its own "
    "direction, and with a constant learning rate it never settles. Per update it converges "
    "more slowly than gradient descent on all data, although each of its updates is $N$ times "
    "cheaper.",
    r"\mathrm{E}\, d_{t+1}^2 = (1 - \varepsilon)^2\, \mathrm{E}\, d_t^2 + \varepsilon^2 \sigma^2 "
    r"\;\to\; \frac{\varepsilon}{2 - \varepsilon} \sigma^2",
)
def fluctuation(settings: SequenceSettings) -> Evidence:
    """Follow all sequences of examples, and gradient descent on all data for comparison."""
    rate, steps = settings.learning_rate, settings.steps
    orders = torch.tensor([*product(range(len(TARGETS)), repeat=steps)])
    start = torch.full((len(orders),), settings.start, dtype=torch.float64)
    paths = follow(Sgd(), partial(_pull, iter(TARGETS[orders].T)), start, rate, steps)
    whole = follow(Sgd(), lambda theta: theta - TARGETS.mean(), start[:1], rate, steps)[:, 0]
    distance, noise = paths.square().mean(dim=1), float(TARGETS.var(unbiased=False))
    expected = [settings.start**2]
    for _ in range(steps):
        expected.append((1 - rate) ** 2 * expected[-1] + rate**2 * noise)
    rises = (paths[1:].abs() > paths[:-1].abs()).double().mean()
    return Evidence(
        stated=[
            same("mean squared distance against the recursion", distance, numbers(*expected)),
            above("fraction of updates that increase the loss", rises, 0.0),
            equal("fraction of such updates with all data",
                  (whole[1:] > whole[:-1]).double().mean(), 0.0),
            above("mean squared distance after the last update, above all data",
                  distance[-1], whole[-1] ** 2),
        ],
        numbers={
            "sequences": len(orders),
            "mean squared distance in the long run": rate / (2 - rate) * noise,
            "fraction of updates that increase the loss": float(rises),
            "distance left, all data": float(whole[-1]),
        },
        plot=[
            Panel("Position; the minimum is at 0",
                  [draw_steps("all data", whole, 0),
                   *(draw_steps(f"sequence {number + 1}", paths[:, column], number + 1)
                     for number, column in enumerate(_some(len(orders)))),
                   draw_steps("root mean square", distance.sqrt(), 5, dashed=True)],
                  "update"),
            _every_method_panel(rate),
        ],
    )  # fmt: skip


def _some(count: int) -> list[int]:
    """Return a few sequences that differ from their first step on."""
    return [count // 9, count * 4 // 9, count * 7 // 9]


def _every_method_panel(rate: float) -> Panel:
    """Draw every method with a constant learning rate, all seeing the same examples."""
    chosen = torch.randint(4, (60,), generator=torch.Generator().manual_seed(1))
    lines = []
    for color, (name, one) in enumerate(every_method(rate / 4, rate / 4).items()):
        pull = partial(_pull, iter(TARGETS[chosen]))
        path = follow(one, pull, numbers(3.0), one.learning_rate, 60)
        lines.append(draw_steps(name, path[:, 0], color))
    return Panel("Every method with the same random examples, starting at 3", lines, "update")


def _pull(targets: Iterator[Tensor], theta: Tensor) -> Tensor:
    """Return the gradient of ½(θ - x)² for the next target x."""
    return theta - next(targets)


class PrintedGradientSettings(Settings):
    """A quadratic loss around four targets."""

    learning_rate: float = Field(default=0.1, ge=0.02, le=0.5)
    """Learning rate."""
    steps: int = Field(default=50, ge=20, le=60)
    """Number of steps."""


@claim(
    "E16",
    "A mini-batch step subtracts the mean *gradient* of the losses, not their mean value.",
    r"\hat{g} = \frac{1}{m} \sum_{i=1}^{m} \nabla_\theta J(f(x_i, \theta), y_i), \qquad "
    r"\theta \leftarrow \theta - \varepsilon\, \hat{g}",
    notes=r"$\hat{g}$ is the mean of the losses themselves, without the gradient sign; such a "
    "step always moves in the same direction, past the minimum.",
)
def printed_gradient(settings: PrintedGradientSettings) -> Evidence:
    """Follow the notes' rule, the right one, and torch's optimizer with autograd."""
    rate, steps, start = settings.learning_rate, settings.steps, numbers(3.0)

    def losses(theta: Tensor) -> Tensor:
        return 0.5 * (theta - TARGETS) ** 2

    def by_autograd(theta: Tensor) -> Tensor:
        weights = theta.clone().requires_grad_()
        return torch.autograd.grad(losses(weights).mean(), weights)[0]

    right = follow(Sgd(), lambda theta: (theta - TARGETS).mean(0, keepdim=True), start, rate, steps)
    printed = follow(Sgd(), lambda theta: losses(theta).mean(0, keepdim=True), start, rate, steps)
    oracle = follow_torch(lambda w: torch.optim.SGD(w, lr=rate), by_autograd, start, steps)
    printed = printed.clamp(min=-10.0)  # it diverges faster than geometrically
    before = losses(start).mean()
    return Evidence(
        stated=[
            same("path with the mean loss against torch's SGD", printed, oracle),
            below("loss at the end, below that at the start", losses(printed[-1]).mean(), before),
        ],
        corrected=[
            same("path with the mean gradient against torch's SGD", right, oracle),
            below("loss at the end, below that at the start", losses(right[-1]).mean(), before),
        ],
        numbers={
            "loss at the end, as in the notes": float(losses(printed[-1]).mean()),
            "loss at the end, corrected": float(losses(right[-1]).mean()),
            "smallest possible loss": float(losses(TARGETS.mean()).mean()),
        },
        plot=[
            Panel("Position; the minimum is at 0",
                  [draw_steps("mean gradient", right[:, 0], 0),
                   draw_steps("mean loss, as in the notes", printed[:, 0], 1)], "step")
        ],
    )  # fmt: skip
