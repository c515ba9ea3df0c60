"""XML as the text it is written in: every tag and every text with the place where it stands.

lxml proves that the file is well-formed, with everything off that a hostile one could use; what is
read here is the very text it has proved, so that a piece can be replaced and the rest stays.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import NamedTuple

from lxml import etree

from dragoman.core.errors import DataError
from dragoman.data.documents.declared_encoding import decode_xml
from dragoman.data.documents.line_numbers import LineNumbers
from dragoman.data.documents.text_decoding import blanks_before
from dragoman.data.formats.markup import HARMLESS, xml_error

BEFORE_ROOT = re.compile(r"(?:[\s\ufeff]++|<!--(?s:.*?)-->|<\?(?s:.*?)\?>)*+")
TAG = re.compile(r"""<(/?)([^\s/>]+)(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
ATTRIBUTE = re.compile(r"""\s([^\s=/>"']++)\s*+=\s*+("[^"]*+"|'[^']*+')""")
REFERENCE = re.compile(r"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([a-z]+));")
NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold in any spelling."""


class XmlKind(Enum):
    """The kind of an XML token."""

    START = auto()
    END = auto()
    EMPTY = auto()
    TEXT = auto()
    CDATA = auto()
    OTHER = auto()
    """A comment, a processing instruction, the declaration."""


class XmlToken(NamedTuple):
    """A piece of XML, from its first character to the one after its last."""

    kind: XmlKind
    begin: int
    end: int
    name: str = ""
    """The name of the element, without its prefix."""


FENCED = {
    "<!--": ("-->", XmlKind.OTHER),
    "<![C": ("]]>", XmlKind.CDATA),
    "<?": ("?>", XmlKind.OTHER),
}


@dataclass(frozen=True)
class Xml:
    """A file of XML in pieces that leave nothing out."""

    text: str
    encoding: str
    tokens: tuple[XmlToken, ...]

    @cached_property
    def partners(self) -> dict[int, int]:
        """From the number of each opening tag to that of its closing tag; an empty tag is both."""
        partners: dict[int, int] = {}
        opened: list[int] = []
        for number, token in enumerate(self.tokens):
            if token.kind is XmlKind.START:
                opened.append(number)
            elif token.kind is XmlKind.END:
                partners[opened.pop()] = number
            elif token.kind is XmlKind.EMPTY:
                partners[number] = number
        return partners

    @cached_property
    def _lines(self) -> LineNumbers:
        return LineNumbers(self.text)

    def line(self, token: XmlToken) -> int:
        """Return the line a token begins in."""
        return self._lines.of(token.begin)

    def children(self, number: int) -> Iterator[int]:
        """Yield the numbers of the tags that open the elements directly inside an element."""
        last = self.partners[number]
        number += 1
        while number < last:
            if number in self.partners:
                yield number
                number = self.partners[number]
            number += 1

    def child(self, number: int, name: str) -> int | None:
        """Return the first element of this name directly inside an element."""
        return next((n for n in self.children(number) if self.tokens[n].name == name), None)

    def inside(self, number: int) -> range:
        """Return the numbers of all tokens between the tags of an element."""
        return range(number + 1, self.partners[number])

    def whole(self, number: int) -> tuple[int, int]:
        """Return where an element begins and ends."""
        return self.tokens[number].begin, self.tokens[self.partners[number]].end

    def content(self, number: int) -> tuple[int, int]:
        """Return where the content of an element begins and ends; an empty tag has none."""
        last = self.tokens[self.partners[number]]
        return self.tokens[number].end, last.end if last.kind is XmlKind.EMPTY else last.begin

    def raw(self, token: XmlToken) -> str:
        """Return a piece as it is spelt."""
        return self.text[token.begin : token.end]

    def prefix(self, token: XmlToken) -> str:
        """Return what stands before the name in a tag, with its colon."""
        found = TAG.match(self.text, token.begin)
        return found[2][: -len(token.name)] if found else ""

    def read(self, token: XmlToken) -> str:
        """Return a text as it is meant."""
        if token.kind is XmlKind.CDATA:
            return _one_newline(self.text[token.begin + 9 : token.end - 3])
        return resolve_references(self.raw(token))

    def attributes(self, token: XmlToken) -> dict[str, str]:
        """Return the attributes of a tag, as they are meant, by their full names."""
        found = ATTRIBUTE.findall(self.raw(token))
        return {name: resolve_references(value[1:-1]) for name, value in found}

    def indentation(self, token: XmlToken) -> str:
        """Return the line end and white space right before a token, if it begins its line."""
        begin = blanks_before(self.text, token.begin) - 1
        if begin < 0 or self.text[begin] != "\n":
            return ""
        return self.text[begin - self.text.endswith("\r", 0, begin) : token.begin]


def read_xml(data: bytes, name: str) -> Xml:
    """Take a file apart, once it is proved to be well-formed and harmless."""
    text, encoding = decode_xml(data, name)
    _refuse_doctype(text, name)
    parser = etree.XMLParser(
        encoding="utf-8",  # whatever the file was in, what is proved is the text that we read
        **HARMLESS,
    )
    try:
        etree.fromstring(text.removeprefix("\ufeff").encode(), parser)
    except etree.XMLSyntaxError as error:
        raise xml_error(name, error.lineno, error.msg) from error
    for entry in parser.error_log:  # lxml forgets an error that a warning follows
        if entry.level > etree.ErrorLevels.WARNING:
            raise xml_error(name, entry.line, entry.message)
    return Xml(text, encoding, tuple(_tokens(text)))


def _refuse_doctype(text: str, name: str) -> None:
    found = BEFORE_ROOT.match(text)
    place = found.end() if found else 0
    if text.startswith("<!DOCTYPE", place):
        raise DataError(
            f"{name}:{text.count(chr(10), 0, place) + 1}: the file has a DOCTYPE, which can be "
            "made to read other files or to fill the memory. Take the <!DOCTYPE ...> out."
        )


def _tokens(text: str) -> Iterator[XmlToken]:
    place = 0
    while place < len(text):
        if text[place] != "<":
            end = text.find("<", place)
            end = len(text) if end < 0 else end
            yield XmlToken(XmlKind.TEXT, place, end)
        else:
            token = _markup(text, place)
            end = token.end
            yield token
        place = end


def _markup(text: str, place: int) -> XmlToken:
    for start, (stop, kind) in FENCED.items():
        if text.startswith(start, place):
            return XmlToken(kind, place, text.index(stop, place + len(start)) + len(stop))
    found = TAG.match(text, place)
    if found is None:
        raise ValueError(f"a tag without an end at character {place}, which lxml let pass")
    empty = text[found.end() - 2] == "/"
    kind = XmlKind.END if found[1] else XmlKind.EMPTY if empty else XmlKind.START
    return XmlToken(kind, place, found.end(), found[2].rpartition(":")[2])


def resolve_references(raw: str) -> str:
    """Return text or the value of an attribute without its references."""
    return REFERENCE.sub(_character, _one_newline(raw)) if "&" in raw else _one_newline(raw)


def _one_newline(raw: str) -> str:
    return raw.replace("\r\n", "\n").replace("\r", "\n") if "\r" in raw else raw


def _character(found: re.Match[str]) -> str:
    if found[1] or found[2]:
        return chr(int(found[1], 16) if found[1] else int(found[2].lstrip("0")))
    return NAMED[found[3]]


def escape_xml(text: str, encoding: str = "utf-8") -> str:
    """Return text as it is written between tags; what XML cannot hold becomes a space."""
    text = FORBIDDEN.sub(" ", text).replace("&", "&amp;")
    text = text.replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    if encoding.startswith("utf"):
        return text
    return text.encode(encoding, "xmlcharrefreplace").decode(encoding)


def with_attribute(tag: str, name: str, value: str | None) -> str:
    """Return a tag with an attribute set to a value, or taken away."""
    place = next((found for found in ATTRIBUTE.finditer(tag) if found[1] == name), None)
    written = "" if value is None else f' {name}="{escape_xml(value).replace(chr(34), "&quot;")}"'
    if place is not None:
        return tag[: place.start()] + written + tag[place.end() :]
    body = tag.rstrip("/>").rstrip()
    return body + written + tag[len(body) :].lstrip()
