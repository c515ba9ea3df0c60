"""Subtitles: SubRip (SRT) and WebVTT.

    12                                 number, or a name
    00:01:02,500 --> 00:01:04,000      timing, and in VTT a position
    <i>Where are you
    going?</i>

What is said is translated; numbers, timings, notes, styles and regions stay. An answer without a
line break gets as many lines as the source had, of much the same length. What would end the text
of a cue goes: empty lines, and --> becomes →. SubRip has no way to write `<i>` as text: ‹i›.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Document,
    Segment,
    SegmentTranslation,
    Slot,
    TextFile,
)
from dragoman.data.documents.inline_markup import (
    Mark,
    MarkedPart,
    MarkedText,
    build_marked_text,
    text_pieces,
)
from dragoman.data.documents.text_decoding import decode_text, storable
from dragoman.data.formats.languages import LanguagePair

TIME = r"(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{1,2}[.,][0-9]{1,3}"
TIMING = re.compile(rf"[ \t]*+{TIME}[ \t]*+-->[ \t]*+{TIME}(?:[ \t][^\n]*+)?\r?$")
ANGLED = r"</(?P<closing>[A-Za-z]++)[ \t]*+>|<(?P<opening>[A-Za-z]++)(?:[.\s][^<>]*+)?>|<[0-9:.]++>"
BRACED = r"\{\\[^{}\n]*+\}|\{/?(?P<brace>[biusBIUS])\}"
VTT_TAG = re.compile(rf"{ANGLED}|(?P<brace>\Z\A)")
SRT_TAG = re.compile(f"{ANGLED}|{BRACED}")
OTHER_SIGNS = str.maketrans("<>{}", "‹›()")
ENTITY = re.compile(r"&(?:amp|lt|gt|nbsp|lrm|rlm|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
RAW = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\xa0": "&nbsp;"})
SKIPPED = ("NOTE", "STYLE", "REGION", "X-TIMESTAMP-MAP")
BREAKS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n"))


class _Line(NamedTuple):
    number: int
    begin: int
    text: str
    """With a carriage return at its end where there is one, without the line feed."""


def read_subtitles(
    data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS
) -> Document:
    """Read subtitles; those that begin with WEBVTT are VTT, where `&lt;` is a bracket."""
    text = decode_text(data, name)
    is_vtt = text.removeprefix("\ufeff").startswith("WEBVTT")
    segments = BoundedList[Segment](name, most)
    slots: list[Slot] = []
    line_end = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
    for begin, end, line in _cues(text, name, is_vtt):
        found = build_marked_text(list(_pieces(text, begin, end, is_vtt)))
        if found:
            slots.append(_slot(text, found, len(segments), is_vtt, line_end))
            segments.append(found.segment(f"line {line}", wrapped=True))
    return TextFile(text, tuple(segments), tuple(slots))


def _cues(text: str, name: str, is_vtt: bool) -> Iterator[tuple[int, int, int]]:
    """Yield where the text of each cue begins and ends, and its line."""
    found = 0
    for block in _blocks(text):
        if is_vtt and block[0].text.lstrip("\ufeff").startswith((*SKIPPED, "WEBVTT")):
            continue
        timing = next((n for n, line in enumerate(block[:2]) if TIMING.match(line.text)), None)
        if timing is None:
            # An empty line inside a cue: what follows it is text that players do not show.
            continue
        found += 1
        rest = block[timing + 1 :]
        if rest:
            last = rest[-1]
            yield rest[0].begin, last.begin + len(last.text.rstrip("\r")), rest[0].number
    if not found and not is_vtt and text.strip("\ufeff \r\n\t"):
        raise DataError(f"{name}:1: no subtitle with a timing like 00:01:02,500 --> 00:01:04,000.")


def _blocks(text: str) -> Iterator[list[_Line]]:
    """Yield what stands between empty lines."""
    block: list[_Line] = []
    place = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip("\r \t\ufeff"):
            block.append(_Line(number, place, line))
        elif block:
            yield block
            block = []
        place += len(line) + 1
    if block:
        yield block


def _pieces(text: str, begin: int, end: int, is_vtt: bool) -> Iterator[MarkedPart]:
    def read(raw: str) -> str:
        raw = raw.replace("\r\n", "\n")
        return ENTITY.sub(lambda found: unescape(found.group()), raw) if is_vtt else raw

    done = begin
    for tag in (VTT_TAG if is_vtt else SRT_TAG).finditer(text, begin, end):
        yield from text_pieces(done, text[done : tag.start()], read)
        done = tag.end()
        yield _mark(tag)
    yield from text_pieces(done, text[done:end], read)


def _mark(tag: re.Match[str]) -> MarkedPart:
    begin, end = tag.span()
    opening, closing, brace = tag.group("opening"), tag.group("closing"), tag.group("brace")
    if opening or closing:
        mark = Mark.OPEN if opening else Mark.CLOSE
        return MarkedPart(mark, begin, end, key=(opening or closing).casefold())
    if brace:
        mark = Mark.CLOSE if tag.group().startswith("{/") else Mark.OPEN
        return MarkedPart(mark, begin, end, key=f"{{{brace.casefold()}")
    return MarkedPart(Mark.ALONE, begin, end)


def _slot(text: str, found: MarkedText, number: int, is_vtt: bool, line_end: str) -> Slot:
    def written(part: str, around: int) -> str:
        return part.translate(RAW) if is_vtt else SRT_TAG.sub(_disarmed, part)

    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        answer = answers[number]
        if not answer.sure or found.same(answer):
            return text[found.begin : found.end]
        laid_out = SegmentTranslation(
            _laid_out(answer.text, found.text.count("\n") + 1), answer.inlines
        )
        filled = found.filled(laid_out, written, lambda begin, end: text[begin:end])
        return _safe(filled).replace("\n", line_end)

    return Slot(found.begin, found.end, (number,), write)


def _disarmed(tag: re.Match[str]) -> str:
    """Spell what looks like markup but is text otherwise: SubRip knows no escapes."""
    return tag.group().translate(OTHER_SIGNS)


def _laid_out(text: str, lines: int) -> str:
    """Return a text with some of its spaces made line breaks, so that its lines are balanced.

    Every character stays at its place, for the sake of the markup.
    """
    text = text.translate(BREAKS)
    if "\n" in text.strip() or lines < 2:
        return text
    signs = list(text)
    spaces = [place for place, sign in enumerate(text) if sign == " "]
    done, first = 0, 0
    for left in range(lines, 1, -1):
        aim = done + (len(text) - done) / left
        after = max(bisect_left(spaces, aim), first)
        near = [n for n in (after - 1, after) if first <= n < len(spaces)]
        if not near:
            break
        chosen = min(near, key=lambda n: abs(spaces[n] - aim))
        done, first = spaces[chosen], chosen + 1
        signs[done] = "\n"
    return "".join(signs)


def _safe(text: str) -> str:
    """Leave no empty line and no arrow of a timing, which would end the cue."""
    text = storable(text).replace("-->", "→")
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
