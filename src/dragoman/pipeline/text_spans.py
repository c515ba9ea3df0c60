"""Spans of a text: its spoken part, and those that may not overlap, in linear time."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Protocol, TypeVar

from dragoman.data.documents.document import TextSpan


class Located(Protocol):
    """Whatever begins and ends somewhere in a text."""

    @property
    def begin(self) -> int:
        """Its first character."""
        ...

    @property
    def end(self) -> int:
        """The one after its last."""
        ...


Thing = TypeVar("Thing", bound=Located)


def spoken_part(text: str) -> TextSpan:
    """Return where a text is without the blanks and marks around it."""
    spoken = [place for place, each in enumerate(text) if is_spoken(each)]
    return TextSpan(spoken[0], spoken[-1] + 1) if spoken else TextSpan(0, 0)


def is_spoken(character: str) -> bool:
    """Say whether a character is part of a word: a letter, a sign on it, a digit."""
    return unicodedata.category(character)[0] in "LMN"


def merge_spans(stretches: Iterable[Located]) -> list[TextSpan]:
    """Return stretches in the order of the text, those that overlap made into one."""
    found: list[TextSpan] = []
    for one in sorted(stretches, key=attrgetter("begin", "end")):
        if found and one.begin < found[-1].end:
            found[-1] = TextSpan(found[-1].begin, max(found[-1].end, one.end))
        else:
            found.append(TextSpan(one.begin, one.end))
    return found


def without_overlaps(things: Iterable[Thing], others: Sequence[Located]) -> list[Thing]:
    """Return the things that overlap none of the others, in their order."""
    taken = merge_spans(others)
    ends = [one.end for one in taken]

    def is_free(thing: Thing) -> bool:
        following = bisect_right(ends, thing.begin)
        return following == len(taken) or taken[following].begin >= thing.end

    return [thing for thing in things if is_free(thing)]
