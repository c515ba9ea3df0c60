"""Claims on the size of scores: their variance, the saturated softmax, and the scale against it."""

import math
from itertools import product

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_most, below, equal, same
from dragoman.lab.sampling import normal
from dragoman.lab.topics.attention.watch import bare_attention, look, rows
from dragoman.neural.layers.alignment import ProductAlignment
from dragoman.neural.layers.attention import attention_weights
from dragoman.plots.lab import HeatMap, Panel, curve

ERRORS = 4.0
"""Standard errors within which an estimate must lie: one in 16,000 does not."""


class ScoreVarianceSettings(Settings):
    """Dot products of random vectors."""

    width: int = Field(default=64, ge=1, le=256)
    """Entries of each vector (D)."""
    samples: int = Field(default=10_000, ge=100, le=20_000)
    """Number of random pairs of vectors."""
    seed: int = Field(default=1, ge=0)
    """Seed of the vectors."""


@claim(
    "C23",
    "The dot product of two independent vectors whose $D$ entries have mean 0 and variance 1 "
    r"has the mean square $D$. Divided by $\sqrt{D}$, the scores have the same scale for every "
    "width.",
    r"\mathbb{E}[(a^\top b)^2] = \sum_{i,j} \mathbb{E}[a_i a_j]\, \mathbb{E}[b_i b_j] = D",
)
def mean_square_of_scores(settings: ScoreVarianceSettings) -> Evidence:
    """Estimate it with its interval; and compute it exactly for entries of 1 and -1."""
    widths = [1, 2, 3, 4, 5]
    exact = [_over_all_signs(width) for width in widths]
    squares = _scores(settings.width, settings.samples, settings.seed).square()
    mean, error = _mean_and_error(squares)
    shown = [4, 16, 64, 256]
    plain, scaled = zip(*(_entropies(width, settings.seed) for width in shown), strict=True)
    return Evidence(
        stated=[
            same(
                "difference from D over all ±1 vectors, D = 1 to 5",
                torch.tensor(exact),
                torch.tensor(widths),
            ),
            at_most("distance of the estimate from D", abs(mean - settings.width), ERRORS * error),
        ],
        numbers={
            "estimate": mean,
            "its standard error": error,
            "estimate after division by √D": mean / settings.width,
        },
        plot=[
            Panel(
                "Entropy of the softmax over 32 keys",
                [
                    curve("unscaled scores", shown, plain, 1),
                    curve("divided by √D", shown, scaled),
                    curve("uniform weights", [4, 256], [math.log(32)] * 2, 2, dashed=True),
                ],
                "width D",
                lowest=0.0,
                doubling=True,
            )
        ],
    )


def _scores(width: int, samples: int, seed: int) -> Tensor:
    """Return the products of so many pairs of random vectors, by dot-product attention."""
    queries, keys = normal(seed, 2, samples, 1, width)
    return ProductAlignment(width, width, matrix=False).scores(queries, keys).flatten()


def _scaled_scores(width: int, samples: int, seed: int) -> Tensor:
    """Return the scores behind the weights of attention, divided by √d as the layer does it.

    Each query has two keys, one random and one zero; the logit of the first weight is its score.
    """
    q, k = normal(seed, 2, samples, 1, 1, width)
    keys = torch.cat((k, torch.zeros_like(k)), dim=2)
    return attention_weights(q, keys, None, None, causal=False)[..., 0].logit().flatten()


def _over_all_signs(width: int) -> float:
    """Return the mean square over all pairs of vectors of 1 and -1, which are equally likely."""
    signs = torch.tensor(list(product((-1.0, 1.0), repeat=width)), dtype=torch.float64)
    score = ProductAlignment(width, width, matrix=False)
    return float(score.scores(signs[None], signs[None]).square().mean())


def _mean_and_error(values: Tensor) -> tuple[float, float]:
    return float(values.mean()), float(values.std()) / math.sqrt(len(values))


def _entropies(width: int, seed: int) -> tuple[float, float]:
    """Return the mean entropy of the weights, without and with the scale."""
    q, k = normal(seed, 2, 1, 1, 32, width)
    both = [
        attention_weights(one, k, None, None, causal=False) for one in (math.sqrt(width) * q, q)
    ]
    plain, scaled = (float(-torch.special.xlogy(one, one).sum(-1).mean()) for one in both)
    return plain, scaled


class HeadScaleSettings(Settings):
    """Heads that share a width."""

    heads: int = Field(default=4, ge=1, le=16)
    """Number of heads (h)."""
    head_width: int = Field(default=8, ge=1, le=64)
    """Width of each head (d / h)."""
    words: int = Field(default=6, ge=2, le=30)
    """Positions of the sequence."""
    seed: int = Field(default=1, ge=0)
    """Seed of the input and of the weights."""


@claim(
    "D13",
    r"With $h$ heads the scores are divided by $\sqrt{d/h}$, the square root of the width of "
    "*one head*, because that is the number of entries the dot product sums over and the "
    "variance of the score.",
    r"\mathrm{softmax}\left(\frac{X Q_\ell K_\ell^\top X^\top}{\sqrt{d/h}}\right), \qquad "
    r"\mathrm{Var}(q \cdot k) = \frac{d}{h}",
)
def scale_of_a_head(settings: HeadScaleSettings) -> Evidence:
    """Compare the layer's weights with each head's own scale, and estimate its scores' variance."""
    heads, each = settings.heads, settings.head_width
    layer = bare_attention(heads * each, settings.seed, heads)
    x = normal(settings.seed + 1, settings.words, heads * each)
    weights = look(layer, x)[1]
    with torch.no_grad():
        q, k = layer.query(x), layer.key(x)
    wanted = []
    for head in range(heads):
        part = slice(head * each, (head + 1) * each)
        scores = torch.einsum("id,jd->ij", q[:, part], k[:, part]) * each**-0.5
        wanted.append(scores.exp() / scores.exp().sum(1, keepdim=True))
    samples = _scores(each, 4000, settings.seed)
    plain, error = _mean_and_error(samples.square())
    scaled, scaled_error = _mean_and_error(_scaled_scores(each, 4000, settings.seed).square())
    return Evidence(
        stated=[
            same(
                "difference of the weights from each head's softmax", weights, torch.stack(wanted)
            ),
            at_most("distance of the scores' variance from d/h", abs(plain - each), ERRORS * error),
            at_most(
                "distance of the scaled scores' variance from 1",
                abs(scaled - 1),
                ERRORS * scaled_error,
            ),
        ],
        numbers={"variance of the scores": plain, "variance after division by √(d/h)": scaled},
    )


class SaturationSettings(Settings):
    """Scores that grow too large for a softmax."""

    width: int = Field(default=256, ge=32, le=512)
    """Width of queries and keys (d_k)."""
    keys: int = Field(default=16, ge=2, le=64)
    """Keys that each query sees."""
    seed: int = Field(default=1, ge=0)
    """Seed of queries and keys."""


@claim(
    "E136",
    "When scores become large, the softmax approaches a one-hot vector and its derivative "
    "approaches zero, so the loss and its gradient barely respond to a change of the scores. "
    r"Dividing by $\sqrt{d_k}$ keeps the scores in the range where the softmax can learn.",
    r"\frac{\partial p}{\partial s} = \mathrm{diag}(p) - p p^\top, \qquad "
    r"\lVert \mathrm{diag}(p) - p p^\top \rVert_F \le 2 (1 - \max_i p_i)",
)
def saturated_softmax(settings: SaturationSettings) -> Evidence:
    """Compare the Jacobian with its closed form, and its size with and without the scale."""
    q = normal(settings.seed, 1, 1, 32, settings.width)
    k = normal(settings.seed + 1, 1, 1, settings.keys, settings.width)
    unscaled = math.sqrt(settings.width) * q
    bare, weights = (
        _jacobians(unscaled, k),
        attention_weights(unscaled, k, None, None, causal=False),
    )
    scaled = _jacobians(q, k)
    p = weights[0, 0]
    closed = torch.diag_embed(p) - p[:, :, None] * p[:, None, :]
    sizes = bare.flatten(1).norm(dim=1)
    excess = sizes - 2 * (1 - p.amax(1))
    factors = [2.0**power for power in range(-4, 5)]
    shown = [float(_jacobians(one * q, k).flatten(1).norm(dim=1).mean()) for one in factors]
    return Evidence(
        stated=[
            same("difference of the Jacobian from its closed form", bare, closed),
            at_most("largest excess of the Jacobian's norm over its bound", excess.max(), 1e-12),
            below(
                "mean norm of the Jacobian, unscaled",
                sizes.mean(),
                scaled.flatten(1).norm(dim=1).mean(),
            ),
        ],
        numbers={
            "mean largest weight, unscaled": float(p.amax(1).mean()),
            "mean norm of the Jacobian, scaled by √d_k": float(
                scaled.flatten(1).norm(dim=1).mean()
            ),
            "mean norm of the Jacobian, unscaled": float(sizes.mean()),
        },
        plot=[
            Panel(
                "Norm of the softmax's Jacobian",
                [curve("mean over 32 queries", factors, shown)],
                "standard deviation of the scores",
                lowest=0.0,
                doubling=True,
            )
        ],
    )


def _jacobians(q: Tensor, k: Tensor) -> Tensor:
    """Return for each query the derivative of its weights with respect to its scores, t s s."""
    queries, keys = q.shape[2], k.shape[2]
    bias = torch.zeros(1, 1, queries, keys, dtype=torch.float64, requires_grad=True)
    weights = attention_weights(q, k, None, bias, causal=False)
    columns = [
        torch.autograd.grad(weights[..., key].sum(), bias, retain_graph=True)[0]
        for key in range(keys)
    ]
    return torch.stack(columns, dim=-2)[0, 0]  # d weight / d score


class AlmostOneHotSettings(Settings):
    """Words whose attention gets sharper and sharper."""

    words: int = Field(default=5, ge=2, le=30)
    """Words of the sentence."""
    sharpness: float = Field(default=8.0, ge=0.0, le=20.0)
    """Largest lead that one score of a row can have over another."""
    seed: int = Field(default=1, ge=0)
    """Seed of the words."""


@claim(
    "E133",
    "Each row of the softmax is a distribution over all words, with one column per word: "
    "positive weights that sum to 1. It is never exactly one-hot, because $e^s$ is never zero "
    "(only rounding makes it so, from a lead of about 37 in float64).",
    r"p_{ij} = \frac{e^{s_{ij}}}{\sum_l e^{s_{il}}}, \qquad 0 < p_{ij} < 1, \qquad "
    r"\sum_j p_{ij} = 1",
    notes="the rows are one-hot (and draw four columns for five words).",
)
def rows_are_not_one_hot(settings: AlmostOneHotSettings) -> Evidence:
    """Look at the greatest, the least and the sum of each row of a layer's weights."""
    layer = bare_attention(8, settings.seed)
    x = normal(settings.seed + 1, settings.words, 8)
    with torch.no_grad():
        scores = layer.query(x) @ layer.key(x).T / math.sqrt(8)
        spread = float((scores.amax(1) - scores.amin(1)).max())
        layer.query.weight.mul_(settings.sharpness / max(spread, 1e-9))
    weights = look(layer, x)[1][0]
    sums = same("distance of the rows' sums from 1", weights.sum(1), torch.ones(settings.words))
    return Evidence(
        stated=[
            sums,
            same(
                "distance of the largest weights from 1",
                weights.amax(1),
                torch.ones(settings.words),
            ),
            equal("columns", weights.shape[1], settings.words - 1),
        ],
        corrected=[
            sums,
            below("largest weight", weights.max(), 1.0),
            above("smallest weight", weights.min(), 0.0),
            equal("columns", weights.shape[1], settings.words),
        ],
        numbers={
            "largest weight": float(weights.max()),
            "lead at which float64 rounds to 1": -math.log(2.0**-53),
        },
        plot=[HeatMap("Weights: no row is one-hot", rows(weights), "key", "query")],
    )
