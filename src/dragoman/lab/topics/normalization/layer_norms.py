"""Claims on layer norm: its equation, its mean, its axis, and what it removes."""

import numpy as np
import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, at_most, same
from dragoman.neural.layers.norms import (
    batch_norm_written_out,
    build_norm,
    layer_norm_written_out,
    rms_norm_written_out,
)
from dragoman.plots.lab import Bars


class TokenSettings(Settings):
    """Random hidden states of tokens, one per row."""

    tokens: int = Field(default=4, ge=2, le=100)
    """Number of tokens, or of examples in a batch."""
    width: int = Field(default=6, ge=3, le=200)
    """Features of each token."""
    spread: float = Field(default=3.0, ge=0.1, le=100.0)
    """Standard deviation of the features."""
    shift: float = Field(default=2.0, ge=-100.0, le=100.0)
    """Mean of the features."""
    seed: int = Field(default=1, ge=0)
    """Seed of the features."""

    def draw(self) -> Tensor:
        """Return the hidden states: n d."""
        generator = torch.Generator().manual_seed(self.seed)
        drawn = torch.randn(self.tokens, self.width, generator=generator, dtype=torch.float64)
        return drawn * self.spread + self.shift

    def weights(self) -> tuple[Tensor, Tensor]:
        """Return a gain and a bias for each feature."""
        generator = torch.Generator().manual_seed(self.seed + 1)
        gain, bias = torch.randn(2, self.width, generator=generator, dtype=torch.float64)
        return gain, bias


EPSILON = 1e-5


@claim(
    "D17",
    "Layer norm subtracts the mean of a token's features from each feature and divides by their "
    "standard deviation. A learned gain and bias follow.",
    r"\mu = \frac{1}{d} \sum_{j=1}^{d} x_j, \qquad "
    r"\sigma = \sqrt{\frac{1}{d} \sum_{j=1}^{d} (x_j - \mu)^2}, \qquad "
    r"y = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \odot \gamma + \beta",
)
def layer_norm(settings: TokenSettings) -> Evidence:
    """Compare the equation, the layer that models use, torch's function and a plain loop."""
    x, (gain, bias) = settings.draw(), settings.weights()
    written = layer_norm_written_out(x, gain, bias, EPSILON)
    layer = build_norm("layer", settings.width).double()
    layer.load_state_dict({"weight": gain, "bias": bias})
    rows = []
    for row in x.numpy():
        mean = sum(row) / len(row)
        deviation = np.sqrt(sum((row - mean) ** 2) / len(row) + EPSILON)
        rows.append((row - mean) / deviation * gain.numpy() + bias.numpy())
    oracle = F.layer_norm(x, (settings.width,), gain, bias, EPSILON)
    return Evidence(
        stated=[
            same("equation against torch's function", written, oracle),
            same("equation against a loop", written, torch.from_numpy(np.stack(rows))),
            same("layer of the models against torch's function", layer(x), oracle),
        ]
    )


@claim(
    "D18",
    "Layer norm gives the features of a token mean *zero* and standard deviation one.",
    r"\frac{1}{d} \sum_{j=1}^{d} \hat{x}_j = 0, \qquad \frac{1}{d} \sum_{j=1}^{d} \hat{x}_j^2 = "
    r"\frac{\sigma^2}{\sigma^2 + \epsilon} \approx 1",
    notes="layer norm normalizes to unit mean and unit standard deviation.",
)
def zero_mean(settings: TokenSettings) -> Evidence:
    """Measure mean and variance of the output, with gain 1 and bias 0."""
    x = settings.draw()
    normed = build_norm("layer", settings.width).double()(x).detach()
    mean, variance = normed.mean(dim=1), normed.var(dim=1, unbiased=False)
    before = x.var(dim=1, unbiased=False)
    deviation = same("variance against σ²/(σ² + ε)", variance, before / (before + EPSILON))
    return Evidence(
        stated=[same("mean of each token against 1", mean, torch.ones_like(mean)), deviation],
        corrected=[
            same("mean of each token against 0", mean, torch.zeros_like(mean)),
            deviation,
        ],
        numbers={
            "mean of the first token before": float(x[0].mean()),
            "mean of the first token after": float(mean[0]),
            "standard deviation of the first token before": float(before[0].sqrt()),
            "standard deviation of the first token after": float(variance[0].sqrt()),
        },
    )


@claim(
    "E135",
    "What a Transformer uses is layer norm: each token is normalized over its own features, "
    "independently of all other tokens. Batch norm normalizes each feature over the batch: the "
    "same computation along the other axis.",
    r"\mathrm{LN}(X) = \mathrm{BN}(X^\top)^\top",
    notes="a Transformer uses a “layer-wise batch normalization”.",
)
def not_batch_norm(settings: TokenSettings) -> Evidence:
    """Compare layer norm with batch norm of X and of Xᵀ."""
    x, width = settings.draw(), settings.width
    layer = build_norm("layer", width).double()
    changed = x.clone()
    changed[1:] += torch.arange(1, settings.tokens, dtype=torch.float64)[:, None] ** 2

    def batch_norm(rows: Tensor) -> Tensor:
        ones = torch.ones(rows.shape[1], dtype=torch.float64)
        return batch_norm_written_out(rows, ones, torch.zeros_like(ones), EPSILON)

    found = layer(x)
    return Evidence(
        stated=[same("layer norm against batch norm", found, batch_norm(x))],
        corrected=[
            same("layer norm against batch norm along the other axis", found, batch_norm(x.T).T),
            same("layer norm of the first token when the others change",
                 layer(changed)[0], found[0]),
            apart("batch norm of the first token when the others change",
                  batch_norm(changed)[0], batch_norm(x)[0],
                  1e-6),
        ],
    )  # fmt: skip


class InvarianceSettings(Settings):
    """A token, and how it is scaled, shifted and perturbed."""

    width: int = Field(default=8, ge=4, le=64)
    """Features of the token."""
    scale: float = Field(default=3.0, ge=1.5, le=1000.0)
    """Factor on all features."""
    shift: float = Field(default=5.0, ge=0.1, le=1000.0)
    """Added to all features."""
    noise: float = Field(default=0.5, ge=0.01, le=10.0)
    """Added to a single feature."""
    seed: int = Field(default=1, ge=0)
    """Seed of the token."""


@claim(
    "D48",
    "Layer norm removes exactly two things from a token, its mean and its scale, whether or not "
    "they carry information, and keeps everything else, whether or not it does. Two tokens that "
    "differ only in scale become equal, while noise in a single feature remains.",
    r"\mathrm{LN}(a x + b \mathbf{1}) = \mathrm{LN}(x) \quad (a > 0), \qquad "
    r"\frac{\partial\, \mathrm{LN}}{\partial x} = \frac{1}{\sigma} \left(I - \frac{1}{d} "
    r"\mathbf{1} \mathbf{1}^\top - \frac{1}{d} \hat{x} \hat{x}^\top\right)",
    notes="layer norm cuts down on uninformative variation in the values of hidden vectors.",
)
def what_it_removes(settings: InvarianceSettings) -> Evidence:
    """Change a token in several ways; count the directions that the Jacobian maps to zero."""
    generator = torch.Generator().manual_seed(settings.seed)
    width = settings.width
    x = torch.randn(width, generator=generator, dtype=torch.float64)
    gain, bias = torch.ones(width, dtype=torch.float64), torch.zeros(width, dtype=torch.float64)

    def norm(token: Tensor) -> Tensor:
        return layer_norm_written_out(token, gain, bias, 0.0)

    here = norm(x)
    scaled, shifted = norm(settings.scale * x), norm(x + settings.shift)
    disturbed = x.clone()
    disturbed[0] += settings.noise
    kept = (norm(disturbed) - here).abs().max()
    lengths = torch.linalg.svdvals(torch.func.jacrev(norm)(x))
    deviation = x.std(unbiased=False)
    expected = torch.cat((gain[2:] / deviation, bias[:2]))
    common = [
        same("LN(a x) against LN(x)", scaled, here),
        same("LN(x + b) against LN(x)", shifted, here),
    ]
    layer = build_norm("layer", width).double()  # with the ε of training
    told = (layer(settings.scale * x) - here).detach().abs().max()
    return Evidence(
        stated=[
            *common,
            above("difference left if the information was in the scale", told, 1e-3),
            at_most("noise left in a single feature", kept, 1e-10),
        ],
        corrected=[
            *common,
            at_most("difference left if the information was in the scale", told, 1e-3),
            above("noise left in a single feature", kept, 1e-10),
            same("singular values of the Jacobian against two 0s, all others 1/σ",
                 lengths, expected, 1e-9),
        ],
        numbers={
            "difference that RMS norm leaves of a shift": float(
                (rms_norm_written_out(x + settings.shift, gain, 0.0)
                 - rms_norm_written_out(x, gain, 0.0)).abs().max()),
            "noise before": settings.noise,
            "noise after": float(kept),
        },
        plot=[
            Bars("Change of the output of layer norm",
                 ["scaled", "shifted", "one feature changed"],
                 [[float((one - here).abs().max())] for one in (scaled, shifted)] + [[float(kept)]])
        ],
    )  # fmt: skip
