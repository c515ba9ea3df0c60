"""The optional parts of a clause: where, when, how, how often, with whom."""

from dataclasses import dataclass
from typing import Protocol

from dragoman.data.grammar.lexicon.entries import Adverb
from dragoman.data.grammar.syntax.nominals import Nominal, Pairs
from dragoman.data.grammar.words import ADJUNCT, FREQUENCY, MANNER, POSTPOSITION, TIME, Words, spell


class Whereabouts(Protocol):
    """An adjunct: where, with whom, by what."""

    def english(self, base: int) -> Words:
        """Say it in English."""

    def hindi(self, base: int, owner: str) -> Words:
        """Say it in Hindi; `owner` is the subject a possessive may mean."""

    def pairs(self, found: Pairs) -> None:
        """Add the pairs of lexemes it combines."""


@dataclass(frozen=True, eq=False, slots=True)
class Spot:
    """An adverb of place: here, at home."""

    adverb: Adverb

    def english(self, base: int) -> Words:
        """Say the adverb."""
        return spell(self.adverb.english, base + POSTPOSITION)

    def hindi(self, base: int, owner: str) -> Words:
        """Say the adverb."""
        return spell(self.adverb.hindi, base + POSTPOSITION)

    def pairs(self, found: Pairs) -> None:
        """An adverb combines nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class Adjunct:
    """A noun phrase under a preposition here and a postposition there."""

    preposition: str
    postposition: str
    phrase: Nominal

    def english(self, base: int) -> Words:
        """Say preposition and phrase."""
        return spell(self.preposition, base + POSTPOSITION) + self.phrase.english(base, True)

    def hindi(self, base: int, owner: str) -> Words:
        """Say phrase and postposition; going to some places needs the oblique alone."""
        if self.postposition == "-":
            words = self.phrase.hindi(base, "को", owner)
            return words[:-1]
        return self.phrase.hindi(base, self.postposition, owner)

    def pairs(self, found: Pairs) -> None:
        """Add those of the phrase."""
        self.phrase.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Extras:
    """The optional parts of a clause."""

    adjunct: Whereabouts | None = None
    time: Adverb | None = None
    manner: Adverb | None = None
    frequency: Adverb | None = None

    def english_end(self, base: int) -> Words:
        """Say what follows the object: manner, place, time."""
        words: Words = []
        if self.manner is not None:
            words += spell(self.manner.english, base + MANNER)
        if self.adjunct is not None:
            words += self.adjunct.english(base + ADJUNCT)
        if self.time is not None:
            words += spell(self.time.english, base + TIME)
        if self.frequency is not None and "end" in self.frequency.suits:
            words += spell(self.frequency.english, base + FREQUENCY)
        return words

    def english_before(self, base: int) -> Words:
        """Say the adverb that stands before the main verb."""
        if self.frequency is not None and "before" in self.frequency.suits:
            return spell(self.frequency.english, base + FREQUENCY)
        return []

    def hindi_times(self, base: int) -> Words:
        """Say when and how often, next to the subject."""
        words: Words = []
        if self.time is not None:
            words += spell(self.time.hindi, base + TIME)
        if self.frequency is not None and not self.frequency.negates:
            words += spell(self.frequency.hindi, base + FREQUENCY)
        return words

    def hindi_never(self, base: int) -> Words:
        """Say कभी, which stands before the denied verb."""
        if self.frequency is not None and self.frequency.negates:
            return spell(self.frequency.hindi, base + FREQUENCY)
        return []

    def hindi_middle(self, base: int, owner: str) -> Words:
        """Say where and how, before the object."""
        words: Words = []
        if self.adjunct is not None:
            words += self.adjunct.hindi(base + ADJUNCT, owner)
        if self.manner is not None:
            words += spell(self.manner.hindi, base + MANNER)
        return words
