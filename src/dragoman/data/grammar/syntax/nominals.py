"""Noun phrases, pronouns and pairs of them: whatever can be a subject or an object."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Protocol, Self

from dragoman.data.grammar.agreement import Agreement
from dragoman.data.grammar.english.verbs import article
from dragoman.data.grammar.hindi.adjectives import inflect
from dragoman.data.grammar.hindi.nouns import decline
from dragoman.data.grammar.hindi.pronouns import demonstrative, pronoun
from dragoman.data.grammar.lexicon.determiners import (
    AGREEING_WORDS,
    ANY,
    BARE,
    DEMONSTRATIVE_WORDS,
    REFLEXIVE,
    A,
)
from dragoman.data.grammar.lexicon.entries import Adjective, Determiner, Noun
from dragoman.data.grammar.words import (
    ADJECTIVE,
    DETERMINER,
    NOUN,
    POSTPOSITION,
    SUBJECT,
    Words,
    spell,
)

Pairs = list[tuple[str, str]]
CASE_MARKERS = frozenset({"ने", "को"})  # English has no word for them; they go with the noun


class Nominal(Protocol):
    """The interface of a subject or object."""

    @property
    def agreement(self) -> Agreement:
        """The features that a Hindi verb agrees with."""

    @property
    def person(self) -> str:
        """I, he (any singular) or they (any plural): what an English verb agrees with."""

    @property
    def owner(self) -> str:
        """The English pronoun that would take it up again."""

    @property
    def animate(self) -> bool:
        """Whether it takes को as an object."""

    def english(self, base: int, objective: bool) -> Words:
        """Say it in English."""

    def hindi(self, base: int, marker: str, owner: str) -> Words:
        """Say it in Hindi with a postposition; `owner` is the subject a possessive may mean."""

    def pairs(self, found: Pairs) -> None:
        """Add the pairs of lexemes it combines."""


@dataclass(frozen=True, eq=False, slots=True)
class Phrase:
    """A noun with its determiner and adjective; names stand bare."""

    noun: Noun
    plural: bool = False
    determiner: Determiner = BARE
    adjective: Adjective | None = None

    @property
    def agreement(self) -> Agreement:
        """Gender of the noun; respect counts as plural."""
        noun = self.noun
        many = self.plural or noun.plural_in_hindi or noun.honorific
        return Agreement(noun.feminine, many)

    @property
    def person(self) -> str:
        """English number."""
        return "they" if self.plural or self.noun.many else "he"

    @property
    def owner(self) -> str:
        """Number and gender as English shows them."""
        if self.plural or self.noun.many:
            return "they"
        return "she" if self.noun.feminine else "he"

    @property
    def animate(self) -> bool:
        """People and animals are animate."""
        return bool(self.noun.sorts & ANIMATE)

    def english(self, base: int, objective: bool = False) -> Words:
        """Say determiner, adjective and noun."""
        noun = spell(self.noun.plural if self.plural else self.noun.english, base + NOUN)
        if self.adjective is not None:
            noun = spell(self.adjective.english, base + ADJECTIVE) + noun
        word = self.determiner.english
        if word == "a":
            word = article(noun[0][0])
        return spell(word, base + DETERMINER) + noun

    def hindi(self, base: int, marker: str = "", owner: str = "") -> Words:
        """Say determiner, adjective, noun and postposition in agreement."""
        feminine, many, _ = self.agreement
        oblique = marker != ""
        noun = self.noun
        words = spell(self.determined(many, oblique, owner), base + DETERMINER)
        if self.adjective is not None:
            agreeing = inflect(self.adjective.hindi, feminine, many or oblique)
            words += spell(agreeing, base + ADJECTIVE)
        counted = self.plural or noun.plural_in_hindi
        form = decline(noun.hindi, feminine, noun.inflects, counted, oblique)
        words += spell(form, base + NOUN)
        role = NOUN if marker in CASE_MARKERS else POSTPOSITION
        return words + spell(marker, base + role)

    def determined(self, many: bool, oblique: bool, owner: str) -> str:
        """Say the determiner in Hindi; a possessive of the subject is अपना."""
        hindi = self.determiner.hindi
        if self.determiner.owner and (self.determiner.owner, owner) in REFLEXIVES:
            hindi = REFLEXIVE
        if hindi in DEMONSTRATIVE_WORDS:
            return demonstrative(hindi, many, oblique)
        if hindi in AGREEING_WORDS:
            *head, last = hindi.split()
            return " ".join([*head, inflect(last, self.noun.feminine, many or oblique)])
        return hindi

    def pairs(self, found: Pairs) -> None:
        """An adjective combines with its noun."""
        if self.adjective is not None:
            found.append((self.adjective.key, self.noun.key))

    def under(self, determiner: Determiner) -> "Phrase":
        """Give the same phrase with another determiner."""
        return replace(self, determiner=determiner)


ANIMATE = frozenset({"person", "animal"})
# Whose possessive is अपना with which subject: what is ours is mine, too.
REFLEXIVES = frozenset({(who, who) for who in ("I", "we", "you", "he", "she", "they")}) | {
    ("we", "I")
}


@dataclass(frozen=True, eq=False, slots=True)
class Pronoun:
    """A personal, interrogative or relative pronoun."""

    subject: str
    object: str
    hindi_name: str
    agreement: Agreement
    person: str
    owner: str
    animate: bool = True

    def english(self, base: int, objective: bool = False) -> Words:
        """Say it in its English case."""
        return spell(self.object if objective else self.subject, base + NOUN)

    def hindi(self, base: int, marker: str = "", owner: str = "") -> Words:
        """Say it in its Hindi case."""
        head, *rest = pronoun(self.hindi_name, marker)
        return [(head, base + NOUN), *[(word, base + POSTPOSITION) for word in rest]]

    def pairs(self, found: Pairs) -> None:
        """A pronoun combines nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class Coordination:
    """Two people joined by "and"; only when both are women is the verb feminine."""

    first: Phrase
    second: Phrase

    @property
    def agreement(self) -> Agreement:
        """Plural, masculine as soon as one of them is."""
        return Agreement(self.first.noun.feminine and self.second.noun.feminine, True)

    @property
    def person(self) -> str:
        """Plural."""
        return "they"

    @property
    def owner(self) -> str:
        """Taken up by "they"."""
        return "they"

    @property
    def animate(self) -> bool:
        """People are animate."""
        return True

    def english(self, base: int, objective: bool = False) -> Words:
        """Say both with "and"."""
        link = [("and", base + POSTPOSITION)]
        return self.first.english(base, objective) + link + self.second.english(base + 5, objective)

    def hindi(self, base: int, marker: str = "", owner: str = "") -> Words:
        """Say both with और; the postposition follows the second, the first is oblique, too."""
        first = self.first.hindi(base, marker, owner)
        if marker:
            first = first[: -len(marker.split())]
        return first + [("और", base + POSTPOSITION)] + self.second.hindi(base + 5, marker, owner)

    def pairs(self, found: Pairs) -> None:
        """Add those of both."""
        self.first.pairs(found)
        self.second.pairs(found)


MALE, FEMALE = Agreement(), Agreement(feminine=True)
I = Pronoun("I", "me", "मैं", Agreement(person=1), "I", "I")  # noqa: E741 - its name
WE = Pronoun("we", "us", "हम", Agreement(plural=True, person=1), "they", "we")
YOU = Pronoun("you", "you", "आप", Agreement(plural=True), "they", "you")
HE = Pronoun("he", "him", "वह", MALE, "he", "he")
SHE = Pronoun("she", "her", "वह", FEMALE, "he", "she")
THEY = Pronoun("they", "them", "वे", Agreement(plural=True), "they", "they")
WHO = Pronoun("who", "whom", "कौन", MALE, "he", "he")
WHAT = Pronoun("what", "what", "क्या", MALE, "he", "", animate=False)
IT = Pronoun("it", "it", "यह", MALE, "he", "it")
THIS = Pronoun("this", "this", "यह", MALE, "he", "it")
THAT = Pronoun("that", "that", "वह", MALE, "he", "it")
THESE = Pronoun("these", "these", "ये", Agreement(plural=True), "they", "they")
THOSE = Pronoun("those", "those", "वे", Agreement(plural=True), "they", "they")
THIS_PERSON = Pronoun("this", "this", "ये", Agreement(plural=True), "he", "he")  # with respect
PERSONAL = (I, WE, YOU, HE, SHE, THEY)
BY_OWNER = {"he": HE, "she": SHE, "they": THEY}


@dataclass(frozen=True, eq=False, slots=True)
class SubjectClause:
    """A clause whose English begins with its subject."""

    subject: Nominal

    def english(self, base: int) -> Words:
        """Subject and predicate."""
        return self.subject.english(base + SUBJECT, False) + self.english_predicate(base)

    @abstractmethod
    def english_predicate(self, base: int) -> Words:
        """Say all but the subject."""

    def of(self, subject: Nominal) -> Self:
        """Give the same clause with another subject."""
        return replace(self, subject=subject)


def under_negation(phrase: Nominal) -> Nominal:
    """Turn "a book" into कोई किताब, as a denial wants it."""
    if isinstance(phrase, Phrase) and phrase.determiner is A:
        return phrase.under(ANY)
    return phrase


def resuming(subject: Nominal) -> Pronoun:
    """Give the pronoun that takes a subject up again, with its gender and respect."""
    if isinstance(subject, Pronoun):
        return subject
    plain = BY_OWNER[subject.owner]
    name = "वे" if subject.agreement.plural else "वह"
    return replace(plain, hindi_name=name, agreement=subject.agreement)


def relative_of(head: Phrase) -> Pronoun:
    """Give जो as it takes up a head: जो, जिसने, जिसे, or जिन्होंने for many."""
    word = "who" if head.animate else "that"
    many = head.agreement.plural
    name = "जो लोग" if many else "जो"
    return Pronoun(word, word, name, head.agreement, head.person, head.owner, head.animate)


def correlative_of(head: Phrase) -> Pronoun:
    """Give the वह that resumes a head in the main clause; English says nothing there."""
    many = head.agreement.plural
    name = "वे" if many else "वह"
    return Pronoun("", "", name, head.agreement, head.person, head.owner, head.animate)
