"""Claims on rates that adapt to each direction: AdaGrad and RMSProp."""

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
"""An epsilon that is as good as none."""


class ConditionSettings(Settings):
    """A valley, and the steps that are taken in it."""

    condition: float = Field(default=50.0, ge=1.5, le=1000.0)
    """Condition number: how many times steeper the valley is across than along."""
    learning_rate: float = Field(default=0.1, ge=0.01, le=0.3)
    """Learning rate of the adaptive methods; descent gets the best there is for it."""
    steps: int = Field(default=60, ge=5, le=150)
    """Steps that are taken."""


@claim(
    "E25",
    "With one rate for all directions, descent is as slow as the condition number $\\kappa$ "
    "demands, even with the best rate. Methods with a rate for each coordinate do not see a "
    "coordinate's scale at all: along the axes their path is the same whatever $\\kappa$ is.",
    r"\frac{\lVert \theta_{t+1} \rVert}{\lVert \theta_t \rVert} = \frac{\kappa - 1}{\kappa + 1} "
    r"\quad \mathrm{with} \quad \varepsilon = \frac{2}{\lambda_{\min} + \lambda_{\max}}",
)
def one_rate_for_all(settings: ConditionSettings) -> Evidence:
    """Compare paths in a narrow valley with those in a round bowl."""
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
            equal("distance that descent leaves, over ((κ-1)/(κ+1))^t",
                  plain[-1].norm() / (factor**steps * START.norm()), 1.0, 1e-9),
            *(same(f"{name} in the valley against the round bowl", paths[name], bowls[name], 1e-8)
              for name in adaptive),
        ],
        numbers={
            "distance left, descent at its best rate": float(plain[-1].norm()),
            **{f"distance left, {name}": float(path[-1].norm()) for name, path in paths.items()},
        },
        plot=[
            Panel("Every method in the valley",
                  [draw_path(name, path, color)
                   for color, (name, path) in enumerate(methods.items())], "θ₁, along the valley"),
            Panel("Distance from the minimum",
                  [draw_steps(name, path.norm(dim=1), color)
                   for color, (name, path) in enumerate(methods.items())], "step",
                  logarithmic=True),
        ],
    )  # fmt: skip


class AdaGradSettings(Settings):
    """A valley, and AdaGrad's settings."""

    condition: float = Field(default=10.0, ge=1.5, le=1000.0)
    """Condition number: how many times steeper the valley is across than along."""
    learning_rate: float = Field(default=0.5, ge=0.01, le=1.0)
    """Learning rate, which the sum of squares divides."""
    epsilon: float = Field(default=1e-10, ge=1e-12, le=1e-3)
    """What is added to the root, or its square inside of it."""
    steps: int = Field(default=40, ge=2, le=150)
    """Steps that are taken."""


@claim(
    "E26",
    "AdaGrad divides each coordinate's step by the root of the sum of its squared gradients so "
    "far: where it is steep the rate becomes small, where it is flat it stays large. A small "
    "$\\epsilon$, inside the root or beside it, keeps it from dividing by zero.",
    r"r_t = \sum_{s \le t} g_s \odot g_s, \qquad "
    r"\theta_{t+1} = \theta_t - \frac{\eta}{\sqrt{\epsilon I + r_t}} \odot g_t",
)
def adagrad_rule(settings: AdaGradSettings) -> Evidence:
    """Follow the notes' rule, torch's AdaGrad and that of a training."""
    curvature, gradient_at = valley(settings.condition)
    rate, epsilon, steps = settings.learning_rate, settings.epsilon, settings.steps
    chosen = AdaGrad(learning_rate=rate, epsilon=epsilon)
    ours = follow(chosen, gradient_at, START, rate, steps)
    oracle = follow_torch(
        lambda w: torch.optim.Adagrad(w, lr=rate, eps=epsilon), gradient_at, START, steps
    )
    place, total, path = START, torch.zeros_like(START), [START]
    for _ in range(steps):
        gradient = gradient_at(place)
        total = total + gradient**2
        place = place - rate * gradient / (epsilon**2 + total).sqrt()
        path.append(place)
    written = torch.stack(path)
    _, memory = adagrad(START, gradient_at(START), no_memory(START), chosen, rate)
    along, across = (rate / memory.second.sqrt()).tolist()
    return Evidence(
        stated=[
            same("equations of training against torch's AdaGrad", ours, oracle),
            same("optimizer of a training against torch's",
                 follow_built(chosen, gradient_at, START, steps), oracle),
            same("ε inside the root against ε beside it", written, ours,
                 max(1e-10, 2 * rate * steps * epsilon)),
            below("rate where it is steep, beside that where it is flat", across, along),
            equal("rate along over rate across, after one step, over κ",
                  along / across / settings.condition, 1.0),
        ],
        numbers={"rate along the valley": along, "rate across it": across},
        plot=[
            Panel("AdaGrad and descent in a valley",
                  [draw_path("AdaGrad", ours, 0),
                   draw_path("descent", follow(Sgd(), gradient_at, START,
                                               1.5 / settings.condition, steps), 1),
                   *level_curves(curvature, START, 2)], "θ₁, along the valley")
        ],
    )  # fmt: skip


class SlopeSettings(Settings):
    """A slope that never ends."""

    slope: float = Field(default=7.0, ge=0.1, le=100.0)
    """Size of the gradient, everywhere the same."""
    learning_rate: float = Field(default=0.1, ge=0.001, le=1.0)
    """Learning rate."""
    steps: int = Field(default=400, ge=100, le=2000)
    """Steps that are taken."""


@claim(
    "E27",
    "AdaGrad's sum of squares only grows, so that its rate sinks to zero: as $1/\\sqrt{t}$ under a "
    "constant gradient. It comes to a stop wherever it happens to be, on a slope without any "
    "minimum as well.",
    r"\lvert \theta_{t} - \theta_{t-1} \rvert = \frac{\eta}{\sqrt{t}} \qquad "
    r"\mathrm{for\ every\ constant}\ g \neq 0",
    notes="it gets stuck in local minima because it accumulates the gradient",
)
def adagrad_stops(settings: SlopeSettings) -> Evidence:
    """Let AdaGrad walk down an endless slope, and look where its steps have become small."""
    rate, steps, slope = settings.learning_rate, settings.steps, numbers(settings.slope)
    chosen = AdaGrad(learning_rate=rate, epsilon=TINY)
    path = follow(chosen, lambda _: slope, numbers(0.0), rate, steps)[:, 0]
    oracle = follow_torch(
        lambda w: torch.optim.Adagrad(w, lr=rate, eps=TINY), lambda _: slope, numbers(0.0), steps
    )[:, 0]
    moves = -path.diff()
    large = (moves > rate / 10 * (1 + 1e-9)).sum()
    times = torch.arange(1, steps + 1, dtype=torch.float64)
    common = [
        same("path against torch's AdaGrad", path, oracle),
        equal("steps before moves are a tenth of the first", large, 99),
    ]
    return Evidence(
        stated=[*common, equal("slope where it has slowed down tenfold", slope, 0.0)],
        corrected=[*common, same("moves against η/√t", moves, rate / times.sqrt())],
        numbers={
            "way in all": float(-path[-1]),
            "descent's way with the same rate": rate * settings.slope * steps,
        },
        plot=[
            Panel("Size of a step on an endless slope",
                  [draw_steps("AdaGrad", moves, 0),
                   draw_steps("RMSProp", _rms_moves(slope, rate, steps), 1)], "step", lowest=0.0)
        ],
    )  # fmt: skip


def _rms_moves(slope: Tensor, rate: float, steps: int) -> Tensor:
    """Return RMSProp's moves on the slope: its mean of squares does not grow for ever."""
    path = follow(RmsProp(beta=0.9), lambda _: slope, numbers(0.0), rate, steps)
    return -path[:, 0].diff()


class RmsPropSettings(Settings):
    """Gradients of three coordinates, one of which has none."""

    beta: float = Field(default=0.9, ge=0.0, le=0.999)
    """Share of the mean of squares that is kept in each step."""
    epsilon: float = Field(default=1e-8, ge=1e-12, le=1e-2)
    """What is added to the root."""
    steps: int = Field(default=20, ge=1, le=150)
    """Steps that are taken."""
    seed: int = Field(default=1, ge=0)
    """Seed of the gradients."""


@claim(
    "E28",
    "RMSProp divides by the root of a *running mean* of squared gradients, which begins at zero "
    "and forgets. It needs an $\\epsilon$: where a coordinate has had no gradient yet, $0/0$ is no "
    "step.",
    r"s_t = \beta s_{t-1} + (1 - \beta)\, g_t \odot g_t, \qquad "
    r"\theta_{t+1} = \theta_t - \frac{\eta}{\sqrt{s_t} + \epsilon} \odot g_t",
    notes="the step is divided by the root of s alone, without an ε, and the recursion has s_t on "
    "both sides",
)
def rmsprop_rule(settings: RmsPropSettings) -> Evidence:
    """Follow RMSProp with and without epsilon, beside torch's; one gradient is always zero."""
    generator = torch.Generator().manual_seed(settings.seed)
    drawn = torch.randn(settings.steps, 3, generator=generator, dtype=torch.float64)
    drawn[:, 0] = 0.0
    start, rate = numbers(1.0, 1.0, 1.0), 0.1
    chosen = RmsProp(learning_rate=rate, beta=settings.beta, epsilon=settings.epsilon)
    place, bare, memory = start, start, no_memory(start)
    for gradient in drawn:
        place, memory = rmsprop(place, gradient, memory, chosen, rate)
        bare = bare - rate * gradient / memory.second.sqrt()
    given, again = iter(drawn), iter(drawn)
    oracle = follow_torch(
        lambda w: torch.optim.RMSprop(w, rate, settings.beta, settings.epsilon),
        lambda _: next(given), start, settings.steps,
    )[-1]  # fmt: skip
    built = follow_built(chosen, lambda _: next(again), start, settings.steps)[-1]
    return Evidence(
        stated=[equal("coordinates that are no number, without ε", bare.isnan().sum(), 0)],
        corrected=[
            equal("coordinates that are no number, with ε", place.isnan().sum(), 0),
            same("place with ε against torch's RMSProp", place, oracle),
            same("optimizer of a training against torch's", built, oracle),
            equal("move of the coordinate without a gradient", place[0] - start[0], 0.0),
        ],
        numbers={
            f"coordinate {number + 1}, {name} ε": f"{float(one[number]):.4f}"
            for number in range(2)
            for name, one in (("with", place), ("without", bare))
        },
        plot=[_effective_rates(settings.beta)],
    )


def _effective_rates(beta: float) -> Panel:
    """Draw what divides the rate after a steep stretch that becomes flat: it forgets or not."""
    gradients = torch.cat((torch.full((30,), 5.0), torch.full((90,), 0.5))).double()
    sums, means = gradients.square().cumsum(0), []
    place, memory = numbers(0.0), no_memory(numbers(0.0))
    for gradient in gradients:
        place, memory = rmsprop(place, gradient.view(1), memory, RmsProp(beta=beta), 0.1)
        means.append(float(memory.second.sqrt()))
    steps = [float(step) for step in range(1, len(gradients) + 1)]
    return Panel(
        "What the rate is divided by: steep for 30 steps, then flat",
        [curve("RMSProp", steps, means), curve("AdaGrad", steps, sums.sqrt().tolist(), 1)],
        "step",
    )
