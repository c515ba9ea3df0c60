"""Words that sound alike: of two sentences one is right, and only its sense says which.

    The man pulled a cart yesterday.    The man pooled a cart yesterday.

Each word of a pair is right in some sentences and wrong in others, so that knowing which word is
the more frequent does not help.
"""

from pathlib import Path
from random import Random
from typing import NamedTuple

from dragoman.data.corpus.generators.agreement import PEOPLE
from dragoman.data.corpus.generators.sampling import draw_distinct

PAST = (
    *("yesterday", "last night", "this morning", "last week", "on Sunday", "two days ago"),
    *("on Friday", "last month", "an hour ago", "in the evening"),
)
COMING = ("tomorrow", "next week", "on Monday", "in the morning", "tonight", "next month")


class Homophones(NamedTuple):
    """A sentence with the right word and the same with the one that only sounds right."""

    good: str
    bad: str
    word: str
    rival: str


class Frame(NamedTuple):
    """A sentence with a gap for one of two words, and with places for anybody and any time."""

    word: str
    rival: str
    text: str


def frames() -> list[Frame]:
    """Give all sentences with their gaps, in order."""
    table = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8")
    return [Frame(*line.split("\t")) for line in table.splitlines()]


def draw_homophones(count: int, *, seed: int) -> list[Homophones]:
    """Draw distinct pairs of sentences, one right and one wrong."""
    known = frames()

    def make(random: Random) -> Homophones:
        word, rival, frame = random.choice(known)
        one, many = random.choice(PEOPLE)
        past, coming = random.choice(PAST), random.choice(COMING)
        text = frame.format(who=one, whos=many, past=past, coming=coming)
        return Homophones(text.replace("_", word), text.replace("_", rival), word, rival)

    return draw_distinct(make, count, seed=f"homophones/{seed}")
