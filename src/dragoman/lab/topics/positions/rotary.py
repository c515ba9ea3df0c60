"""Claims on rotary positions: queries and keys are rotated by their position."""

import math

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, at_most, equal, largest_difference, same
from dragoman.lab.sampling import normal
from dragoman.lab.topics.attention.watch import rows, written
from dragoman.lab.topics.positions.kinds import network_settings, positioned, random_network
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.positions import SinusoidalPositions
from dragoman.neural.layers.rotary import Rotary
from dragoman.plots.lab import HeatMap, Panel, curve


class RotarySettings(Settings):
    """Vectors that are rotated by their position."""

    width: int = Field(default=8, ge=2, le=64, multiple_of=2)
    """Entries of a head."""
    words: int = Field(default=5, ge=2, le=30)
    """Words of the sentence."""
    shift: int = Field(default=40, ge=1, le=1000)
    """Number of positions by which the sentence is moved."""
    seed: int = Field(default=1, ge=0)
    """Seed of words and weights."""


def _angles(width: int, place: int) -> Tensor:
    angles = [place / 10_000.0 ** (2 * pair / width) for pair in range(width // 2)]
    return torch.tensor(angles, dtype=torch.float64)


def _matrix(width: int, place: int) -> Tensor:
    """Return R, which rotates entries i and i + d/2 as a pair."""
    angle = _angles(width, place)
    cosine, sine = torch.diag(angle.cos()), torch.diag(angle.sin())
    return torch.cat((torch.cat((cosine, -sine), 1), torch.cat((sine, cosine), 1)))


def _rotated(x: Tensor, first: int = 0) -> Tensor:
    """Rotate each row of a sequence by its position."""
    places = torch.arange(first, first + len(x))[None]
    rotated: Tensor = Rotary(x.shape[1])(x[None, None], places)[0, 0]
    return rotated


@claim(
    "C28",
    "Rotary positions are relative and not learned. Queries and keys are *rotated* by their "
    "positions, so that their dot product depends only on the distance. Nothing is added, and "
    "nothing happens once at the input: every layer rotates its own queries and keys, after the "
    "projections.",
    r"(R_m q) \cdot (R_n k) = q \cdot (R_{n-m} k)",
    notes="a rotary position is added once, at the input.",
)
def rotary_positions(settings: RotarySettings) -> Evidence:
    """Move a sentence; rotate its words once before the layer, or queries and keys inside it."""
    width, shift = settings.width, settings.shift
    x = normal(settings.seed + 1, settings.words, 2 * width)
    within = positioned("rotary", 2 * width, settings.seed)
    plain = positioned("none", 2 * width, settings.seed)  # the same matrices
    once = largest_difference(plain.attend(_rotated(x, shift))[1], plain.attend(_rotated(x))[1])
    each = largest_difference(within.attend(x, shift)[1], within.attend(x)[1])
    q, k = normal(settings.seed + 2, 2, 1, width)
    product = _rotated(q, 3) @ _rotated(k, 3 + shift).T
    by_matrix = q @ (_matrix(width, shift) @ k[0])
    layers = 3
    network = random_network(network_settings("rotary", layers=layers), settings.seed)
    rotating = [one for one in network.modules() if isinstance(one, Attention) and one.rotary]
    tokens = torch.full((1, 4), 5)
    with torch.no_grad():
        embedded = network.embedding(tokens)[0]
    product_known = [
        same("difference of the dot product from q · R k", product[0], by_matrix),
        same(
            "difference of the rotation from the matrix R",
            _rotated(q, shift)[0],
            _matrix(width, shift) @ q[0],
        ),
    ]
    return Evidence(
        stated=[
            *product_known,
            at_most("change of attention when moved, rotated once at the input", once, 1e-9),
            equal("layers that rotate", len(rotating), 0),
        ],
        corrected=[
            *product_known,
            at_most("change of attention when moved, rotated in the layer", each, 1e-9),
            equal("layers that rotate", len(rotating), layers),
            same(
                "difference of one word's embedding between positions",
                embedded[1:],
                embedded[:-1],
            ),
        ],
        plot=[
            HeatMap("Weights, rotated in the layer", rows(within.attend(x)[1][0]), "key", "query"),
            HeatMap(
                "The same, sentence moved", rows(within.attend(x, shift)[1][0]), "key", "query"
            ),
        ],
    )


@claim(
    "C29",
    "In a rotated vector the length carries the word and the angle carries the position: "
    "rotation keeps the length of each pair of entries, and adds the position times the pair's "
    "frequency to its angle.",
    r"\lVert R_m x \rVert = \lVert x \rVert, \qquad \angle (R_m x)_i = \angle x_i + m\, \theta_i",
)
def length_and_angle(settings: RotarySettings) -> Evidence:
    """Look at the length and the angle of each pair of a rotated vector."""
    width, place = settings.width, settings.shift
    x = normal(settings.seed, 1, width)
    rotated = _rotated(x, place)
    before, after = (torch.complex(*one[0].chunk(2)) for one in (x, rotated))
    wanted = torch.polar(before.abs(), before.angle() + _angles(width, place))
    steps = list(range(41))
    path = torch.stack([_rotated(x, step)[0] for step in steps])
    return Evidence(
        stated=[
            same("change of the length", rotated.norm(dim=1), x.norm(dim=1)),
            same("change of each pair's length", after.abs(), before.abs()),
            same(
                "difference of each rotated pair from its length and angle",
                torch.view_as_real(after),
                torch.view_as_real(wanted),
            ),
        ],
        plot=[
            Panel(
                "One pair of a word, by position",
                [
                    curve("first component", steps, path[:, 0].tolist()),
                    curve("second component", steps, path[:, width // 2].tolist(), 1),
                    curve("length", steps, path[:, [0, width // 2]].norm(dim=1).tolist(), 2),
                ],
                "position",
            )
        ],
    )


PHRASE = ("sharif", "university", "of", "technology")


class PhraseSettings(Settings):
    """Embeddings of the four words of the example."""

    seed: int = Field(default=1, ge=0)
    """Seed of the embeddings."""


@claim(
    "C30",
    "The example *sharif university of technology*, with four entries and positions $k = 1$ to "
    r"$4$: sinusoids add $[\sin k\theta_1, \cos k\theta_1, \sin k\theta_2, \cos k\theta_2]$, and "
    r"rotary positions rotate the two pairs by $k\theta_1$ and $k\theta_2$. Here $\theta_1 = 1$ "
    r"and $\theta_2 = 0.01$.",
    r"\begin{pmatrix} x_1 \cos k\theta_1 - x_2 \sin k\theta_1 \\ "
    r"x_1 \sin k\theta_1 + x_2 \cos k\theta_1 \\ x_3 \cos k\theta_2 - x_4 \sin k\theta_2 \\ "
    r"x_3 \sin k\theta_2 + x_4 \cos k\theta_2 \end{pmatrix}",
)
def a_phrase_of_four_words(settings: PhraseSettings) -> Evidence:
    """Compare both tables of the example with the layers, position by position."""
    x = normal(settings.seed, 4, 4)
    first, second = 1.0, 0.01
    added, rotated = torch.zeros_like(x), torch.zeros_like(x)
    for row, k in enumerate(range(1, 5)):
        a, b = k * first, k * second
        added[row] = torch.tensor(
            [math.sin(a), math.cos(a), math.sin(b), math.cos(b)], dtype=x.dtype
        )
        x1, x2, x3, x4 = x[row].tolist()
        rotated[row] = torch.tensor(
            [
                x1 * math.cos(a) - x2 * math.sin(a),
                x1 * math.sin(a) + x2 * math.cos(a),
                x3 * math.cos(b) - x4 * math.sin(b),
                x3 * math.sin(b) + x4 * math.cos(b),
            ],
            dtype=x.dtype,
        )
    places = torch.arange(1, 5)[None]
    waves = SinusoidalPositions(4, "interleaved")(x[None], places)[0]
    halves = [0, 2, 1, 3]  # the layer stores the first entries of all pairs before the second ones
    by_layer = _rotated(x[:, halves], 1)[:, halves]
    return Evidence(
        stated=[
            same("difference of the sinusoidal table", waves - x, added),
            same("difference of the rotary table", by_layer, rotated),
        ],
        numbers={
            **{f"added to {word}": written(row) for word, row in zip(PHRASE, added, strict=True)},
            **{f"{word} turned": written(row) for word, row in zip(PHRASE, rotated, strict=True)},
        },
        plot=[
            HeatMap("Added sinusoids", rows(added), "entry", "word", (), PHRASE),
            HeatMap("Rotated words", rows(rotated), "entry", "word", (), PHRASE),
        ],
    )
