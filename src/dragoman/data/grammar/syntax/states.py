"""Clauses of being: what somebody or something is like, and who or what it is."""

from dataclasses import dataclass, replace

from dragoman.data.grammar.agreement import Agreement
from dragoman.data.grammar.english.verbs import article, be
from dragoman.data.grammar.hindi.adjectives import inflect
from dragoman.data.grammar.hindi.nouns import decline
from dragoman.data.grammar.hindi.verbs import future, imperfective, past, perfective, present
from dragoman.data.grammar.lexicon.determiners import BARE, A
from dragoman.data.grammar.lexicon.entries import Adjective, Noun
from dragoman.data.grammar.syntax.nominals import Nominal, Pairs, Phrase, SubjectClause
from dragoman.data.grammar.words import (
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

# What one gets: the Hindi adjective, if any, and the verb of getting so.
BEFALLING = {"sick": ("बीमार", "पड़"), "tired": ("", "थक")}
GETTING = {"future": "will get", "become": "got", "reported": "would get"}


def english_be(person: str, tense: str) -> str:
    """Give the English copula of a tense."""
    forms = {"future": "will be", "become": "became", "reported": "would be"}
    forms |= {"unreal": "would have been", "unreal if": "had been"}
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
    if tense in ("unreal", "unreal if"):
        return imperfective("हो", feminine, plural, True)
    return future("हो", agreement)


def copula(person: str, tense: str, negative: bool, base: int) -> Words:
    """Say the English copula, with "not" after its first word."""
    first, *rest = spell(english_be(person, tense), base + VERB)
    return [first, *([("not", base + NEGATION)] if negative else []), *rest]


def inverted(subject: Nominal, predicate: Words, base: int) -> Words:
    """Ask: put the copula before the subject."""
    return [predicate[0], *subject.english(base + SUBJECT, False), *predicate[1:]]


def is_(agreement: Agreement, tense: str, negative: bool, base: int) -> Words:
    """Say the Hindi copula, with नहीं before it."""
    denial: Words = [("नहीं", base + NEGATION)] if negative else []
    return denial + spell(hindi_be(agreement, tense), base + VERB)


@dataclass(frozen=True, eq=False, slots=True)
class CopulaClause(SubjectClause):
    """A clause with a form of "be", which is asked by inversion."""

    def english_question(self, base: int) -> Words:
        """Ask by inversion."""
        return inverted(self.subject, self.english_predicate(base), base)


@dataclass(frozen=True, eq=False, slots=True)
class Quality(CopulaClause):
    """Somebody or something is so: "the girl is very tired"."""

    adjective: Adjective
    tense: str
    negative: bool = False
    very: bool = False
    than: Nominal | None = None

    def english_predicate(self, base: int) -> Words:
        """Copula and adjective."""
        words = copula(self.subject.person, self.tense, self.negative, base)
        if self.befalls:
            first, *rest = spell(GETTING[self.tense], base + VERB)
            words = [first, *([("not", base + NEGATION)] if self.negative else []), *rest]
        if self.very:
            words.append(("very", base + OBJECT + DEGREE))
        if self.than is None:
            return [*words, (self.adjective.english, base + self.tag)]
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
                # one word of English, "richer", is two of Hindi
                degree = DEGREE if " " in self.adjective.comparative else ADJECTIVE
                if not self.adjective.compared:
                    words.append(("ज़्यादा", base + OBJECT + degree))
        if self.very:
            words.append(("बहुत", base + OBJECT + DEGREE))
        hindi = self.adjective.hindi
        if self.than is not None and self.adjective.compared:
            hindi = self.adjective.compared
        if self.befalls:
            return words + self.falls(agreement, base)
        words += spell(
            inflect(hindi, agreement.feminine, agreement.plural), base + OBJECT + ADJECTIVE
        )
        if self.adjective.sort == "mood" and self.tense == "future" and not self.negative:
            return [*words, ("हो", base + VERB), (future("जा", agreement), base + VERB)]
        return words + is_(agreement, self.tense, self.negative, base)

    @property
    def tag(self) -> int:
        """The tag of the adjective: that of the verb where Hindi has a verb for both, थक जाना."""
        verbal = self.befalls and not BEFALLING[self.adjective.english][0]
        return VERB if verbal else OBJECT + ADJECTIVE

    @property
    def befalls(self) -> bool:
        """Whether one gets so: sick, tired."""
        return self.adjective.english in BEFALLING and self.tense in GETTING

    def falls(self, agreement: Agreement, base: int) -> Words:
        """Say that one gets sick or tired: बीमार पड़ जाएगा, थक जाएगा."""
        adjective, stem = BEFALLING[self.adjective.english]
        words = spell(adjective, base + OBJECT + ADJECTIVE)
        if self.negative:
            return [*words, ("नहीं", base + NEGATION), (future(stem, agreement), base + VERB)]
        went = future("जा", agreement)
        if self.tense == "become":
            went = perfective("जा", agreement.feminine, agreement.plural, True)
        return [*words, (stem, base + VERB), (went, base + VERB)]

    def pairs(self, found: Pairs) -> None:
        """The adjective combines with the subject's noun."""
        self.subject.pairs(found)
        if isinstance(self.subject, Phrase):
            found.append((self.adjective.key, self.subject.noun.key))
        if self.than is not None:
            self.than.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Identity(CopulaClause):
    """Somebody is a doctor; Hindi has no article here."""

    noun: Noun
    tense: str
    negative: bool = False
    adjective: Adjective | None = None

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

    def pairs(self, found: Pairs) -> None:
        """An adjective combines with the noun."""
        self.subject.pairs(found)
        if self.adjective is not None:
            found.append((self.adjective.key, self.noun.key))


@dataclass(frozen=True, eq=False, slots=True)
class Naming(CopulaClause):
    """Somebody or something is my brother, a good boy, a book: यह मेरी किताब है."""

    thing: Phrase
    tense: str
    negative: bool = False

    def english_predicate(self, base: int) -> Words:
        """Copula and thing."""
        words = copula(self.subject.person, self.tense, self.negative, base)
        return words + self.thing.english(base + OBJECT, False)

    def hindi(self, base: int) -> Words:
        """Subject, thing, copula."""
        words = self.subject.hindi(base + SUBJECT, "", "")
        thing = self.thing
        if self.negative and thing.determiner is A:  # "not a book" is not "not one book"
            thing = replace(thing, determiner=BARE)
        words += thing.hindi(base + OBJECT, "", "")
        return words + is_(self.subject.agreement, self.tense, self.negative, base)

    def pairs(self, found: Pairs) -> None:
        """Add those of the thing."""
        self.subject.pairs(found)
        self.thing.pairs(found)
