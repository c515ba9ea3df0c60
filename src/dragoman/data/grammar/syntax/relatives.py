"""Relative clauses: Hindi says जो … वह …, or puts the clause last after उस … जो …."""

from dataclasses import dataclass, replace

from dragoman.data.grammar.hindi.verbs import infinitive
from dragoman.data.grammar.lexicon.determiners import CORRELATIVE, RELATIVE
from dragoman.data.grammar.lexicon.entries import Verb
from dragoman.data.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.grammar.syntax.nominals import (
    Nominal,
    Pairs,
    Phrase,
    correlative_of,
    relative_of,
)
from dragoman.data.grammar.syntax.sentences import STATEMENT
from dragoman.data.grammar.words import (
    ARRIVAL,
    CLAUSE,
    DETERMINER,
    LINK,
    NOUN,
    OBJECT,
    SUBJECT,
    VERB,
    Words,
    comma,
    spell,
)


@dataclass(frozen=True, eq=False, slots=True)
class Arrival:
    """A "when" clause inside a relative clause: राजा के पहुँचने पर."""

    subject: Nominal
    verb: Verb

    def english(self, base: int) -> Words:
        """Say "when the king arrived"."""
        words: Words = [("when", base + LINK), *self.subject.english(base + SUBJECT, False)]
        return words + spell(f"{self.verb.past} {self.verb.particle}", base + VERB)

    def hindi(self, base: int) -> Words:
        """Say whose coming it was, with पर."""
        words = self.subject.hindi(base + SUBJECT, "के", "")
        words += spell(self.verb.nominal, base + VERB)
        return [
            *words,
            (infinitive(self.verb.hindi, changed=True), base + VERB),
            ("पर", base + LINK),
        ]


@dataclass(frozen=True, eq=False, slots=True)
class SubjectRelative:
    """The man who pulled the cart was tired: जिस आदमी ने गाड़ी खींची, वह थका हुआ था."""

    head: Phrase
    relative: Clause
    main: Clause
    arrival: Arrival | None = None
    construction: str = "relative"
    stops: tuple[str, str] = STATEMENT

    def english(self) -> Words:
        """Head, who, relative predicate, main predicate."""
        words = self.head.under(RELATIVE).english(CLAUSE + SUBJECT, False)
        words.append(("who", CLAUSE + SUBJECT + DETERMINER))
        words += self.relative.of(self.head).english_predicate(CLAUSE)
        if self.arrival is not None:
            words += self.arrival.english(ARRIVAL)
        return words + self.main.of(self.head).english_predicate(0)

    def hindi(self) -> Words:
        """Relative clause with जो before the head, then the main clause with वह."""
        clause = self.relative.of(self.head.under(RELATIVE)).hindi(CLAUSE)
        if self.arrival is not None:
            end = next(i for i, (_, tag) in enumerate(clause) if tag >= CLAUSE + OBJECT)
            clause = clause[:end] + self.arrival.hindi(ARRIVAL) + clause[end:]
        return comma(clause) + self.main.of(correlative_of(self.head)).hindi(0)

    def pairs(self, found: Pairs) -> None:
        """Add those of both clauses, spoken of the head."""
        self.relative.of(self.head).pairs(found)
        self.main.of(self.head).pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class ObjectRelative:
    """The book that Ram bought is new: जो किताब राम ने ख़रीदी, वह नई है."""

    relative: VerbClause  # its object is the head
    main: Clause
    construction: str = "object relative"
    stops: tuple[str, str] = STATEMENT

    @property
    def head(self) -> Phrase:
        """The object of the relative clause."""
        return _head_of(self.relative)

    def english(self) -> Words:
        """Head, that, relative clause with a gap, main predicate."""
        relative = self.relative
        words = self.head.under(RELATIVE).english(CLAUSE + OBJECT, False)
        words.append(("whom" if self.head.animate else "that", CLAUSE + OBJECT + DETERMINER))
        words += relative.subject.english(CLAUSE + SUBJECT, False)
        words += relative.english_predicate(CLAUSE, gap=True)
        return words + self.main.of(self.head).english_predicate(0)

    def hindi(self) -> Words:
        """The head first with जो, then the main clause with वह."""
        relative = replace(self.relative, object=self.head.under(RELATIVE))
        words = comma(relative.hindi(CLAUSE, front=True))
        return words + self.main.of(correlative_of(self.head)).hindi(0)

    def pairs(self, found: Pairs) -> None:
        """Add those of both clauses."""
        self.relative.pairs(found)
        self.main.of(self.head).pairs(found)


@dataclass(frozen=True, eq=False, slots=True)
class LastRelative:
    """Ram met the man who sold the cart: राम उस आदमी से मिला जिसने गाड़ी बेची."""

    main: VerbClause  # its object is the head
    relative: Clause
    construction: str = "late relative"
    stops: tuple[str, str] = STATEMENT

    @property
    def head(self) -> Phrase:
        """The object of the main clause."""
        return _head_of(self.main)

    def english(self) -> Words:
        """Main clause, who, relative predicate."""
        words = [*self.main.english(0), ("who", CLAUSE + SUBJECT + NOUN)]
        return words + self.relative.of(self.head).english_predicate(CLAUSE)

    def hindi(self) -> Words:
        """Main clause with उस before the head, then the relative clause with जो."""
        main, that = self.main, self.head.under(CORRELATIVE)
        pointed = VerbClause(main.subject, main.verb, main.tense, that, negative=main.negative)
        words = comma(pointed.hindi(0))
        return words + self.relative.of(relative_of(self.head)).hindi(CLAUSE)

    def pairs(self, found: Pairs) -> None:
        """Add those of both clauses."""
        self.main.pairs(found)
        self.relative.of(self.head).pairs(found)


def _head_of(clause: VerbClause) -> Phrase:
    if not isinstance(clause.object, Phrase):
        raise TypeError("the head of a relative clause is a noun phrase")
    return clause.object
