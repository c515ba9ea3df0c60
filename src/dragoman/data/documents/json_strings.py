r"""Translation files in JSON: every string that is a value is a text.

    {"menu": {"open": "Open", "tips": ["Save", "Quit"]}, "@menu": {"description": "…"}}

The texts are `menu.open`, `menu.tips[0]` and `menu.tips[1]`. Names stay; so does whatever stands
under a name that begins with `@`, as Flutter's ARB files keep notes there, and a string with half a
character or U+0000 in it.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Document,
    Segment,
    TextFile,
    TextSlot,
)
from dragoman.data.documents.paths import extend_path
from dragoman.data.documents.text_decoding import decode_text, has_letters, line_of, storable
from dragoman.data.formats.languages import LanguagePair

TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]++)"
    r'|(?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|(?P<sign>[\[\]{},:])"
    r"|(?P<plain>true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)"
)
BYTE_ORDER_MARK = "\ufeff"
DEEPEST = 1000
CLOSING = {"[": "]", "{": "}"}


class JsonToken(NamedTuple):
    """A piece of a JSON file: its sign, or `string` or `plain`."""

    kind: str
    begin: int
    end: int
    line: int


@dataclass(slots=True)
class _Level:
    """An object or an array that is open."""

    closing: str
    path: str
    skipped: bool
    name: str | None = None
    """The name of the value that comes next, in an object."""
    count: int = 0
    expected: str = "first"
    """One of first, item, colon, value, comma."""


def read_json(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> Document:
    """Read a file of one JSON value; answers use \\u escapes if the file does so throughout."""
    text = decode_text(data, name)
    escaped = text.lstrip(BYTE_ORDER_MARK).isascii() and re.search(r"\\u[0-9a-fA-F]{4}", text)
    segments = BoundedList[Segment](name, most)
    slots: list[TextSlot] = []
    spelled = _spelled(bool(escaped))
    for token, path in _texts(text, name):
        value = json.loads(text[token.begin : token.end])
        if not has_letters(value) or value != storable(value):
            continue
        number = len(segments)
        segments.append(Segment(value, where=f"line {token.line}, key {path}", key=path))
        slots.append(TextSlot(text, token.begin, token.end, number, value, spelled))
    return TextFile(text, tuple(segments), tuple(slots))


def _spelled(escaped: bool) -> Callable[[str, str], str]:
    return lambda answer, _: json.dumps(storable(answer), ensure_ascii=escaped)


def _texts(text: str, name: str) -> Iterator[tuple[JsonToken, str]]:
    """Yield the strings that are values, each with the path that leads to it."""
    levels = [_Level("", "", skipped=False, expected="value")]
    for token in _tokens(text, name):
        level = levels[-1]
        if token.kind == level.closing and level.expected in ("first", "comma"):
            levels.pop()
        elif level.expected in ("first", "item") and level.closing == "}":
            _take_name(level, token, text, name)
        elif level.expected in ("colon", "comma"):
            _take_sign(level, token, text, name)
        else:
            path, skipped = _path(level), level.skipped or _is_note(level)
            if token.kind == "string" and not skipped:
                yield token, path
            level.expected = "comma"
            level.count += 1
            if token.kind not in ("string", "plain"):
                levels.append(_opened(token, text, name, path, skipped))
                _check_depth(levels, token, name)
    _check_end(levels, text, name)


def _opened(token: JsonToken, text: str, name: str, path: str, skipped: bool) -> _Level:
    if token.kind not in CLOSING:
        raise _error(name, token, text)
    return _Level(CLOSING[token.kind], path, skipped)


def _check_end(levels: list[_Level], text: str, name: str) -> None:
    if len(levels) > 1 or levels[0].expected == "value":
        raise DataError(f"{name}:{line_of(text, len(text))}: not JSON (it ends too early).")


def _check_depth(levels: list[_Level], token: JsonToken, name: str) -> None:
    if len(levels) > DEEPEST:
        raise DataError(f"{name}:{token.line}: more than {DEEPEST} levels inside one another.")


def _take_sign(level: _Level, token: JsonToken, text: str, name: str) -> None:
    sign, following = (":", "value") if level.expected == "colon" else (",", "item")
    if token.kind != sign or not level.closing:
        raise _error(name, token, text)
    level.expected = following


def _take_name(level: _Level, token: JsonToken, text: str, name: str) -> None:
    if token.kind != "string":
        raise _error(name, token, text)
    level.name = json.loads(text[token.begin : token.end])
    level.expected = "colon"


def _is_note(level: _Level) -> bool:
    return level.name is not None and level.name.startswith("@")


def _path(level: _Level) -> str:
    if level.closing == "]":
        return extend_path(level.path, level.count)
    return extend_path(level.path, level.name) if level.name is not None else ""


def _tokens(text: str, name: str) -> Iterator[JsonToken]:
    place, line = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0, 1
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            raise _error(name, JsonToken("", place, place + 1, line), text)
        kind = str(found.lastgroup)
        if kind == "space":
            line += text.count("\n", place, found.end())
        else:
            kind = found.group() if kind == "sign" else kind
            yield JsonToken(kind, place, found.end(), line)
        place = found.end()


def _error(name: str, token: JsonToken, text: str) -> DataError:
    found = text[token.begin : token.begin + 20]
    return DataError(f"{name}:{token.line}: not JSON (at {found!r}).")
