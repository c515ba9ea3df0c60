"""Word forms of glossary terms: whether a text holds a term as it is spelled, or inflected.

A word is an inflected form of another if the two begin alike: at least three letters, and at least
three fifths of the longer one, whatever the case and the accents (casa · casas, tener · tengo, not
gem · gemelo). That is no morphology, so a form counts only among words that are known to translate
the term's own words.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, fields
from os.path import commonprefix
from typing import Literal

from dragoman.pipeline.pseudo_words import SPACELESS
from dragoman.pipeline.text_spans import is_spoken, spoken_part
from dragoman.tasks.translation.term_constraints import Term

FEWEST_LETTERS = 3
SHARE = 0.6

ACCENT = re.compile("[\u0300-\u036f]")

TermForm = Literal["placed", "inflected"]


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Counts of glossary terms: held as they are spelled, inflected, or not at all."""

    placed: int = 0
    inflected: int = 0
    refused: int = 0

    def __add__(self, other: "TermCounts") -> "TermCounts":
        names = [one.name for one in fields(self)]
        return TermCounts(*(getattr(self, name) + getattr(other, name) for name in names))

    def all_refused(self) -> "TermCounts":
        """Return the counts for a translation that is not used after all."""
        return TermCounts(refused=self.placed + self.inflected + self.refused)


def count_terms(forms: Sequence[TermForm | None]) -> TermCounts:
    """Count terms by their form; None is refused."""
    return TermCounts(*(forms.count(form) for form in ("placed", "inflected", None)))


def form_of(term: Term, text: str, words: Sequence[int] | None = None) -> TermForm | None:
    """Return the form in which a text holds a term, or None.

    Inflected forms count where they share a word with `words`, numbers of the text's words as
    spaces part them; anywhere, if these are not known.
    """
    if any(_stands(spelling, text) for spelling in term):
        return "placed"
    forms = [_folded(word) for word in text.split()]
    here = range(len(forms)) if words is None else words
    return "inflected" if any(_inflected(spelling, forms, here) for spelling in term) else None


def is_inflected(one: str, other: str) -> bool:
    """Say whether two folded words are forms of one word."""
    shared = len(commonprefix([one, other]))
    return one == other or shared >= max(FEWEST_LETTERS, SHARE * max(len(one), len(other)))


def _stands(spelling: str, text: str) -> bool:
    """Say whether a spelling stands in a text as whole words, in whatever case."""
    wanted, whole = " ".join(spelling.casefold().split()), " ".join(text.casefold().split())
    place = whole.find(wanted)
    while wanted and place >= 0:
        end = place + len(wanted)
        if not _joined(whole[:place], wanted) and not _joined(wanted, whole[end:]):
            return True
        place = whole.find(wanted, place + 1)
    return False


def _joined(before: str, after: str) -> bool:
    """Say whether two texts side by side make one word of their ends."""
    ends = before[-1:] + after[:1]
    return len(ends) == 2 and all(map(is_spoken, ends)) and not SPACELESS.search(ends)


def _inflected(spelling: str, forms: Sequence[str], here: Sequence[int]) -> bool:
    wanted = [_folded(word) for word in spelling.split()]
    for begin in range(len(forms) - len(wanted) + 1):
        window = range(begin, begin + len(wanted))
        if wanted and any(place in here for place in window):
            pairs = zip(wanted, forms[window.start : window.stop], strict=True)
            if all(is_inflected(one, other) for one, other in pairs):
                return True
    return False


def _folded(word: str) -> str:
    """Take case, accents and the marks around a word away; vowel signs are letters."""
    plain = ACCENT.sub("", unicodedata.normalize("NFD", word.casefold()))
    return plain[slice(*spoken_part(plain))]
