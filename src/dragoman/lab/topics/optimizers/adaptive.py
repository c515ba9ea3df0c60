"""Claims on a learning rate for each coordinate: AdaGrad and RMSProp."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.optimizer import AdaGrad, Adam, OptimizerSettings, RmsProp, Sgd
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, below, equal, same
from dragoman.lab.topics.optimizers.paths import (
    draw_path,
    draw_steps,
    every_method,
    follow,
    follow_built,
    follow_torch,
    level_curves,
    numbers,
    valley,
)
from dragoman.neural.optim.equations import adagrad, no_memory, rmsprop
from dragoman.plots.lab import Panel, curve

START = numbers(2.0, 2.0)
TINY = 1e-15
"""An epsilon too small to matter."""


class ConditionSettings(Settings):
    """A valley and the steps taken in it."""

    condition: float = Field(default=50.0, ge=1.5, le=1000.0)
    """Condition number (κ): curvature across the valley over curvature along it."""
    learning_rate: float = Field(default=0.1, ge=0.01, le=0.3)
    """Learning rate of the adaptive methods; gradient descent gets its best one."""
    steps: int = Field(default=60, ge=5, le=150)
    """Number of steps."""


@claim(
    "E25",
    "With a single learning rate, the convergence of gradient descent is limited by the "
    r"condition number $\kappa$, even at the best learning rate. Methods with a learning rate "
    "for each coordinate are insensitive to the scale of a coordinate: if the valley is aligned "
    r"with the axes, their path is the same for every $\kappa$.",
    r"\frac{\lVert \theta_{t+1} \rVert}{\lVert \theta_t \rVert} = \frac{\kappa - 1}{\kappa + 1} "
    r"\quad \mathrm{with} \quad \varepsilon = \frac{2}{\lambda_{\min} + \lambda_{\max}}",
)
def one_rate_for_all(settings: ConditionSettings) -> Evidence:
    """Compare paths in a narrow valley with paths in a round bowl."""
    condition, steps, rate = settings.condition, settings.steps, settings.learning_rate
    _, narrow = valley(condition)
    _, round_ = valley(1.0)
    best = 2 / (1 + condition)
    plain = follow(Sgd(), narrow, START, best, steps)
    adaptive: dict[str, OptimizerSettings] = {
        "AdaGrad": AdaGrad(epsilon=TINY),
        "RMSProp": RmsProp(beta=0.9, epsilon=TINY),
        "Adam": Adam(betas=(0.9, 0.98), epsilon=TINY),
    }
    paths = {name: follow(one, narrow, START, rate, steps) for name, one in adaptive.items()}
    bowls = {name: follow(one, round_, START, rate, steps) for name, one in adaptive.items()}
    factor = (condition - 1) / (condition + 1)
    methods = {
        name: follow(one, narrow, START, one.learning_rate, steps)
        for name, one in every_method(best / 2, rate).items()
    }
    return Evidence(
        stated=[
            equal("gradient descent: distance left, over ((κ-1)/(κ+1))^t",
                  plain[-1].norm() / (factor**steps * START.norm()), 1.0, 1e-9),
            *(same(f"{name}: path in the valley against the round bowl",
                   paths[name], bowls[name], 1e-8)
              for name in adaptive),
        ],
        numbers={
            "distance left, gradient descent at its best learning rate": float(plain[-1].norm()),
            **{f"distance left, {name}": float(path[-1].norm()) for name, path in paths.items()},
        },
        plot=[
            Panel("Paths in the valley: θ₂ over θ₁",
                  [draw_path(name, path, color)
                   for color, (name, path) in enumerate(methods.items())], "θ₁ (along the valley)"),
            Panel("Distance from the minimum",
                  [draw_steps(name, path.norm(dim=1), color)
                   for color, (name, path) in enumerate(methods.items())], "step",
                  logarithmic=True),
        ],
    )  # fmt: skip


class AdaGradSettings(Settings):
    """A valley and AdaGrad's settings."""

    condition: float = Field(default=10.0, ge=1.5, le=1000.0)
    """Condition number (κ): curvature across the valley over curvature along it."""
    learning_rate: float = Field(default=0.5, ge=0.01, le=1.0)
    """Learning rate before the division."""
    epsilon: float = Field(default=1e-10, ge=1e-12, le=1e-3)
    """Added to the square root; its square is added inside the root."""
    steps: int = Field(default=40, ge=2, le=150)
    """Number of steps."""


@claim(
    "E26",
    "AdaGrad divides each coordinate's step by the square root of the sum of its past squared "
    "gradients. Steep coordinates get a small effective learning rate, flat ones keep a large "
    r"one. A small $\epsilon$, inside the square root or outside it, prevents division by "
    "zero.",
    r"r_t = \sum_{s \le t} g_s \odot g_s, \qquad "
    r"\theta_{t+1} = \theta_t - \frac{\eta}{\sqrt{\epsilon I + r_t}} \odot g_t",
)
def adagrad_rule(settings: AdaGradSettings) -> Evidence:
    """Follow the notes' rule, torch's AdaGrad and training's AdaGrad."""
    curvature, gradient_at = valley(settings.condition)
    rate, epsilon, steps = settings.learning_rate, settings.epsilon, settings.steps
    chosen = AdaGrad(learning_rate=rate, epsilon=epsilon)
    ours = follow(chosen, gradient_at, START, rate, steps)
    oracle = follow_torch(
        lambda w: torch.optim.Adagrad(w, lr=rate, eps=epsilon), gradient_at, START, steps
    )
    theta, total, path = START, torch.zeros_like(START), [START]
    for _ in range(steps):
        gradient = gradient_at(theta)
        total = total + gradient**2
        theta = theta - rate * gradient / (epsilon**2 + total).sqrt()
        path.append(theta)
    written = torch.stack(path)
    _, memory = adagrad(START, gradient_at(START), no_memory(START), chosen, rate)
    along, across = (rate / memory.second.sqrt()).tolist()
    return Evidence(
        stated=[
            same("training's update equations against torch's AdaGrad", ours, oracle),
            same("training's optimizer against torch's",
                 follow_built(chosen, gradient_at, START, steps), oracle),
            same("ε inside the square root against ε outside", written, ours,
                 max(1e-10, 2 * rate * steps * epsilon)),
            below("effective rate across the valley, below that along it", across, along),
            equal("ratio of the two rates after one step, over κ",
                  along / across / settings.condition, 1.0),
        ],
        numbers={"effective rate along the valley": along, "effective rate across it": across},
        plot=[
            Panel("Paths in the valley: θ₂ over θ₁",
                  [draw_path("AdaGrad", ours, 0),
                   draw_path("gradient descent", follow(Sgd(), gradient_at, START,
                                               1.5 / settings.condition, steps), 1),
                   *level_curves(curvature, START, 2)], "θ₁ (along the valley)")
        ],
    )  # fmt: skip


class SlopeSettings(Settings):
    """A slope without end."""

    slope: float = Field(default=7.0, ge=0.1, le=100.0)
    """The gradient, the same everywhere."""
    learning_rate: float = Field(default=0.1, ge=0.001, le=1.0)
    """Learning rate."""
    steps: int = Field(default=400, ge=100, le=2000)
    """Number of steps."""


@claim(
    "E27",
    "AdaGrad's sum of squares can only grow, so its effective learning rate decays to zero; "
    r"under a constant gradient it decays as $1/\sqrt{t}$. AdaGrad therefore slows to a halt "
    "wherever it happens to be, even on a slope that has no minimum at all.",
    r"\lvert \theta_{t} - \theta_{t-1} \rvert = \frac{\eta}{\sqrt{t}} \qquad "
    r"\mathrm{for\ every\ constant}\ g \neq 0",
    notes="AdaGrad gets stuck in local minima because it accumulates the gradient.",
)
def adagrad_stops(settings: SlopeSettings) -> Evidence:
    """Let AdaGrad walk down an endless slope and see where its steps become small."""
    rate, steps, slope = settings.learning_rate, settings.steps, numbers(settings.slope)
    gradient_at = torch.func.grad(lambda theta: settings.slope * theta.sum())  # L = slope · θ
    chosen = AdaGrad(learning_rate=rate, epsilon=TINY)
    path = follow(chosen, gradient_at, numbers(0.0), rate, steps)[:, 0]
    oracle = follow_torch(
        lambda w: torch.optim.Adagrad(w, lr=rate, eps=TINY), gradient_at, numbers(0.0), steps
    )[:, 0]
    moves = -path.diff()
    small = int((moves <= rate / 10 * (1 + 1e-9)).nonzero()[0])  # the first step of at most a tenth
    times = torch.arange(1, steps + 1, dtype=torch.float64)
    common = [
        same("path against torch's AdaGrad", path, oracle),
        equal("first step that is at most a tenth of the first one", small + 1, 100),
    ]
    return Evidence(
        stated=[*common, equal("gradient at the point where AdaGrad has slowed down tenfold",
                               gradient_at(path[small]), 0.0)],
        corrected=[*common, same("step lengths against η/√t", moves, rate / times.sqrt())],
        numbers={
            "distance traveled, AdaGrad": float(-path[-1]),
            "distance traveled, gradient descent with the same rate": rate * settings.slope * steps,
        },
        plot=[
            Panel("Step length on an endless slope",
                  [draw_steps("AdaGrad", moves, 0),
                   draw_steps("RMSProp", _rms_moves(slope, rate, steps), 1)], "step", lowest=0.0)
        ],
    )  # fmt: skip


def _rms_moves(slope: Tensor, rate: float, steps: int) -> Tensor:
    """Return RMSProp's step lengths on the slope: its average of squares stays bounded."""
    path = follow(RmsProp(beta=0.9), lambda _: slope, numbers(0.0), rate, steps)
    return -path[:, 0].diff()


class RmsPropSettings(Settings):
    """Gradients of three coordinates, one of which is always zero."""

    beta: float = Field(default=0.9, ge=0.0, le=0.999)
    """Fraction of the average of squares that is kept in each step (β)."""
    epsilon: float = Field(default=1e-8, ge=1e-12, le=1e-2)
    """Added to the square root."""
    steps: int = Field(default=20, ge=1, le=150)
    """Number of steps."""
    seed: int = Field(default=1, ge=0)
    """Seed of the gradients."""


@claim(
    "E28",
    "RMSProp divides by the square root of an exponential *moving average* of squared "
    r"gradients, which starts at zero and forgets old values. It needs an $\epsilon$: for a "
    "coordinate that has had no gradient yet, the step would be $0/0$.",
    r"s_t = \beta s_{t-1} + (1 - \beta)\, g_t \odot g_t, \qquad "
    r"\theta_{t+1} = \theta_t - \frac{\eta}{\sqrt{s_t} + \epsilon} \odot g_t",
    notes=r"the step is divided by $\sqrt{s_t}$ alone, without an $\epsilon$, and the recursion "
    "has $s_t$ on both sides.",
)
def rmsprop_rule(settings: RmsPropSettings) -> Evidence:
    """Follow RMSProp with and without ε, and torch's; one gradient is always zero."""
    generator = torch.Generator().manual_seed(settings.seed)
    drawn = torch.randn(settings.steps, 3, generator=generator, dtype=torch.float64)
    drawn[:, 0] = 0.0
    start, rate = numbers(1.0, 1.0, 1.0), 0.1
    chosen = RmsProp(learning_rate=rate, beta=settings.beta, epsilon=settings.epsilon)
    theta, bare, memory = start, start, no_memory(start)
    for gradient in drawn:
        theta, memory = rmsprop(theta, gradient, memory, chosen, rate)
        bare = bare - rate * gradient / memory.second.sqrt()
    given, again = iter(drawn), iter(drawn)
    oracle = follow_torch(
        lambda w: torch.optim.RMSprop(w, rate, settings.beta, settings.epsilon),
        lambda _: next(given), start, settings.steps,
    )[-1]  # fmt: skip
    built = follow_built(chosen, lambda _: next(again), start, settings.steps)[-1]
    return Evidence(
        stated=[equal("coordinates that are NaN without ε", bare.isnan().sum(), 0)],
        corrected=[
            equal("coordinates that are NaN with ε", theta.isnan().sum(), 0),
            same("weights with ε against torch's RMSProp", theta, oracle),
            same("training's optimizer against torch's", built, oracle),
            equal("change of the coordinate without a gradient", theta[0] - start[0], 0.0),
        ],
        numbers={
            f"coordinate {number + 1}, {name} ε": f"{float(one[number]):.4f}"
            for number in range(2)
            for name, one in (("with", theta), ("without", bare))
        },
        plot=[_effective_rates(settings.beta)],
    )


def _effective_rates(beta: float) -> Panel:
    """Draw the divisor of the learning rate when steep gradients are followed by flat ones."""
    gradients = torch.cat((torch.full((30,), 5.0), torch.full((90,), 0.5))).double()
    sums, means = gradients.square().cumsum(0), []
    theta, memory = numbers(0.0), no_memory(numbers(0.0))
    for gradient in gradients:
        theta, memory = rmsprop(theta, gradient.view(1), memory, RmsProp(beta=beta), 0.1)
        means.append(float(memory.second.sqrt()))
    steps = [float(step) for step in range(1, len(gradients) + 1)]
    return Panel(
        "Divisor of the learning rate: 30 steep steps, then flat ones",
        [curve("RMSProp", steps, means), curve("AdaGrad", steps, sums.sqrt().tolist(), 1)],
        "step",
    )
