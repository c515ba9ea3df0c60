"""The entries of a PO file, each with the places where its parts stand.

    #, fuzzy                 notes: from the first comment to the keyword
    msgid "one file"
    msgid_plural "%d files"
    msgstr[0] "एक फ़ाइल"      forms: where the strings of each translation stand
    msgstr[1] "%d फ़ाइलें"

As for GNU gettext, spaces and line ends between words and strings mean nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.documents.document import TextSpan
from dragoman.data.documents.po_strings import unquote

TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f\v\ufeff]++)"
    r"|(?P<comment>\#[^\n]*+)"
    r'|(?P<string>"(?:[^"\\\n]|\\[^\n])*+")'
    r"|(?P<index>\[[ \t]*+[0-9]{1,3}[ \t]*+\])"
    r"|(?P<word>[a-z_]++)"
)
WORDS = ("domain", "msgctxt", "msgid", "msgid_plural", "msgstr")
BEGINNINGS = ("domain", "msgctxt", "msgid")


class PoToken(NamedTuple):
    """A piece of a PO file."""

    kind: str
    begin: int
    end: int
    line: int


@dataclass(slots=True)
class PoMessage:
    """One message as it stands in the file."""

    line: int
    notes: TextSpan
    """The comments before it and the white space between them, up to its first keyword."""
    texts: dict[str, str] = field(default_factory=dict)
    """The text of msgctxt, msgid and msgid_plural, where there are such."""
    forms: list[str] = field(default_factory=list)
    places: list[TextSpan] = field(default_factory=list)
    """Where the strings of each form stand, quotation marks included."""
    indexed: bool = False
    """Whether the forms have numbers."""

    @property
    def is_header(self) -> bool:
        """Whether this is what a file says about itself."""
        return self.texts.get("msgid") == "" and "msgctxt" not in self.texts


def read_entries(text: str, name: str, encoding: str) -> Iterator[PoMessage]:
    """Yield the entries in the order of the file, without the obsolete ones."""
    gathered = _Gathered(text, name, encoding)
    for token in _tokens(text, name):
        if token.kind == "comment":
            yield from gathered.comment(token)
        elif token.kind == "word":
            yield from gathered.word(token)
        elif token.kind == "index":
            gathered.index(token)
        else:
            gathered.string(token)
    yield from gathered.finished()


def _tokens(text: str, name: str) -> Iterator[PoToken]:
    place, line = 0, 1
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            raise DataError(f"{name}:{line}: not PO ({_trouble(text, place)}).")
        kind = str(found.lastgroup)
        if kind == "space":
            line += text.count("\n", place, found.end())
        else:
            yield PoToken(kind, place, found.end(), line)
        place = found.end()


def _trouble(text: str, place: int) -> str:
    if text[place] == '"':
        return "a text whose quotation mark is not closed in its line"
    return f"neither a keyword nor a text in quotation marks: {text[place : place + 20]!r}"


class _Gathered:
    """The entry that is being read."""

    def __init__(self, text: str, name: str, encoding: str) -> None:
        self._text = text
        self._name = name
        self._encoding = encoding
        self._notes: int | None = None
        self._entry: PoMessage | None = None
        self._keyword = ""
        self._strings: list[str] = []
        self._place: TextSpan | None = None
        self._numbered = False
        self._line = 0

    def comment(self, token: PoToken) -> Iterator[PoMessage]:
        """A comment after a translation belongs to the next entry, an obsolete line to none."""
        if self._keyword in ("msgstr", "domain"):
            yield from self.finished()
        if self._text.startswith("#~", token.begin):
            self._notes = None
        elif self._notes is None and self._entry is None:
            self._notes = token.begin

    def word(self, token: PoToken) -> Iterator[PoMessage]:
        """Begin the next part of the entry, or the next entry."""
        self._line = token.line
        keyword = self._text[token.begin : token.end]
        if keyword not in WORDS:
            raise self._error(f"an unknown keyword: {keyword[:20]!r}")
        if keyword in BEGINNINGS and self._keyword in ("msgstr", "domain"):
            yield from self.finished()
        self._close_part()
        if self._entry is None:
            if keyword not in BEGINNINGS:
                raise self._error(f"{keyword} before any msgid")
            begin = token.begin if self._notes is None else self._notes
            self._entry = PoMessage(token.line, TextSpan(begin, token.begin))
            self._notes = None
        if keyword in self._entry.texts or (self._entry.forms and keyword != "msgstr"):
            raise self._error(f"a second {keyword} in one message")
        if keyword == "msgid":
            self._entry.line = token.line
        self._keyword, self._numbered = keyword, False

    def index(self, token: PoToken) -> None:
        """Check the number of a plural form, which must be the next one."""
        number = int(self._text[token.begin + 1 : token.end - 1])
        entry = self._entry
        if (
            entry is None
            or self._keyword != "msgstr"
            or self._strings
            or number != len(entry.forms)
        ):
            raise self._error(f"[{number}] where it does not belong")
        if number and not entry.indexed:
            raise self._error("a form with a number after one without")
        entry.indexed = self._numbered = True

    def string(self, token: PoToken) -> None:
        """Add a string to the part that is being read."""
        self._line = token.line
        if not self._keyword:
            raise self._error("a text before any msgid")
        begin = token.begin if self._place is None else self._place.begin
        self._place = TextSpan(begin, token.end)
        self._strings.append(self._text[token.begin + 1 : token.end - 1])

    def finished(self) -> Iterator[PoMessage]:
        """Yield the entry, if one was begun, after looking whether it is whole."""
        self._close_part()
        entry, keyword = self._entry, self._keyword
        self._entry, self._keyword = None, ""
        if entry is None or keyword == "domain":
            return
        if "msgid" not in entry.texts:
            raise self._error("a message without msgid")
        if not entry.forms:
            raise self._error("a msgid without a msgstr")
        if ("msgid_plural" in entry.texts) != entry.indexed:
            raise self._error("msgid_plural needs msgstr[0], msgstr[1] …, and they need it")
        yield entry

    def _close_part(self) -> None:
        if not self._keyword or self._entry is None:
            return
        if self._place is None:
            raise self._error(f"{self._keyword} without a text")
        text = unquote(self._strings, self._encoding)
        if self._keyword == "msgstr":
            if self._entry.forms and not self._numbered:
                raise self._error("a second msgstr in one message")
            self._entry.forms.append(text)
            self._entry.places.append(self._place)
        else:
            self._entry.texts[self._keyword] = text
        self._strings, self._place = [], None

    def _error(self, what: str) -> DataError:
        return DataError(f"{self._name}:{self._line}: not PO ({what}).")
