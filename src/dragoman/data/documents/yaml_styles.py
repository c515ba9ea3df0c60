"""Styles of YAML scalars: bare, in quotation marks, or as a block of lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from dragoman.data.documents.text_decoding import storable

TEXT_TAG = "tag:yaml.org,2002:str"
SPECIAL = re.compile(
    r'["\\]|[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]'
)
ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
BLOCK_HEADER = re.compile(r"[|>][+-]?[ \t]*(?:#[^\n]*)?\r?\n")
"""Without a number: that would count from a place not seen here."""
FIRST_LINE = re.compile(r"^( *+)[^ \r\n]", re.MULTILINE)
"""The line that says how far a block is indented; those before it are blank."""

PLAIN = re.compile(r"[^\W\d_][\w.!()/;]*+(?: [\w.!()/;]++)*+")
"""Words and signs that mean nothing in YAML, so that no parser needs to be asked."""

OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value as it stands in the file."""

    begin: int
    end: int
    value: str
    style: str
    """Empty for a bare one, else one of ' " | and >."""
    is_flow: bool
    """Whether it stands within brackets or braces."""

    @property
    def is_block(self) -> bool:
        """Whether it is a block of lines."""
        return self.style in ("|", ">")

    @property
    def text(self) -> str:
        """The value without the line ends at the end of a block, which belong to its style."""
        return self.value.rstrip("\n") if self.is_block else self.value

    def content_end(self, raw: str) -> int:
        """Return where its text ends; to a block PyYAML also counts the empty lines after it."""
        if not self.is_block:
            return self.end
        return self.begin + len(raw.rstrip())


def resolves_to_text(yaml: ModuleType, event: Any) -> bool:
    """Whether a scalar is a text, and not a number, a date or something of its own kind."""
    if event.tag is not None and event.tag != "!":
        return bool(event.tag == TEXT_TAG)
    return bool(event.style or event.tag == "!") or _is_text(yaml, event.value)


def _is_text(yaml: ModuleType, value: str) -> bool:
    return not any(pattern.match(value) for _, pattern in _patterns(yaml, value))


def _patterns(yaml: ModuleType, value: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers
    yield from resolvers.get(value[:1], [])
    yield from resolvers.get(None, [])


def rewritten(yaml: ModuleType, scalar: Scalar, raw: str, answer: str) -> str:
    """Return an answer in the style of a scalar, or in quotation marks if that cannot hold it."""
    answer = storable(answer)
    if scalar.is_block:
        answer = answer.rstrip("\n")
        value = answer + scalar.value[len(scalar.text) :]
        return _block(yaml, scalar, raw, answer, value) or _double(value)
    if scalar.style == "'":
        written = "'" + answer.replace("'", "''") + "'"
    elif scalar.style == '"' or answer.startswith(("---", "...", "%")):
        return _double(answer)
    else:
        written = answer
    held = "\n" not in answer and _holds(yaml, written, answer, scalar.is_flow)
    return written if held else _double(answer)


def _double(text: str) -> str:
    return f'"{SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    sign = match.group()
    code = ord(sign)
    return ESCAPES.get(sign) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def _block(yaml: ModuleType, scalar: Scalar, raw: str, answer: str, value: str) -> str:
    """Return the lines of a block, or nothing if a block cannot hold the answer."""
    header = BLOCK_HEADER.match(raw)
    lines = answer.split("\n")
    plain_lines = all(line == line.strip() for line in lines) or (
        scalar.style == "|" and all(line.strip() or not line for line in lines)
    )
    if not header or not plain_lines or not lines[0][:1].strip() or OTHER_BREAKS.search(answer):
        return ""
    first = FIRST_LINE.search(raw, header.end())
    indent = first.group(1) if first else ""
    end = "\r\n" if header.group().endswith("\r\n") else "\n"
    gap = end * 2 if scalar.style == ">" else end
    body = gap.join(f"{indent}{line}" if line else "" for line in lines)
    if scalar.style == ">":
        body = body.replace(end * 2 + end * 2, end * 3)
    written = header.group() + body
    tail = "\n" if "-" in header.group().split("#")[0] else value[len(answer) :]
    return written if _holds(yaml, written + tail, value, is_flow=False) else ""


def _holds(yaml: ModuleType, written: str, value: str, is_flow: bool) -> bool:
    """Whether PyYAML reads what was written, as the value of a name, as this very text."""
    if value == written and PLAIN.fullmatch(written):
        return _is_text(yaml, written)
    try:
        around = f"{{a: {written}, b: c}}" if is_flow else f"a: {written}\n"
        events = list(yaml.parse(around, Loader=yaml.SafeLoader))
    except yaml.YAMLError:
        return False
    scalars = [event for event in events if isinstance(event, yaml.ScalarEvent)]
    fitting = len(scalars) == (4 if is_flow else 2) and len(events) == len(scalars) + 6
    return fitting and scalars[1].value == value and resolves_to_text(yaml, scalars[1])
