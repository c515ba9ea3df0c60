"""Markdown: headings, paragraphs, list items, quotations and cells of tables.

Code, HTML, formulas, front matter and the targets of links stay. A paragraph of several lines gets
its answer on one. What is not understood is left as it is, rather than broken.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Document,
    Segment,
    SegmentTranslation,
    Slot,
    TextFile,
)
from dragoman.data.documents.inline_markup import MarkedPart, MarkedText, build_marked_text
from dragoman.data.documents.markdown_inline import (
    escape_markdown,
    inline_pieces,
    labels_of,
    safe_beginning,
)
from dragoman.data.documents.text_decoding import decode_text
from dragoman.data.formats.languages import LanguagePair

QUOTE = re.compile(r"(?: {0,3}>[ \t]?)*+")
MARKER = re.compile(r"[ \t]*+(?:[-+*]|[0-9]{1,9}[.)])(?:(?P<gap>[ \t]++)(?:\[[ xX]\][ \t]++)?|$)")
FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,100}\]:[ \t]*+")
HEADING = re.compile(r"\#{1,6}(?:[ \t]++|$)")
FENCE = re.compile(r"(`{3,}+(?=[^`]*+$)|~{3,}+|\${2}(?=\s*+$))")
RULE = re.compile(r"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+$")
DEFINITION = re.compile(r"\[[^\[\]]{1,999}\]:")
COLONS = re.compile(r":{3,}")
ROW_OF_LINES = re.compile(
    r"[ \t]*+\|?+[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$"
)
CELL = re.compile(r"(?:[^|\\]|\\.|\\$)++")
HTML = re.compile(
    r"<(?:!--|[?!]|/?(?:address|article|aside|base|blockquote|body|caption|center|col|colgroup|dd|"
    r"details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|"
    r"head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|optgroup|option|p|param|pre|script|"
    r"section|source|style|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|ul)"
    r"(?=[\s/>]|$))",
    re.IGNORECASE,
)
TAG_ALONE = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*+(?:\s[^<>]*+|/)?>[ \t]*+$")
ENDS_OF_HTML = {
    "<!--": "-->",
    "<scr": "</script",
    "<pre": "</pre",
    "<sty": "</style",
    "<tex": "</tex",
}
FRONT = {"---": ("---", "..."), "+++": ("+++",)}


class MarkdownLine(NamedTuple):
    """A line without its end and the marks of quotations before it."""

    number: int
    begin: int
    text: str
    quotes: int


class MarkdownPart(NamedTuple):
    """Text in one line, from here to there."""

    begin: int
    end: int


def read_markdown(
    data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS
) -> Document:
    """Read a file of Markdown."""
    text = decode_text(data, name)
    blocks = _Blocks(text, BoundedList(name, most))
    blocks.read()
    return TextFile(text, tuple(blocks.segments), tuple(blocks.slots))


class _Blocks:
    """The blocks found so far, line by line."""

    def __init__(self, text: str, segments: BoundedList[Segment]) -> None:
        self.segments = segments
        self.slots: list[Slot] = []
        self._text = text
        self._labels = labels_of(text)
        self._lines = _lines(text)
        self._paragraph: list[MarkdownPart] = []
        self._number = 0
        self._indents: list[int] = []
        self._quotes = 0
        self._in_table = False
        self._until: tuple[str, ...] | None = None
        """What ends the lines that are passed over; nothing for an empty line."""

    def read(self) -> None:
        """Go through the lines."""
        first = self._front_matter()
        for place in range(first, len(self._lines)):
            line = self._lines[place]
            if self._until is not None and line.quotes > self._quotes:
                continue  # the sign of a quotation, but inside of code
            if line.quotes != self._quotes:
                self._flush()
                self._indents, self._until, self._quotes = [], None, line.quotes
            if self._passed_over(line):
                continue
            if not line.text.strip():
                self._flush()
            elif self._in_table and not _begins_block(line.text.lstrip(" \t")):
                self._table_row(line)
            elif not self._continues(line, place):
                self._flush()
                self._block(line, place)
        self._flush()

    def _front_matter(self) -> int:
        ends = FRONT.get(self._lines[0].text.rstrip())
        if ends:
            for place, line in enumerate(self._lines[1:], 1):
                if line.text.rstrip() in ends:
                    return place + 1
        return 0

    def _passed_over(self, line: MarkdownLine) -> bool:
        if self._until is None:
            return False
        bare = line.text.strip()
        if not self._until:
            if bare:
                return True
            self._until = None
            return False
        kind, end = self._until
        fenced = kind == "fence" and bare.startswith(end) and not bare.strip(end[0])
        if fenced or (kind == "html" and end in bare.casefold()):
            self._until = None
        return True

    def _continues(self, line: MarkdownLine, place: int) -> bool:
        """Whether a line goes on with the paragraph before it; if so, take it."""
        if not self._paragraph:
            return False
        bare = line.text.lstrip(" \t")
        if UNDERLINE.match(bare):
            self._flush()
            return True
        indented = _indentation(line.text)
        is_sibling = bool(self._indents) and indented < self._indents[-1]
        begins = _begins_block(bare) or self._begins_table(line, place)
        if begins or (is_sibling and MARKER.match(bare)):
            return False
        begin = line.begin + len(line.text) - len(bare)
        self._paragraph.append(MarkdownPart(begin, begin + len(bare)))
        return True

    def _block(self, line: MarkdownLine, place: int) -> None:
        """Look at what begins here, inside of lists."""
        self._number = line.number
        at = _indentation(line.text)
        column = _column(0, line.text[:at])
        while self._indents and column < self._indents[-1]:
            self._indents.pop()
        if column - (self._indents[-1] if self._indents else 0) >= 4:
            return
        rules = _places_of_rules(line.text)
        while at not in rules and (found := MARKER.match(line.text, at)):
            gap = found.group("gap") or " "
            if len(gap) > 4 or "\t" in gap:
                return
            self._indents.append(column + _width(found))
            column = _column(column, found.group())
            at = found.end()
        if found := FOOTNOTE.match(line.text, at):
            self._indents.append(at + 4)
            at = found.end()
        self._leaf(line, at, place)

    def _leaf(self, line: MarkdownLine, at: int, place: int) -> None:
        bare = line.text[at:]
        if found := FENCE.match(bare):
            self._until = ("fence", found.group())
        elif HTML.match(bare) or TAG_ALONE.match(bare):
            self._html(bare)
        elif found := HEADING.match(bare):
            self._heading(line, at + found.end())
        elif self._begins_table(line, place):
            self._in_table = True
            self._table_row(line, at)
        elif not (RULE.match(bare) or DEFINITION.match(bare) or COLONS.match(bare)):
            self._paragraph = [MarkdownPart(line.begin + at, line.begin + len(line.text))]

    def _html(self, bare: str) -> None:
        end = ENDS_OF_HTML.get(bare[:4].casefold())
        if end is None:
            self._until = ()
        elif end not in bare.casefold():
            self._until = ("html", end)

    def _heading(self, line: MarkdownLine, at: int) -> None:
        content = line.text[at:].rstrip()
        if content.endswith("}") and "{" in content:
            content = content[: content.rindex("{")].rstrip()
        bare = content.rstrip("#")
        if not bare or bare[-1] in " \t":
            content = bare
        begin = line.begin + at
        self._add([MarkdownPart(begin, begin + len(content))], line.number, wrapped=False)

    def _begins_table(self, line: MarkdownLine, place: int) -> bool:
        if "|" not in line.text or place + 1 >= len(self._lines):
            return False
        below = self._lines[place + 1]
        return (
            below.quotes == line.quotes
            and "|" in below.text
            and ROW_OF_LINES.match(below.text) is not None
        )

    def _table_row(self, line: MarkdownLine, at: int = 0) -> None:
        if ROW_OF_LINES.match(line.text):
            return
        for cell in CELL.finditer(line.text, at):
            begins = not line.text[at : cell.start()].strip(" \t")
            begin = line.begin + cell.start()
            part = MarkdownPart(begin, begin + len(cell.group()))
            self._add([part], line.number, wrapped=False, in_table=True, begins=begins)

    def _flush(self) -> None:
        """End the paragraph or the table."""
        if self._paragraph:
            self._add(self._paragraph, self._number, wrapped=True)
        self._paragraph, self._in_table = [], False

    def _add(
        self,
        parts: list[MarkdownPart],
        line: int,
        *,
        wrapped: bool,
        in_table: bool = False,
        begins: bool = True,
    ) -> None:
        """Add the text of some lines, if there is something in it to translate."""
        starts = [0]
        for part in parts:
            starts.append(starts[-1] + part.end - part.begin + 1)

        def in_file(place: int) -> int:
            number = min(bisect_right(starts, place), len(parts)) - 1
            return parts[number].begin + place - starts[number]

        joined = "\n".join(self._text[part.begin : part.end] for part in parts)
        pieces = inline_pieces(joined, self._labels)
        for number, piece in enumerate(pieces):  # in place, for they may be many
            begin, end = in_file(piece.begin), in_file(piece.end)
            pieces[number] = MarkedPart(piece.mark, begin, end, *piece[3:])
        found = build_marked_text(pieces)
        if found is None:
            return
        number = len(self.segments)
        self.segments.append(found.segment(f"line {line}", wrapped=wrapped))
        first = next(part for part in reversed(parts) if part.begin <= found.begin)
        at_beginning = begins and not self._text[first.begin : found.begin].strip(" \t")
        self.slots.append(_slot(self._text, found, number, at_beginning, in_table))


def _lines(text: str) -> list[MarkdownLine]:
    found = []
    place = 1 if text.startswith("\ufeff") else 0
    for number, whole in enumerate(text[place:].split("\n"), 1):
        line = whole.removesuffix("\r")
        quote = QUOTE.match(line)
        marks = quote.group() if quote else ""
        found.append(MarkdownLine(number, place + len(marks), line[len(marks) :], marks.count(">")))
        place += len(whole) + 1
    return found


def _begins_block(bare: str) -> bool:
    """Whether a line ends the paragraph before it, by what it begins with."""
    marker = MARKER.match(bare)
    if marker and marker.end() < len(bare):
        return not bare[0].isdigit() or bare.startswith(("1.", "1)"))
    return any(kind.match(bare) for kind in (HEADING, FENCE, HTML, RULE, FOOTNOTE, COLONS))


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _column(before: int, text: str) -> int:
    """Return the column after a text that begins in a column; tabs go to every fourth."""
    within = before % 4
    return before - within + len((" " * within + text).expandtabs(4))


def _places_of_rules(text: str) -> range:
    """Return between which places the sign of a rule is the first of one: `- - -`, `***`."""
    bare = text.rstrip(" \t")
    sign = bare[-1:]
    if sign not in ("*", "-", "_"):
        return range(0)
    last = len(bare)
    for _ in range(3):
        last = bare.rfind(sign, 0, max(last, 0))
    return range(len(bare.rstrip(f"{sign} \t")), last + 1)


def _width(marker: re.Match[str]) -> int:
    """Return how far the text of a list item stands to the right of its line's beginning."""
    gap = marker.group("gap")
    return marker.end("gap") - marker.start() if gap else marker.end() - marker.start() + 1


def _slot(text: str, found: MarkedText, number: int, at_beginning: bool, in_table: bool) -> Slot:
    def written(part: str, around: int) -> str:
        opening = found.inlines[around].opening if around >= 0 else None
        sign = text[opening.begin : opening.end] if opening and opening.verbatim else ""
        spelled = escape_markdown(part, sign)
        return spelled.replace("|", "\\|") if in_table else spelled

    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        answer = answers[number]
        if not answer.sure or found.same(answer):
            return text[found.begin : found.end]
        filled = found.filled(answer, written, lambda begin, end: text[begin:end])
        starts_bare = not answer.inlines or answer.inlines[0].begin > 0
        return safe_beginning(filled) if at_beginning and starts_bare else filled.strip(" \t")

    return Slot(found.begin, found.end, (number,), write)
