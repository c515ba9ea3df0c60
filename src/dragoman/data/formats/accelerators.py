"""The letter of a label that is pressed with Alt: `_File`, `Save &As…`.

A label is translated without the mark. Afterwards it goes before the same letter, if the
translation has it; in another script it follows in brackets, as is the custom: `सहेजें (_S)…`.
"""

import re
import unicodedata
from typing import NamedTuple

from dragoman.data.formats.protected_spans import protected_spans

LONGEST = 80
"""Characters of a label; in longer texts such a mark means something else."""

LABEL = re.compile(r"(?<!_)_(?=[^\W_])|(?<!&)&(?=[^\W_])")
BRACKETED = re.compile(r"\s*\(\s*([_&])([^\W_])\s*\)")
NAME = re.compile(r"[^\W_]{2}_[^\W_]{2,}|_\w+_|&\#?\w+;|[A-Za-z0-9]&[A-Z0-9]|\w&\w+=")
ENDING = re.compile(r"[\s.…:।]*\Z")


class Accelerator(NamedTuple):
    """A mark and the letter after it."""

    mark: str
    letter: str


def without_accelerator(text: str) -> tuple[str, Accelerator | None]:
    """Take the mark out of a label; a text that only looks like one stays as it is."""
    if len(text) > LONGEST or ("_" not in text and "&" not in text):
        return text, None
    if found := BRACKETED.search(text):
        rest = text[: found.start()] + text[found.end() :]
        return (text, None) if LABEL.search(rest) else (rest, Accelerator(*found.groups()))
    marks = list(LABEL.finditer(text))
    if len(marks) != 1 or text.count("_") > 1 or NAME.search(text):
        return text, None
    place = marks[0].start()
    return text[:place] + text[place + 1 :], Accelerator(text[place], text[place + 1])


def without_strays(translation: str, source: str) -> str:
    """Take out accelerators in brackets that a network has made up: the source has none."""
    return translation if BRACKETED.search(source) else BRACKETED.sub("", translation)


def with_accelerator(text: str, accelerator: Accelerator | None) -> str:
    """Put the mark into a translated label."""
    if accelerator is None or not text.strip():
        return text
    mark, letter = accelerator
    place = _place(text, letter)
    if place is not None:
        return f"{text[:place]}{mark}{text[place:]}"
    ending = ENDING.search(text)
    end = ending.start() if ending else len(text)
    return f"{text[:end]} ({mark}{letter.upper()}){text[end:]}"


def _place(text: str, letter: str) -> int | None:
    """Return where a mark may stand: before the letter where it begins a word, else anywhere."""
    letters = [place for place in _outside(text) if text[place].isalpha()]
    same = [place for place in letters if text[place].casefold() == letter.casefold()]
    first = [place for place in same if place == 0 or not text[place - 1].isalnum()]
    if first or same:
        return (first or same)[0]
    latin = [place for place in letters if _is_latin(text[place])]
    return latin[0] if 2 * len(latin) > len(letters) and _is_latin(letter) else None


def _outside(text: str) -> list[int]:
    """Return the places of a text that no tag or placeholder stands at."""
    taken = {place for thing in protected_spans(text) for place in range(thing.begin, thing.end)}
    return [place for place in range(len(text)) if place not in taken]


def _is_latin(character: str) -> bool:
    return character.isalpha() and "LATIN" in unicodedata.name(character, "")
