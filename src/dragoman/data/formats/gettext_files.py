"""Message catalogues of GNU gettext: PO as text, MO as machines read it.

Each message gives one pair, a message with plurals two: the singular with the first form and the
plural with the last. Contexts keep messages apart and are otherwise not used.
"""

import codecs
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.formats.compression import open_bytes
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.lines import one_line, read_lines
from dragoman.data.formats.pair import Numbered

LARGEST_MO = 256 * 1024 * 1024
"""Bytes; an MO file is read whole, for its tables point to and fro."""

KEYWORD = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr(?:\[[0-9]{1,3}\])?)[ \t]*(?=\")")
ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.))")
SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
CHARSETS = ("utf-8", "ascii", "iso8859", "cp", "koi8", "euc", "gb", "big5", "shift_jis", "tis")
MARKS = {b"\xde\x12\x04\x95": "<", b"\x95\x04\x12\xde": ">"}


def read_po(path: Path, *, repair: bool, findings: Findings) -> Iterator[Numbered]:
    """Yield the messages with the line each begins at; fuzzy and obsolete ones are counted."""
    message = _Message()
    for number, raw in enumerate(read_lines(path, repair=repair, findings=findings), 1):
        line = "" if raw is None else raw.strip()
        if line.startswith("#~ msgid "):
            findings.add(FindingKind.UNFINISHED, path, number)
        keyword = KEYWORD.match(line)
        if message.ends_before(line, keyword.group(1) if keyword else ""):
            yield from message.pairs(path, findings)
            message = _Message()
        if line.startswith("#"):
            message.fuzzy |= line.startswith("#,") and "fuzzy" in line
        elif line:
            try:
                message.take(line, keyword, number)
            except ValueError as error:
                raise DataError(f"{path}:{number}: not PO ({error}).") from error
    yield from message.pairs(path, findings)


class _Message:
    """One entry of a PO file, as it is gathered from its lines."""

    def __init__(self) -> None:
        self.fuzzy = False
        self._line = 0
        self._at = ""
        self._parts: dict[str, str] = {}

    def ends_before(self, line: str, keyword: str) -> bool:
        """Whether the line belongs to the next message."""
        if not any(name.startswith("msgstr") for name in self._parts):
            return False
        return line.startswith("#") or keyword in ("msgctxt", "msgid")

    def take(self, line: str, keyword: re.Match[str] | None, number: int) -> None:
        """Add a line with a keyword, or a further string of the last one."""
        if keyword:
            self._at = keyword.group(1)
            if self._at in self._parts:
                raise ValueError(f"a second {self._at} in one message")
            self._line = number if self._at == "msgid" else self._line
            line = line[keyword.end() :]
        if not self._at:
            raise ValueError("a text before any msgid")
        self._parts[self._at] = self._parts.get(self._at, "") + _unquoted(line)

    def pairs(self, path: Path, findings: Findings) -> Iterator[Numbered]:
        """Yield what the message says, unless it is the header or unfinished."""
        forms = [text for name, text in self._parts.items() if name.startswith("msgstr")]
        singular = self._parts.get("msgid")
        if not forms or not singular:
            return
        if self.fuzzy:
            findings.add(FindingKind.UNFINISHED, path, self._line)
            return
        for source, target in _paired(singular, self._parts.get("msgid_plural"), forms):
            yield self._line, source, target


def _paired(singular: str, plural: str | None, forms: list[str]) -> Iterator[tuple[str, str]]:
    yield one_line(singular), one_line(forms[0])
    if plural is not None:
        yield one_line(plural), one_line(forms[-1])


def _unquoted(text: str) -> str:
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise ValueError("neither a keyword nor a text in quotation marks")
    inner = text[1:-1]
    bare = ESCAPE.sub("", inner)
    if '"' in bare or bare.endswith("\\"):
        raise ValueError("a quotation mark inside the text without a backslash before it")
    return ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner


def _unescaped(match: re.Match[str]) -> str:
    by_hex, by_octal, letter = match.groups()
    if letter is None:
        return chr(int(by_hex, 16) if by_hex else int(by_octal, 8) % 256)
    return SIMPLE.get(letter, letter)


def read_mo(path: Path) -> Iterator[Numbered]:
    """Yield the messages of a compiled catalogue, numbered in the order of the file."""
    with open_bytes(path) as stream:
        data = stream.read(LARGEST_MO + 1)
    if len(data) > LARGEST_MO:
        raise DataError(f"{path}: is larger than {LARGEST_MO:,} bytes, and so no MO file.")
    for message in read_messages(data, str(path)):
        plural = message.ids[1] if len(message.ids) > 1 else None
        for source, target in _paired(message.ids[0], plural, message.forms):
            yield message.number, source, target


class GettextMessage(NamedTuple):
    """One entry of a compiled catalogue, without its context."""

    number: int
    ids: list[str]
    """The message, and if it has a plural, that."""
    forms: list[str]
    """The translation, or one for each of the plural forms of the language."""


def read_messages(data: bytes, name: str, *, errors: str = "strict") -> Iterator[GettextMessage]:
    """Yield the messages of a compiled catalogue but not its header; errors say the name.

    `errors` is that of `bytes.decode`, for bytes that are not in the encoding the header declares.
    """
    order = MARKS.get(data[:4])
    if order is None:
        raise DataError(f"{name}: not an MO file (its first four bytes are not the mark of one).")
    number, charset = 0, "utf-8"
    try:
        count, originals, translations = struct.unpack_from(f"{order}3I", data, 8)
        for number in range(1, count + 1):
            source = _entry(data, order, originals, number)
            target = _entry(data, order, translations, number)
            if not source:
                charset = charset_of(target)
                continue
            message = source.decode(charset, errors).split("\x04", 1)[-1]
            yield GettextMessage(
                number, message.split("\0"), target.decode(charset, errors).split("\0")
            )
    except (struct.error, ValueError, LookupError) as error:
        raise DataError(f"{name}: entry {number} is cut off or damaged ({error}).") from error


def _entry(data: bytes, order: str, table: int, number: int) -> bytes:
    length, offset = struct.unpack_from(f"{order}2I", data, table + 8 * (number - 1))
    if offset + length > len(data):
        raise ValueError("it points beyond the end of the file")
    return data[offset : offset + length]


def charset_of(header: bytes) -> str:
    """Return the encoding the header of a catalogue declares, by the name Python gives it."""
    found = re.search(rb"charset=([A-Za-z0-9_.:-]{1,40})", header)
    name = codecs.lookup(found.group(1).decode("ascii") if found else "utf-8").name
    if not name.startswith(CHARSETS):  # Python's other codecs are no text, or made to be slow
        raise LookupError(f"unknown encoding: {name}")
    return name
