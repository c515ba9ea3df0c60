"""Which sentences with relative clauses there are."""

from collections.abc import Callable
from functools import partial

from dragoman.data.corpus.generators.grammar.choices.clauses import (
    Clauses,
    Mode,
    allows,
)
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
    Joined,
)
from dragoman.data.corpus.generators.grammar.syntax.nominals import Nominal
from dragoman.data.corpus.generators.grammar.syntax.relatives import (
    Arrival,
    LastRelative,
    ObjectRelative,
    SubjectRelative,
)
from dragoman.data.corpus.generators.grammar.syntax.sentences import Sentence
from dragoman.data.corpus.generators.grammar.tenses import Tense

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


class Relatives:
    """The sentences with relative clauses of one lexicon at one difficulty."""

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
        }

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
                (
                    weight,
                    Build(VerbClause, self.phrases.subjects(p), just(verb), just(tense), heads),
                )
                for p, weight in zip(POOLS, POOL_WEIGHTS, strict=True)
                if self.phrases.subjects(p).size
            ]
        )

    def late_relatives(self) -> Space[Sentence]:
        """Give relative clauses on the object of the main clause."""
        verbs = [v for v in self.clauses.lexicon.verbs if "person" in v.objects]
        made: list[Space[Sentence]] = []
        for pool in HEADS:
            heads: Space[Nominal] = self.phrases.heads[pool]
            subjects = Union(
                *[
                    (w, self.phrases.subjects(p))
                    for p, w in zip(POOLS, POOL_WEIGHTS, strict=True)
                    if p != pool
                ]
            )
            for tense, others in LATE_SEQUENCES:
                main = either(
                    [Build(VerbClause, subjects, just(verb), just(tense), heads) for verb in verbs]
                )
                made.append(Build(LastRelative, main, self.relative_deeds(pool, *others)))
        return either(made)

    def explained(self) -> Space[Sentence]:
        """Give a relative clause whose main clause has a reason."""
        made: list[Space[Sentence]] = []
        for pool in HEADS:
            heads = self.phrases.heads[pool]
            if heads.size:
                reason = self.clauses.any(Mode(Tense.PLUPERFECT), without=pool)
                mood = self.states.moods(self.one_head(pool), "past")
                main = Build(because, mood, reason)
                deeds = self.relative_deeds(pool, Tense.PAST)
                named = partial(SubjectRelative, construction="chain")
                made.append(Build(named, heads, deeds, main))
        return either(made)


def because(first: Clause, second: Clause) -> Joined:
    """Make one clause of a state and its reason."""
    return Joined(first, second, "because", "क्योंकि")


def long_relative(head: object, relative: object, main: object, arrival: Arrival) -> Sentence:
    """Put a long-distance relative clause together."""
    return SubjectRelative(head, relative, main, arrival, "long-distance relative")  # type: ignore[arg-type]
