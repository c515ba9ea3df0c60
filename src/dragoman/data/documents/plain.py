"""Plain text: each line is a text of its own.

Only a line feed ends a line, with a carriage return before it or not. A lone carriage return,
U+2028 and their like are characters of the line, and become spaces in an answer, so that no
program counts more lines in the translation than in the source.
"""

import re

from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Document,
    Segment,
    TextFile,
    TextSlot,
)
from dragoman.data.documents.text_decoding import decode_text, has_letters, storable
from dragoman.data.formats.languages import LanguagePair

LINE = re.compile(r"(\ufeff?[ \t]*+)([^\n]*+)\n?")
BREAKS = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")


def read_plain(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> Document:
    """Read the lines; blank ones and those without a letter stay, as does the space around."""
    text = decode_text(data, name)
    segments = BoundedList[Segment](name, most)
    slots: list[TextSlot] = []
    place, line = 0, 0
    while place < len(text):
        found = LINE.match(text, place)
        if found is None:
            raise ValueError("a line that is none")
        line += 1
        place = found.end()
        inner = found.group(2).rstrip(" \t\r")
        if has_letters(inner):
            begin = found.start(2)
            end = begin + len(inner)
            slots.append(TextSlot(text, begin, end, len(segments), inner, _spelled))
            segments.append(Segment(inner, where=f"line {line}"))
    return TextFile(text, tuple(segments), tuple(slots))


def one_line(text: str) -> str:
    """Return a text without anything that ends a line anywhere."""
    return BREAKS.sub(" ", storable(text)).strip(" ")


def _spelled(answer: str, raw: str) -> str:
    # An empty answer would take the last line of a file away, if no line feed ends it.
    return one_line(answer) or raw
