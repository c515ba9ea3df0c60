"""Reviews with their sentiment, and the same reviews in another order."""

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Literal

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import present
from dragoman.data.formats.labeled import LabeledText

NEGATIVE, POSITIVE = "negative", "positive"
Reviews = Literal["rotten-tomatoes", "imdb-reviews"]
Order = Literal["clauses", "words"]
ORDERS: dict[Order, str] = {"clauses": "clauses swapped", "words": "words shuffled"}

COMMA = re.compile(r"\s*,\s+")
STOP = re.compile(r"[\s.!?]*$")
SHORTEST_CLAUSE = 2
"""Words that must stand on both sides of a comma."""


def find_reviews(name: Reviews, own: Path | None) -> Path:
    """Return the table of reviews: one of the catalogue, or the user's own."""
    if own is not None:
        return own
    found = present(find_entry(name))
    if not found:
        raise DataError(
            f"{name}: these reviews are not on this machine. "
            f"Fetch them once with `dragoman data get {name}`, or give --texts FILE."
        )
    return found[0].path


def check_labels(rows: Sequence[LabeledText], where: Path) -> None:
    """Refuse reviews whose classes are not the two sentiments."""
    others = sorted({row.label for row in rows} - {NEGATIVE, POSITIVE})
    if others:
        raise DataError(
            f"{where}: {others[0]!r} is the class of a text. Here each is {NEGATIVE} or {POSITIVE}."
        )


def swap_clauses(text: str) -> str | None:
    """Exchange what stands before and after the comma nearest to the middle; None without one.

    "in 2017 , i went there ." becomes "i went there , in 2017 .".
    """
    stop = STOP.search(text)
    end = stop.start() if stop else len(text)
    whole, after = text[:end], text[end:]
    commas = [
        found
        for found in COMMA.finditer(whole)
        if len(whole[: found.start()].split()) >= SHORTEST_CLAUSE
        and len(whole[found.end() :].split()) >= SHORTEST_CLAUSE
    ]
    if not commas:
        return None
    comma = min(commas, key=lambda found: abs(found.start() + found.end() - len(whole)))
    return f"{whole[comma.end() :]}{comma[0]}{whole[: comma.start()]}{after}"


def shuffle_words(text: str, random: Random) -> str:
    """Put the words of a text into any order."""
    words = text.split()
    return " ".join(random.sample(words, len(words)))


def reorder(rows: Sequence[LabeledText], order: Order, seed: int) -> list[tuple[LabeledText, str]]:
    """Return each row that can be reordered, with its text in the other order."""
    random = Random(f"sentiment/{seed}")
    found = []
    for row in rows:
        other = swap_clauses(row.text) if order == "clauses" else shuffle_words(row.text, random)
        if other is not None:
            found.append((row, other))
    return found
