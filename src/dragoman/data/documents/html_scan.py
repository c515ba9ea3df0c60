"""HTML as tags and texts, whatever state it is in, each with the place where it stands.

It reads as browsers do: attributes with and without quotes, texts that end only with their own
tag, comments that do not end. Every character belongs to one token, and no input is an error.
"""

import html
import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

RAW = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
"""Elements in which nothing but their own closing tag is a tag."""
NAME = re.compile(r"</?([a-zA-Z][^\s/>]*+)")
ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+("[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+|))?+"""
)
TAG_END = re.compile(r"[\s/]*+>")
REFERENCE = re.compile(r"&(?:#[0-9]++;?+|#[xX][0-9a-fA-F]++;?+|[a-zA-Z][a-zA-Z0-9]{1,31};?+)")
LONGEST_NUMBER = 12
"""Characters of a numbered reference; no character has a longer one."""


class HtmlKind(Enum):
    """The kind of an HTML token."""

    TEXT = auto()
    START = auto()
    END = auto()
    RAW = auto()
    """What is inside an element like `script` or `title`."""
    OTHER = auto()
    """A comment, the doctype, a tag that the file ends in."""


class HtmlToken(NamedTuple):
    """A piece of HTML, from its first character to the one after its last."""

    kind: HtmlKind
    begin: int
    end: int
    name: str = ""
    """The name of the element in small letters."""


class Attribute(NamedTuple):
    """An attribute of a tag, with the place of its value and of the quotes around that."""

    name: str
    value: str
    begin: int
    end: int


def scan(text: str) -> Iterator[HtmlToken]:
    """Yield the tokens of a page."""
    place = 0
    while place < len(text):
        token = _markup(text, place) if text[place] == "<" else None
        if token is None:
            end = _text_end(text, place)
            yield HtmlToken(HtmlKind.TEXT, place, end)
            place = end
            continue
        yield token
        place = token.end
        if token.kind is HtmlKind.START and token.name in RAW:
            end = _raw_end(text, place, token.name)
            if end > place:
                yield HtmlToken(HtmlKind.RAW, place, end, token.name)
            place = end


def _text_end(text: str, place: int) -> int:
    """Return where the next `<` stands that begins markup."""
    found = re.compile(r"<(?=[a-zA-Z/!?])").search(text, place + 1)
    return found.start() if found else len(text)


def _raw_end(text: str, place: int, name: str) -> int:
    found = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE | re.ASCII).search(text, place)
    return found.start() if found else len(text)


def _markup(text: str, place: int) -> HtmlToken | None:
    """Return the tag or comment at a place, or None for a `<` that is a character."""
    if text.startswith("<!--", place):
        return HtmlToken(HtmlKind.OTHER, place, _comment_end(text, place))
    following = text[place + 1 : place + 2]
    name = NAME.match(text, place)
    if name is not None:
        end = _tag_end(text, name.end())
        if end is None:
            return HtmlToken(HtmlKind.OTHER, place, len(text))
        kind = HtmlKind.END if following == "/" else HtmlKind.START
        return HtmlToken(kind, place, end, name[1].lower())
    if following in ("!", "?", "/") and place + 2 < len(text):
        return HtmlToken(HtmlKind.OTHER, place, _after(text, ">", place + 2))
    return None


def _comment_end(text: str, place: int) -> int:
    for short in ("<!-->", "<!--->"):
        if text.startswith(short, place):
            return place + len(short)
    found = re.compile(r"--!?>").search(text, place + 4)
    return found.end() if found else len(text)


def _after(text: str, sign: str, place: int) -> int:
    found = text.find(sign, place)
    return len(text) if found < 0 else found + 1


def _tag_end(text: str, place: int) -> int | None:
    """Return where a tag ends, or None if the file ends first."""
    while True:
        closed = TAG_END.match(text, place)
        if closed is not None:
            return closed.end()
        found = ATTRIBUTE.match(text, place)
        if found is None:
            return None
        place = found.end()


def attributes(text: str, token: HtmlToken) -> list[Attribute]:
    """Return the attributes of a tag that have a value; of two with a name only the first holds."""
    found: dict[str, Attribute] = {}
    name = NAME.match(text, token.begin)
    place = name.end() if name else token.end
    while TAG_END.match(text, place) is None:
        match = ATTRIBUTE.match(text, place)
        if match is None:
            break
        place = match.end()
        if match[2]:
            raw = match[2]
            value = unescape_html(raw[1:-1] if raw[0] in "\"'" else raw)
            named = match[1].lower()
            found.setdefault(named, Attribute(named, value, *match.span(2)))
    return list(found.values())


def unescape_html(raw: str) -> str:
    """Return text without its references, its line ends as one character."""
    raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    return REFERENCE.sub(_character, raw) if "&" in raw else raw


def _character(found: re.Match[str]) -> str:
    reference = found[0]
    if reference[1] == "#" and len(reference) > LONGEST_NUMBER:
        return "\ufffd"
    return html.unescape(reference)
