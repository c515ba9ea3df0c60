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
    """Products of random vectors."""

    width: int = Field(default=64, ge=1, le=256)
    """Entries of each vector (D)."""
    samples: int = Field(default=10_000, ge=100, le=20_000)
    """Pairs of vectors that are drawn."""
    seed: int = Field(default=1, ge=0)
    """Seed of the vectors."""


@claim(
    "C23",
    "The dot product of two independent vectors whose $D$ entries have mean 0 and variance 1 has "
    "the mean square $D$. Divided by $\\sqrt{D}$ the scores keep their size whatever the width.",
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
                "difference over all vectors of signs, D = 1 to 5",
                torch.tensor(exact),
                torch.tensor(widths),
            ),
            at_most("distance of the estimate from D", abs(mean - settings.width), ERRORS * error),
        ],
        numbers={
            "estimate": mean,
            "its standard error": error,
            "estimate after division by the root of D": mean / settings.width,
        },
        plot=[
            Panel(
                "Entropy of the softmax over 32 keys",
                [
                    curve("scores as they are", shown, plain, 1),
                    curve("divided by √D", shown, scaled),
                    curve("even weights", [4, 256], [math.log(32)] * 2, 2, dashed=True),
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
    """How many heads share the width (h)."""
    head_width: int = Field(default=8, ge=1, le=64)
    """Entries of each head (d / h)."""
    words: int = Field(default=6, ge=2, le=30)
    """Positions of the sequence."""
    seed: int = Field(default=1, ge=0)
    """Seed of the input and of the weights."""


@claim(
    "D13",
    "With $h$ heads the scores are divided by $\\sqrt{d/h}$, the root of a *head's* width: the "
    "products sum over so many entries, and their variance grows with it.",
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
    return Evidence(
        stated=[
            same(
                "difference of the weights from each head's softmax", weights, torch.stack(wanted)
            ),
            at_most("distance of the scores' variance from d/h", abs(plain - each), ERRORS * error),
            at_most(
                "distance of the scaled scores' variance from 1",
                abs(float((samples / math.sqrt(each)).square().mean()) - 1),
                ERRORS * error / each,
            ),
        ],
        numbers={"variance of the scores": plain, "after the division": plain / each},
    )


class SaturationSettings(Settings):
    """Scores that grow too large for a softmax."""

    width: int = Field(default=256, ge=32, le=512)
    """Entries of queries and keys (d_k)."""
    keys: int = Field(default=16, ge=2, le=64)
    """Keys that each query sees."""
    seed: int = Field(default=1, ge=0)
    """Seed of queries and keys."""


@claim(
    "E136",
    "Where scores grow large, the softmax comes close to a single one and its derivative close to "
    "nought: the gradient of the loss hardly changes anything. Dividing by $\\sqrt{d_k}$ keeps "
    "the scores where the softmax can learn.",
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
    slack = 2 * (1 - p.amax(1)) + 1e-15 - sizes
    factors = [2.0**power for power in range(-4, 5)]
    shown = [float(_jacobians(one * q, k).flatten(1).norm(dim=1).mean()) for one in factors]
    return Evidence(
        stated=[
            same("difference of the Jacobian from its closed form", bare, closed),
            above("smallest distance below the bound", slack.min(), -1e-12),
            below(
                "mean size of the Jacobian without the scale",
                sizes.mean(),
                scaled.flatten(1).norm(dim=1).mean(),
            ),
        ],
        numbers={
            "mean greatest weight, not scaled": float(p.amax(1).mean()),
            "mean size, scaled by the root of d_k": float(scaled.flatten(1).norm(dim=1).mean()),
            "mean size, not scaled": float(sizes.mean()),
        },
        plot=[
            Panel(
                "Size of the softmax's Jacobian",
                [curve("mean over 32 queries", factors, shown)],
                "deviation of the scores",
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
    return torch.stack(columns, dim=-2)[0, 0]  # of a weight by each score


class AlmostOneHotSettings(Settings):
    """Words that attend to each other more and more sharply."""

    words: int = Field(default=5, ge=2, le=30)
    """Words of the sentence."""
    sharpness: float = Field(default=8.0, ge=0.0, le=20.0)
    """How far the greatest score of each row can lead."""
    seed: int = Field(default=1, ge=0)
    """Seed of the words."""


@claim(
    "E133",
    "Each row of the softmax is a distribution over all words, a column for each: positive "
    "weights that sum to 1. It is never exactly one-hot, for no power of $e$ is nought (only "
    "rounding makes it so, from a lead of about 37 in float64).",
    r"p_{ij} = \frac{e^{s_{ij}}}{\sum_l e^{s_{il}}}, \qquad 0 < p_{ij} < 1, \qquad "
    r"\sum_j p_{ij} = 1",
    notes="the rows are one-hot, drawn with four columns for five words",
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
                "distance of the greatest weights from 1",
                weights.amax(1),
                torch.ones(settings.words),
            ),
            equal("columns", weights.shape[1], settings.words - 1),
        ],
        corrected=[
            sums,
            below("greatest weight", weights.max(), 1.0),
            above("least weight", weights.min(), 0.0),
            equal("columns", weights.shape[1], settings.words),
        ],
        numbers={
            "greatest weight": float(weights.max()),
            "lead from which float64 rounds to one": -math.log(2.0**-53),
        },
        plot=[HeatMap("Weights: no row is one-hot", rows(weights), "key", "query")],
    )
