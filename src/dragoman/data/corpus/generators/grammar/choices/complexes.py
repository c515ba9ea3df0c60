"""Which sentences of several clauses there are."""

from collections.abc import Callable
from functools import partial

from dragoman.data.corpus.generators.grammar.choices.clauses import (
    Clauses,
    Mode,
    weighted_pools,
)
from dragoman.data.corpus.generators.grammar.choices.phrases import (
    Phrases,
)
from dragoman.data.corpus.generators.grammar.choices.relatives import Relatives
from dragoman.data.corpus.generators.grammar.choices.spaces import (
    Build,
    Items,
    Space,
    Union,
    either,
    just,
)
from dragoman.data.corpus.generators.grammar.choices.states import States
from dragoman.data.corpus.generators.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.corpus.generators.grammar.syntax.joined import (
    Complement,
    Conjunction,
    Joined,
    Report,
    Sequence,
    Subordination,
)
from dragoman.data.corpus.generators.grammar.syntax.nominals import HE, Nominal, resuming
from dragoman.data.corpus.generators.grammar.syntax.sentences import Sentence
from dragoman.data.corpus.generators.grammar.syntax.states import Quality
from dragoman.data.corpus.generators.grammar.tenses import Tense

REPORTS_NOW = (
    Report("say", False, "", "", stem="कह"),
    Report("think", False, "", "", stem="सोच"),
    Report("believe", False, "", "", stem="मान"),
    Report("know", False, "को", "पता है"),
    Report("hope", False, "को", "उम्मीद है"),
)
REPORTS_THEN = (
    Report("said", True, "ने", "कहा"),
    Report("thought", True, "ने", "सोचा"),
    Report("heard", True, "ने", "सुना"),
)
TELLING = Report("told", True, "ने", "बताया", hearer="को")
STAND_IN: Space[Nominal] = Items((HE,))  # the sentence puts the real subject in its place
REPORTED = Items(REPORTS_THEN)


class Complexes:
    """The complex sentences of one lexicon at one difficulty."""

    def __init__(self, phrases: Phrases, clauses: Clauses, states: States) -> None:
        self.phrases = phrases
        self.clauses = clauses
        self.states = states
        self.relatives = Relatives(phrases, clauses, states)

    def constructions(self) -> dict[str, Callable[[], Space[Sentence]]]:
        """Name every construction and how to make its space."""
        return {
            "when": self.when,
            "condition": self.conditions,
            "unreal condition": self.unreal,
            "because": self.because,
            "that": self.that,
            "coordination": self.coordinations,
            "sequence": self.sequences,
            "chain": self.chains,
            "nested": self.nested,
            **self.relatives.constructions(),
        }

    def pooled(self, make: Callable[[str], Space[Sentence]]) -> Space[Sentence]:
        """Join what is made of each pool that has people, by the weight of the pool."""
        return Union(
            *[
                (weight, make(pool))
                for pool, weight in weighted_pools(True)
                if self.phrases.subjects(pool).size
            ]
        )

    def when(self) -> Space[Sentence]:
        """Give clauses of time, past and future."""
        past = partial(self.timed, Tense.PAST, (Tense.PAST_PROGRESSIVE, Tense.PAST), "past")
        future = partial(self.timed, Tense.IF_PRESENT, (Tense.FUTURE,), "future")
        return Union((3, self.pooled(past)), (2, self.pooled(future)))

    def timed(
        self, first: Tense, second: tuple[Tense, ...], state: str, pool: str
    ) -> Space[Sentence]:
        """Give clauses of time whose main clause is about the pool."""
        deeds: Space[Clause] = either([self.of(pool, tense, timed=False) for tense in second])
        main = Union((4, deeds), (1, self.states.moods(self.phrases.subjects(pool), state)))
        condition: Space[Clause] = self.others(first, pool, timed=first is Tense.IF_PRESENT)
        return Build(partial(subordinate, "when"), condition, main, Items((True, False)))

    def of(
        self, pool: str, tense: Tense, negative: bool = False, timed: bool = True
    ) -> Space[Clause]:
        """Give the clauses of a pool in a tense."""
        return self.clauses.about(pool, Mode(tense, negative, timed))

    def others(
        self, tense: Tense, pool: str, negative: bool = False, timed: bool = True
    ) -> Space[Clause]:
        """Give the clauses of a tense about anybody else."""
        return self.clauses.any(Mode(tense, negative, timed), without=pool)

    def conditions(self) -> Space[Sentence]:
        """Give real conditions: English present, Hindi future."""
        return self.pooled(self.conditional)

    def conditional(self, pool: str) -> Space[Sentence]:
        """Give conditions whose consequence is about the pool."""
        deeds = self.of(pool, Tense.FUTURE, timed=False)
        main = Union((4, deeds), (1, self.states.moods(self.phrases.subjects(pool), "future")))
        condition = Union(
            (4, self.others(Tense.IF_PRESENT, pool)), (1, self.states.weather("condition"))
        )
        return Build(partial(subordinate, "if"), condition, main, Items((True, False)))

    def unreal(self) -> Space[Sentence]:
        """Give what would have been."""
        return self.pooled(self.unreal_of)

    def unreal_of(self, pool: str) -> Space[Sentence]:
        """Give unreal conditions whose consequence is about the pool."""
        condition = self.others(Tense.HAD_IF, pool)
        main = self.of(pool, Tense.WOULD_HAVE)
        return Build(partial(subordinate, "had"), condition, main, just(False))

    def because(self) -> Space[Sentence]:
        """Give reasons."""
        return self.pooled(self.reasoned)

    def reasoned(self, pool: str) -> Space[Sentence]:
        """Give what a pool did and why: what they felt, or what somebody else had done."""
        deeds: Space[Clause] = Union(
            (3, self.of(pool, Tense.PAST)), (1, self.of(pool, Tense.PAST, negative=True))
        )
        same = Union(
            (1, self.states.feelings("past", STAND_IN)),
            (1, Build(Quality, STAND_IN, self.states.suited("person"), just("past"))),
        )
        other = Union((1, self.states.weather("past")), (3, self.others(Tense.PLUPERFECT, pool)))
        return Union(
            (3, Build(explain, deeds, same)),
            (2, Build(partial(join, "because"), deeds, other)),
        )

    def that(self) -> Space[Sentence]:
        """Give reported clauses."""
        return self.pooled(self.reported)

    def reported(self, pool: str) -> Space[Sentence]:
        """Give what a pool says, thinks, knows, said, heard or told."""
        subjects = self.phrases.subjects(pool)
        now = Union(
            (3, self.others(Tense.FUTURE, pool)),
            (2, self.others(Tense.PROGRESSIVE, pool)),
            (1, self.states.qualities("present", pool)),
        )
        then = Union(
            (1, self.others(Tense.REPORTED_FUTURE, pool)),
            (1, self.others(Tense.PLUPERFECT, pool)),
        )
        told = self.phrases.others(pool)
        own = self.clauses.spoken_of(pool, STAND_IN, Mode(Tense.REPORTED_FUTURE))
        return Union(
            (3, Build(Complement, subjects, Items(REPORTS_NOW), now)),
            (1, Build(intend, subjects, Items(REPORTS_THEN[:2]), own)),
            (3, Build(Complement, subjects, Items(REPORTS_THEN), then)),
            (1, Build(Complement, subjects, just(TELLING), then, told)),
        )

    def coordinations(self) -> Space[Sentence]:
        """Give clauses joined by "and" or "or", or contrasted by "but"."""
        return self.pooled(self.coordinated)

    def coordinated(self, pool: str) -> Space[Sentence]:
        """Give pairs of clauses, the first about the pool."""
        made: list[Space[Sentence]] = []
        for tense in (Tense.PAST, Tense.FUTURE, Tense.PROGRESSIVE):
            first = self.of(pool, tense)
            made.append(Build(partial(join, "and"), first, self.others(tense, pool)))
            if tense is Tense.FUTURE:
                made.append(Build(partial(join, "or"), first, self.others(tense, pool)))
            denied = self.others(tense, pool, negative=True)
            made.append(Build(partial(join, "but"), first, denied))
        return either(made)

    def chains(self) -> Space[Sentence]:
        """Give sentences of three clauses."""
        return Union(
            (4, self.pooled(self.chained)),
            (1, self.pooled(self.meanwhile)),
            (1, self.relatives.explained()),
        )

    def nested(self) -> Space[Sentence]:
        """Give sentences of four clauses: a report of a deed and its two reasons."""
        return self.pooled(self.nested_of)

    def nested_of(self, pool: str) -> Space[Sentence]:
        """Give what a pool reported of a deed and its two reasons."""
        reasons = Build(
            partial(both, "and"),
            self.others(Tense.PLUPERFECT, pool, timed=False),
            self.of("titled" if pool != "titled" else "speaker", Tense.PLUPERFECT, timed=False),
        )
        deed = self.others(Tense.REPORTED_FUTURE, pool)
        told = Build(partial(both, "because"), deed, reasons)
        named = partial(Complement, construction="nested")
        return Build(named, self.phrases.subjects(pool), REPORTED, told)

    def meanwhile(self, pool: str) -> Space[Sentence]:
        """Give two deeds at one time."""
        other = "titled" if pool != "titled" else "speaker"
        condition: Space[Clause] = Union(
            (1, self.states.weather("event")), (2, self.of(other, Tense.PAST, timed=False))
        )
        deeds = (self.of(pool, Tense.PAST, timed=False), self.others(Tense.PAST, pool, timed=False))
        main = Build(partial(both, "and"), *deeds)
        return Build(partial(subordinate, "meanwhile"), condition, main, just(False))

    def chained(self, pool: str) -> Space[Sentence]:
        """Give a report of a deed and its reason, or a double condition."""
        subjects = self.phrases.subjects(pool)
        told = Build(
            partial(both, "because"),
            self.others(Tense.REPORTED_FUTURE, pool),
            Union((1, self.states.weather("past")), (4, self.others(Tense.PLUPERFECT, pool))),
        )
        doubled = Build(
            partial(both, "and"),
            self.others(Tense.IF_PRESENT, pool),
            self.of("speaker" if pool != "speaker" else "titled", Tense.IF_PRESENT),
        )
        main = self.of(pool, Tense.FUTURE, timed=False)
        return Union(
            (1, Build(partial(Complement, construction="chain"), subjects, REPORTED, told)),
            (1, Build(partial(subordinate, "double"), doubled, main, Items((True, False)))),
        )

    def sequences(self) -> Space[Sentence]:
        """Give what somebody does before or after doing something else."""
        return self.pooled(self.sequenced)

    def sequenced(self, pool: str) -> Space[Sentence]:
        """Give what a pool does before or after doing something else."""
        verbs = [v for v in self.clauses.lexicon.verbs if v.commands and not v.recipient]
        verbs = [
            v
            for v in verbs
            if not v.settled and not v.stative and not v.punctual and not v.nominal_inflects
        ]
        nobody: Space[Nominal] = Items((HE,))
        deeds = either(
            [
                Build(
                    VerbClause,
                    nobody,
                    just(verb),
                    just(Tense.PAST),
                    self.clauses.objects(verb, pool),
                )
                for verb in verbs
            ]
        )
        main = either([self.of(pool, t) for t in (Tense.PAST, Tense.FUTURE)])
        links = Items((("after", "के बाद"), ("before", "से पहले")))
        return Build(follow, links, deeds, main)


LINKS = {
    "when": ("when", "जब", "तब"),
    "if": ("if", "अगर", "तो"),
    "had": ("if", "अगर", "तो"),
    "double": ("if", "अगर", "तो"),
    "meanwhile": ("when", "जब", "तब"),
    "because": ("because", "क्योंकि", False),
    "and": ("and", "और", False),
    "or": ("or", "या", False),
    "but": ("but", "लेकिन", True),
}
NAMES = {
    "when": "when",
    "if": "condition",
    "had": "unreal condition",
    "double": "chain",
    "meanwhile": "chain",
    "because": "because",
}


def subordinate(kind: str, condition: Clause, main: Clause, last: bool) -> Subordination:
    """Put a clause of time or condition together."""
    link, hindi, answer = LINKS[kind]
    return Subordination(NAMES[kind], condition, main, str(link), str(hindi), str(answer), last)


def join(kind: str, first: Clause, second: Clause) -> Conjunction:
    """Put two clauses together."""
    link, hindi, pause = LINKS[kind]
    name = NAMES.get(kind, "coordination")
    return Conjunction(name, first, second, str(link), str(hindi), bool(pause))


def both(kind: str, first: Clause, second: Clause) -> Joined:
    """Make one clause of two."""
    link, hindi, _ = LINKS[kind]
    return Joined(first, second, str(link), str(hindi))


def follow(link: tuple[str, str], deed: VerbClause, main: VerbClause) -> Sequence:
    """Put a sequence together."""
    return Sequence(deed, main, *link)


def intend(subject: Nominal, report: Report, deed: VerbClause) -> Complement:
    """Report what somebody said he would do himself."""
    return Complement(subject, report, deed.of(resuming(subject)))


def explain(deed: Clause, reason: Clause) -> Conjunction:
    """Give a deed the reason that lies in whoever did it."""
    return join("because", deed, reason.of(resuming(deed.subject)))
