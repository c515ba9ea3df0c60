"""Claims on ALiBi: a penalty for distance, with a slope for each head."""

import math

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal, same
from dragoman.lab.sampling import random_layer
from dragoman.lab.topics.attention.watch import rows, written
from dragoman.neural.layers.alibi import Alibi, alibi_slopes
from dragoman.neural.layers.attention import attention_weights
from dragoman.plots.lab import HeatMap, Panel, curve


class AlibiSettings(Settings):
    """Heads with a penalty for distance."""

    length: int = Field(default=8, ge=2, le=60)
    """Positions of the sequence."""
    doublings: int = Field(default=2, ge=0, le=5)
    """The number of heads is 2 to the power of this."""

    @property
    def heads(self) -> int:
        """Number of heads."""
        return 2**self.doublings


def _bias(heads: int, length: int) -> Tensor:
    """Return what the product's layer adds to the scores, h n n."""
    places = torch.arange(length)[None]
    q = torch.zeros(1, heads, length, 4, dtype=torch.float64)
    bias: Tensor = Alibi(heads)(q, places, places)[0]
    return bias


@claim(
    "C31",
    r"ALiBi adds $-m\,|i - j|$ to the scores: zero on the diagonal, and a penalty that grows "
    "with the distance. In a causal layer only $-m (i - j)$ is visible. The matrix of a longer "
    "text contains that of a shorter one, so the method extends to any length.",
    r"\mathrm{softmax}\left(\frac{q_i \cdot k_j}{\sqrt{d_k}} - m\, |i - j|\right)",
)
def linear_bias(settings: AlibiSettings) -> Evidence:
    """Compare the bias with a loop, its causal half, and that of a longer text."""
    heads, length = settings.heads, settings.length
    bias = _bias(heads, length)
    slopes = alibi_slopes(heads)
    loop = torch.tensor(
        [[[-m * abs(i - j) for j in range(length)] for i in range(length)] for m in slopes],
        dtype=torch.float64,
    )
    seen = torch.arange(length)[:, None] - torch.arange(length)
    causal = -torch.tensor(slopes, dtype=torch.float64)[:, None, None] * seen
    past = seen >= 0
    nothing = torch.zeros(1, heads, length, 4, dtype=torch.float64)
    weights = attention_weights(nothing, nothing, None, bias[None], causal=True)[0]
    decrease = bias[:, 0, :-1] - bias[:, 0, 1:]
    return Evidence(
        stated=[
            same("difference from a loop", bias, loop),
            equal("largest bias on the diagonal", bias.diagonal(dim1=1, dim2=2).abs().max(), 0, 0),
            above("smallest decrease per step of distance", decrease.min(), 0.0),
            same("difference from −m (i − j), for j ≤ i", bias[:, past], causal[:, past]),
            same(
                "difference from the bias of a text twice as long",
                _bias(heads, 2 * length)[:, :length, :length],
                bias,
            ),
        ],
        plot=[
            HeatMap("Bias of the first head", rows(bias[0]), "key", "query"),
            HeatMap("Its causal weights, all scores equal", rows(weights[0]), "key", "query"),
        ],
    )


@claim(
    "C32",
    "The slope $m$ belongs to the head and is fixed before training. For $n$ heads ($n$ a power "
    r"of two) the slopes are $2^{-8/n}, 2^{-16/n}, \ldots, 2^{-8}$. Heads penalize distance at "
    "different rates, so some look near and others far.",
    r"m_k = 2^{-8k/n}, \qquad k = 1, \ldots, n",
)
def slopes_of_heads(settings: AlibiSettings) -> Evidence:
    """Compare the slopes with powers of two, and measure how far each head looks."""
    heads, length = settings.heads, settings.length
    slopes = alibi_slopes(heads)
    powers = [math.exp(-8 * k / heads * math.log(2)) for k in range(1, heads + 1)]
    weights = _bias(heads, length).softmax(-1)[:, 0]  # all scores equal
    reach = (weights * torch.arange(length)).sum(-1)
    layer = random_layer(lambda: Alibi(heads), 0)
    growth = reach.diff() if heads > 1 else torch.ones(1)
    last = weights[-1]
    return Evidence(
        stated=[
            same(
                "difference from powers of two",
                torch.tensor(slopes, dtype=torch.float64),
                torch.tensor(powers, dtype=torch.float64),
            ),
            same(
                "difference of each slope's ratio to the previous one from the first slope",
                _ratios(slopes),
                torch.full((heads,), slopes[0], dtype=torch.float64),
            ),
            equal("parameters", sum(one.numel() for one in layer.parameters()), 0),
            above("smallest growth of the mean distance from head to head", growth.min(), 0.0),
            below("weight of the farthest key in the last head", last[-1], last[0]),
        ],
        numbers={"slopes": written(slopes), "mean distance under the weights": written(reach)},
        plot=[
            Panel(
                "Weight by distance, all scores equal",
                [
                    curve(f"head {head + 1}", list(range(length)), weights[head].tolist(), color)
                    for color, head in enumerate(sorted({0, heads // 2, heads - 1}))
                ],
                "distance",
                lowest=0.0,
            )
        ],
    )


def _ratios(slopes: list[float]) -> Tensor:
    """Return each slope divided by the previous one, the first divided by 1."""
    ratios = [b / a for a, b in zip([1.0, *slopes[:-1]], slopes, strict=True)]
    return torch.tensor(ratios, dtype=torch.float64)
