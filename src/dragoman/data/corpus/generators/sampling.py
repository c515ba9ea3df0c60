"""Sampling distinct examples, as many as are asked for."""

from collections.abc import Callable, Collection, Hashable
from random import Random
from typing import TypeVar

from dragoman.core.errors import DataError

Thing = TypeVar("Thing", bound=Hashable)

PATIENCE = 20
"""Draws in vain, for each thing found so far, before we say that there are no more."""


def draw_distinct(
    make: Callable[[Random], Thing], count: int, *, seed: str, without: Collection[Hashable] = ()
) -> list[Thing]:
    """Draw things that differ from each other and from those of other sets.

    The seed is a text: name the task, the set and the number in it, so that no two draw alike.
    """
    random = Random(seed)
    known = frozenset(without)
    kept: dict[Thing, None] = {}
    in_vain = 0
    while len(kept) < count:
        thing = make(random)
        if thing in kept or thing in known:
            in_vain += 1
        else:
            kept[thing] = None
            in_vain = 0
        if in_vain > PATIENCE * (len(kept) + len(known) + 50):
            raise DataError(
                f"{seed}: there are only {len(kept):,} different examples of this kind, not "
                f"{count:,}. Ask for fewer."
            )
    return list(kept)
