"""Sentences of two clauses side by side: when, if, because, that, and, but, before, after."""

from dataclasses import dataclass, replace

from dragoman.data.grammar.agreement import Agreement
from dragoman.data.grammar.english.verbs import be, plain
from dragoman.data.grammar.hindi.verbs import imperfective, present
from dragoman.data.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.grammar.syntax.nominals import Nominal, Pairs
from dragoman.data.grammar.syntax.sentences import STATEMENT, GrammarSentence
from dragoman.data.grammar.words import (
    CLAUSE,
    COORDINATE,
    INNER_LINK,
    LINK,
    NOWHERE,
    RECIPIENT,
    SENTENCE,
    SUBJECT,
    VERB,
    Words,
    comma,
    shift,
    spell,
)


@dataclass(frozen=True, eq=False, slots=True)
class Subordination:
    """A clause of time or condition; Hindi puts it first and answers it with तब or तो."""

    construction: str
    condition: Clause
    main: Clause
    link: str  # when, if
    hindi_link: str  # जब, अगर
    answer: str  # तब, तो
    last: bool  # whether English puts the condition last
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """Say the condition first or last."""
        condition = spell(self.link, LINK) + self.condition.english(CLAUSE)
        if self.last:
            return self.main.english(0) + condition
        return comma(condition) + self.main.english(0)

    def hindi(self) -> Words:
        """Say the condition, then the answer."""
        condition = [(self.hindi_link, LINK), *self.condition.hindi(CLAUSE)]
        return [*comma(condition), (self.answer, NOWHERE), *self.main.hindi(0)]

    def pairs(self, found: Pairs) -> None:
        """Add those of both clauses."""
        self.condition.pairs(found)
        self.main.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Conjunction:
    """Two clauses in the same order in both languages: because, and, but."""

    construction: str
    first: Clause
    second: Clause
    link: str
    hindi_link: str
    pause: bool = False  # a comma before the link
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """First, link, second."""
        first = self.first.english(0)
        if self.pause:
            first = comma(first)
        return [*first, *spell(self.link, LINK), *self.second.english(CLAUSE)]

    def hindi(self) -> Words:
        """First, link, second."""
        first = self.first.hindi(0)
        if self.pause:
            first = comma(first)
        return [*first, (self.hindi_link, LINK), *self.second.hindi(CLAUSE)]

    def pairs(self, found: Pairs) -> None:
        """Add those of both clauses."""
        self.first.pairs(found)
        self.second.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Joined:
    """Two clauses that stand where one could, inside a longer sentence."""

    first: Clause
    second: Clause
    link: str
    hindi_link: str

    @property
    def subject(self) -> Nominal:
        """The subject of the first."""
        return self.first.subject

    def english(self, base: int) -> Words:
        """First, link, second."""
        link = spell(self.link, base + INNER_LINK)
        return self.first.english(base) + link + self.second.english(base + COORDINATE)

    def english_predicate(self, base: int) -> Words:
        """Say all but the first subject."""
        link = spell(self.link, base + INNER_LINK)
        return self.first.english_predicate(base) + link + self.second.english(base + COORDINATE)

    def hindi(self, base: int) -> Words:
        """First, link, second."""
        link = spell(self.hindi_link, base + INNER_LINK)
        return self.first.hindi(base) + link + self.second.hindi(base + COORDINATE)

    def of(self, subject: Nominal) -> "Joined":
        """Give the same clauses with another subject of the first."""
        return replace(self, first=self.first.of(subject))

    def pairs(self, found: Pairs) -> None:
        """Add those of both clauses."""
        self.first.pairs(found)
        self.second.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class ReportVerb:
    """A verb that introduces a "that" clause.

    `marker` is the Hindi postposition of the subject; `hindi` what follows, unless `stem` has
    the habitual agree with the subject.
    """

    english: str
    past: bool
    marker: str
    hindi: str
    stem: str = ""
    hearer: str = ""  # the postposition of the person told


@dataclass(frozen=True, eq=False, slots=True)
class Complement:
    """Somebody says, thinks, knows or hears that something is so."""

    subject: Nominal
    report: ReportVerb
    clause: Clause
    hearer: Nominal | None = None
    construction: str = "that"
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """Say who says what."""
        report, person = self.report, self.subject.person
        first, *rest = report.english.split()
        if first == "be":
            verb = be(person, report.past)
        else:
            verb = first if report.past else plain(first, person)
        words = self.subject.english(SUBJECT, False) + [(verb, VERB)]
        words += [(word, VERB) for word in rest]
        if self.hearer is not None:
            words += self.hearer.english(RECIPIENT, True)
        return [*words, ("that", LINK), *self.clause.english(CLAUSE)]

    def hindi(self) -> Words:
        """Say who says, then कि."""
        report, agreement = self.report, self.subject.agreement
        words = self.subject.hindi(SUBJECT, report.marker, "")
        if self.hearer is not None:
            words += self.hearer.hindi(RECIPIENT, report.hearer, self.subject.owner)
        words += spell(report.hindi, VERB)
        if report.stem:
            words += habit(report.stem, agreement)
        return [*words, ("कि", LINK), *self.clause.hindi(CLAUSE)]

    def pairs(self, found: Pairs) -> None:
        """Add those of the subject and the clause."""
        self.subject.pairs(found)
        self.clause.pairs(found)


def habit(stem: str, agreement: Agreement) -> Words:
    """Say the present habitual."""
    participle = imperfective(stem, agreement.feminine, agreement.plural, False)
    return [(participle, VERB), (present(agreement), VERB)]


@dataclass(frozen=True, eq=False, slots=True)
class Sequence:
    """Before or after doing one thing, somebody does another; Hindi uses the infinitive."""

    deed: VerbClause  # its subject is that of the main clause
    main: VerbClause
    link: str
    hindi_link: str
    construction: str = "sequence"
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """Say "after reading the book, Ram slept"."""
        deed = spell(self.link, LINK) + self.deed.english_gerund(CLAUSE)
        return comma(deed) + self.main.english(0)

    def hindi(self) -> Words:
        """Say किताब पढ़ने के बाद राम सोया."""
        deed = self.deed.hindi_infinitive(CLAUSE, self.main.subject.owner)
        return deed + spell(self.hindi_link, LINK) + self.main.hindi(0)

    def pairs(self, found: Pairs) -> None:
        """Add those of the deed's object and of the main clause."""
        found.append((self.deed.verb.key, self.construction))
        if self.deed.object is not None:
            self.deed.object.pairs(found)
        self.main.pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class Series:
    """Sentences in a row, made one by commas and "and"."""

    parts: tuple[GrammarSentence, ...]
    construction: str = "nested"
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """Say one after the other."""
        return self.joined([part.english() for part in self.parts], "and")

    def hindi(self) -> Words:
        """Say one after the other."""
        return self.joined([part.hindi() for part in self.parts], "और")

    def joined(self, said: list[Words], link: str) -> Words:
        """Put commas and the link between what is said, each with tags of its own."""
        words: Words = []
        for place, part in enumerate(said):
            if words:
                words = [*comma(words), (link, place * SENTENCE + INNER_LINK)]
            words += shift(part, place * SENTENCE)
        return words

    def pairs(self, found: Pairs) -> None:
        """Add those of all the sentences."""
        for part in self.parts:
            part.pairs(found)
