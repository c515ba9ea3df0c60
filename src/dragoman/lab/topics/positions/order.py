"""Claims on order: attention does not see it, and positions provide it."""

import torch
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, largest_difference, same
from dragoman.lab.sampling import normal, random_layer, shuffled
from dragoman.lab.topics.attention.watch import rows
from dragoman.lab.topics.positions.kinds import ABSOLUTE, RELATIVE, positioned
from dragoman.neural.layers.positions import LearnedPositions, SinusoidalPositions, sinusoids
from dragoman.plots.lab import Bars, HeatMap

SEEN = 1e-6
"""Larger than any rounding error."""


class OrderSettings(Settings):
    """Words that are put into another order."""

    words: int = Field(default=6, ge=3, le=50)
    """Words of the sentence."""
    width: int = Field(default=16, ge=8, le=64, multiple_of=4)
    """Entries of each word."""
    seed: int = Field(default=1, ge=0)
    """Seed of words, weights and order."""


@claim(
    "A16",
    "An encoder layer processes all words in parallel and has no information about their order: "
    "permuting the words permutes the outputs in exactly the same way. With any kind of "
    "position it does not.",
    r"f(P X) = P f(X), \qquad f(P X + E) \ne P f(X + E)",
)
def order_is_not_seen(settings: OrderSettings) -> Evidence:
    """Permute the words before an encoder layer, without positions and with each kind."""
    x = normal(settings.seed, settings.words, settings.width)
    orders = (torch.arange(settings.words).roll(1), shuffled(settings.seed, settings.words))
    blind = positioned("none", settings.width, settings.seed)
    kinds = (*ABSOLUTE, *RELATIVE)
    changes = {}
    for kind in kinds:
        aware = positioned(kind, settings.width, settings.seed)
        changes[kind] = largest_difference(aware(x[orders[0]]), aware(x)[orders[0]])
    return Evidence(
        stated=[
            *(
                same(f"difference without positions, order {number}", blind(x[one]), blind(x)[one])
                for number, one in enumerate(orders, start=1)
            ),
            *(above(f"difference with {kind} positions", changes[kind], SEEN) for kind in kinds),
        ],
        plot=[
            Bars(
                "Difference between permuted words and permuted outputs",
                ["none", *kinds],
                [[largest_difference(blind(x[orders[0]]), blind(x)[orders[0]])]]
                + [[changes[kind]] for kind in kinds],
            )
        ],
    )


class SentenceOrderSettings(Settings):
    """The sentence of the example with random embeddings."""

    width: int = Field(default=16, ge=8, le=64, multiple_of=4)
    """Entries of each word."""
    seed: int = Field(default=1, ge=0)
    """Seed of words and weights."""


SENTENCE = ("I", "am", "a", "good", "boy")
SCRAMBLED = (1, 2, 0, 4, 3)
"""Am a I boy good."""


@claim(
    "E144",
    "Order matters: *I am a good boy* is not *Am a I boy good*. Without positions a layer "
    "computes the same vectors for the words of both sentences, and hence the same mean; with "
    "positions it does not.",
    r"\frac{1}{T} \sum_i f(P X)_i = \frac{1}{T} \sum_i f(X)_i \quad \mathrm{without\ positions}",
)
def order_matters(settings: SentenceOrderSettings) -> Evidence:
    """Read both sentences, and compare their means and the vectors of each word."""
    order = list(SCRAMBLED)
    x = normal(settings.seed, len(SENTENCE), settings.width)
    blind = positioned("none", settings.width, settings.seed)
    stated = [
        same(
            "difference of the means without positions", blind(x[order]).mean(0), blind(x).mean(0)
        ),
        same("difference of each word without positions", blind(x[order]), blind(x)[order]),
    ]
    for kind in (*ABSOLUTE, *RELATIVE):
        aware = positioned(kind, settings.width, settings.seed)
        change = largest_difference(aware(x[order]).mean(0), aware(x).mean(0))
        stated.append(above(f"difference of the means with {kind} positions", change, SEEN))
    aware = positioned("sinusoidal", settings.width, settings.seed)
    names = [SENTENCE[place] for place in order]
    return Evidence(
        stated=stated,
        plot=[
            HeatMap("In order", rows(aware.attend(x)[1][0]), "key", "query", SENTENCE, SENTENCE),
            HeatMap("Scrambled", rows(aware.attend(x[order])[1][0]), "key", "query", names, names),
        ],
    )


@claim(
    "B45",
    "Order is put in by adding a vector for each position to the word that stands there.",
    r"\tilde{x}_i = x_i + P_i",
)
def positions_are_added(settings: OrderSettings) -> Evidence:
    """Add sinusoids and a learned table, at the first positions and at later ones."""
    width, words = settings.width, settings.words
    x = normal(settings.seed, 1, words, width)
    learned = random_layer(lambda: LearnedPositions(width, 3 * words), settings.seed + 1)
    late = torch.arange(words, 2 * words)
    table = learned.table.weight.detach()
    with torch.no_grad():
        at_first, later = learned(x)[0], learned(x, late[None])[0]
    waves = SinusoidalPositions(width, "interleaved")
    fixed = sinusoids(2 * words, width, "interleaved")
    by_hand, moved = (
        torch.stack([word + row for word, row in zip(x[0], one, strict=True)])
        for one in (table[:words], table[late])
    )
    return Evidence(
        stated=[
            same("difference from x plus the table", at_first, by_hand),
            same("difference at later positions", later, moved),
            same(
                "difference of x from the sum minus the sinusoids",
                waves(x)[0] - fixed[:words],
                x[0],
            ),
            same("the same at later positions", waves(x, late[None])[0] - fixed[late], x[0]),
            above(
                "difference between first and later positions",
                largest_difference(at_first, later),
                SEEN,
            ),
        ]
    )
