"""Which sentences of several clauses there are."""

from collections.abc import Callable
from functools import partial

from dragoman.data.corpus.generators.grammar.choices.clauses import Clauses, Mode, allows
from dragoman.data.corpus.generators.grammar.choices.phrases import (
    HEADS,
    POOL_WEIGHTS,
    POOLS,
    Phrases,
)
from dragoman.data.corpus.generators.grammar.choices.spaces import (
    Build,
    Items,
    Space,
    Union,
    either,
    just,
)
from dragoman.data.corpus.generators.grammar.choices.states import NOTED, States
from dragoman.data.corpus.generators.grammar.lexicon.entries import Verb
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
from dragoman.data.corpus.generators.grammar.syntax.relatives import (
    Arrival,
    LastRelative,
    ObjectRelative,
    SubjectRelative,
)
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
# Tenses that follow each other in an object relative clause and its main clause.
SEQUENCES = (
    (Tense.PAST, "present"),
    (Tense.PAST, "past"),
    (Tense.PLUPERFECT, "past"),
    (Tense.PROGRESSIVE, "present"),
)
LATE_SEQUENCES = (
    (Tense.PAST, (Tense.PAST, Tense.PLUPERFECT)),
    (Tense.FUTURE, (Tense.PAST, Tense.PROGRESSIVE, Tense.FUTURE)),
)
ARRIVALS = frozenset({"arrive", "come", "return"})


class Complexes:
    """The complex sentences of one lexicon at one difficulty."""

    def __init__(self, phrases: Phrases, clauses: Clauses, states: States) -> None:
        self.phrases = phrases
        self.clauses = clauses
        self.states = states

    def constructions(self) -> dict[str, Callable[[], Space[Sentence]]]:
        """Name every construction and how to make its space."""
        return {
            "relative": self.relatives,
            "object relative": self.object_relatives,
            "late relative": self.late_relatives,
            "long-distance relative": self.long_relatives,
            "when": self.when,
            "condition": self.conditions,
            "unreal condition": self.unreal,
            "because": self.because,
            "that": self.that,
            "coordination": self.coordinations,
            "sequence": self.sequences,
            "chain": self.chains,
        }

    def pooled(
        self, make: Callable[[str], Space[Sentence]], pools: tuple[str, ...] = POOLS
    ) -> Space[Sentence]:
        """Join what is made of each pool that has people, by the weight of the pool."""
        return Union(
            *[
                (weight, make(pool))
                for pool, weight in zip(POOLS, POOL_WEIGHTS, strict=True)
                if pool in pools and self.phrases.subjects(pool).size
            ]
        )

    def relative_deeds(self, pool: str, *tenses: Tense) -> Space[VerbClause]:
        """Give what the head of a relative clause did, does or will do."""
        heads: Space[Nominal] = self.one_head(pool)
        return either([self.clauses.spoken_of(pool, heads, Mode(tense)) for tense in tenses])

    def one_head(self, pool: str) -> Space[Nominal]:
        """Give a stand-in for the head; the sentence puts the real one in its place."""
        key = f"one {pool}"
        if key not in self.phrases.pools:
            self.phrases.pools[key] = just(next(iter(self.phrases.heads[pool])))
        return self.phrases.pools[key]

    def past_predicates(self, pool: str) -> Space[Clause]:
        """Give what is said of the head in a main clause in the past."""
        heads = self.one_head(pool)
        quality = self.states.predicates("person", "past")
        deed: Space[Clause] = self.clauses.spoken_of(pool, heads, Mode(Tense.PAST))
        return Union((3, quality), (1, self.states.feelings("past", heads)), (3, deed))

    def later_predicates(self, pool: str) -> Space[Clause]:
        """Give what is said of the head in a main clause in the present or future."""
        heads = self.one_head(pool)
        quality = self.states.predicates("person", "present")
        deed: Space[Clause] = self.clauses.spoken_of(pool, heads, Mode(Tense.FUTURE))
        return Union((3, quality), (1, self.states.feelings("present", heads)), (2, deed))

    def relatives(self) -> Space[Sentence]:
        """Give subject relative clauses, in tenses that go together."""
        made: list[tuple[float, Space[Sentence]]] = []
        for pool in HEADS:
            heads = self.phrases.heads[pool]
            if not heads.size:
                continue
            before = self.relative_deeds(pool, Tense.PAST, Tense.PLUPERFECT)
            now = self.relative_deeds(pool, Tense.PROGRESSIVE, Tense.PAST)
            made.append((3, Build(SubjectRelative, heads, before, self.past_predicates(pool))))
            made.append((2, Build(SubjectRelative, heads, now, self.later_predicates(pool))))
        return Union(*made)

    def long_relatives(self) -> Space[Sentence]:
        """Give subject relative clauses with a "when" inside: agreement over a distance."""
        verbs = [v for v in self.clauses.lexicon.verbs if v.english in ARRIVALS and not v.objects]
        made: list[Space[Sentence]] = []
        for pool, other in (HEADS, HEADS[::-1]):
            if not (self.phrases.heads[pool].size and self.phrases.heads[other].size):
                continue
            arrivals = Build(Arrival, self.phrases.heads[other], Items(verbs))
            deeds = self.clauses.spoken_of(pool, self.one_head(pool), Mode(Tense.PAST, timed=False))
            parts = (self.phrases.heads[pool], deeds, self.past_predicates(pool), arrivals)
            made.append(Build(long_relative, *parts))
        return either(made)

    def object_relatives(self) -> Space[Sentence]:
        """Give object relative clauses about things."""
        made: list[Space[Sentence]] = []
        for verb in self.clauses.lexicon.verbs:
            kinds = [kind for kind in verb.objects if kind in NOTED]
            if verb.marker is not None or verb.recipient or "person" in verb.objects:
                continue
            for kind in kinds:
                heads = self.phrases.thing_heads((kind,))
                for tense, state in SEQUENCES:
                    relative = self.pooled_clause(verb, tense, heads)
                    if relative.size and allows(verb, tense):
                        main = self.states.predicates(kind, state)
                        made.append(Build(ObjectRelative, relative, main))
        return either(made)

    def pooled_clause(self, verb: Verb, tense: Tense, heads: Space[Nominal]) -> Space[VerbClause]:
        """Give clauses of a verb with the heads as objects, about anybody."""
        return Union(
            *[
                (weight, Build(VerbClause, self.phrases.subjects(p), just(verb), just(tense), heads))
                for p, weight in zip(POOLS, POOL_WEIGHTS, strict=True)
                if self.phrases.subjects(p).size
            ]
        )

    def late_relatives(self) -> Space[Sentence]:
        """Give relative clauses on the object of the main clause."""
        verbs = [v for v in self.clauses.lexicon.verbs if "person" in v.objects]
        made: list[Space[Sentence]] = []
        for pool in HEADS:
            heads: Space[Nominal] = self.phrases.heads[pool]  # type: ignore[assignment]
            subjects = Union(*[
                (w, self.phrases.subjects(p))
                for p, w in zip(POOLS, POOL_WEIGHTS, strict=True)
                if p != pool
            ])
            for tense, others in LATE_SEQUENCES:
                main = either(
                    [Build(VerbClause, subjects, just(verb), just(tense), heads) for verb in verbs]
                )
                made.append(Build(LastRelative, main, self.relative_deeds(pool, *others)))
        return either(made)

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
        other = Union(
            (1, self.states.weather("past")), (3, self.others(Tense.PLUPERFECT, pool))
        )
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
        return Union(
            (3, Build(Complement, subjects, Items(REPORTS_NOW), now)),
            (3, Build(Complement, subjects, Items(REPORTS_THEN), then)),
            (1, Build(Complement, subjects, just(TELLING), then, told)),
        )

    def coordinations(self) -> Space[Sentence]:
        """Give clauses joined by and, or contrasted by but."""
        return self.pooled(self.coordinated)

    def coordinated(self, pool: str) -> Space[Sentence]:
        """Give pairs of clauses, the first about the pool."""
        made: list[Space[Sentence]] = []
        for tense in (Tense.PAST, Tense.FUTURE, Tense.PROGRESSIVE):
            first = self.of(pool, tense)
            made.append(Build(partial(join, "and"), first, self.others(tense, pool)))
            denied = self.others(tense, pool, negative=True)
            made.append(Build(partial(join, "but"), first, denied))
        return either(made)

    def chains(self) -> Space[Sentence]:
        """Give sentences of three clauses."""
        return Union(
            (4, self.pooled(self.chained)), (1, self.pooled(self.meanwhile)), (1, self.explained())
        )

    def meanwhile(self, pool: str) -> Space[Sentence]:
        """Give two deeds at one time."""
        other = "titled" if pool != "titled" else "pronoun"
        condition: Space[Clause] = Union(
            (1, self.states.weather("event")), (2, self.of(other, Tense.PAST, timed=False))
        )
        deeds = (self.of(pool, Tense.PAST, timed=False), self.others(Tense.PAST, pool, timed=False))
        main = Build(partial(both, "and"), *deeds)
        return Build(partial(subordinate, "meanwhile"), condition, main, just(False))

    def explained(self) -> Space[Sentence]:
        """Give a relative clause whose main clause has a reason."""
        made: list[Space[Sentence]] = []
        for pool in HEADS:
            heads = self.phrases.heads[pool]
            if heads.size:
                reason = self.others(Tense.PLUPERFECT, pool)
                mood = self.states.moods(self.one_head(pool), "past")
                main = Build(partial(both, "because"), mood, reason)
                deeds = self.relative_deeds(pool, Tense.PAST)
                named = partial(SubjectRelative, construction="chain")
                made.append(Build(named, heads, deeds, main))
        return either(made)

    def chained(self, pool: str) -> Space[Sentence]:
        """Give a report of a deed and its reason, or a double condition."""
        subjects = self.phrases.subjects(pool)
        told = Build(
            partial(both, "because"),
            self.others(Tense.REPORTED_FUTURE, pool),
            Union((1, self.states.weather("past")), (4, self.of(pool, Tense.PLUPERFECT))),
        )
        doubled = Build(
            partial(both, "and"),
            self.others(Tense.IF_PRESENT, pool),
            self.of("pronoun" if pool != "pronoun" else "titled", Tense.IF_PRESENT),
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
        verbs = [v for v in verbs if not v.stative and not v.punctual and not v.nominal_inflects]
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


def long_relative(head: object, relative: object, main: object, arrival: Arrival) -> Sentence:
    """Put a long-distance relative clause together."""
    return SubjectRelative(head, relative, main, arrival, "long-distance relative")  # type: ignore[arg-type]


def explain(deed: Clause, reason: Clause) -> Conjunction:
    """Give a deed the reason that lies in whoever did it."""
    return join("because", deed, reason.of(resuming(deed.subject)))
