"""Remembering: the class of a sequence is the symbol that came `lag` steps before its end.

    c A d b d   lag 3, class A: the class in capitals, noise around it
    B A D B C   lag 3, class A, without noise: all are capitals and only the place tells

With noise the one thing asked for is to keep a symbol; without, its place must be known as well.
"""

from random import Random
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.sampling import draw_distinct


class Lagged(NamedTuple):
    """Symbols with a space between them, and the one to be remembered."""

    text: str
    label: str
    lag: int


def draw_lagged(
    count: int,
    lag: int,
    *,
    seed: int,
    classes: int = 4,
    noise: int = 4,
    earlier: int = 0,
    distinct: bool = False,
) -> list[Lagged]:
    """Draw sequences with 0 to `earlier` symbols before the one that counts and `lag` after it.

    `noise` is how many symbols the others are drawn from; with 0 they are drawn from the classes.
    """
    if not (1 < classes <= len(ascii_uppercase) and 0 <= noise <= len(ascii_lowercase)):
        raise DataError(f"{classes} classes and {noise} noises: have 2 to 26 and 0 to 26 of them.")
    if lag < 0 or earlier < 0:
        raise DataError(f"lag {lag}, earlier {earlier}: neither can be less than 0.")
    symbols = ascii_uppercase[:classes]
    others = ascii_lowercase[:noise] or symbols

    def make(random: Random) -> Lagged:
        label = random.choice(symbols)
        before = random.choices(others, k=random.randint(0, earlier))
        after = random.choices(others, k=lag)
        return Lagged(" ".join([*before, label, *after]), label, lag)

    name = f"lag/{lag}/{classes}/{noise}/{earlier}/{seed}"
    if distinct:
        return draw_distinct(make, count, seed=name)
    random = Random(name)
    return [make(random) for _ in range(count)]
