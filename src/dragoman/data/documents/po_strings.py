"""String literals of gettext, and what a translation has in common with its source."""

import re
from collections.abc import Sequence

BYTES = re.compile(r"(?:\\x[0-9A-Fa-f]{1,2}|\\[0-7]{1,3})++")
BYTE = re.compile(r"\\(?:x([0-9A-Fa-f]+)|([0-7]+))")
ESCAPE = re.compile(rf"({BYTES.pattern})|\\(.)")
SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
ESCAPED = str.maketrans(
    {"\\": "\\\\", '"': '\\"'}
    | {sign: f"\\{letter}" for letter, sign in SIMPLE.items() if letter != "a"}
)
"""The bell is written as it is: polib cannot read its escape."""

WIDTH = 77
"""Characters of a line between its quotation marks, as gettext counts them."""

PLURALS = re.compile(r"^Plural-Forms:[ \t]*nplurals[ \t]*=[ \t]*([0-9]{1,2})", re.MULTILINE)
PIECE = re.compile(r"[^ ]*+ *+")


def unquote(strings: Sequence[str], encoding: str) -> str:
    """Return the text of strings that stand one after another; escaped bytes are of an encoding."""
    inner = "".join(strings)
    if "\\" not in inner:
        return inner

    def unescaped(match: re.Match[str]) -> str:
        if match.group(2) is not None:
            return SIMPLE.get(match.group(2), match.group(2))
        values = (
            int(by_hex, 16) if by_hex else int(by_octal, 8) % 256
            for by_hex, by_octal in BYTE.findall(match.group(1))
        )
        return bytes(values).decode(encoding, "replace")

    return ESCAPE.sub(unescaped, inner)


def quote(text: str, before: int, line_end: str) -> str:
    """Write a text as gettext does: on one line after `before` characters, or from the next on.

    A text of several lines gets a string for each; a long line is broken after spaces.
    """
    lines = [line.translate(ESCAPED) for line in _with_ends(text)]
    if len(lines) <= 1 and before + len("".join(lines)) + 2 <= WIDTH + 2:
        return f'"{"".join(lines)}"'
    return line_end.join(['""', *(f'"{piece}"' for line in lines for piece in _folded(line))])


CONTEXT_ENDS = "\x04"


def with_ends_of(source: str, text: str) -> str:
    """Return a translation that begins and ends with a line end if the source does, else not.

    The mark that parts contexts from texts in a compiled catalogue cannot stand in one, and goes.
    """
    text = text.replace(CONTEXT_ENDS, "")
    if not text:
        return text
    if source.startswith("\n") != text.startswith("\n"):
        text = f"\n{text}" if source.startswith("\n") else text.lstrip("\n")
    if source.endswith("\n") != text.endswith("\n"):
        text = f"{text}\n" if source.endswith("\n") else text.rstrip("\n")
    return text


def whole_plural(forms: Sequence[str], count: int) -> str:
    """Return the last form of a plural; nothing where one of those after the first is missing.

    A language of one form has its first one for any number.
    """
    others = forms[1:] if count > 1 else forms
    return forms[-1] if len(forms) >= count and all(others) else ""


def _with_ends(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _folded(line: str) -> list[str]:
    folded: list[str] = []
    row: list[str] = []
    width = 0
    for piece in PIECE.findall(line):
        if width and width + len(piece.rstrip(" ")) > WIDTH:
            folded.append("".join(row))
            row, width = [], 0
        row.append(piece)
        width += len(piece)
    return [*folded, "".join(row)]
