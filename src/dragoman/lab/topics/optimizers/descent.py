"""Claims on gradient descent: its step, its direction, and where it has trouble."""

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.optimizer import Momentum, Sgd
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_least, below, equal, same
from dragoman.lab.topics.optimizers.paths import (
    draw_path,
    draw_steps,
    every_method,
    follow,
    follow_built,
    level_curves,
    numbers,
    saddle,
    valley,
)
from dragoman.neural.optim.equations import no_memory, sgd
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.plots.lab import Panel, curve


class LeastSquaresSettings(Settings):
    """Random examples of a linear regression."""

    examples: int = Field(default=12, ge=4, le=500)
    """Number of examples."""
    learning_rate: float = Field(default=0.1, gt=0.0, le=0.2)
    """Learning rate."""
    steps: int = Field(default=40, ge=1, le=300)
    """Number of steps."""
    seed: int = Field(default=1, ge=0)
    """Seed of the random examples."""

    def draw(self) -> tuple[Tensor, Tensor]:
        """Return inputs and targets."""
        generator = torch.Generator().manual_seed(self.seed)
        x = torch.randn(self.examples, 3, generator=generator, dtype=torch.float64)
        x = x / x.norm(dim=1, keepdim=True)  # then no curvature exceeds 2
        return x, torch.randn(self.examples, 2, generator=generator, dtype=torch.float64)


@claim(
    "B26",
    "A gradient descent step subtracts the gradient of the loss, multiplied by the learning "
    "rate, from the weights.",
    r"W_{\mathrm{new}} = W_{\mathrm{old}} - \alpha \frac{\partial L}{\partial W}",
)
def one_step(settings: LeastSquaresSettings) -> Evidence:
    """Let a linear layer take one step, with the gradient by autograd and by hand."""
    x, y = settings.draw()
    layer = nn.Linear(3, 2, bias=False, dtype=torch.float64)
    before = torch.linspace(-1, 1, 6, dtype=torch.float64).view(2, 3)
    layer.weight.data.copy_(before)
    rate = settings.learning_rate
    optimizer = build_optimizer(layer, Sgd(learning_rate=rate))
    F.mse_loss(layer(x), y, reduction="sum").div(len(x)).backward()
    optimizer.step()
    gradient = 2 / len(x) * (before @ x.T - y.T) @ x
    by_equation, _ = sgd(before, gradient, no_memory(before), Sgd(), rate)
    return Evidence(
        stated=[
            same(
                "weights after training's step against the gradient by hand",
                layer.weight.detach(),
                before - rate * gradient,
            ),
            same("update equation against training's step", by_equation, layer.weight.detach()),
        ],
        numbers={
            "loss before": float((x @ before.T - y).square().sum() / len(x)),
            "loss after": float((x @ by_equation.T - y).square().sum() / len(x)),
        },
    )


@claim(
    "E10",
    "Gradient descent steps against the gradient of the mean loss over all examples. On a "
    r"quadratic loss, every step multiplies the error along a direction of curvature $\lambda$ "
    r"by $1 - \eta\lambda$, so the whole path can be written down in advance.",
    r"\theta_{t+1} = \theta_t - \eta \nabla_\theta L, \qquad "
    r"L = \frac{1}{N} \sum_{i=1}^{N} J(f(x_i, \theta), y_i), \qquad "
    r"\theta_t - \theta^* = (I - \eta A)^t (\theta_0 - \theta^*)",
)
def gradient_descent(settings: LeastSquaresSettings) -> Evidence:
    """Compare gradient descent on a linear regression with its closed form."""
    x, targets = settings.draw()
    y = targets[:, 0]

    def gradient_at(theta: Tensor) -> Tensor:
        weights = theta.clone().requires_grad_()
        losses = (x @ weights - y).square()
        return torch.autograd.grad(losses.mean(), weights)[0]

    start, steps, rate = numbers(2.0, -1.0, 1.5), settings.steps, settings.learning_rate
    path = follow(Sgd(), gradient_at, start, rate, steps)
    trained = follow_built(Sgd(learning_rate=rate), gradient_at, start, steps)
    hessian = 2 / len(x) * x.T @ x
    curvature, axes = torch.linalg.eigh(hessian)
    best = torch.linalg.solve(hessian, 2 / len(x) * x.T @ y)
    shrunk = (1 - rate * curvature) ** torch.arange(steps + 1)[:, None]
    expected = best + (shrunk * (axes.T @ (start - best))) @ axes.T
    losses = (path @ x.T - y).square().mean(dim=1)
    return Evidence(
        stated=[
            same("path against the closed form", path, expected),
            same("path of training's optimizer", trained, path),
            below("loss at the end, below that at the start", losses[-1], losses[0]),
        ],
        numbers={
            "distance to the minimum at the end": float((path[-1] - best).norm()),
            "curvatures": ", ".join(f"{one:.3f}" for one in curvature.tolist()),
        },
        plot=[Panel("Loss of gradient descent", [draw_steps("mean loss", losses, 0)], "step")],
    )


class DirectionSettings(Settings):
    """A point on a curved surface and how many directions to try."""

    x: float = Field(default=0.7, ge=-2.0, le=2.0)
    """First coordinate of the point."""
    y: float = Field(default=-0.4, ge=-2.0, le=2.0)
    """Second coordinate of the point."""
    directions: int = Field(default=720, ge=8, le=10_000)
    """Directions to try, evenly spaced around the circle."""


@claim(
    "E20",
    "Among all directions of unit length, the loss decreases fastest along the negative "
    r"gradient, with slope $-\lVert \nabla L \rVert$. This is the direction in which gradient "
    "descent steps.",
    r"\min_{\lVert u \rVert = 1} u^\top \nabla L = -\lVert \nabla L \rVert, \qquad "
    r"u = -\frac{\nabla L}{\lVert \nabla L \rVert}",
)
def steepest_descent(settings: DirectionSettings) -> Evidence:
    """Differentiate the loss along many directions; compare with the gradient descent step."""

    def loss(theta: Tensor) -> Tensor:
        return torch.exp(theta[0] + 2 * theta[1]) + torch.exp(-theta[0] + 0.5 * theta[1])

    theta = numbers(settings.x, settings.y)
    gradient = torch.func.grad(loss)(theta)
    after, _ = sgd(theta, gradient, no_memory(theta), Sgd(), 0.1)
    taken = (after - theta) / (after - theta).norm()
    angles = torch.arange(settings.directions, dtype=torch.float64)
    angles = angles * (2 * torch.pi / settings.directions)
    circle = torch.stack((angles.cos(), angles.sin()), dim=1)

    def slopes_along(directions: Tensor) -> Tensor:
        way = torch.zeros(len(directions), dtype=torch.float64, requires_grad=True)
        heights = loss((theta + way[:, None] * directions).T)
        return torch.autograd.grad(heights.sum(), way)[0]

    slopes = slopes_along(circle)
    best = circle[slopes.argmin()]
    spacing = 2 * torch.pi / settings.directions
    scale = float(gradient.norm())
    return Evidence(
        stated=[
            equal(
                "slope along the step, over ‖∇L‖",
                slopes_along(taken[None]) / scale,
                -1.0,
            ),
            at_least(
                "smallest slope in any direction, over ‖∇L‖", slopes.min() / scale, -1 - 1e-12
            ),
            below(
                "angle between the best direction and the step, in radians",
                _angle(best, taken),
                spacing,
            ),
        ],
        numbers={"‖∇L‖": scale},
        plot=[
            Panel(
                "Slope in each direction",
                [curve("slope", (angles * 180 / torch.pi).tolist(), slopes.tolist())],
                "direction, degrees from the first axis",
            )
        ],
    )


def _angle(first: Tensor, second: Tensor) -> Tensor:
    """Return the angle between two unit vectors of the plane, exact for small ones as well."""
    return 2 * torch.asin((first - second).norm().div(2).clamp(max=1.0))


class TroubleSettings(Settings):
    """A saddle and a valley."""

    learning_rate: float = Field(default=0.1, ge=0.01, le=0.5)
    """Learning rate on the saddle."""
    offset: float = Field(default=0.01, ge=1e-6, le=0.5)
    """Distance of the start from the ridge line of the saddle."""
    condition: float = Field(default=20.0, ge=2.0, le=1000.0)
    """Condition number of the valley: curvature across it over curvature along it."""
    steps: int = Field(default=60, ge=10, le=100)
    """Number of steps."""


@claim(
    "E21",
    "One learning rate serves all directions, so in a narrow valley a step that is reasonable "
    "along the valley overshoots across it and oscillates. At a saddle point the gradient is "
    "zero; what has both signs is the *curvature*. Gradient descent that starts exactly on the "
    "ridge line converges to the saddle, and from a small offset it escapes only at the rate "
    r"$(1+\varepsilon)^t$.",
    r"\nabla L = 0, \quad \lambda_{\min}(\nabla^2 L) < 0 < \lambda_{\max}(\nabla^2 L)",
    notes="the slope at a saddle point is positive in one direction and negative in another.",
)
def saddles_and_valleys(settings: TroubleSettings) -> Evidence:
    """Differentiate a saddle twice, and follow every method from a point near its ridge line."""

    def height(theta: Tensor) -> Tensor:
        return 0.5 * (theta[0] ** 2 - theta[1] ** 2)

    origin, rate, steps = numbers(0.0, 0.0), settings.learning_rate, settings.steps
    slopes = torch.func.grad(height)(origin)
    curvatures = torch.linalg.eigvalsh(torch.autograd.functional.hessian(height, origin))
    on_ridge = follow(Sgd(), saddle, numbers(1.0, 0.0), rate, steps)
    start = numbers(1.0, settings.offset)
    paths = {
        name: follow(one, saddle, start, one.learning_rate, steps)
        for name, one in every_method(rate, rate / 3).items()
    }
    _, gradient_at = valley(settings.condition)
    zigzag = follow(Sgd(), gradient_at, numbers(1.0, 1.0), 1.9 / settings.condition, 6)
    growth = settings.offset * (1 + rate) ** torch.arange(steps + 1, dtype=torch.float64)
    common = [
        equal("distance from the ridge line after starting on it", on_ridge[-1, 1].abs(), 0.0),
        same("distance from the ridge line over its closed form, minus 1",
             paths["gradient descent"][:, 1] / growth,
             torch.ones_like(growth)),
        equal("sign changes across the valley in 6 steps",
              (zigzag[1:, 1] * zigzag[:-1, 1] < 0).sum(), 6),
        equal("distance left along the valley after them",
              zigzag[-1, 0], (1 - 1.9 / settings.condition) ** 6),
    ]  # fmt: skip
    left = {name: _left_after(path, numbers(1.0, 1.0)) for name, path in paths.items()}
    return Evidence(
        stated=[
            *common,
            above("slope at the saddle along the rising axis", slopes[0], 0.0),
            below("slope at the saddle along the falling axis", slopes[1], 0.0),
        ],
        corrected=[
            *common,
            equal("norm of the gradient at the saddle", slopes.norm(), 0.0),
            below("smallest curvature at the saddle", curvatures[0], 0.0),
            above("largest curvature at the saddle", curvatures[-1], 0.0),
        ],
        numbers={f"steps to escape: {name}": one for name, one in left.items()},
        plot=[_saddle_panel(paths), _valley_panel(settings.condition)],
    )


def _left_after(path: Tensor, far: Tensor) -> str:
    """Return after how many steps a path is far enough from the ridge line."""
    beyond = (path[:, 1].abs() >= far[1]).nonzero()
    return str(int(beyond[0])) if len(beyond) else f"more than {len(path) - 1}"


def _saddle_panel(paths: dict[str, Tensor]) -> Panel:
    """Draw each path until it leaves the neighborhood of the saddle."""
    lines = []
    for color, (name, path) in enumerate(paths.items()):
        inside = int((path.abs().amax(dim=1) <= 1.5).cumprod(dim=0).sum())
        lines.append(draw_path(name, path[:inside], color))
    return Panel(
        "Escaping a saddle: θ₂ over θ₁", lines, "θ₁ (the loss has its minimum along this axis at 0)"
    )


def _valley_panel(condition: float) -> Panel:
    """Draw gradient descent near its largest learning rate, momentum, and contour lines."""
    curvature, gradient_at = valley(condition)
    start, rate = numbers(3.0, 1.0), 1.9 / condition
    plain = follow(Sgd(), gradient_at, start, rate, 30)
    rolled = follow(Momentum(momentum=0.7), gradient_at, start, rate / 3, 30)
    lines = [
        draw_path("gradient descent", plain, 0),
        draw_path("momentum", rolled, 1),
        *level_curves(curvature, start),
    ]
    return Panel("Oscillating in a valley: θ₂ over θ₁", lines, "θ₁ (along the valley)")
