"""Documents: segments to translate, and a way to write the file back.

    <p>Press <b>Save</b> now.</p>      text "Press Save now.", inline 6..10
    <p>Jetzt <b>speichern</b>.</p>     answer "Jetzt speichern.", inline 6..15

A reader finds where in a file the text stands. Writing back replaces these places and nothing else,
so whatever a reader does not know stays byte for byte, and a file without answers is the file.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from dragoman.core.errors import DataError

MOST_SEGMENTS = 1_000_000
"""Texts of a file; lines of plain text take about half a gigabyte then, messages of PO three."""

T = TypeVar("T")


class TextSpan(NamedTuple):
    """A part of a text, from the first character to the one after the last."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A text as people read it: escapes resolved, markup taken out."""

    text: str
    existing: str = ""
    """The translation that stands in the file, if there is one."""
    unfinished: bool = False
    """What stands there is marked as not to be relied on, such as fuzzy."""
    wrapped: bool = False
    """Line breaks inside are layout, and may go: HTML, paragraphs of Markdown, subtitles."""
    inlines: tuple[TextSpan, ...] = ()
    """What each piece of inline markup surrounds, outer ones before inner ones, in the order of the
    text; begin and end are the same for what stands alone, such as a picture."""
    verbatim: tuple[TextSpan, ...] = ()
    """What is not to be translated, such as code."""
    where: str = ""
    """The place in the file for messages: `line 12`, `key menu.open`."""
    key: str = ""
    """What names the text in other files of its kind, if anything does."""


@dataclass(frozen=True, slots=True)
class SegmentTranslation:
    """The translation of a segment."""

    text: str
    inlines: tuple[TextSpan, ...] = ()
    """Where the inline markup of the segment goes: as many as it has, nested in the same way."""
    sure: bool = True
    """Whether to rely on it; a format that cannot say so leaves the source instead."""
    anew: bool = False
    """Whether it also replaces what stands beside a gap: the other forms of a plural."""


class BoundedList(list[T]):
    """A list with a limit, of the segments of a file: one too many is an error.

    A reader that appends to it stops at once, before the rest of the file is taken apart.
    """

    def __init__(self, name: str, most: int) -> None:
        super().__init__()
        self._name, self._most = name, most

    def append(self, one: T) -> None:
        """Add one more."""
        if len(self) >= self._most:
            raise DataError(
                f"{self._name}: has more than {self._most:,} texts. Cut it into smaller files."
            )
        super().append(one)


class Document(Protocol):
    """A file that was taken apart."""

    @property
    def segments(self) -> Sequence[Segment]:
        """The texts of the file, in its order."""
        ...

    def written(self, answers: Mapping[int, SegmentTranslation]) -> bytes:
        """Return the file with answers put in place, by the number of their segment."""
        ...


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of some segments' translations: `text[begin:end]` gives way to them."""

    begin: int
    end: int
    numbers: tuple[int, ...]
    """The segments whose answers it needs; it stays as it is while none of them has one."""
    write: Callable[[Mapping[int, SegmentTranslation]], str]
    """From the answers there are to what is written."""


@dataclass(frozen=True, slots=True)
class TextSlot:
    """The place of one segment without markup, in a file that spells all of them alike.

    A file may have a million of them, so they share what they can.
    """

    source: str
    """The text of the file."""
    begin: int
    end: int
    number: int
    text: str
    """What stands there, as people read it; an answer of the same text leaves it alone."""
    spell: Callable[[str, str], str]
    """From an answer and what stands there to what is written."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The one segment whose answer it needs."""
        return (self.number,)

    def write(self, answers: Mapping[int, SegmentTranslation]) -> str:
        """Return what is written."""
        answer, raw = answers[self.number], self.source[self.begin : self.end]
        return self.spell(answer.text, raw) if answer.sure and answer.text != self.text else raw


@dataclass(frozen=True)
class TextFile:
    """A document that is one text with slots."""

    text: str
    segments: tuple[Segment, ...]
    slots: tuple[Slot | TextSlot, ...]
    """In the order of the text, none inside another."""
    encoding: str = "utf-8"

    def written(self, answers: Mapping[int, SegmentTranslation]) -> bytes:
        """Return the file with the slots of the answered segments filled."""
        parts: list[str] = []
        done = 0
        for slot in self.slots:
            if any(number in answers for number in slot.numbers):
                parts += [self.text[done : slot.begin], slot.write(answers)]
                done = slot.end
        return "".join([*parts, self.text[done:]]).encode(self.encoding)
