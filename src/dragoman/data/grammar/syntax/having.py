"""Clauses of where something is, what there is and what one has."""

from dataclasses import dataclass

from dragoman.data.grammar.syntax.adjuncts import Whereabouts
from dragoman.data.grammar.syntax.feelings import do
from dragoman.data.grammar.syntax.nominals import Pairs, Phrase, SubjectClause, under_negation
from dragoman.data.grammar.syntax.states import CopulaClause, copula, is_
from dragoman.data.grammar.words import ADJUNCT, OBJECT, SUBJECT, VERB, Words, spell


@dataclass(frozen=True, eq=False, slots=True)
class Location(CopulaClause):
    """Something is somewhere."""

    place: Whereabouts
    tense: str
    negative: bool = False

    def english_predicate(self, base: int) -> Words:
        """Copula and place."""
        words = copula(self.subject.person, self.tense, self.negative, base)
        return words + self.place.english(base + ADJUNCT)

    def hindi(self, base: int) -> Words:
        """Subject, place, copula."""
        words = self.subject.hindi(base + SUBJECT, "", "")
        words += self.place.hindi(base + ADJUNCT, self.subject.owner)
        return words + is_(self.subject.agreement, self.tense, self.negative, base)

    def pairs(self, found: Pairs) -> None:
        """Add those of both phrases."""
        self.subject.pairs(found)
        self.place.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Existence(SubjectClause):
    """There is something somewhere; Hindi says the place first."""

    place: Whereabouts
    tense: str

    def english(self, base: int) -> Words:
        """Say "there is" and what is where."""
        return [("there", base + VERB), *self.english_predicate(base)]

    def english_predicate(self, base: int) -> Words:
        """Copula, thing and place."""
        words = copula(self.subject.person, self.tense, False, base)
        words += self.subject.english(base + SUBJECT, False)
        return words + self.place.english(base + ADJUNCT)

    def hindi(self, base: int) -> Words:
        """Place, thing, copula."""
        words = self.place.hindi(base + ADJUNCT, "") + self.subject.hindi(base + SUBJECT, "", "")
        return words + is_(self.subject.agreement, self.tense, False, base)

    def pairs(self, found: Pairs) -> None:
        """Add those of both phrases."""
        self.subject.pairs(found)
        self.place.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Possession(SubjectClause):
    """Somebody has something: के पास for a thing, का for a relative."""

    thing: Phrase
    tense: str
    asked: bool = False  # "a pen" is कोई पेन then

    def english_predicate(self, base: int) -> Words:
        """Say has, have, had or will have, and what."""
        have = "has" if self.subject.person == "he" else "have"
        verb = {"past": "had", "future": "will have"}.get(self.tense, have)
        return spell(verb, base + VERB) + self.thing.english(base + OBJECT, True)

    def hindi(self, base: int) -> Words:
        """Owner, thing, copula in agreement with the thing."""
        marker = "के" if self.thing.noun.kind == "kin" else "के पास"
        if marker == "के" and self.thing.noun.feminine:
            marker = "की"
        elif marker == "के" and not self.thing.plural:
            marker = "का"
        words = self.subject.hindi(base + SUBJECT, marker, "")
        thing = under_negation(self.thing) if self.asked else self.thing
        words += thing.hindi(base + OBJECT, "", self.subject.owner)
        return words + is_(self.thing.agreement, self.tense, False, base)

    def english_question(self, base: int) -> Words:
        """Ask with do-support."""
        words: Words = [(do(self.subject.person, self.tense == "past"), base + VERB)]
        words += [*self.subject.english(base + SUBJECT, False), ("have", base + VERB)]
        return words + self.thing.english(base + OBJECT, True)

    def pairs(self, found: Pairs) -> None:
        """Add those of both phrases."""
        self.subject.pairs(found)
        self.thing.pairs(found)
