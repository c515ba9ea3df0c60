"""Claims on relative attention: a number for each offset, and the convolution made of it."""

import math

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, same
from dragoman.lab.sampling import normal, random_layer
from dragoman.lab.topics.attention.watch import BARE, look, rows, set_weights
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.relative_position_bias import RelativePositionBias
from dragoman.plots.lab import HeatMap, Panel, curve


class RelativeAttentionSettings(Settings):
    """A sequence that is read by relative attention."""

    length: int = Field(default=7, ge=1, le=30)
    """Positions of the sequence."""
    width: int = Field(default=4, ge=1, le=64)
    """Entries of each vector."""
    reach: int = Field(default=3, ge=1, le=20)
    """Offsets beyond this distance share one bias."""
    seed: int = Field(default=1, ge=0)
    """Seed of the input and of the weights."""


@claim(
    "A9",
    "Relative attention adds to each score, before the softmax, a number that depends only on "
    "the offset between query and key, wherever the two stand.",
    r"a_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} + p_{i-j}, \qquad "
    r"z_{ij} = \frac{e^{a_{ij}}}{\sum_l e^{a_{il}}}, \qquad y_i = \sum_j z_{ij} v_j",
)
def relative_attention(settings: RelativeAttentionSettings) -> Evidence:
    """Compare the layer with a loop, and with torch's attention and a dense matrix of biases."""
    reach, width = settings.reach, settings.width
    layer = random_layer(
        lambda: Attention(width, 1, BARE, position_bias=RelativePositionBias(1, reach)),
        settings.seed,
    )
    x = normal(settings.seed + 1, settings.length, width)
    mixed, weights = look(layer, x)
    with torch.no_grad():
        q, k, v = layer.query(x), layer.key(x), layer.value(x)
    bias = layer.get_parameter("offsets.table")[0].flip(0)  # the layer counts j - i
    dense = x.new_zeros(len(x), len(x))
    wanted = torch.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(x)):
            dense[i, j] = bias[max(-reach, min(reach, i - j)) + reach].detach()
        shares = [
            math.exp(float(q[i] @ k[j]) / math.sqrt(width) + dense[i, j]) for j in range(len(x))
        ]
        wanted[i] = sum(share * v[j] for j, share in enumerate(shares)) / sum(shares)
    torchs = F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=dense[None])[0]
    return Evidence(
        stated=[
            same("difference from a loop", mixed, wanted),
            same("difference from torch with a dense bias", mixed, torchs),
        ],
        plot=[
            HeatMap("The bias p by offset", rows(dense), "key j", "query i"),
            HeatMap("Weights z", rows(weights[0]), "key j", "query i"),
        ],
    )


class AttentionConvolutionSettings(Settings):
    """A kernel of three weights, none of them negative, over a sequence."""

    left: float = Field(default=2.0, ge=0.01, le=100.0)
    """Weight of the left neighbor."""
    middle: float = Field(default=0.0, ge=0.0, le=100.0)
    """Weight of the position itself."""
    right: float = Field(default=1.0, ge=0.01, le=100.0)
    """Weight of the right neighbor."""
    length: int = Field(default=8, ge=3, le=200)
    """Positions of the sequence."""
    seed: int = Field(default=1, ge=0)
    """Seed of the sequence."""


@claim(
    "A11",
    r"Relative attention with zero queries, $p_1 = \ln 2$, $p_{-1} = 0$, all other $p = "
    r"-\infty$, and $W_V = 3I$ equals the convolution with $[2, 0, 1]$ except at the two ends. "
    "There the softmax gives all of its weight to the one existing neighbor, where a padded "
    "convolution sees a zero: $y_1 = 3 x_2$ and $y_T = 3 x_{T-1}$.",
    r"z_{i,i-1} = \frac{2}{3}, \quad z_{i,i+1} = \frac{1}{3}, \quad y_i = 2 x_{i-1} + x_{i+1} "
    r"\;(1 < i < T), \qquad y_1 = 3 x_2, \quad y_T = 3 x_{T-1}",
    notes="this attention equals the convolution everywhere, with no exception for the two ends.",
)
def attention_as_convolution(settings: AttentionConvolutionSettings) -> Evidence:
    """Compare the constructed layer with torch's convolution, everywhere and inside."""
    kernel = [settings.left, settings.middle, settings.right]
    total = sum(kernel)
    layer = random_layer(
        lambda: Attention(1, 1, BARE, position_bias=RelativePositionBias(1, 2)), settings.seed
    )
    zero = torch.zeros(1, 1, dtype=torch.float64)
    set_weights(layer, zero, zero, zero + total)
    with torch.no_grad():
        numbers = torch.tensor([0.0, *kernel, 0.0], dtype=torch.float64).log()
        layer.get_parameter("offsets.table").copy_(numbers[None])
    x = normal(settings.seed + 1, settings.length, 1)
    y, weights = look(layer, x)
    flat = torch.tensor(kernel, dtype=torch.float64)[None, None]
    convolved = F.conv1d(x.T[None], flat, padding=1)[0].T
    first = total * (kernel[1] * x[0] + kernel[2] * x[1]) / (kernel[1] + kernel[2])
    last = total * (kernel[0] * x[-2] + kernel[1] * x[-1]) / (kernel[0] + kernel[1])
    places = list(range(1, settings.length + 1))
    return Evidence(
        stated=[same("difference from the convolution", y, convolved)],
        corrected=[
            same("difference from the convolution, ends left out", y[1:-1], convolved[1:-1]),
            same("difference of the first output from its closed form", y[0], first),
            same("difference of the last output from its closed form", y[-1], last),
        ],
        numbers={
            "weight of the left neighbor": float(weights[0, 1, 0]),
            "weight of the right neighbor": float(weights[0, 1, 2]),
            "first output": f"{float(y[0]):.4f}, convolution {float(convolved[0]):.4f}",
            "last output": f"{float(y[-1]):.4f}, convolution {float(convolved[-1]):.4f}",
        },
        plot=[
            Panel(
                "Attention and the convolution",
                [
                    curve("attention", places, y[:, 0].tolist()),
                    curve("convolution", places, convolved[:, 0].tolist(), 1, dashed=True),
                ],
                "position",
            ),
            HeatMap("Weights", rows(weights[0]), "key j", "query i"),
        ],
    )
