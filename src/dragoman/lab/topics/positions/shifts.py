"""Claims on absolute and relative positions: what a few more words before a sentence change."""

import torch
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.config.stack import Positions
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_most, largest_difference
from dragoman.lab.sampling import normal
from dragoman.lab.topics.attention.watch import rows
from dragoman.lab.topics.positions.kinds import ABSOLUTE, RELATIVE, positioned
from dragoman.plots.lab import Bars, HeatMap, Panel, curve

SEEN = 1e-6
"""Larger than any rounding error."""
ROUNDING = 1e-9


class PrefixSettings(Settings):
    """A sentence with other words in front of it."""

    words: int = Field(default=6, ge=2, le=30)
    """Words of the sentence."""
    prefix: int = Field(default=8, ge=1, le=100)
    """Number of words in front of it."""
    width: int = Field(default=16, ge=4, le=64, multiple_of=4)
    """Entries of each word."""
    seed: int = Field(default=1, ge=0)
    """Seed of words and weights."""


def _patterns(kind: Positions, settings: PrefixSettings) -> tuple[torch.Tensor, torch.Tensor]:
    """Return how the words of a sentence attend to each other, alone and behind a prefix."""
    layer = positioned(kind, settings.width, settings.seed)
    text = normal(settings.seed + 1, settings.prefix + settings.words, settings.width)
    alone = layer.attend(text[settings.prefix :])[1]
    whole = layer.attend(text)[1][:, settings.prefix :, settings.prefix :]
    return alone, whole / whole.sum(-1, keepdim=True)  # h n n: renormalized over these words


@claim(
    "C25",
    "Positions can be learned or fixed, absolute or relative. Words in front of a sentence "
    "change how its words attend to each other if positions are absolute (sinusoidal, learned), "
    "and do not if they are relative (rotary, ALiBi, a bias per offset, T5, Shaw).",
    r"\frac{a_{i+s,j+s}}{\sum_l a_{i+s,l+s}} = a_{ij} \quad "
    r"\mathrm{for\ relative\ positions\ only}",
)
def prefix_shift(settings: PrefixSettings) -> Evidence:
    """Compare the pattern of attention within a sentence, alone and behind a prefix."""
    patterns = {kind: _patterns(kind, settings) for kind in (*ABSOLUTE, *RELATIVE)}
    changes = {kind: largest_difference(*both) for kind, both in patterns.items()}
    titles = ("alone", f"behind {settings.prefix} words")
    return Evidence(
        stated=[
            *(above(f"change with {kind} positions", changes[kind], SEEN) for kind in ABSOLUTE),
            *(
                at_most(f"change with {kind} positions", changes[kind], ROUNDING)
                for kind in RELATIVE
            ),
        ],
        plot=[
            *(
                HeatMap(f"{kind}, {title}", rows(pattern[0]), "key", "query")
                for kind in ("sinusoidal", "rotary")
                for title, pattern in zip(titles, patterns[kind], strict=True)
            ),
            Bars(
                "Change of the attention pattern",
                list(changes),
                [[one] for one in changes.values()],
            ),
        ],
    )


class LateSentenceSettings(Settings):
    """A sentence that starts at later and later positions."""

    words: int = Field(default=6, ge=2, le=30)
    """Words of the sentence."""
    latest: int = Field(default=32, ge=1, le=200)
    """The last position at which it starts."""
    width: int = Field(default=16, ge=4, le=64, multiple_of=4)
    """Entries of each word."""
    seed: int = Field(default=1, ge=0)
    """Seed of words and weights."""


@claim(
    "D22",
    "Plain absolute indices are not ideal: attention gives the same sentence a different output "
    "at every position where it may start, and a network has to learn it for each of them. With "
    "relative positions the output is the same everywhere.",
    r"f(x_1, \ldots, x_n;\; s) = f(x_1, \ldots, x_n;\; 0) \quad \mathrm{for\ all\ starts\ } s",
)
def absolute_indices(settings: LateSentenceSettings) -> Evidence:
    """Start a sentence at later and later positions, and compare the outputs of attention."""
    x = normal(settings.seed + 1, settings.words, settings.width)
    starts = sorted({1 + step * (settings.latest - 1) // 7 for step in range(8)})
    changes: dict[str, list[float]] = {}
    for kind in (*ABSOLUTE, *RELATIVE):
        layer = positioned(kind, settings.width, settings.seed)
        first = layer.attend(x)[0]
        changes[kind] = [largest_difference(layer.attend(x, start)[0], first) for start in starts]
    return Evidence(
        stated=[
            *(
                above(f"smallest change with {one} positions", min(changes[one]), SEEN)
                for one in ABSOLUTE
            ),
            *(
                at_most(f"largest change with {one} positions", max(changes[one]), ROUNDING)
                for one in RELATIVE
            ),
        ],
        plot=[
            Panel(
                "Change of the output",
                [
                    curve(kind, starts, changes[kind], color)
                    for color, kind in enumerate(("sinusoidal", "learned", "rotary", "alibi"))
                ],
                "position of the first word",
                lowest=0.0,
            )
        ],
    )
