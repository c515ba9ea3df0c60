"""Checks of a single pair: control characters, mojibake, placeholders, markup, copies.

No pattern here can backtrack far: every repetition is bounded.
"""

import re
from collections.abc import Iterator

from dragoman.data.corpus.doctor.symptoms import Symptom

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

# cp1252 writes UTF-8's lead and continuation bytes as these characters
LEAD = "\u00c2-\u00f4"
FOLLOWING = "\u0080-\u00bf" + "".join(
    bytes([b]).decode("cp1252")
    for b in range(0x80, 0xA0)
    if b not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
)
SUSPECT = re.compile(f"[{LEAD}][{FOLLOWING}]{{1,3}}")

PLACEHOLDER = re.compile(
    r"%%|(?<![0-9])%(?:[0-9]{1,2}\$)?[-+0#]{0,3}[0-9]{0,4}(?:\.[0-9]{1,3})?(?:hh|h|ll|l|z)?"
    r"[sdiufgexXcp@]|%\([A-Za-z_][A-Za-z0-9_]{0,60}\)[sdif]|(?<![0-9])%[1-9](?![0-9])"
    r"|\$?\{[A-Za-z0-9_.:$]{0,60}\}|\$\([A-Za-z0-9_]{1,60}\)"
)
POSITION = re.compile(r"[0-9]{1,2}\$")
TAG = re.compile(r"<(/?[A-Za-z][A-Za-z0-9:-]{0,30})(?:\s[^<>]{0,500})?/?>")
ADDRESS = re.compile(r"(?:https?|ftp)://[^\s<>\"')\]]{1,500}")


def check_pair(source: str, target: str) -> Iterator[Symptom]:
    """Yield what is odd about one pair."""
    if CONTROL.search(source) or CONTROL.search(target):
        yield Symptom.CONTROL
    if is_mojibake(source) or is_mojibake(target):
        yield Symptom.MOJIBAKE
    if placeholders(source) != placeholders(target):
        yield Symptom.PLACEHOLDERS
    if markup(source) != markup(target):
        yield Symptom.MARKUP
    if is_copy(source, target):
        yield Symptom.COPY


def is_copy(source: str, target: str) -> bool:
    """Whether the target is the source; numbers and signs may well be the same."""
    return source.strip() == target.strip() and any(map(str.isalpha, source))


def is_mojibake(text: str) -> bool:
    """Whether UTF-8 was once read as a Western code page, or characters were lost."""
    if text.isascii():
        return False
    return "\ufffd" in text or any(_is_utf8(found) for found in SUSPECT.findall(text))


def _is_utf8(suspect: str) -> bool:
    for end in range(2, len(suspect) + 1):
        try:
            raw = b"".join(_one_byte(character) for character in suspect[:end])
            return len(raw.decode("utf-8")) == 1
        except UnicodeError:
            continue
    return False


def _one_byte(character: str) -> bytes:
    try:
        return character.encode("cp1252")
    except UnicodeEncodeError:
        return character.encode("latin-1")


def placeholders(text: str) -> list[str]:
    """Return the placeholders of a text; their order may differ between languages."""
    if "%" not in text and "{" not in text and "$(" not in text:
        return []
    return sorted(POSITION.sub("", p) for p in PLACEHOLDER.findall(text) if p != "%%")


def markup(text: str) -> list[str]:
    """Return the names of the tags and the addresses of a text."""
    found = TAG.findall(text) if "<" in text else []
    if "://" in text:
        found += [address.rstrip(".,;:!?") for address in ADDRESS.findall(text)]
    return sorted(found)
