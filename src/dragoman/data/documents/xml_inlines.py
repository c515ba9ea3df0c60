"""The inline elements of translation files: those around text, and those that stand for code."""

from collections.abc import Iterator, Mapping

from dragoman.data.documents.inline_markup import BLANK, Mark, MarkedPart, text_pieces
from dragoman.data.documents.xml_text import Xml, XmlKind, XmlToken, resolve_references

CODE = {"bpt", "ept", "ph", "it", "ut", "x", "bx", "ex", "sc", "ec", "sm", "em", "cp"}
"""What is inside these is the markup of the original file, and no text."""
OPENING = {"bpt", "bx", "sc", "sm"}
CLOSING = {"ept", "ex", "ec", "em"}


def inline_pieces(xml: Xml, number: int) -> Iterator[MarkedPart]:
    """Yield the pieces of what an element holds."""
    opened: list[int] = []
    code_ends = 0
    for n in xml.inside(number):
        token = xml.tokens[n]
        if n < code_ends:
            continue
        if token.kind is XmlKind.TEXT:
            yield from text_pieces(token.begin, xml.raw(token), resolve_references)
        elif token.kind is XmlKind.CDATA:
            yield MarkedPart(Mark.TEXT, token.begin, token.end, xml.read(token))
        elif token.kind is XmlKind.END:
            yield MarkedPart(Mark.CLOSE, token.begin, token.end, key=opened.pop())
        elif token.kind is XmlKind.START and token.name not in CODE:
            opened.append(n)
            stays = _stays(xml.attributes(token))
            yield MarkedPart(Mark.OPEN, token.begin, token.end, key=n, verbatim=stays)
        else:
            code_ends = xml.partners.get(n, n) + 1
            yield _code(xml, n, token)


def _code(xml: Xml, number: int, token: XmlToken) -> MarkedPart:
    if token.kind is XmlKind.OTHER:
        return MarkedPart(Mark.ALONE, token.begin, token.end)
    begin, end = xml.whole(number)
    attributes = xml.attributes(token)
    if token.name in OPENING:
        key = _first(attributes, "i", "rid", "id")
        stays = _stays(attributes)
        return MarkedPart(Mark.OPEN, begin, end, key=("code", key), verbatim=stays, weak=True)
    if token.name in CLOSING:
        key = _first(attributes, "i", "startRef", "rid", "id")
        return MarkedPart(Mark.CLOSE, begin, end, key=("code", key), weak=True)
    return MarkedPart(Mark.ALONE, begin, end)


def _first(attributes: Mapping[str, str], *names: str) -> str:
    return next((attributes[name] for name in names if name in attributes), "")


def _stays(attributes: Mapping[str, str]) -> bool:
    return attributes.get("translate") == "no" or attributes.get("mtype") == "protected"


def plain_text(xml: Xml, number: int | None) -> str:
    """Return the text an element holds, without its markup."""
    if number is None:
        return ""
    pieces = inline_pieces(xml, number)
    return "".join(piece.text for piece in pieces).strip(BLANK)
