"""Two sentences with the same words, which say the same or do not.

    kept    ana came in 2015 often , tom came in 2018 early . tom came in 2018 late , ana came …
    moved   ana came in 2015 often , tom came in 2018 early . in 2018 came tom late , in 2015 …

Two people come in two years. The second sentence tells of both again, in either order, and either
each has kept the year or they have exchanged them. All words but the adverbs, which say nothing,
are the same then, so that counting words is of no use: who belongs to which year must be known. In
the *moved* order the second sentence has the year before the name. Up to four adverbs stand between
name and year, the others behind.
"""

from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Literal

from dragoman.config.settings import Settings
from dragoman.data.formats.labeled import LabeledText
from dragoman.lab.classification import write_tables

Order = Literal["kept", "moved"]
ORDERS: tuple[Order, ...] = ("kept", "moved")
DISTANCES = (0, 1, 2, 3, 4)
"""Adverbs between a name and its year."""

NAMES = ("ana", "ben", "eva", "tom")
YEARS = ("2015", "2016", "2018", "2019")
ADVERBS = (
    *("slowly", "gladly", "early", "alone", "again", "often", "quickly", "late", "safely", "twice"),
)
SAME, DIFFERENT = "same", "different"

Facts = tuple[tuple[str, str], tuple[str, str]]
"""Two names and two years."""
FACTS: list[Facts] = [*product(combinations(NAMES, 2), combinations(YEARS, 2))]
VALIDATED, TESTED = 5, 7
"""Of the 36 pairs of names and years, those that are kept for validation and for the test."""


class ParaphraseSampling(Settings):
    """How many pairs of sentences are drawn."""

    train: int
    valid: int
    tested: int
    """With each order and each number of adverbs in between."""


Tests = dict[Order, list[list[LabeledText]]]
"""By order and by distance."""


def split_facts(seed: int) -> tuple[list[Facts], list[Facts], list[Facts]]:
    """Part the names and years into those to learn from, to validate with and to be tested on."""
    facts = Random(f"paraphrases/facts/{seed}").sample(FACTS, len(FACTS))
    held = VALIDATED + TESTED
    return facts[held:], facts[:VALIDATED], facts[VALIDATED:held]


def draw_sentences(sentences: ParaphraseSampling, seed: int, folder: Path) -> Tests:
    """Draw the tables of a corpus into a folder; return the test by order and distance."""
    learned, validated, tested = split_facts(seed)
    tests = draw_tests(tested, sentences.tested, seed)
    tables = {
        "train": draw_mixed(learned, sentences.train, f"train/{seed}"),
        "valid": draw_mixed(validated, sentences.valid, f"valid/{seed}"),
        "test": [one for parts in tests.values() for part in parts for one in part],
    }
    write_tables(folder, tables)
    return tests


def draw_mixed(facts: Sequence[Facts], count: int, seed: str) -> list[LabeledText]:
    """Draw so many pairs of sentences of any order and distance."""
    random = Random(f"paraphrases/{seed}")
    found: dict[str, LabeledText] = {}
    while len(found) < count:
        one = draw_pair(random, facts, random.choice(ORDERS), random.choice(DISTANCES))
        found.setdefault(one.text, one)
    return [*found.values()]


def draw_tests(facts: Sequence[Facts], count: int, seed: int) -> Tests:
    """Draw so many pairs of sentences of each order and distance."""
    random = Random(f"paraphrases/test/{seed}")
    return {
        order: [
            [draw_pair(random, facts, order, distance) for _ in range(count)]
            for distance in DISTANCES
        ]
        for order in ORDERS
    }


def draw_pair(random: Random, facts: Sequence[Facts], order: Order, distance: int) -> LabeledText:
    """Draw two sentences on the same names and years, and whether they say the same."""
    names, years = (random.sample(one, 2) for one in random.choice(facts))
    label = random.choice((SAME, DIFFERENT))
    told = [*zip(names, years, strict=True)]
    again = told if label == SAME else [*zip(names, reversed(years), strict=True)]
    first = " , ".join(_clause(random, *one, "kept", distance) for one in told)
    second = " , ".join(_clause(random, *one, order, distance) for one in random.sample(again, 2))
    return LabeledText(f"{first} . {second} .", label)


def _clause(random: Random, name: str, year: str, order: Order, distance: int) -> str:
    """Say who came when, with all adverbs, so many of them between name and year."""
    adverbs = random.choices(ADVERBS, k=max(DISTANCES))
    between, behind = adverbs[:distance], adverbs[distance:]
    begin, end = (
        ((name,), ("came", "in", year)) if order == "kept" else (("in", year), ("came", name))
    )
    return " ".join((*begin, *between, *end, *behind))
