"""The pieces of a paragraph of a DOCX file: runs with their text, and what stands between."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from dragoman.data.documents.inline_markup import Mark, MarkedPart
from dragoman.data.documents.xml_text import Xml, XmlKind, XmlToken

CONTAINERS = {"bdo", "customXml", "dir", "hyperlink", "ins", "moveTo", "sdt", "smartTag"}
PROPERTIES = {"customXmlPr", "rPr", "smartTagPr"}
BREAKS = {"br", "cr", "ptab", "tab"}
STALE = {"lastRenderedPageBreak", "proofErr", "softHyphen"}
"""What the word processor noted about the old text, and notes again."""
SIGNS = {"noBreakHyphen": "\u2011"}
RANGES = ("bookmark", "commentRange", "moveToRange", "perm")
"""What has a mark at its start and one at its end."""


class _Field(NamedTuple):
    """A field that was begun, such as a link or a page number."""

    first: int
    """The piece of its beginning."""
    around: Hashable
    """The key of the element it begins in, where it must end as well."""
    result: int = -1
    """The piece that its result begins after."""


class DocxPieces:
    """The pieces of a paragraph, found on one way through it."""

    def __init__(self, xml: Xml, number: int, prefix: str) -> None:
        self._xml, self._prefix = xml, prefix
        self.found: list[MarkedPart] = []
        self.safe = True
        """Whether its fields are such that its parts can be moved."""
        self._fields: list[_Field] = []
        self._stray_ends = 0
        self._open: list[tuple[int, int, tuple[str, int]]] = []
        """Of each element around: the first and the last tag that close it, and its key."""
        self._walk(number + 1, xml.partners[number])
        self._end_fields()

    def name(self, number: int) -> str:
        """Return the name of an element of the language itself, else nothing."""
        token = self._xml.tokens[number]
        return token.name if self._xml.prefix(token) == self._prefix else ""

    def _walk(self, number: int, last: int) -> None:
        while number < last:
            token = self._xml.tokens[number]
            if self._open and number == self._open[-1][0]:
                _, number, key = self._open.pop()
                end = self._xml.tokens[number].end
                self.found.append(MarkedPart(Mark.CLOSE, token.begin, end, key=key))
            elif number in self._xml.partners:
                number = self._element(number, token)
            else:
                mark = Mark.ALONE if token.kind is XmlKind.OTHER else Mark.GONE
                self.found.append(MarkedPart(mark, token.begin, token.end))
            number += 1

    def _element(self, number: int, token: XmlToken) -> int:
        """Note an element, and return the last token that is done with."""
        name, whole = self.name(number), self._xml.whole(number)
        if name == "r" or name in CONTAINERS:
            return self._holder(number, name)
        if name == "t" and self._xml.partners.keys().isdisjoint(self._xml.inside(number)):
            self.found.append(MarkedPart(Mark.TEXT, *whole, self._text(number, token)))
        elif name in SIGNS:
            self.found.append(MarkedPart(Mark.TEXT, *whole, SIGNS[name]))
        elif name in STALE:
            self.found.append(MarkedPart(Mark.GONE, *whole))
        elif name != "pPr":
            self.found.append(self._range(number, name) or self._alone(number, name in BREAKS))
        return self._xml.partners[number]

    def _holder(self, number: int, name: str) -> int:
        """Note a run or what holds runs; inside of a run neither has a place, and it stays."""
        if self._is_run() or (name != "r" and self._xml.tokens[number].kind is XmlKind.EMPTY):
            self.found.append(self._alone(number, False))
        elif name != "r":
            return self._container(number, name)
        elif any(self.name(n) in {"t", *SIGNS} for n in self._xml.children(number)):
            self.safe = self.safe and not self._marks_of_fields(number)
            return self._open_element(number, number, key=("run", number))
        else:
            self._run_without_text(number)
        return self._xml.partners[number]

    def _is_run(self) -> bool:
        """Whether the element around is a run."""
        return bool(self._open) and self._open[-1][2][0] == "run"

    def _alone(self, number: int, breaks: bool) -> MarkedPart:
        return MarkedPart(Mark.ALONE, *self._xml.whole(number), breaks=breaks)

    def _container(self, number: int, name: str) -> int:
        content = number
        if name == "sdt":
            inner = self._xml.child(number, "sdtContent")
            if inner is None or self._xml.tokens[inner].kind is XmlKind.EMPTY:
                self.found.append(self._alone(number, False))
                return self._xml.partners[number]
            content = inner
        return self._open_element(number, content, key=("around", number))

    def _open_element(self, number: int, content: int, key: tuple[str, int]) -> int:
        """Open an element up to where its content begins, after its properties."""
        last = content
        child = next(self._xml.children(content), None)
        if child is not None and self.name(child) in PROPERTIES:
            last = self._xml.partners[child]
        begin, end = self._xml.tokens[number].begin, self._xml.tokens[last].end
        self.found.append(MarkedPart(Mark.OPEN, begin, end, key=key))
        self._open.append((self._xml.partners[content], self._xml.partners[number], key))
        return last

    def _text(self, number: int, token: XmlToken) -> str:
        inside = (self._xml.tokens[n] for n in self._xml.inside(number))
        text = "".join(self._xml.read(t) for t in inside if t.kind in (XmlKind.TEXT, XmlKind.CDATA))
        preserved = self._xml.attributes(token).get("xml:space") == "preserve"
        return text if preserved else text.strip(" \t\r\n")

    def _range(self, number: int, name: str) -> MarkedPart | None:
        """Return the mark of where something begins or ends, if it is one."""
        for kind in RANGES:
            for mark, end in ((Mark.OPEN, "Start"), (Mark.CLOSE, "End")):
                if name == kind + end:
                    attributes = self._xml.attributes(self._xml.tokens[number])
                    key = (kind, attributes.get(self._attribute("id"), ""))
                    return MarkedPart(mark, *self._xml.whole(number), key=key, weak=True)
        return None

    def _attribute(self, name: str) -> str:
        return f"{self._prefix or 'w:'}{name}"

    def _marks_of_fields(self, number: int) -> list[str]:
        """Return the marks of fields in a run: `begin`, `separate`, `end`."""
        tokens, kind = self._xml.tokens, self._attribute("fldCharType")
        return [
            self._xml.attributes(tokens[n]).get(kind, "")
            for n in self._xml.children(number)
            if self.name(n) == "fldChar"
        ]

    def _run_without_text(self, number: int) -> None:
        breaks = any(self.name(n) in BREAKS for n in self._xml.children(number))
        self.found.append(self._alone(number, breaks))
        marks = self._marks_of_fields(number)
        if len(marks) > 1:
            self.safe = self.safe and marks.count("begin") == marks.count("end")
            return
        match marks:
            case ["begin"]:
                self._fields.append(_Field(len(self.found) - 1, self._around()))
            case ["separate"] if self._fields:
                self._fields[-1] = self._fields[-1]._replace(result=len(self.found) - 1)
            case ["end"]:
                self._end_field()
            case ["separate"]:
                self.safe = False

    def _end_field(self) -> None:
        """Make one piece of a field that ends here, or an opening and a closing one of a link."""
        if not self._fields:
            self._stray_ends += 1
            return
        field = self._fields.pop()
        if field.around != self._around():
            self.safe = False
            return
        begin, last = self.found[field.first].begin, self.found[-1]
        if not self._is_link(field):
            self.found[field.first :] = [MarkedPart(Mark.ALONE, begin, last.end)]
            return
        key = ("field", begin)
        end = self.found[field.result].end
        self.found[field.first] = MarkedPart(Mark.OPEN, begin, end, key=key)
        for number in range(field.first + 1, field.result + 1):  # now part of what opens it
            self.found[number] = self.found[number]._replace(mark=Mark.GONE)
        self.found[-1] = MarkedPart(Mark.CLOSE, last.begin, last.end, key=key)

    def _is_link(self, field: _Field) -> bool:
        """Whether the result of a field is text, and not inside the code of another field."""
        if field.result < 0 or (self._fields and self._fields[-1].result < 0):
            return False
        code = self.found[field.first + 1]
        return "HYPERLINK" in self._xml.text[code.begin : code.end]

    def _around(self) -> Hashable:
        return self._open[-1][2] if self._open else None

    def _end_fields(self) -> None:
        """Keep the code of a field together whose result goes on in the next paragraph."""
        if self._stray_ends + len(self._fields) > 1 or any(
            field.result < 0 for field in self._fields
        ):
            self.safe = False
        elif self._fields:
            field = self._fields[0]
            begin, end = self.found[field.first].begin, self.found[field.result].end
            self.found[field.first : field.result + 1] = [MarkedPart(Mark.ALONE, begin, end)]


def join_runs(pieces: Sequence[MarkedPart], text: str) -> list[MarkedPart]:
    """Make one run of runs that follow each other and look alike.

    Word processors cut a text into many such runs, even in the middle of words.
    """
    done: list[MarkedPart] = []
    closed = -1
    """The piece that closed a run, if nothing that counts has come since."""
    keys: dict[Hashable, Hashable] = {}
    looks: dict[Hashable, str] = {}
    for piece in pieces:
        run = isinstance(piece.key, tuple) and piece.key[0] == "run"
        if run and piece.mark is Mark.OPEN:
            look = text[piece.begin : piece.end].partition(">")[2]
            before = done[closed].key if closed >= 0 else None
            if closed >= 0 and looks[before] == look:
                keys[piece.key] = before
                done[closed] = done[closed]._replace(mark=Mark.GONE)
                piece = piece._replace(mark=Mark.GONE)
            else:
                looks[piece.key] = look
        elif run:
            piece = piece._replace(key=keys.get(piece.key, piece.key))
        if piece.mark is not Mark.GONE:
            closed = len(done) if run and piece.mark is Mark.CLOSE else -1
        done.append(piece)
    return done
