"""Clauses of being and having: what somebody is, where a thing is, what one has."""

from dataclasses import dataclass, replace

from dragoman.data.corpus.generators.grammar.agreement import Agreement
from dragoman.data.corpus.generators.grammar.english.verbs import article, be
from dragoman.data.corpus.generators.grammar.hindi.adjectives import inflect
from dragoman.data.corpus.generators.grammar.hindi.nouns import decline
from dragoman.data.corpus.generators.grammar.hindi.verbs import (
    future,
    imperfective,
    past,
    perfective,
    present,
)
from dragoman.data.corpus.generators.grammar.lexicon.entries import Adjective, Noun
from dragoman.data.corpus.generators.grammar.syntax.clauses import Adjunct
from dragoman.data.corpus.generators.grammar.syntax.nominals import Nominal, Pairs, Phrase
from dragoman.data.corpus.generators.grammar.words import (
    ADJECTIVE,
    ADJUNCT,
    DEGREE,
    DETERMINER,
    NEGATION,
    NOUN,
    OBJECT,
    POSTPOSITION,
    SUBJECT,
    VERB,
    Words,
    spell,
)


def english_be(person: str, tense: str) -> str:
    """Give the English copula of a tense."""
    forms = {"future": "will be", "become": "became", "reported": "would be"}
    forms["unreal"] = "would have been"
    return forms.get(tense) or be(person, tense == "past")


def hindi_be(agreement: Agreement, tense: str) -> str:
    """Give the Hindi copula of a tense."""
    feminine, plural, _ = agreement
    if tense == "present":
        return present(agreement)
    if tense == "past":
        return past(agreement)
    if tense == "become":
        return "हो " + perfective("जा", feminine, plural, True)
    if tense == "unreal":
        return imperfective("हो", feminine, plural, True)
    return future("हो", agreement)


def copula(person: str, tense: str, negative: bool, base: int) -> Words:
    """Say the English copula, with "not" after its first word."""
    first, *rest = spell(english_be(person, tense), base + VERB)
    return [first, *([("not", base + NEGATION)] if negative else []), *rest]


def is_(agreement: Agreement, tense: str, negative: bool, base: int) -> Words:
    """Say the Hindi copula, with नहीं before it."""
    denial: Words = [("नहीं", base + NEGATION)] if negative else []
    return denial + spell(hindi_be(agreement, tense), base + VERB)


@dataclass(frozen=True, eq=False, slots=True)
class Quality:
    """Somebody or something is so: "the girl is very tired"."""

    subject: Nominal
    adjective: Adjective
    tense: str
    negative: bool = False
    very: bool = False
    than: Nominal | None = None

    def english(self, base: int) -> Words:
        """Subject and predicate."""
        return self.subject.english(base + SUBJECT, False) + self.english_predicate(base)

    def english_predicate(self, base: int) -> Words:
        """Copula and adjective."""
        words = copula(self.subject.person, self.tense, self.negative, base)
        if self.very:
            words.append(("very", base + OBJECT + DEGREE))
        if self.than is None:
            return [*words, (self.adjective.english, base + OBJECT + ADJECTIVE)]
        *more, graded = self.adjective.comparative.split()
        words += [(word, base + OBJECT + DEGREE) for word in more]
        words.append((graded, base + OBJECT + ADJECTIVE))
        words.append(("than", base + ADJUNCT + POSTPOSITION))
        return words + self.than.english(base + ADJUNCT, True)

    def hindi(self, base: int) -> Words:
        """Subject, standard of comparison, adjective, copula."""
        agreement = self.subject.agreement
        words = self.subject.hindi(base + SUBJECT, "", "")
        if self.than is not None:
            words += self.than.hindi(base + ADJUNCT, "से", self.subject.owner)
            if " " in self.adjective.comparative or not self.adjective.hindi.endswith("ा"):
                words.append(("ज़्यादा", base + OBJECT + DEGREE))
        if self.very:
            words.append(("बहुत", base + OBJECT + DEGREE))
        adjective = inflect(self.adjective.hindi, agreement.feminine, agreement.plural)
        words += spell(adjective, base + OBJECT + ADJECTIVE)
        return words + is_(agreement, self.tense, self.negative, base)

    def of(self, subject: Nominal) -> "Quality":
        """Give the same clause with another subject."""
        return replace(self, subject=subject)

    def pairs(self, found: Pairs) -> None:
        """The adjective combines with the subject's noun."""
        self.subject.pairs(found)
        if isinstance(self.subject, Phrase):
            found.append((self.adjective.key, self.subject.noun.key))
        if self.than is not None:
            self.than.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Identity:
    """Somebody is a doctor; Hindi has no article here."""

    subject: Nominal
    noun: Noun
    tense: str
    negative: bool = False
    adjective: Adjective | None = None

    def english(self, base: int) -> Words:
        """Subject and predicate."""
        return self.subject.english(base + SUBJECT, False) + self.english_predicate(base)

    def english_predicate(self, base: int) -> Words:
        """Copula and noun, in the number of the subject."""
        words = copula(self.subject.person, self.tense, self.negative, base)
        many = self.subject.person == "they" and self.subject.owner != "you"
        name: Words = spell(self.noun.plural if many else self.noun.english, base + OBJECT + NOUN)
        if self.adjective is not None:
            name = spell(self.adjective.english, base + OBJECT + ADJECTIVE) + name
        if not many:
            name = [(article(name[0][0]), base + OBJECT + DETERMINER), *name]
        return words + name

    def hindi(self, base: int) -> Words:
        """Subject, noun in the gender of the subject, copula."""
        agreement = self.subject.agreement
        feminine, plural, _ = agreement
        many = self.subject.person == "they" and self.subject.owner != "you"
        word = (feminine and self.noun.counterpart) or self.noun.hindi
        inflected = decline(word, bool(feminine and self.noun.counterpart), True, many, False)
        words = self.subject.hindi(base + SUBJECT, "", "")
        if self.adjective is not None:
            words += spell(
                inflect(self.adjective.hindi, feminine, plural), base + OBJECT + ADJECTIVE
            )
        words += spell(inflected, base + OBJECT + NOUN)
        if self.tense == "become":
            return words + spell("बन " + perfective("जा", feminine, plural, True), base + VERB)
        return words + is_(agreement, self.tense, self.negative, base)

    def of(self, subject: Nominal) -> "Identity":
        """Give the same clause with another subject."""
        return replace(self, subject=subject)

    def pairs(self, found: Pairs) -> None:
        """An adjective combines with the noun."""
        self.subject.pairs(found)
        if self.adjective is not None:
            found.append((self.adjective.key, self.noun.key))


@dataclass(frozen=True, eq=False, slots=True)
class Location:
    """Something is somewhere."""

    subject: Nominal
    place: Adjunct
    tense: str
    negative: bool = False

    def english(self, base: int) -> Words:
        """Subject and predicate."""
        return self.subject.english(base + SUBJECT, False) + self.english_predicate(base)

    def english_predicate(self, base: int) -> Words:
        """Copula and place."""
        words = copula(self.subject.person, self.tense, self.negative, base)
        return words + self.place.english(base + ADJUNCT)

    def hindi(self, base: int) -> Words:
        """Subject, place, copula."""
        words = self.subject.hindi(base + SUBJECT, "", "")
        words += self.place.hindi(base + ADJUNCT, self.subject.owner)
        return words + is_(self.subject.agreement, self.tense, self.negative, base)

    def of(self, subject: Nominal) -> "Location":
        """Give the same clause with another subject."""
        return replace(self, subject=subject)

    def pairs(self, found: Pairs) -> None:
        """Add those of both phrases."""
        self.subject.pairs(found)
        self.place.phrase.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Existence:
    """There is something somewhere; Hindi says the place first."""

    subject: Nominal
    place: Adjunct
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

    def of(self, subject: Nominal) -> "Existence":
        """Give the same clause with another subject."""
        return replace(self, subject=subject)

    def pairs(self, found: Pairs) -> None:
        """Add those of both phrases."""
        self.subject.pairs(found)
        self.place.phrase.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Possession:
    """Somebody has something: के पास for a thing, का for a relative."""

    subject: Nominal
    thing: Phrase
    tense: str

    def english(self, base: int) -> Words:
        """Subject and predicate."""
        return self.subject.english(base + SUBJECT, False) + self.english_predicate(base)

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
        words += self.thing.hindi(base + OBJECT, "", self.subject.owner)
        return words + is_(self.thing.agreement, self.tense, False, base)

    def of(self, subject: Nominal) -> "Possession":
        """Give the same clause with another subject."""
        return replace(self, subject=subject)

    def pairs(self, found: Pairs) -> None:
        """Add those of both phrases."""
        self.subject.pairs(found)
        self.thing.pairs(found)
