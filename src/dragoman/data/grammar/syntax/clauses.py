"""The clause of a full verb: subject, object, adjuncts and the verb complex."""

from dataclasses import dataclass, replace
from typing import Protocol

from dragoman.data.grammar.english.verbs import gerund, group
from dragoman.data.grammar.hindi.predicates import complex_of, subject_marker, target
from dragoman.data.grammar.hindi.verbs import infinitive
from dragoman.data.grammar.lexicon.determiners import OWN, POSSESSIVES
from dragoman.data.grammar.lexicon.entries import Verb
from dragoman.data.grammar.syntax.adjuncts import Extras
from dragoman.data.grammar.syntax.nominals import (
    Nominal,
    Pairs,
    Phrase,
    Pronoun,
    SubjectClause,
    under_negation,
)
from dragoman.data.grammar.tenses import Tense
from dragoman.data.grammar.words import (
    AUXILIARY,
    FREQUENCY,
    MODAL,
    NEGATION,
    OBJECT,
    POSTPOSITION,
    QUESTION,
    RECIPIENT,
    SUBJECT,
    VERB,
    Words,
    spell,
)

SUPPORTED = frozenset({"do", "does", "did", "will", "would"})  # they align with the verb itself


class Clause(Protocol):
    """The interface of a clause that a sentence joins."""

    @property
    def subject(self) -> Nominal:
        """The English subject."""

    def english(self, base: int) -> Words:
        """Say it as an English statement."""

    def english_predicate(self, base: int) -> Words:
        """Say all but the subject."""

    def hindi(self, base: int) -> Words:
        """Say it as a Hindi statement."""

    def of(self, subject: Nominal) -> "Clause":
        """Give the same clause with another subject."""

    def pairs(self, found: Pairs) -> None:
        """Add the pairs of lexemes, and of lexeme and construction, it combines."""


NO_EXTRAS = Extras()


@dataclass(frozen=True, eq=False, slots=True)
class VerbClause(SubjectClause):
    """A clause with a full verb."""

    verb: Verb
    tense: Tense
    object: Nominal | None = None
    recipient: Nominal | None = None
    extras: Extras = NO_EXTRAS
    negative: bool = False
    shifted: bool = False  # "gave Sita a flower" instead of "gave a flower to Sita"

    def english_predicate(self, base: int, gap: bool = False) -> Words:
        """Verb group and complements; `gap` leaves out the object."""
        auxiliary, modal, main = group(self.verb, self.tense, self.subject.person, self.negative)
        words = self.auxiliary(auxiliary, base)
        words += self.extras.english_before(base)
        return words + self.after_auxiliary(modal, main, base, gap)

    def auxiliary(self, auxiliary: str, base: int) -> Words:
        """Say the auxiliary with its negation."""
        if self.negative and auxiliary == "can":
            return [("cannot", base + NEGATION)]
        tag = base + (VERB if auxiliary in SUPPORTED else AUXILIARY)
        words = spell(auxiliary, tag)
        return [*words, ("not", base + NEGATION)] if self.negative else words

    def after_auxiliary(self, modal: str, main: str, base: int, gap: bool) -> Words:
        """Say main verb, object, recipient and the rest."""
        words = spell(modal, base + MODAL) + spell(main, base + VERB)
        return words + self.complements(base, gap)

    def complements(self, base: int, gap: bool = False) -> Words:
        """Say everything after the main verb."""
        words = spell(self.verb.particle, base + VERB)
        thing: Words = []
        if self.thing is not None and not gap:
            thing = self.thing.english(base + OBJECT, True)
        if self.recipient is None:
            return words + thing + self.extras.english_end(base)
        person = self.recipient.english(base + RECIPIENT, True)
        if self.shifted and not isinstance(self.object, Pronoun):
            return words + person + thing + self.extras.english_end(base)
        words += thing + spell(self.verb.recipient, base + RECIPIENT + POSTPOSITION)
        return words + person + self.extras.english_end(base)

    def english_question(self, base: int, front: str, gap: bool = False) -> Words:
        """Ask: a question word or phrase first, then the auxiliary, then the subject."""
        auxiliary, modal, main = group(self.verb, self.tense, self.subject.person, True)
        tag = base + (VERB if auxiliary in SUPPORTED else AUXILIARY)
        words: Words = spell(front, base + QUESTION)
        if gap and self.object is not None:
            words += self.object.english(base + OBJECT, True)
        words += [(auxiliary, tag), *self.subject.english(base + SUBJECT, False)]
        if self.negative:
            words.append(("not", base + NEGATION))
        words += self.extras.english_before(base)
        return words + self.after_auxiliary(modal, main, base, gap)

    def hindi(self, base: int, question: str = "", front: bool = False) -> Words:
        """Subject, times, places, objects, verb; `front` puts the object first."""
        subject, thing, rest, verb = self.hindi_parts(base, bool(question))
        words = thing + subject + rest if front else subject + rest + thing
        return words + self.asked(spell(question, base + QUESTION), verb)

    def hindi_whether(self, base: int) -> Words:
        """Ask whether or what: as a statement, without लेना and देना."""
        subject, thing, rest, verb = self.hindi_parts(base, True)
        return subject + rest + thing + verb

    def hindi_who(self, base: int) -> Words:
        """Ask who did it: the subject, a question word, stands before the verb."""
        subject, thing, rest, verb = self.hindi_parts(base, True)
        return rest + thing + self.asked(subject, verb)

    def hindi_parts(self, base: int, asked: bool) -> tuple[Words, Words, Words, Words]:
        """Give subject, object, the rest before the verb, and the verb."""
        plain = self.denied or (asked and self.verb.vector in ("ले", "दे"))
        marker = subject_marker(self.verb, self.tense, plain)
        owner = self.subject.owner
        subject = self.subject.hindi(base + SUBJECT, marker, "")
        rest = self.extras.hindi_times(base) + self.extras.hindi_middle(base, owner)
        if self.recipient is not None:
            person = under_negation(self.recipient) if self.denied else self.recipient
            rest += person.hindi(base + RECIPIENT, "को", owner)
        verb = self.extras.hindi_never(base) + self.hindi_verb(marker, base, plain)
        return subject, self.hindi_object(base, owner), rest, verb

    def asked(self, question: Words, verb: Words) -> Words:
        """Put a question word before the verb, but after the noun of a conjunct verb."""
        inside = 0 if self.verb.nominal_gender is None else 1
        return verb[:inside] + question + verb[inside:]

    @property
    def denied(self) -> bool:
        """Whether Hindi says नहीं."""
        frequency = self.extras.frequency
        return self.negative or (frequency is not None and frequency.negates)

    @property
    def marks_object(self) -> bool:
        """Whether the object stands before a postposition."""
        thing = self.object
        return thing is not None and (self.verb.marker is not None or thing.animate)

    @property
    def thing(self) -> Nominal | None:
        """The object; what is somebody's own is said to be his or hers."""
        if isinstance(self.object, Phrase) and self.object.determiner is OWN:
            owner = next(p for p in POSSESSIVES if p.owner == self.subject.owner)
            return self.object.under(owner)
        return self.object

    def hindi_object(self, base: int, owner: str) -> Words:
        """Say the object: bare, with को, or with the postposition its verb wants."""
        if self.thing is None:
            return []
        marker = (self.verb.marker or "को") if self.marks_object else ""
        thing = under_negation(self.thing) if self.denied else self.thing
        return thing.hindi(base + OBJECT, marker, owner)

    def hindi_verb(self, marker: str, base: int, plain: bool) -> Words:
        """Say the verb complex in agreement; the नहीं of "never" goes with कभी."""
        bare = None if self.object is None or self.marks_object else self.object.agreement
        agreement = target(self.verb, marker, self.subject.agreement, bare)
        words = complex_of(self.verb, self.tense, self.denied, agreement, plain)
        never = self.denied and not self.negative
        return [
            (word, base + (FREQUENCY if never and tag == NEGATION else tag)) for word, tag in words
        ]

    def english_gerund(self, base: int) -> Words:
        """Say it without subject or tense: "reading the book"."""
        return [(gerund(self.verb.english), base + VERB), *self.complements(base)]

    def hindi_infinitive(self, base: int, owner: str) -> Words:
        """Say it without subject, the infinitive oblique: किताब पढ़ने."""
        words = self.extras.hindi_middle(base, owner) + self.hindi_object(base, owner)
        words += spell(self.verb.nominal, base + VERB)
        return [*words, (infinitive(self.verb.hindi, changed=True), base + VERB)]

    def pairs(self, found: Pairs) -> None:
        """The verb combines with its object's noun and with its tense."""
        self.subject.pairs(found)
        found.append((self.verb.key, self.tense.value))
        if isinstance(self.object, Phrase):
            self.object.pairs(found)
            found.append((self.verb.key, self.object.noun.key))
        if self.recipient is not None:
            self.recipient.pairs(found)
        if self.extras.adjunct is not None:
            self.extras.adjunct.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class ElidedClause:
    """A denial that English cuts short, "but Sita did not", and Hindi does not: सीता नहीं गई."""

    clause: VerbClause

    @property
    def subject(self) -> Nominal:
        """The English subject."""
        return self.clause.subject

    def english(self, base: int) -> Words:
        """Say who did not."""
        return self.subject.english(base + SUBJECT, False) + self.english_predicate(base)

    def english_predicate(self, base: int) -> Words:
        """Say the auxiliary alone."""
        return [("did", base + VERB), ("not", base + NEGATION)]

    def hindi(self, base: int) -> Words:
        """Say the verb again, without the noun of a conjunct verb."""
        words = self.clause.hindi(base)
        nominal = self.clause.verb.nominal.split()
        return [(word, tag) for word, tag in words if word not in nominal]

    def of(self, subject: Nominal) -> "ElidedClause":
        """Give the same clause with another subject."""
        return replace(self, clause=self.clause.of(subject))

    def pairs(self, found: Pairs) -> None:
        """Add those of the clause."""
        self.clause.pairs(found)
