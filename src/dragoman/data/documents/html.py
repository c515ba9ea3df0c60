"""Web pages: what stands between block elements is a text, and so are some attributes."""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from dragoman.data.documents.declared_encoding import decode_html
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Segment,
    SegmentTranslation,
    Slot,
    TextFile,
)
from dragoman.data.documents.html_scan import (
    Attribute,
    HtmlKind,
    HtmlToken,
    attributes,
    scan,
    unescape_html,
)
from dragoman.data.documents.inline_markup import (
    Mark,
    MarkedPart,
    MarkedText,
    build_marked_text,
    text_pieces,
)
from dragoman.data.documents.line_numbers import LineNumbers
from dragoman.data.documents.text_decoding import has_letters
from dragoman.data.documents.xml_text import escape_xml
from dragoman.data.formats.languages import LanguagePair, choose

SURROUNDING = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rp rt "
    "ruby s samp small span strike strong sub sup time tt u var"
)
AROUND = frozenset(SURROUNDING.split())
ALONE = {"br", "img", "input", "wbr"}
INLINE = AROUND | ALONE
CODE = {"code", "kbd", "samp", "var"}
VOID = {"area", "base", "col", "embed", "hr", "link", "meta", "param", "source", "track"}
CLOSED = {"audio", "canvas", "iframe", "math", "object", "script", "style", "svg", "template"}
"""Elements inside a text that stay with all they hold."""
KEPT = {"noembed", "noframes", "pre", "textarea", "xmp"}
"""Elements that end a text and stay with all they hold."""
TRANSLATED = {"alt", "title", "placeholder", "aria-label"}
BUTTONS = {"submit", "button", "reset"}

CONTROLS = re.compile("[\x80-\x9f]")

Raw = Callable[[int, int], str]


@dataclass(frozen=True, slots=True)
class _Found:
    """A text and the place where its answer goes."""

    begin: int
    end: int
    segment: Segment
    write: Callable[[SegmentTranslation, Raw], str]


@dataclass
class _Kept:
    """An element that is passed over, up to its end."""

    begin: int
    name: str
    inline: bool
    depth: int = 1


@dataclass
class _Page:
    """The segments and slots found in a page so far."""

    text: str
    encoding: str
    lines: LineNumbers
    found: BoundedList[_Found]
    language: list[Attribute] = field(default_factory=list)
    _pieces: list[MarkedPart] = field(default_factory=list)
    _kept: _Kept | None = None

    def take(self, token: HtmlToken) -> None:
        """Look at the next token."""
        if self._kept is not None and self._passes(self._kept, token):
            return
        match token.kind:
            case HtmlKind.TEXT:
                begin = token.begin + self.text.startswith("\ufeff", token.begin, 1)
                raw = self.text[begin : token.end]
                self._pieces += text_pieces(begin, raw, unescape_html)
            case HtmlKind.START:
                self._start(token)
            case HtmlKind.END if token.name in INLINE:
                self._add(Mark.CLOSE, token)
            case HtmlKind.END:
                self.end_text()
            case HtmlKind.RAW if token.name == "title":
                self._title(token)
            case _:
                self._add(Mark.ALONE, token)

    def _passes(self, kept: _Kept, token: HtmlToken) -> bool:
        """Count the elements of its name inside an element that is passed over."""
        block = token.name not in INLINE | CLOSED
        if kept.name == "p" and token.kind is HtmlKind.START and block:
            self._kept = None  # it ends a paragraph, if that is closed or not
            return False
        if token.name == kept.name and token.kind in (HtmlKind.START, HtmlKind.END):
            kept.depth += 1 if token.kind is HtmlKind.START and not self._is_empty(token) else 0
            kept.depth -= token.kind is HtmlKind.END
        if kept.depth == 0:
            self._kept = None
            if kept.inline:
                self._pieces.append(MarkedPart(Mark.ALONE, kept.begin, token.end))
        return True

    def _start(self, token: HtmlToken) -> None:
        found = attributes(self.text, token)
        values = {attribute.name: attribute.value for attribute in found}
        stays = values.get("translate", "").lower() == "no"
        stays = stays or "notranslate" in values.get("class", "").split()
        if token.name in AROUND:
            self._add(Mark.OPEN, token, verbatim=stays or token.name in CODE)
        elif token.name in ALONE:
            self._add(Mark.ALONE, token, breaks=token.name == "br")
        elif token.name in CLOSED and not self._is_empty(token):
            self._kept = _Kept(token.begin, token.name, inline=True)
            return
        elif token.name not in CLOSED:
            self.end_text()
            if (stays and token.name not in VOID) or token.name in KEPT:
                self._kept = _Kept(token.begin, token.name, inline=False)
        if not stays:
            self._attributes(token, found, values)

    def _is_empty(self, token: HtmlToken) -> bool:
        return token.name in ("svg", "math") and self.text[token.end - 2] == "/"

    def _add(
        self, mark: Mark, token: HtmlToken, *, verbatim: bool = False, breaks: bool = False
    ) -> None:
        name = token.name if mark is not Mark.ALONE else None
        self._pieces.append(
            MarkedPart(mark, token.begin, token.end, key=name, verbatim=verbatim, breaks=breaks)
        )

    def _attributes(
        self, token: HtmlToken, found: Sequence[Attribute], values: Mapping[str, str]
    ) -> None:
        names = set(TRANSLATED)
        if token.name == "meta":
            described = values.get("name", "").lower() in ("description", "keywords")
            names = {"content"} if described else set()
        elif token.name == "input" and values.get("type", "").lower() in BUTTONS:
            names.add("value")
        elif token.name == "html":
            self.language += [a for a in found if a.name in ("lang", "xml:lang")]
        for attribute in found:
            if attribute.name in names and has_letters(attribute.value):
                self._attribute(attribute)

    def _attribute(self, attribute: Attribute) -> None:
        raw = self.text[attribute.begin : attribute.end]
        quote = raw[0] if raw[0] in "\"'" else '"'

        def write(answer: SegmentTranslation, _: Raw) -> str:
            return raw if answer.text == attribute.value else self.quoted(answer.text, quote)

        segment = Segment(attribute.value, where=self._where(attribute.begin))
        self.found.append(_Found(attribute.begin, attribute.end, segment, write))

    def quoted(self, value: str, quote: str) -> str:
        """Return the value of an attribute as it is written."""
        sign = "&quot;" if quote == '"' else "&#39;"
        return quote + self._escaped(value).replace(quote, sign) + quote

    def _escaped(self, text: str) -> str:
        if not self.encoding.startswith("utf"):  # a reference to one means a character of cp1252
            text = CONTROLS.sub(" ", text)
        return escape_xml(text, self.encoding)

    def _title(self, token: HtmlToken) -> None:
        raw = self.text[token.begin : token.end]
        self._text(build_marked_text(list(text_pieces(token.begin, raw, unescape_html))))

    def end_text(self) -> None:
        """Note the text up to here, if there is one."""
        if self._pieces:
            self._text(build_marked_text(self._pieces))
            self._pieces = []

    def _text(self, whole: MarkedText | None) -> None:
        if whole is None:
            return

        def write(answer: SegmentTranslation, raw: Raw) -> str:
            if whole.same(answer):
                return raw(whole.begin, whole.end)
            return whole.filled(answer, lambda part, _: self._escaped(part), raw)

        segment = whole.segment(self._where(whole.begin), wrapped=True)
        self.found.append(_Found(whole.begin, whole.end, segment, write))

    def _where(self, place: int) -> str:
        return f"line {self.lines.of(place)}"


def read_html(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> TextFile:
    """Read the texts of a page, its title, and what its pictures, fields and buttons say.

    Code inside a text is verbatim; `pre`, scripts, drawings and what is marked as not to be
    translated stay. The language of the page is set once something is answered. A character that
    no page can hold becomes a space.
    """
    text, encoding = decode_html(data, name)
    page = _Page(text, encoding, LineNumbers(text), BoundedList(name, most))
    for token in scan(text):
        page.take(token)
    page.end_text()
    found = sorted(page.found, key=lambda one: (one.begin, -one.end))
    slots = [*_slots(text, found), *_language(page, found, wanted)]
    slots.sort(key=lambda slot: slot.begin)
    return TextFile(text, tuple(one.segment for one in found), tuple(slots), encoding)


def _slots(text: str, found: Sequence[_Found]) -> list[Slot]:
    """Make a slot of each text, together with the attributes of the tags inside it."""
    slots: list[Slot] = []
    number = 0
    while number < len(found):
        last = number + 1
        while last < len(found) and found[last].begin < found[number].end:
            last += 1
        numbers = tuple(range(number, last))
        begin, end = found[number].begin, found[number].end
        slots.append(Slot(begin, end, numbers, _writer(text, found, numbers)))
        number = last
    return slots


def _writer(
    text: str, found: Sequence[_Found], numbers: tuple[int, ...]
) -> Callable[[Mapping[int, SegmentTranslation]], str]:
    outer, *inner = numbers
    begins = [found[number].begin for number in inner]

    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        def raw(begin: int, end: int) -> str:
            parts: list[str] = []
            for place in range(bisect_left(begins, begin), bisect_left(begins, end)):
                answer = answers.get(inner[place])
                if answer is not None and answer.sure:
                    one = found[inner[place]]
                    parts += [text[begin : one.begin], one.write(answer, raw)]
                    begin = one.end
            return "".join([*parts, text[begin:end]])

        answer = answers.get(outer)
        if answer is None or not answer.sure:
            return raw(found[outer].begin, found[outer].end)
        return found[outer].write(answer, raw)

    return write


def _language(page: _Page, found: Sequence[_Found], wanted: LanguagePair) -> list[Slot]:
    """Say in which language the page is, once some of it is."""
    numbers = tuple(range(len(found)))
    slots: list[Slot] = []
    for attribute in page.language if wanted.told else ():
        if choose(wanted.source, [attribute.value]):
            raw = page.text[attribute.begin : attribute.end]
            new = page.quoted(wanted.target, raw[0] if raw[0] in "\"'" else '"')
            write = _if_translated(raw, new, found)
            slots.append(Slot(attribute.begin, attribute.end, numbers, write))
    return slots


def _if_translated(
    raw: str, new: str, found: Sequence[_Found]
) -> Callable[[Mapping[int, SegmentTranslation]], str]:
    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        changed = (
            answer.sure and answer.text != found[number].segment.text
            for number, answer in answers.items()
        )
        return new if any(changed) else raw

    return write
