"""Claims on the squared error."""

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.cells import RnnCell
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.metrics.calibration import brier_score
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.plots.lab import Panel, curve
from dragoman.tasks.autoencoding.pixel_rows import squared_error


class SquaredErrorSettings(Settings):
    """A recurrent network and random targets."""

    steps: int = Field(default=6, ge=1, le=50)
    """Number of time steps."""
    width: int = Field(default=3, ge=1, le=30)
    """Entries of each output."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the weights, the inputs and the targets."""


class SpreadOutSettings(Settings):
    """Possible outcomes for the same input."""

    values: int = Field(default=50, ge=2, le=1000)
    """Number of outcomes."""
    deviation: float = Field(default=1.0, ge=0.1, le=10)
    """Standard deviation of the outcomes."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the outcomes."""


@claim(
    "E82",
    "The squared error of a sequence is summed over the entries of each output and over the "
    r"time steps. The factor $\frac{1}{2}$ makes the gradient with respect to an output exactly "
    r"the difference $\hat{\mathbf{y}}_t - \mathbf{y}_t$.",
    r"E_t = \frac{1}{2} \sum_k (\hat{y}_{t,k} - y_{t,k})^2, \qquad E = \sum_t E_t",
)
def error_of_a_sequence(settings: SquaredErrorSettings) -> Evidence:
    """Sum the squared errors of a recurrent network entry by entry, and differentiate the sum."""
    sampler = NumberSampler(settings.seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        network = RecurrentStack(RnnCell(), 2, settings.width, 1).double()
    outputs = network(sampler.normal(1, settings.steps, 2))[0][0].detach()  # t k
    target = sampler.normal(settings.steps, settings.width)
    steps = [
        sum(0.5 * float(said - right) ** 2 for said, right in zip(*pair, strict=True))
        for pair in zip(outputs, target, strict=True)
    ]
    leaf = outputs.clone().requires_grad_()
    half = 0.5 * F.mse_loss(leaf, target, reduction="sum")
    (gradient,) = torch.autograd.grad(half, leaf)
    return Evidence(
        stated=[
            equal(
                "sum over steps and entries against the product's squared error",
                sum(steps),
                0.5 * squared_error(outputs.numpy(), target.numpy()),
            ),
            equal("sum over steps and entries against torch", sum(steps), half.detach()),
            same("gradient with respect to the outputs against ŷ - y", gradient, outputs - target),
        ],
        numbers={"E": sum(steps), "E of the first step": steps[0]},
    )


@claim(
    "E111",
    "Minimizing the mean squared error makes a model predict the mean of the possible outcomes. "
    "Any other constant costs, in addition, its squared distance from the mean.",
    r"\min_{\hat{y}} \, \mathbb{E}\left[ (y - \hat{y})^2 \right] \;\Rightarrow\; "
    r"\hat{y} = \mathbb{E}[y], \qquad \mathbb{E}[(y - c)^2] = \mathrm{Var}(y) + "
    r"(c - \mathbb{E}[y])^2",
)
def mean_is_best(settings: SpreadOutSettings) -> Evidence:
    """Try constants around the mean, for numbers and for yes-or-no outcomes."""
    values = 2 + settings.deviation * NumberSampler(settings.seed).normal(settings.values)
    mean, variance = values.mean(), values.var(correction=0)
    constants = mean + settings.deviation * torch.linspace(-2, 2, 41, dtype=torch.float64)
    errors = torch.tensor(
        [squared_error(values.numpy(), one.numpy()) / len(values) for one in constants],
        dtype=torch.float64,
    )
    by_torch = torch.stack([F.mse_loss(one.expand_as(values), values) for one in constants])
    answers = (values > 2).tolist()
    share = sum(answers) / len(answers)
    said = [step / 100 for step in range(101)]
    briers = [brier_score([one] * len(answers), answers) for one in said]
    return Evidence(
        stated=[
            same("mean squared error of each constant against torch", errors, by_torch),
            same(
                "the same against Var(y) + (c - E[y])²", errors, variance + (constants - mean) ** 2
            ),
            equal("best constant against the mean", constants[errors.argmin()], mean),
            above(
                "error of the neighboring constants, above that of the mean",
                errors[[19, 21]].min(),
                errors[20],
            ),
            equal(
                "probability with the best Brier score against the frequency of “yes”",
                said[briers.index(min(briers))],
                share,
                0.00501,
            ),
        ],
        numbers={"mean": float(mean), "smallest error, the variance": float(variance)},
        plot=[
            Panel(
                "Mean squared error",
                [
                    curve("error", constants.tolist(), errors.tolist(), 0),
                    curve(
                        "variance",
                        constants[[0, -1]].tolist(),
                        [float(variance)] * 2,
                        1,
                        dashed=True,
                    ),
                ],
                "constant prediction",
            )
        ],
    )
