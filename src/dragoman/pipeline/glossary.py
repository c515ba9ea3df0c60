"""Terms with a translation of their own, and words that stay as they are.

A glossary is a TSV: the term, and how it is to be translated. Spellings may be given, `this|that`;
any of them will do, and whatever ending the network gives it. A term without a translation is not
translated. Lines that begin with `#` are remarks.

    layer       परत|लेयर
    GIMP
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.data.documents.document import TextSpan
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.lines import read_lines

ENDINGS = ("", "s", "es", "'s", "’s", "n", "en", "e")
"""What a term in a text may have at its end: the commonest plural and genitive endings."""

WORD = re.compile(r"\w+")

MOST = 50_000


@dataclass(frozen=True, slots=True)
class TermMatch:
    """A term that stands in a text."""

    place: TextSpan
    spellings: tuple[str, ...]
    """None where it stays as it is."""


class Glossary:
    """Finds terms in texts, the longest ones first, in whatever case they stand there."""

    def __init__(self, entries: dict[str, tuple[str, ...]]) -> None:
        self.entries = {_folded(term): spellings for term, spellings in entries.items()}
        self._by_word: dict[str, list[_Term]] = {}
        for term in sorted(self.entries, key=lambda term: (-len(term), term)):
            first = WORD.search(term)
            if first is None:
                raise DataError(f"the term {term!r} has no letters. Take it out of the glossary.")
            self._by_word.setdefault(first.group(), []).append(_Term(term, first.start()))

    @classmethod
    def read(cls, path: Path) -> "Glossary":
        """Read the terms of a file; what is wrong with a line is said with its number."""
        entries: dict[str, tuple[str, ...]] = {}
        for number, term, spellings in _rows(path):
            if term in entries and entries[term] != spellings:
                raise DataError(f"{path}:{number}: a second translation of {term!r}. Use one line.")
            entries[term] = spellings
        if not entries:
            raise DataError(f"{path}: holds no terms. Give lines of term, tab, translation.")
        if len(entries) > MOST:
            raise DataError(f"{path}: holds {len(entries):,} terms; the most are {MOST:,}.")
        return cls(entries)

    def find(self, text: str) -> list[TermMatch]:
        """Return the terms of a text in its order, none inside another."""
        found: list[TermMatch] = []
        done = 0
        for word in WORD.finditer(text):
            match = self._at(text, word, done)
            if match is not None:
                found.append(match)
                done = match.place.end
        return found

    def _at(self, text: str, word: re.Match[str], done: int) -> TermMatch | None:
        """Return the longest term whose first word stands here."""
        folded = word.group().casefold()
        bare = dict.fromkeys(folded.removesuffix(ending) for ending in ENDINGS)
        terms = [term for key in bare for term in self._by_word.get(key, ())]
        for term in sorted(terms, key=lambda term: -len(term.text)):
            begin = word.start() - term.before
            match = _pattern(term.text).match(text, begin) if begin >= done else None
            if match and not (begin and text[begin - 1].isalnum() and text[begin].isalnum()):
                return TermMatch(TextSpan(*match.span()), self.entries[term.text])
        return None


@dataclass(frozen=True, slots=True)
class _Term:
    text: str
    before: int
    """Characters before its first word."""


@lru_cache(maxsize=10_000)
def _pattern(term: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in term.split())
    endings = "|".join(map(re.escape, ENDINGS[1:])) if term[-1].isalpha() else ""
    return re.compile(rf"{words}(?:{endings})?(?!\w)", re.IGNORECASE)


def fixed_spans(found: Sequence[TermMatch]) -> list[TextSpan]:
    """Return where the words stand that are not translated."""
    return [one.place for one in found if not one.spellings]


def _rows(path: Path) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for number, line in enumerate(read_lines(path, repair=True, findings=Findings()), 1):
        if line is None or not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        term = _folded(cells[0])
        if len(cells) > 2 or not term:
            raise DataError(
                f"{path}:{number}: not a term and its translation. Put one tab between the two."
            )
        spellings = (part.strip() for part in cells[1].split("|")) if len(cells) == 2 else ()
        yield number, term, tuple(spelling for spelling in spellings if spelling)


def _folded(term: str) -> str:
    return " ".join(term.split()).casefold()
