"""Claims on batch norm."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.lab.claims import claim, measured
from dragoman.lab.evidence import Evidence, apart, equal, same
from dragoman.lab.topics.normalization.layer_norms import EPSILON, TokenSettings
from dragoman.neural.layers.images.inception import bent_convolution
from dragoman.neural.layers.norms import (
    RunningStatistics,
    batch_norm_written_out,
    build_norm,
)
from dragoman.plots.lab import HeatMap


def _standard(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Return deviations from the mean along an axis, and the standard deviation."""
    centered = x - x.mean(dim=dim, keepdim=True)
    return centered, (centered.square().mean(dim=dim, keepdim=True) + EPSILON).sqrt()


@claim(
    "E33",
    "Batch norm subtracts each unit's mean over the batch and divides by its standard "
    "*deviation*, before the activation. The standard error of the mean is smaller by a factor "
    r"of $\sqrt{m}$, so dividing by it would make the result larger by $\sqrt{m}$.",
    r"\hat{a}_{ik} = \frac{a_{ik} - \mathrm{E}[a_k]}{\sqrt{\mathrm{Var}[a_k] + \epsilon}}, \qquad "
    r"\mathrm{SE} = \frac{\mathrm{SD}}{\sqrt{m}}",
    notes="the difference from the mean is divided by the standard error.",
)
def deviation_not_error(settings: TokenSettings) -> Evidence:
    """Divide by either; compare with torch's batch norm and with the equation."""
    x = settings.draw()
    ones = torch.ones(settings.width, dtype=torch.float64)
    oracle = F.batch_norm(x, None, None, training=True, eps=EPSILON)
    centered, deviation = _standard(x, 0)
    error = deviation / settings.tokens**0.5
    written = batch_norm_written_out(x, ones, torch.zeros_like(ones), EPSILON)
    order = [type(one).__name__ for one in bent_convolution(1, 1, 1, batch_norm=True)]
    common = [
        equal("position of the activation, right after the norm", order.index("ReLU"),
              order.index("BatchNorm2d") + 1),
        same("equation against torch's batch norm", written, oracle),
    ]  # fmt: skip
    return Evidence(
        stated=[
            *common,
            same(
                "divided by the standard error, against torch's batch norm",
                centered / error,
                oracle,
            ),
        ],
        corrected=[
            *common,
            same(
                "divided by the standard deviation, against torch's batch norm",
                centered / deviation,
                oracle,
            ),
        ],
        numbers={
            "standard deviation of a unit after batch norm": float(
                oracle[:, 0].std(unbiased=False)
            ),
            "the same, dividing by the standard error": float(
                (centered / error)[:, 0].std(unbiased=False)
            ),
            "√m": settings.tokens**0.5,
        },
    )


@claim(
    "E34",
    "A learned gain and bias follow, so that a unit can again have any mean and any standard "
    "deviation. They are parameters like all others, with gradients of their own. At inference, "
    "running statistics replace those of the batch.",
    r"y = \gamma \hat{a} + \beta, \qquad \frac{\partial L}{\partial \gamma} = \sum_i "
    r"\frac{\partial L}{\partial y_i} \hat{a}_i, \qquad \frac{\partial L}{\partial \beta} = \sum_i "
    r"\frac{\partial L}{\partial y_i}",
)
def learned_gain(settings: TokenSettings) -> Evidence:
    """Compare the gradients with their sums, and inference with running statistics."""
    x, (gain, bias) = settings.draw(), settings.weights()
    layer = nn.BatchNorm1d(settings.width, eps=EPSILON, dtype=torch.float64)
    layer.weight.data.copy_(gain)
    layer.bias.data.copy_(bias)
    upstream = settings.draw() * 0.1
    centered, deviation = _standard(x, 0)
    normed = centered / deviation
    own_gain, own_bias = gain.clone().requires_grad_(), bias.clone().requires_grad_()
    y = batch_norm_written_out(x, own_gain, own_bias, EPSILON)
    by_gain, by_bias = torch.autograd.grad(y, (own_gain, own_bias), upstream)
    trained = layer(x).detach()
    zeros = torch.zeros(settings.width, dtype=torch.float64)
    running = RunningStatistics(zeros, torch.ones_like(zeros)).after(x, 0.1)
    used = batch_norm_written_out(x, gain, bias, EPSILON, running)
    found = layer.eval()(x).detach()
    return Evidence(
        stated=[
            same("y against γ â + β", y.detach(), gain * normed + bias),
            same("y against torch's layer", y.detach(), trained),
            same("gradient of γ against Σ ∂L/∂y â", by_gain, (upstream * normed).sum(0)),
            same("gradient of β against Σ ∂L/∂y", by_bias, upstream.sum(0)),
            equal("trainable parameters", sum(p.numel() for p in layer.parameters()),
                  2 * settings.width),
            same("inference with running statistics against torch's layer", used, found),
            apart("difference between training and inference", found, trained, 1e-3),
        ],
    )  # fmt: skip


@claim(
    "E140",
    "With one example per row, batch norm normalizes columns and layer norm normalizes rows. "
    "Both divide by the standard deviation.",
    r"\mathrm{LN}: \mu = \frac{1}{f} \sum_{i=1}^{f} x_i, \quad "
    r"x' = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}",
    notes="the deviation from the mean is divided by the standard error.",
)
def columns_and_rows(settings: TokenSettings) -> Evidence:
    """Normalize columns and rows by hand; compare with both norms."""
    x, width = settings.draw(), settings.width
    ones, zeros = torch.ones(width, dtype=torch.float64), torch.zeros(width, dtype=torch.float64)
    by_batch = batch_norm_written_out(x, ones, zeros, EPSILON)
    by_layer = build_norm("layer", width).double()(x).detach()
    rows, row_deviation = _standard(x, 1)
    columns, column_deviation = _standard(x, 0)
    axes = [
        equal("largest mean of a column after batch norm", by_batch.mean(0).abs().max(), 0.0),
        equal("largest mean of a row after layer norm", by_layer.mean(1).abs().max(), 0.0),
    ]
    return Evidence(
        stated=[
            *axes,
            same("columns divided by the standard error, against batch norm",
                 columns / (column_deviation / settings.tokens**0.5), by_batch),
            same("rows divided by the standard error, against layer norm",
                 rows / (row_deviation / width**0.5), by_layer),
        ],
        corrected=[
            *axes,
            same("columns divided by the standard deviation, against batch norm",
                 columns / column_deviation, by_batch),
            same("rows divided by the standard deviation, against layer norm",
                 rows / row_deviation, by_layer),
        ],
        numbers={"√m": settings.tokens**0.5, "√f": width**0.5},
        plot=[
            HeatMap("Before", x.tolist(), "feature", "example"),
            HeatMap("After batch norm: every column standardized",
                    by_batch.tolist(), "feature", "example"),
            HeatMap("After layer norm: every row standardized",
                    by_layer.tolist(), "feature", "example"),
        ],
    )  # fmt: skip


learns_faster = measured(
    "E32",
    "Batch norm is not an optimizer, but the same network learns faster with it. The reason that "
    "its authors gave, internal covariate shift (the distribution of a layer's inputs changes as "
    "the weights below it change), has been disputed since.",
    r"\hat{a} = \frac{a - \mathrm{E}[a]}{\sqrt{\mathrm{Var}[a] + \epsilon}}",
    notes="the shift is called internal covariance shift.",
    experiment="normalization",
)
