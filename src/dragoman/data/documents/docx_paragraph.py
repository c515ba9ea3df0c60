"""Paragraphs of a DOCX file: their text, and their runs filled with another."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dragoman.data.documents.document import Segment, SegmentTranslation, Slot, TextSpan
from dragoman.data.documents.docx_pieces import DocxPieces, join_runs
from dragoman.data.documents.inline_markup import (
    BLANK,
    Inline,
    MarkedPart,
    MarkedText,
    build_marked_text,
)
from dragoman.data.documents.xml_text import Xml, escape_xml


@dataclass(frozen=True)
class Paragraph:
    """A paragraph with text in it."""

    xml: Xml
    prefix: str
    marked: MarkedText
    segment: Segment

    @property
    def begin(self) -> int:
        """The place in the part at which its text begins."""
        return self.marked.begin

    @property
    def end(self) -> int:
        """The place in the part at which its text ends."""
        return self.marked.end

    def filled(self, answer: SegmentTranslation, raw: Callable[[int, int], str]) -> str:
        """Return the runs with an answer dealt out to them, every run with its own look."""
        if answer.text == self.segment.text and tuple(answer.inlines) == self.segment.inlines:
            return raw(self.begin, self.end)
        text = self.marked.text
        lead = len(text) - len(text.lstrip(BLANK))
        tail = text[len(text.rstrip(BLANK)) :]
        shifted = [TextSpan(begin + lead, end + lead) for begin, end in answer.inlines]
        whole = text[:lead] + answer.text + tail
        stretches = self._covered(shifted, len(whole))
        return self.marked.filled(SegmentTranslation(whole, stretches), self._written, raw)

    def _covered(self, stretches: Sequence[TextSpan], length: int) -> tuple[TextSpan, ...]:
        """Stretch the runs over the text that none of them has: the run before it, or the next."""
        children = self.marked.children(stretches)
        found = list(stretches)
        for parent in (-1, *range(len(found))):
            room = found[parent] if parent >= 0 else TextSpan(0, length)
            if parent not in self._holders:
                self._cover(children.get(parent, ()), room, found)
        return tuple(found)

    def _cover(self, numbers: Sequence[int], room: TextSpan, found: list[TextSpan]) -> None:
        runs = self._holders
        done, before = room.begin, -1
        for number in numbers:
            begin = min(max(found[number].begin, done), room.end)
            end = min(max(found[number].end, begin), room.end)
            if before in runs:
                found[before] = TextSpan(found[before].begin, begin)
            elif number in runs:
                begin = done
            found[number] = TextSpan(begin, end)
            done, before = end, number
        if before in runs:
            found[before] = TextSpan(found[before].begin, room.end)

    @cached_property
    def _holders(self) -> set[int]:
        """The inlines that text may stand right inside of, and -1 if it may inside the whole."""
        found = {-1} if any(_is_run(piece) for piece in self.marked.around) else set()
        for number, inline in enumerate(self.marked.inlines):
            if _is_run(inline.opening) or inline.parent in found:
                found.add(number)
        return found

    def _written(self, text: str, around: int) -> str:
        kept = ' xml:space="preserve"' if text != text.strip(BLANK) else ""
        tag = f"{self.prefix}t"
        written = f"<{tag}{kept}>{escape_xml(text, self.xml.encoding)}</{tag}>"
        if around in self._holders:
            return written
        run = self._models.get(around, self._models.get(None))
        if run is None:  # there was text outside of any run, and it gets one
            return f"<{self.prefix}r>{written}</{self.prefix}r>"
        opening = self.xml.text[run.opening.begin : run.opening.end]
        closing = run.closing or run.opening
        return opening + written + self.xml.text[closing.begin : closing.end]

    @cached_property
    def _models(self) -> dict[int | None, Inline]:
        """The run that text without one takes its look from: a neighbour, or the first of all."""
        found: dict[int | None, Inline] = {}
        for inline in self.marked.inlines:
            if _is_run(inline.opening):
                found.setdefault(inline.parent, inline)
                found.setdefault(None, inline)
        return found


def _is_run(piece: MarkedPart) -> bool:
    return isinstance(piece.key, tuple) and piece.key[0] == "run"


def paragraphs(xml: Xml, label: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a part that have text, one before those inside it."""
    root = next(n for n in range(len(xml.tokens)) if n in xml.partners)
    prefix = xml.prefix(xml.tokens[root])
    count = 0
    for number, token in enumerate(xml.tokens):
        if token.name != "p" or number not in xml.partners or xml.prefix(token) != prefix:
            continue
        count += 1
        pieces = DocxPieces(xml, number, prefix)
        whole = build_marked_text(join_runs(pieces.found, xml.text)) if pieces.safe else None
        if whole is not None:
            text = whole.text.strip(BLANK)
            lead = len(whole.text) - len(whole.text.lstrip(BLANK))
            inlines = tuple(
                TextSpan(*(min(max(place - lead, 0), len(text)) for place in stretch))
                for stretch in whole.stretches
            )
            segment = Segment(text, inlines=inlines, where=f"{label} paragraph {count}")
            yield Paragraph(xml, prefix, whole, segment)


@dataclass(frozen=True)
class DocxPart:
    """A part of a document: its paragraphs, some of them in text boxes inside others."""

    text: str
    paragraphs: Sequence[Paragraph]

    @cached_property
    def _begins(self) -> list[int]:
        return [paragraph.begin for paragraph in self.paragraphs]

    def slots(self) -> Iterator[Slot]:
        """Yield a slot for each paragraph that is in no other, together with those inside it."""
        first = 0
        while first < len(self.paragraphs):
            begin, end = self.paragraphs[first].begin, self.paragraphs[first].end
            last = bisect_left(self._begins, end)
            yield Slot(begin, end, tuple(range(first, last)), self._writer(first))
            first = last

    def _writer(self, number: int) -> Callable[[Mapping[int, SegmentTranslation]], str]:
        return lambda answers: self._written(number, answers)

    def _written(self, number: int, answers: Mapping[int, SegmentTranslation]) -> str:
        paragraph = self.paragraphs[number]

        def raw(begin: int, end: int) -> str:
            return self._raw(begin, end, number + 1, answers)

        if number in answers:
            return paragraph.filled(answers[number], raw)
        return raw(paragraph.begin, paragraph.end)

    def _raw(
        self, begin: int, end: int, first: int, answers: Mapping[int, SegmentTranslation]
    ) -> str:
        """Return what stands between two places, with the paragraphs from a number on answered."""
        parts: list[str] = []
        number = max(first, bisect_left(self._begins, begin))
        while number < len(self.paragraphs) and self.paragraphs[number].begin < end:
            inner = self.paragraphs[number]
            parts += [self.text[begin : inner.begin], self._written(number, answers)]
            begin = inner.end
            number = bisect_left(self._begins, begin)
        return "".join([*parts, self.text[begin:end]])
