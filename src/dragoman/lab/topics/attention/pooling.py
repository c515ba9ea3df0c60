"""Claims on the limit of a sharp softmax: it picks the largest entry, and attention pools."""

import math

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import EXACT, Evidence, at_most, largest_difference, same
from dragoman.lab.sampling import random_layer, shuffled
from dragoman.lab.topics.attention.watch import look, set_weights
from dragoman.neural.layers.attention import Attention, HeadShape, attention_weights
from dragoman.neural.layers.relative_position_bias import RelativePositionBias
from dragoman.plots.lab import Panel, curve

STEP = 0.2
"""Distance between neighboring inputs, once sorted."""


FLOOR = 1e-9
"""Smallest error that the plot shows."""


class AttentionPoolingSettings(Settings):
    """Channels that attention should max-pool."""

    constant: float = Field(default=30.0, ge=10.0, le=1000.0)
    """The large constant C of the query's and of the key's weight."""
    reach: int = Field(default=1, ge=1, le=5)
    """How far the window reaches to each side (k)."""
    lowest: int = Field(default=-6, ge=-40, le=40)
    """The smallest input, in steps of 0.2; from 1 on, all inputs are positive."""
    length: int = Field(default=13, ge=2, le=100)
    """Positions of the sequence."""
    channels: int = Field(default=2, ge=1, le=8)
    """Channels, each of which is pooled by a head of its own."""
    seed: int = Field(default=1, ge=0)
    """Seed of the order of the inputs."""


@claim(
    "A12",
    "Attention over a window tends to max pooling if all queries are equal: $a_{ij} = C^2 x_j$, "
    "with a bias in place of the query's weight and one head per channel. With $W_Q = W_K = C$ "
    "the score is also multiplied by $x_i$: where $x_i$ is negative, the *minimum* of the "
    "window comes out, and where it is zero, the mean.",
    r"a_{ij} = C \cdot C x_j, \qquad y_i \to \max_{|i-j| \le k} x_j \quad (C \to \infty)",
    notes="$W_Q = W_K = C$, hence $a_{ij} = C^2 x_i x_j$, gives the maximum.",
)
def attention_as_max_pooling(settings: AttentionPoolingSettings) -> Evidence:
    """Compare both queries with torch's pooling: the one of the notes, and a constant one."""
    x, reach = _pooling_inputs(settings), settings.reach
    constant = settings.constant
    as_noted, repaired = (_pooled(x, constant, reach, one) for one in (False, True))
    greatest, least = _max_pool(x, reach), -_max_pool(-x, reach)
    window = 2 * reach + 1
    mean = F.avg_pool1d(x.T, window, 1, reach, count_include_pad=False).T
    spread = 2 * reach * float(x.max() - x.min())
    smallest = float(x[x != 0].abs().min())
    bound = EXACT + spread * math.exp(-STEP * constant**2)
    noted_bound = EXACT + spread * math.exp(-STEP * constant**2 * smallest)
    negative, zero = x < 0, x == 0
    return Evidence(
        stated=[
            at_most("error with the query C x", largest_difference(as_noted, greatest), noted_bound)
        ],
        corrected=[
            at_most("error with the query C", largest_difference(repaired, greatest), bound),
            at_most(
                "where x < 0, distance of the notes' output from the minimum",
                largest_difference(as_noted[negative], least[negative]),
                noted_bound,
            ),
            same(
                "where x = 0, distance of the notes' output from the mean",
                as_noted[zero],
                mean[zero],
            ),
        ],
        numbers={
            "positions with x < 0": int(negative.sum()),
            "positions with x = 0": int(zero.sum()),
        },
        plot=[_pooling_plot(x, reach)],
    )


def _pooling_inputs(settings: AttentionPoolingSettings) -> Tensor:
    grid = (settings.lowest + torch.arange(settings.length, dtype=torch.float64)) * STEP
    orders = [shuffled(settings.seed + channel, len(grid)) for channel in range(settings.channels)]
    return torch.stack([grid[order] for order in orders], dim=1)  # n channels


def _max_pool(x: Tensor, reach: int) -> Tensor:
    return F.max_pool1d(x.T, 2 * reach + 1, stride=1, padding=reach).T


def _pooled(x: Tensor, constant: float, reach: int, constant_query: bool) -> Tensor:
    """Attend within a window by a head for each channel, with C as the query or as its weight."""
    channels = x.shape[1]
    layer = random_layer(
        lambda: Attention(
            channels,
            channels,
            HeadShape(output=False),
            position_bias=RelativePositionBias(channels, reach + 1),
        ),
        0,
    )
    identity = torch.eye(channels, dtype=torch.float64)
    query = identity * (0.0 if constant_query else constant)
    set_weights(layer, query, constant * identity, identity)
    with torch.no_grad():
        for part, bias in (
            (layer.query, constant * constant_query),
            (layer.key, 0),
            (layer.value, 0),
        ):
            part.bias.fill_(bias)
        table = layer.get_parameter("offsets.table").zero_()
        table[:, [0, -1]] = -math.inf
    return look(layer, x)[0]


def _pooling_plot(x: Tensor, reach: int) -> Panel:
    constants = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    positive = x - x.min() + STEP
    ways = (
        ("query C x, notes", x, False),
        ("query C x, all x > 0", positive, False),
        ("query C", x, True),
    )
    lines = []
    for color, (label, inputs, repaired) in enumerate(ways):
        wanted = _max_pool(inputs, reach)
        found = [_pooled(inputs, one, reach, repaired) for one in constants]
        errors = [max(FLOOR, largest_difference(one, wanted)) for one in found]
        lines.append(curve(label, constants, errors, color))
    title = "Largest difference from max pooling"
    return Panel(title, lines, "constant C", doubling=True, logarithmic=True)


class SharpSoftmaxSettings(Settings):
    """A softmax that is sharpened."""

    constant: float = Field(default=100.0, ge=0.0, le=10_000.0)
    """The factor C of all entries, which is 1 / temperature."""
    entries: int = Field(default=6, ge=2, le=100)
    """Number of entries."""
    maxima: int = Field(default=1, ge=1, le=100)
    """How many of them share the largest value."""
    seed: int = Field(default=1, ge=0)
    """Seed of the order of the entries."""


SHARPEST = 10_000.0


@claim(
    "A13",
    "As the factor $C$ grows, the softmax of $Cx$ tends to the one-hot vector of the largest "
    r"entry, with an error of order $e^{-C\Delta}$, where $\Delta$ is the lead of that entry. If "
    "several entries share the maximum, they share the weight equally; try it with more than "
    "one maximum.",
    r"\lim_{C \to \infty} \frac{e^{C x_i}}{\sum_j e^{C x_j}} = "
    r"\begin{cases} 1/m & x_i = \max_j x_j \\ 0 & \mathrm{else} \end{cases}",
    notes="",
)
def sharp_softmax(settings: SharpSoftmaxSettings) -> Evidence:
    """Sharpen the weights of one query, and compare with their limit."""
    maxima = min(settings.maxima, settings.entries)
    order = shuffled(settings.seed, settings.entries)
    x = (torch.arange(settings.entries).clamp(max=settings.entries - maxima).double() * STEP)[order]
    one_hot = F.one_hot(x.argmax(), settings.entries).double()
    shared = x.eq(x.max()).double() / maxima
    sharp, limit = (_sharpened(x, one) for one in (settings.constant, SHARPEST))
    bound = EXACT + settings.entries * math.exp(-STEP * settings.constant)
    constants = [2.0**power for power in range(-2, 8)]
    weights = [_sharpened(x, one).sort(descending=True).values for one in constants]
    ranks = [0, 1, min(2, settings.entries - 1)]
    return Evidence(
        stated=[
            at_most("distance from one-hot", largest_difference(sharp, one_hot), bound),
            same(f"distance from one-hot at C = {SHARPEST:g}", limit, one_hot),
        ],
        corrected=[
            at_most("distance from equal shares", largest_difference(sharp, shared), bound),
            same(f"distance from equal shares at C = {SHARPEST:g}", limit, shared),
        ],
        numbers={"largest weight": float(sharp.max()), "sum of the weights": float(sharp.sum())},
        plot=[
            Panel(
                "The three largest weights",
                [
                    curve(f"{rank + 1}.", constants, [float(one[rank]) for one in weights], color)
                    for color, rank in enumerate(ranks)
                ],
                "factor C",
                lowest=0.0,
                doubling=True,
            )
        ],
    )


def _sharpened(x: Tensor, constant: float) -> Tensor:
    """Return the weights of a query C for keys x of one entry."""
    query = x.new_full((1, 1, 1, 1), constant)
    return attention_weights(query, x[None, None, :, None], None, None, causal=False)[0, 0, 0]
