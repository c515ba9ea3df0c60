"""Finite spaces of values that know their size in closed form, draw at random, list themselves.

The grammar is written once in these terms; counting, sampling and enumeration all follow from
the same rules, so that the count cannot drift from what is generated.
"""

from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, product
from random import Random
from typing import Any, Generic, TypeVar

T = TypeVar("T", covariant=True)
V = TypeVar("V")


class Space(ABC, Generic[T]):
    """A finite set of values, `size` many."""

    __slots__ = ("size",)
    size: int

    @abstractmethod
    def draw(self, random: Random) -> T:
        """Draw one value."""

    @abstractmethod
    def __iter__(self) -> Iterator[T]:
        """List every value once."""


class Items(Space[T]):
    """Values written down, all equally likely."""

    __slots__ = ("items",)

    def __init__(self, items: Sequence[T]) -> None:
        self.items = tuple(items)
        self.size = len(self.items)

    def draw(self, random: Random) -> T:
        """Draw one of the items."""
        return self.items[int(random.random() * self.size)]

    def __iter__(self) -> Iterator[T]:
        """List the items."""
        return iter(self.items)


class Only(Space[T]):
    """A single value, which takes no chance to draw."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value
        self.size = 1

    def draw(self, random: Random) -> T:
        """Give the value."""
        return self.value

    def __iter__(self) -> Iterator[T]:
        """List the value."""
        yield self.value


class Union(Space[T]):
    """Disjoint spaces side by side, each as likely as its weight says; sizes add."""

    __slots__ = ("parts", "limits")

    def __init__(self, *weighted: tuple[float, Space[T]]) -> None:
        filled = [(weight, part) for weight, part in weighted if part.size and weight > 0]
        self.parts = tuple(part for _, part in filled)
        self.size = sum(part.size for part in self.parts)
        total = sum(weight for weight, _ in filled)
        self.limits = tuple(accumulate(weight / total for weight, _ in filled))[:-1]

    def draw(self, random: Random) -> T:
        """Draw a part, then a value of it."""
        return self.parts[bisect(self.limits, random.random())].draw(random)

    def __iter__(self) -> Iterator[T]:
        """List the parts one after the other."""
        for part in self.parts:
            yield from part


class Build(Space[T]):
    """Every combination of values, put together by a function; sizes multiply."""

    __slots__ = ("function", "parts")

    def __init__(self, function: Callable[..., T], *parts: Space[Any]) -> None:
        self.function = function
        self.parts = parts
        self.size = 1
        for part in parts:
            self.size *= part.size

    def draw(self, random: Random) -> T:
        """Draw every part and build."""
        return self.function(*[part.draw(random) for part in self.parts])

    def __iter__(self) -> Iterator[T]:
        """Build every combination."""
        for values in product(*self.parts):
            yield self.function(*values)


def just(value: V) -> Only[V]:
    """Give the space of one value, the same one for None, True and False each time."""
    if value is None or value is True or value is False:
        return COMMON[value]
    return Only(value)


COMMON: dict[object, Only[Any]] = {value: Only(value) for value in (None, True, False)}


def either(spaces: Sequence[Space[V]]) -> Union[V]:
    """Join disjoint spaces, all equally likely."""
    return Union(*[(1.0, space) for space in spaces])


def maybe(space: Space[V], chance: float) -> "Union[V | None]":
    """Give a value of the space with the chance, else none."""
    return Union((1 - chance, just(None)), (chance, space))
