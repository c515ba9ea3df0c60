"""Whole sentences of one clause: statements, questions, commands, superlatives."""

from dataclasses import dataclass
from typing import Protocol

from dragoman.data.grammar.agreement import Agreement
from dragoman.data.grammar.english.verbs import be
from dragoman.data.grammar.hindi.adjectives import inflect
from dragoman.data.grammar.hindi.nouns import decline
from dragoman.data.grammar.hindi.predicates import command
from dragoman.data.grammar.hindi.verbs import past, present
from dragoman.data.grammar.lexicon.entries import Adjective, Noun, Vocative
from dragoman.data.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.grammar.syntax.nominals import Nominal, Pairs, Phrase, under_negation
from dragoman.data.grammar.words import (
    ADJECTIVE,
    ADJUNCT,
    DEGREE,
    DETERMINER,
    NEGATION,
    NOUN,
    OBJECT,
    PLEASE,
    POSTPOSITION,
    QUESTION,
    RECIPIENT,
    SUBJECT,
    VERB,
    VOCATIVE,
    Words,
    comma,
    spell,
)


class GrammarSentence(Protocol):
    """A sentence that can say itself in both languages."""

    @property
    def construction(self) -> str:
        """The name of its top construction."""

    @property
    def stops(self) -> tuple[str, str]:
        """The final marks in English and Hindi."""

    def english(self) -> Words:
        """Say it in English."""

    def hindi(self) -> Words:
        """Say it in Hindi."""

    def pairs(self, found: Pairs) -> None:
        """Add the pairs of lexemes, and of lexeme and construction, it combines."""


class StateClause(Clause, Protocol):
    """A clause of being, having or liking, which can be asked."""

    def english_question(self, base: int) -> Words:
        """Say it with the verb before the subject."""


STATEMENT = (".", "।")
ASKED = ("?", "?")


@dataclass(frozen=True, eq=False, slots=True)
class Statement:
    """A clause on its own."""

    construction: str
    clause: Clause
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """Say the clause."""
        return self.clause.english(0)

    def hindi(self) -> Words:
        """Say the clause."""
        return self.clause.hindi(0)

    def pairs(self, found: Pairs) -> None:
        """Add those of the clause."""
        self.clause.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class QuestionSentence:
    """A question of a verb: yes or no, about a circumstance, the object or the subject."""

    construction: str
    clause: VerbClause
    english_word: str  # "" when the question word is the subject or the object
    hindi_word: str
    about: str = ""  # "subject" or "object" when that phrase is the question word
    stops: tuple[str, str] = ASKED

    def english(self) -> Words:
        """Put the question word first, unless it is the subject."""
        if self.about == "subject":
            return self.clause.english(0)
        return self.clause.english_question(0, self.english_word, gap=self.about == "object")

    def hindi(self) -> Words:
        """Put क्या first, any other question word before the verb."""
        if self.construction == "yes-no question":
            return [(self.hindi_word, QUESTION), *self.clause.hindi_whether(0)]
        if self.about == "subject":
            return self.clause.hindi_who(0)
        if self.about == "object":
            return self.clause.hindi_whether(0)
        return self.clause.hindi(0, self.hindi_word)

    def pairs(self, found: Pairs) -> None:
        """Add those of the clause."""
        self.clause.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class StateQuestion:
    """A question of being, having or liking: yes or no, or why."""

    construction: str
    clause: StateClause
    why: bool = False
    stops: tuple[str, str] = ASKED

    def english(self) -> Words:
        """Put the verb before the subject."""
        front: Words = [("why", QUESTION)] if self.why else []
        return front + self.clause.english_question(0)

    def hindi(self) -> Words:
        """Put क्या first, or क्यों before the last word."""
        words = self.clause.hindi(0)
        if not self.why:
            return [("क्या", QUESTION), *words]
        return [*words[:-1], ("क्यों", QUESTION), words[-1]]

    def pairs(self, found: Pairs) -> None:
        """Add those of the clause."""
        self.clause.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Inquiry:
    """A question of place, manner or identity: a question word and a copula."""

    word: str
    hindi_word: str  # it agrees if it ends in ा: कैसा, कैसी, कैसे
    subject: Nominal
    past: bool = False
    construction: str = "wh-question"
    stops: tuple[str, str] = ASKED

    def english(self) -> Words:
        """Say word, copula, subject."""
        verb = be(self.subject.person, self.past)
        return [(self.word, QUESTION), (verb, VERB), *self.subject.english(SUBJECT, False)]

    def hindi(self) -> Words:
        """Say subject, word, copula."""
        agreement = self.subject.agreement
        word = inflect(self.hindi_word, agreement.feminine, agreement.plural)
        copula = past(agreement) if self.past else present(agreement)
        return [*self.subject.hindi(SUBJECT, "", ""), (word, QUESTION), (copula, VERB)]

    def pairs(self, found: Pairs) -> None:
        """Add those of the subject."""
        self.subject.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Command:
    """Somebody is told to do something; how he is addressed decides the form.

    Without a vocative, "please" speaks to an आप, and its absence to a तुम.
    """

    vocative: Vocative | None
    clause: VerbClause
    please: bool
    construction: str = "imperative"
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """Vocative, please, verb and complements."""
        words = comma(spell(self.vocative.english, VOCATIVE)) if self.vocative else []
        if self.please:
            words.append(("please", PLEASE))
        if self.clause.negative:
            words += [("do", VERB), ("not", NEGATION)]
        words.append((self.clause.verb.english, VERB))
        return words + self.clause.complements(0)

    def hindi(self) -> Words:
        """Vocative, कृपया, complements and the imperative."""
        clause, owner = self.clause, "you"
        words = comma(spell(self.vocative.hindi, VOCATIVE)) if self.vocative else []
        if self.please:
            words.append(("कृपया", PLEASE))
        words += clause.extras.hindi_times(0) + clause.extras.hindi_middle(0, owner)
        if clause.recipient is not None:
            person = under_negation(clause.recipient) if clause.negative else clause.recipient
            words += person.hindi(RECIPIENT, "को", owner)
        words += clause.hindi_object(0, owner)
        address = "आप" if self.please else "तुम"
        feminine = False
        if self.vocative:
            address, feminine = self.vocative.address, self.vocative.feminine
        return [*words, *command(clause.verb, address, feminine, clause.negative)]

    def pairs(self, found: Pairs) -> None:
        """The verb combines with its object and with the imperative."""
        clause = self.clause
        found.append((clause.verb.key, self.construction))
        if isinstance(clause.object, Phrase):
            clause.object.pairs(found)
            found.append((clause.verb.key, clause.object.noun.key))


@dataclass(frozen=True, eq=False, slots=True)
class Superlative:
    """Somebody is the most so of a place: राम गाँव का सबसे लंबा लड़का है."""

    subject: Nominal
    adjective: Adjective
    noun: Noun
    place: Phrase
    tense: str
    construction: str = "superlative"
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """Say "is the tallest boy in the village"."""
        words = self.subject.english(SUBJECT, False)
        words.append((be("he", self.tense == "past"), VERB))
        words += [("the", OBJECT + DETERMINER)]
        degree = self.adjective.superlative.split()
        words += [(word, OBJECT + DEGREE) for word in degree[:-1]]
        words.append((degree[-1], OBJECT + ADJECTIVE))
        words.append((self.noun.english, OBJECT + NOUN))
        words.append(("in", ADJUNCT + POSTPOSITION))
        return words + self.place.english(ADJUNCT, True)

    def hindi(self) -> Words:
        """Say whose place, सबसे, adjective, noun."""
        noun = self.noun
        feminine = noun.feminine
        words = self.subject.hindi(SUBJECT, "", "")
        words += self.place.hindi(ADJUNCT, "की" if feminine else "का", self.subject.owner)
        degree = DEGREE if " " in self.adjective.superlative else ADJECTIVE
        words.append(("सबसे", OBJECT + degree))
        words += spell(inflect(self.adjective.hindi, feminine, False), OBJECT + ADJECTIVE)
        words.append((decline(noun.hindi, feminine, True, False, False), OBJECT + NOUN))
        agreement = Agreement(feminine)
        copula = past(agreement) if self.tense == "past" else present(agreement)
        return [*words, (copula, VERB)]

    def pairs(self, found: Pairs) -> None:
        """The adjective combines with the noun."""
        found.append((self.adjective.key, self.noun.key))
        self.place.pairs(found)
