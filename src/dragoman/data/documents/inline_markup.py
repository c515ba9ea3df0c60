"""Text with markup inside, from pieces to a segment and back.

Press <b>Save</b> now.    TEXT OPEN TEXT CLOSE TEXT    "Press Save now.", inline 6..10
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from dragoman.data.documents.document import Segment, SegmentTranslation, TextSpan
from dragoman.data.documents.text_decoding import has_letters

BLANK = " \t\r\n\f"
"""White space of markup, which a non-breaking space is not."""


class Mark(Enum):
    """The kind of a piece of markup."""

    TEXT = auto()
    OPEN = auto()
    CLOSE = auto()
    ALONE = auto()
    GONE = auto()
    """Of use for the old text only, and left out with it."""


class MarkedPart(NamedTuple):
    """A part of a file, from the first character to the one after the last."""

    mark: Mark
    begin: int
    end: int
    text: str = ""
    """What it reads as."""
    key: Hashable = None
    """What an opening and a closing piece have in common."""
    verbatim: bool = False
    """Whether what it surrounds is not to be translated."""
    breaks: bool = False
    """Whether it parts words, as a line break does."""
    weak: bool = False
    """Whether it pairs up only where nothing else begins or ends in between."""


@dataclass(frozen=True, slots=True)
class Inline:
    """A piece of markup inside a text."""

    opening: MarkedPart
    closing: MarkedPart | None
    """None if it stands alone."""
    parent: int
    """The number of the one around it, or -1."""
    spaced: bool = False
    """The text has a space after it that the file does not have."""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text whose markup was taken out."""

    begin: int
    """Where in the file it stands: without the white space and the markup all around it."""
    end: int
    text: str
    stretches: tuple[TextSpan, ...]
    inlines: tuple[Inline, ...]
    verbatim: tuple[TextSpan, ...]
    around: tuple[MarkedPart, ...]
    """The opening pieces of the markup all around."""

    def segment(self, where: str, *, wrapped: bool = False) -> Segment:
        """Return what is to be translated."""
        return Segment(
            self.text, wrapped=wrapped, inlines=self.stretches, verbatim=self.verbatim, where=where
        )

    def same(self, answer: SegmentTranslation) -> bool:
        """Whether an answer is just what is there."""
        return answer.text == self.text and tuple(answer.inlines) == self.stretches

    def children(self, stretches: Sequence[TextSpan]) -> dict[int, list[int]]:
        """Return what each inline holds (-1 is the whole text), in the order of its stretches."""
        if len(stretches) != len(self.inlines):
            raise ValueError(f"{len(stretches)} inlines in an answer to {len(self.inlines)}")
        held: dict[int, list[int]] = {}
        for number, inline in enumerate(self.inlines):
            held.setdefault(inline.parent, []).append(number)
        for numbers in held.values():
            numbers.sort(key=lambda number: (*stretches[number], number))
        return held

    def filled(
        self,
        answer: SegmentTranslation,
        written: Callable[[str, int], str],
        raw: Callable[[int, int], str],
    ) -> str:
        """Return an answer with the markup back in it.

        `written` spells a text that stands directly inside the inline of a number; `raw` returns
        what stands in the file from here to there. A stretch that leaves the one around it, or
        enters another, is cut: what comes out is nested like the source whatever the answer is.
        """
        stretches, text = answer.inlines, answer.text
        children = self.children(stretches)
        parts: list[str] = []
        done = 0
        open_ones: list[tuple[int, Iterator[int], int]] = [
            (-1, iter(children.get(-1, ())), len(text))
        ]
        while open_ones:
            around, rest, end = open_ones[-1]
            number = next(rest, None)
            if number is None:
                parts.append(written(text[done:end], around) if done < end else "")
                done = max(done, end)
                open_ones.pop()
                parts.append(self._closed(around, raw))
                continue
            begin = min(max(stretches[number].begin, done), end)
            inline = self.inlines[number]
            before, after = _around_break(text, done, begin) if inline.spaced else (begin, begin)
            parts.append(written(text[done:before], around) if done < before else "")
            parts.append(raw(inline.opening.begin, inline.opening.end))
            done = min(after, end)
            if inline.closing is not None:
                last = min(max(stretches[number].end, done), end)
                open_ones.append((number, iter(children.get(number, ())), last))
        return "".join(parts)

    def _closed(self, number: int, raw: Callable[[int, int], str]) -> str:
        closing = self.inlines[number].closing if number >= 0 else None
        return "" if closing is None else raw(closing.begin, closing.end)


def _around_break(text: str, done: int, place: int) -> tuple[int, int]:
    """Leave out the space that stood for a line break."""
    if text[place : place + 1] == " ":
        return place, place + 1
    if place > done and text[place - 1] == " ":
        return place - 1, place
    return place, place


def text_pieces(begin: int, raw: str, read: Callable[[str], str]) -> Iterator[MarkedPart]:
    """Yield the white space before a text, the text and the white space after it."""
    inner = raw.strip(BLANK)
    first = raw.find(inner) if inner else len(raw)
    for low, high in ((0, first), (first, first + len(inner)), (first + len(inner), len(raw))):
        if low < high:
            yield MarkedPart(Mark.TEXT, begin + low, begin + high, read(raw[low:high]))


def build_marked_text(
    pieces: Sequence[MarkedPart], *, trim_alone: bool = True
) -> MarkedText | None:
    """Build the text of some pieces, or return None if there is nothing in it to translate.

    Markup that surrounds everything is no part of it, nor is what stands alone at its ends, unless
    that may be a word in disguise (`trim_alone`).
    """
    partners = _partners(pieces)
    low, high = _trimmed(pieces, partners, trim_alone)
    around = tuple(pieces[n] for n in range(low) if partners.get(n, 0) >= high)
    if low >= high or any(piece.verbatim for piece in around):
        return None
    taken = _Taken()
    next_signs = _next_signs(pieces, low, high)
    for number, next_sign in zip(range(low, high), next_signs, strict=True):
        piece = pieces[number]
        match piece.mark:
            case Mark.TEXT:
                taken.add(piece.text)
            case Mark.CLOSE if number in partners:
                taken.close()
            case Mark.OPEN if number in partners:
                taken.open(piece, pieces[partners[number]])
            case Mark.OPEN | Mark.CLOSE | Mark.ALONE:
                taken.stand(piece, next_sign)
    text, verbatim = "".join(taken.parts), taken.verbatim()
    if not has_letters(_outside(text, verbatim)):
        return None
    begin, end = pieces[low].begin, pieces[high - 1].end
    inlines, stretches = tuple(taken.inlines), tuple(taken.stretches)
    return MarkedText(begin, end, text, stretches, inlines, verbatim, around)


class _Taken:
    """The text and markup read so far."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.inlines: list[Inline] = []
        self.stretches: list[TextSpan] = []
        self._length = 0
        self._last = " "
        self._open: list[int] = []

    def add(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)
        self._last = text[-1:] or self._last

    def open(self, piece: MarkedPart, closing: MarkedPart | None, *, spaced: bool = False) -> None:
        parent = self._open[-1] if self._open else -1
        if closing is not None:
            self._open.append(len(self.inlines))
        self.inlines.append(Inline(piece, closing, parent, spaced))
        self.stretches.append(TextSpan(self._length, self._length))

    def close(self) -> None:
        number = self._open.pop()
        self.stretches[number] = TextSpan(self.stretches[number].begin, self._length)

    def stand(self, piece: MarkedPart, next_sign: str) -> None:
        glues = piece.breaks and not self._last.isspace() and not next_sign.isspace()
        self.open(piece, None, spaced=glues)
        if glues:
            self.add(" ")

    def verbatim(self) -> tuple[TextSpan, ...]:
        """Return what is not to be translated, the outermost of it."""
        found: list[TextSpan] = []
        for stretch, inline in zip(self.stretches, self.inlines, strict=True):
            inside = found and stretch.end <= found[-1].end
            if inline.opening.verbatim and stretch.begin < stretch.end and not inside:
                found.append(stretch)
        return tuple(found)


def _partners(pieces: Sequence[MarkedPart]) -> dict[int, int]:
    """Pair what opens with what closes it, both ways; what is left unpaired stands alone."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    counts: Counter[Hashable] = Counter()
    for number, piece in enumerate(pieces):
        if piece.mark is Mark.OPEN:
            opened.append(number)
            counts[piece.key] += 1
        elif piece.mark is Mark.CLOSE and counts[piece.key]:
            if piece.weak and pieces[opened[-1]].key != piece.key:
                continue
            first = opened.pop()
            while pieces[first].key != piece.key:
                counts[pieces[first].key] -= 1
                first = opened.pop()
            counts[piece.key] -= 1
            partners |= {first: number, number: first}
    return partners


def _trimmed(
    pieces: Sequence[MarkedPart], partners: Mapping[int, int], trim_alone: bool
) -> tuple[int, int]:
    """Return the first piece that matters and the one after the last."""

    def idle(number: int) -> bool:
        piece = pieces[number]
        if piece.mark is Mark.TEXT:
            return not piece.text.strip(BLANK)
        return piece.mark is Mark.GONE or (trim_alone and number not in partners)

    low, high = 0, len(pieces)
    while low < high:
        if idle(low):
            low += 1
        elif idle(high - 1):
            high -= 1
        elif partners.get(low) == high - 1:
            low, high = low + 1, high - 1
        else:
            break
    return low, high


def _next_signs(pieces: Sequence[MarkedPart], low: int, high: int) -> list[str]:
    """Return the first character of the text after each piece, or a space if there is none."""
    signs = [" "]
    for piece in reversed(pieces[low + 1 : high]):
        signs.append(piece.text[:1] or signs[-1])
    return signs[::-1]


def _outside(text: str, stretches: Sequence[TextSpan]) -> str:
    parts: list[str] = []
    done = 0
    for stretch in stretches:
        parts.append(text[done : stretch.begin])
        done = stretch.end
    return "".join([*parts, text[done:]])
