"""The phrasebook: everyday lines and idioms, templates with slots, and near variants held out.

    How is your {kin}?    [आपका|आपकी|आपके|आपकी] {kin} [कैसा|कैसी|कैसे|कैसी] [है|है|हैं|हैं]?

A slot is filled with a word of the lexicon; `{kin.o}` is its oblique form. Brackets agree with the
first slot of the Hindi: masculine, feminine and, with respect, both again.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from zlib import crc32

from dragoman.data.grammar.combinations import held_out
from dragoman.data.grammar.english.verbs import article
from dragoman.data.grammar.phrasebook.slots import Fill, fills

FOLDER = Path(__file__).parent
SLOT = re.compile(r"\{(\w+?)(2?)(\.o)?\}")
AGREEING = re.compile(r"\[([^\]]*)\]")
ARTICLE = re.compile(r"\b([Aa]) (\w+)")
LINES = 0.5  # of the draws; the others fill a template


@dataclass(frozen=True)
class PhrasePair:
    """A pair of sentences, with the template and the words it was made of."""

    english: str
    hindi: str
    parts: tuple[str, ...] = ()  # the template, then its words

    @property
    def held_out(self) -> bool:
        """Whether training never shows this word in this template."""
        template, *words = self.parts or ("",)
        return any(held_out(template, word) for word in words)


@dataclass(frozen=True)
class Template:
    """A pair of patterns with the same slots."""

    english: str
    hindi: str

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots, in the order of the Hindi."""
        found = [name + second for name, second, _ in SLOT.findall(self.hindi)]
        return tuple(dict.fromkeys(found))

    def fill(self, words: tuple[Fill, ...]) -> PhrasePair:
        """Put one word into each slot."""
        chosen = dict(zip(self.slots, words, strict=True))
        english = SLOT.sub(lambda m: chosen[m[1] + m[2]].english, self.english)
        hindi = SLOT.sub(lambda m: chosen[m[1] + m[2]].form(bool(m[3])), self.hindi)
        return PhrasePair(
            capital(ARTICLE.sub(lambda m: f"{articled(m[1], m[2])} {m[2]}", english)),
            AGREEING.sub(lambda m: agree(m[1], words[0].agreement), hindi),
            (self.english, *[word.english for word in words]),
        )

    def choices(self, place: int) -> tuple[Fill, ...]:
        """List the words of a slot."""
        return fills(self.slots[place].rstrip("2"))

    def draw(self, random: Random) -> PhrasePair:
        """Fill the slots at random, two of one kind with different words."""
        words = [random.choice(self.choices(place)) for place in range(len(self.slots))]
        while len({word.english for word in words}) < len(words):
            words[-1] = random.choice(self.choices(len(words) - 1))
        return self.fill(tuple(words))


def agree(forms: str, agreement: int) -> str:
    """Choose the form of a bracket; two forms are the same with and without respect."""
    options = forms.split("|")
    return options[
        agreement % len(options) if len(options) == 2 else min(agreement, len(options) - 1)
    ]


def articled(article_word: str, following: str) -> str:
    """Give "a" or "an" in the case of the text."""
    chosen = article(following)
    return chosen.capitalize() if article_word == "A" else chosen


def capital(text: str) -> str:
    """Begin with a capital."""
    return text[0].upper() + text[1:]


def _rows(name: str) -> list[list[str]]:
    text = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


@cache
def lines() -> tuple[PhrasePair, ...]:
    """Read the lines that are learned as they stand."""
    return tuple(PhrasePair(english, hindi) for english, hindi, _ in _rows("lines"))


@cache
def variants() -> tuple[PhrasePair, ...]:
    """Read the near variants of lines, which training never shows."""
    return tuple(PhrasePair(english, hindi) for english, hindi, _ in _rows("variants"))


@cache
def templates() -> tuple[Template, ...]:
    """Read the templates."""
    return tuple(Template(english, hindi) for english, hindi, _ in _rows("templates"))


def draw(random: Random) -> PhrasePair:
    """Draw a line or a filled template that training may show."""
    if random.random() < LINES:
        return random.choice(lines())
    while True:
        phrase = random.choice(templates()).draw(random)
        if not phrase.held_out:
            return phrase


def near_variants(wanted: int, random: Random, *, validation: bool = False) -> list[PhrasePair]:
    """Draw what tests the phrasebook: the variants, then templates with words kept from them.

    One half is for validation, on which settings may be chosen; the other is for the test.
    """
    found = [phrase for phrase in variants() if phrase.english not in taught()]
    held = {phrase.english: phrase for phrase in filled() if phrase.held_out}
    others = [held[english] for english in sorted(held.keys() - taught())]
    random.shuffle(others)
    half = [one for one in (*found, *others) if crc32(one.english.encode()) % 2 == validation]
    return half[:wanted]


@cache
def filled() -> tuple[PhrasePair, ...]:
    """Fill every template in every way."""
    return tuple(
        template.fill(words)
        for template in templates()
        for words in product(*[template.choices(place) for place in range(len(template.slots))])
        if len({word.english for word in words}) == len(words)
    )


@cache
def taught() -> frozenset[str]:
    """Name every English sentence that training may show."""
    shown = [phrase for phrase in filled() if not phrase.held_out]
    return frozenset(phrase.english for phrase in (*lines(), *shown))


@cache
def known() -> frozenset[str]:
    """Name every English sentence of the book, which the grammar leaves to it."""
    return frozenset(phrase.english for phrase in (*lines(), *variants(), *filled()))
