"""Claims on sinusoidal positions: frequencies, exponents, where to start, and distances."""

import math

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_most, largest_difference, same
from dragoman.lab.topics.attention.watch import rows, written
from dragoman.neural.layers.positions import SinusoidalPositions, sinusoids
from dragoman.plots.lab import HeatMap

BASE = 10_000.0


class WavesSettings(Settings):
    """A table of sinusoidal positions."""

    width: int = Field(default=16, ge=4, le=64, multiple_of=2)
    """Entries of each position's vector (d)."""
    positions: int = Field(default=40, ge=3, le=200)
    """Number of positions."""
    shift: int = Field(default=7, ge=1, le=10_000)
    """Number of positions by which a word is moved."""


def _uneven(table: Tensor) -> float:
    """Return how much the dot product of two positions depends on more than their distance."""
    products = table @ table.T
    return largest_difference(products[1:, 1:], products[:-1, :-1])


def _rotation(angles: Tensor) -> Tensor:
    """Return the matrix that rotates each pair (sine, cosine) by its angle."""
    blocks = [
        torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]], dtype=torch.float64)
        for a in angles.tolist()
    ]
    return torch.block_diag(*blocks)


def _frequencies(width: int, first: int = 0) -> Tensor:
    """Return 1 / 10000^(2i/d) for i = first, first + 1, …"""
    return torch.tensor(
        [BASE ** (-2 * (pair + first) / width) for pair in range(width // 2)], dtype=torch.float64
    )


def _by_hand(places: range, width: int, first: int) -> Tensor:
    """Return the table of interleaved sines and cosines, number by number."""
    table = [
        [
            wave(place / BASE ** (2 * (pair + first) / width))
            for pair in range(width // 2)
            for wave in (math.sin, math.cos)
        ]
        for place in places
    ]
    return torch.tensor(table, dtype=torch.float64)


@claim(
    "A17",
    "Sinusoids are defined for every position, however late, where one-hot positions end with "
    "their table. They also represent distance: moving by $k$ is the same rotation everywhere, "
    "and the dot product of two positions depends only on their distance. (Being defined for "
    "any length does not mean that a trained network generalizes to any length.)",
    r"P_{p+k} = R_k P_p, \qquad P_p \cdot P_q = \sum_i \cos\left(\frac{p - q}{10000^{2i/d}}\right)",
)
def waves_know_distance(settings: WavesSettings) -> Evidence:
    """Compare shifted positions with a rotation, and products with a sum of cosines."""
    width, count, shift = settings.width, settings.positions, settings.shift
    table = sinusoids(count + shift, width, "interleaved")
    frequencies = _frequencies(width)
    turned = table[:count] @ _rotation(shift * frequencies).T
    near = table[:count]
    distance = torch.arange(count)[:, None] - torch.arange(count)
    cosines = (distance[..., None] * frequencies).cos().sum(-1)
    late = SinusoidalPositions(width, "interleaved")(
        near.new_zeros(1, 1, width), torch.tensor([[shift + count]])
    )
    one_hot = torch.eye(count, dtype=torch.float64)
    spreads = [float((one[0] @ one[1:].T).std()) for one in (near, one_hot)]
    return Evidence(
        stated=[
            same(
                "difference of shifted positions from rotated ones",
                table[shift:][:count],
                turned,
                1e-9,
            ),
            same("difference of the dot products from a sum of cosines", near @ near.T, cosines),
            at_most("dependence of dot products on the position", _uneven(table[:count]), 1e-10),
            same(
                "difference of a late position from its sinusoids",
                late[0],
                _by_hand(range(shift + count, shift + count + 1), width, 0),
                1e-9,
            ),
            above("spread of the dot products with position 0, above one-hot", *spreads),
        ],
        plot=[
            HeatMap("The table", rows(near), "entry", "position"),
            HeatMap("Dot products of positions", rows(near @ near.T), "position", "position"),
        ],
    )


@claim(
    "B46",
    "Whether the frequencies are counted from $i = 0$, as in the paper, or from $i = 1$, as in "
    "the lecture, is a convention. For $d = 4$ the frequencies are 1 and 0.01, or 0.01 and "
    "0.0001. Either way a shift is a rotation and dot products depend only on the distance; "
    "counted from 1, all frequencies are lower by the factor $10000^{2/d}$.",
    r"P_p = \left[\sin\frac{p}{10000^{2/d}}, \cos\frac{p}{10000^{2/d}}, \ldots, "
    r"\sin\frac{p}{10000^{2 (d/2)/d}}, \cos\frac{p}{10000^{2 (d/2)/d}}\right]",
)
def waves_from_zero_or_one(settings: WavesSettings) -> Evidence:
    """Compare both tables with their equations, and test both for shifts and distances."""
    width, count = settings.width, settings.positions
    conventions = []
    for first in (0, 1):
        table = sinusoids(count + 1, width, "interleaved", first)
        turned = table[:-1] @ _rotation(_frequencies(width, first)).T
        conventions += [
            same(
                f"difference from the equation, from {first}",
                table[:-1],
                _by_hand(range(count), width, first),
            ),
            same(f"difference of a shift from a rotation, from {first}", table[1:], turned),
            at_most(f"dependence of products on the position, from {first}", _uneven(table), 1e-10),
        ]
    four = [torch.asin(sinusoids(2, 4, "interleaved", first)[1, ::2]) for first in (0, 1)]
    return Evidence(
        conventions=[
            *conventions,
            same(
                "difference of the frequencies, d = 4, from 0",
                four[0],
                torch.tensor([1.0, 0.01]).double(),
                1e-9,
            ),
            same(
                "difference of the frequencies, d = 4, from 1",
                four[1],
                torch.tensor([0.01, 0.0001]).double(),
                1e-9,
            ),
        ],
        plot=[
            HeatMap(
                "Frequencies from i = 0",
                rows(sinusoids(count, width, "interleaved", 0)),
                "entry",
                "position",
            ),
            HeatMap(
                "Frequencies from i = 1",
                rows(sinusoids(count, width, "interleaved", 1)),
                "entry",
                "position",
            ),
        ],
    )


@claim(
    "D2",
    "The lecture's sinusoids are the sine and cosine of $i / 10000^{2/d}$, then of $i / "
    "10000^{4/d}$, and so on: the exponent grows by $2/d$ from pair to pair.",
    r"P_i = \left[\sin\frac{i}{10000^{2/d}}, \cos\frac{i}{10000^{2/d}}, "
    r"\sin\frac{i}{10000^{4/d}}, \cos\frac{i}{10000^{4/d}}, \ldots\right]",
)
def waves_of_the_lecture(settings: WavesSettings) -> Evidence:
    """Compare the layer that counts frequencies from one with the equation."""
    width, count = settings.width, settings.positions
    layer = SinusoidalPositions(width, "interleaved", first=1)
    added = layer(torch.zeros(1, count, width, dtype=torch.float64))[0]
    columns = []
    places = torch.arange(count, dtype=torch.float64)
    for exponent in range(2, width + 1, 2):
        angle = places / BASE ** (exponent / width)
        columns += [angle.sin(), angle.cos()]
    return Evidence(
        stated=[
            same("difference from the equation", added, torch.stack(columns, 1)),
            same(
                "distance of each pair's length from 1",
                added.unflatten(1, (-1, 2)).norm(dim=2),
                torch.ones(count, width // 2),
            ),
        ],
        numbers={f"P of position {place}": written(added[place][:4]) for place in (1, 2)},
    )


@claim(
    "E145",
    "Sine and cosine of a pair have the same exponent, $2i/d$. With $(2i+1)/d$ for the cosine "
    "they are no longer a pair, and the dot product of two positions depends on where they "
    "stand.",
    r"P_{p,2i} = \sin\frac{p}{10000^{2i/d}}, \qquad P_{p,2i+1} = \cos\frac{p}{10000^{2i/d}}",
    notes="the cosine has the exponent $(2i+1)/d$.",
)
def exponent_of_the_cosine(settings: WavesSettings) -> Evidence:
    """Test both tables: dot products of positions must be constant along each diagonal."""
    width, count = settings.width, settings.positions
    right = sinusoids(count, width, "interleaved")
    places = torch.arange(count, dtype=torch.float64)[:, None]
    printed = right.clone()
    exponents = (torch.arange(0, width, 2, dtype=torch.float64) + 1) / width
    printed[:, 1::2] = (places / BASE**exponents).cos()
    return Evidence(
        stated=[at_most("dependence of dot products on the position", _uneven(printed), 1e-10)],
        corrected=[
            at_most("dependence of dot products on the position", _uneven(right), 1e-10),
            same("difference from the equation", right, _by_hand(range(count), width, 0)),
        ],
        numbers={
            "largest spread along a diagonal, as printed": _spread(printed),
            "largest spread along a diagonal, corrected": _spread(right),
        },
        plot=[
            HeatMap("Dot products, as printed", rows(printed @ printed.T), "position", "position"),
            HeatMap("Dot products, corrected", rows(right @ right.T), "position", "position"),
        ],
    )


def _spread(table: Tensor) -> float:
    """Return the largest spread of dot products among positions of one distance."""
    products = table @ table.T
    diagonals = [products.diagonal(offset) for offset in range(len(table))]
    return max(float(one.max() - one.min()) for one in diagonals)


@claim(
    "E146",
    "Whether the first word has position 1, as in the notes, or 0, as in the paper, is a "
    "convention. All positions are rotated by one more step, and their dot products, which "
    "depend only on distances, stay the same.",
    r"P_{p+1} = R_1 P_p, \qquad P_{p+1} \cdot P_{q+1} = P_p \cdot P_q",
)
def first_position(settings: WavesSettings) -> Evidence:
    """Give the layer positions from 0 and from 1."""
    width, count = settings.width, settings.positions
    layer = SinusoidalPositions(width, "interleaved")
    zeros = torch.zeros(1, count, width, dtype=torch.float64)
    places = torch.arange(count)[None]
    from_zero, from_one = layer(zeros, places)[0], layer(zeros, places + 1)[0]
    turned = from_zero @ _rotation(_frequencies(width)).T
    return Evidence(
        conventions=[
            same(
                "difference from the equation, from 0", from_zero, _by_hand(range(count), width, 0)
            ),
            same(
                "difference from the equation, from 1",
                from_one,
                _by_hand(range(1, count + 1), width, 0),
            ),
            same("difference of one table from the other, rotated", from_one, turned),
            same("difference of the dot products", from_one @ from_one.T, from_zero @ from_zero.T),
        ],
        numbers={
            "first word at 0": written(from_zero[0][:4]),
            "first word at 1": written(from_one[0][:4]),
        },
    )
