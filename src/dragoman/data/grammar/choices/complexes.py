"""The space of sentences of several clauses."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from dragoman.data.grammar.choices.clauses import PERSONS, Clauses, Mode, clashing, weighted_pools
from dragoman.data.grammar.choices.events import (
    CONDITION,
    EARLIER,
    FUTURE,
    PAST,
    REPORTED,
    UNREAL,
    UNREAL_IF,
    EventClauses,
    Role,
    plain_style,
)
from dragoman.data.grammar.choices.phrases import Phrases
from dragoman.data.grammar.choices.relatives import Relatives
from dragoman.data.grammar.choices.spaces import Build, Items, Space, Union, either, just
from dragoman.data.grammar.choices.states import States
from dragoman.data.grammar.choices.telling import (
    although,
    because,
    both,
    condition,
    contrast,
    explanation,
    follow,
    in_a_row,
    intend,
    join,
    report,
    stormy,
    subordinate,
    therefore,
    unreal,
)
from dragoman.data.grammar.lexicon.entries import Verb
from dragoman.data.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.grammar.syntax.feelings import Weather
from dragoman.data.grammar.syntax.joined import Complement, ReportVerb
from dragoman.data.grammar.syntax.nominals import Nominal
from dragoman.data.grammar.syntax.sentences import GrammarSentence
from dragoman.data.grammar.tenses import Tense

REPORTS_NOW = (
    ReportVerb("say", False, "", "", stem="कह"),
    ReportVerb("think", False, "को", "लगता है"),
    ReportVerb("know", False, "को", "पता है"),
)
HOPE = ReportVerb("hope", False, "को", "उम्मीद है")
REPORTS_THEN = (
    ReportVerb("said", True, "ने", "कहा"),
    ReportVerb("thought", True, "ने", "सोचा"),
    ReportVerb("heard", True, "ने", "सुना"),
)
TELLING = ReportVerb("told", True, "ने", "बताया", hearer="को")
ARRIVING = frozenset({"come", "come home"})
HOPED = frozenset(
    {"come", "come home", "go", "learn", "help", "meet", "call", "pass", "win", "bring", "buy"}
)
# What goes on side by side, or when somebody comes, in one house, at one school, in one park.
# Each has two halves, so that nobody sleeps while somebody else sleeps.
SCENES = (
    (("cook", "make", "sleep", "rest"), ("clean", "wash", "eat", "drink", "watch")),
    (("study", "write", "sleep"), ("read", "do", "draw", "play", "listen to")),
    (("play", "run", "swim"), ("sing", "dance", "walk", "talk", "exercise")),
    (("go", "go home"), ("stay at home", "wait")),
)
INDOORS = (("make", "sleep", "rest", "cook"), ("watch", "read", "listen to", "study"))
BUSY = (*SCENES[0], *SCENES[1])  # in these somebody may come home
STORMY = ("rain", "snow", "storm")
V = TypeVar("V")
LATER = (("after", "के बाद"), ("before", "से पहले"))


class Complexes:
    """The complex sentences of one lexicon at one difficulty."""

    def __init__(self, phrases: Phrases, clauses: Clauses, states: States) -> None:
        self.phrases = phrases
        self.clauses = clauses
        self.states = states
        self.events = EventClauses(phrases, clauses)
        self.relatives = Relatives(phrases, clauses, self.events)

    def constructions(self) -> dict[str, Callable[[], Space[GrammarSentence]]]:
        """Name every construction and how to make its space."""
        return {
            "when": lambda: self.pooled(self.when),
            "condition": lambda: self.caused(condition, CONDITION, FUTURE),
            "unreal condition": lambda: self.caused(unreal, UNREAL_IF, UNREAL),
            "because": lambda: self.caused(because, EARLIER, PAST),
            "so": lambda: self.caused(therefore, PAST, PAST),
            "but": lambda: self.pooled(self.contrary),
            "that": lambda: self.pooled(self.reported),
            "coordination": lambda: self.pooled(self.coordinated),
            "sequence": lambda: self.pooled(self.sequenced),
            "chain": self.chains,
            "nested": self.nested,
            **self.relatives.constructions(),
        }

    def pooled(self, make: Callable[[str], Space[GrammarSentence]]) -> Space[GrammarSentence]:
        """Join what is made of each pool that has people, by the weight of the pool."""
        return Union(*[(weight, make(pool)) for pool, weight in weighted_pools(True)])

    def caused(
        self, tell: Callable[[Nominal, Clause, Clause], GrammarSentence], cause: Role, effect: Role
    ) -> Space[GrammarSentence]:
        """Give causes and effects, told in one way, about everybody."""
        return self.pooled(lambda pool: self.events.linked(pool, tell, (cause, effect)))

    def of(self, pool: str, tense: Tense, wanted: Callable[[Verb], bool]) -> Space[VerbClause]:
        """Give the untimed clauses of a pool in a tense, of the verbs that are wanted."""
        mode = Mode(tense, timed=False)
        return either(
            [
                self.clauses.of_verb(verb, mode, pool, doers)
                for verb in self.clauses.verbs(mode)
                if wanted(verb)
                and (doers := self.phrases.people_of(pool, verb.subjects, verb.lively)).size
            ]
        )

    def others(self, tense: Tense, pool: str, timed: bool = True) -> Space[VerbClause]:
        """Give what anybody else does on any day, in a tense."""
        return self.clauses.any(Mode(tense, timed=timed, daily=True), without=pool)

    def rivals(self, pool: str, make: Callable[[str], Space[V]]) -> Space[V]:
        """Give what is made of everybody who cannot be of the pool."""
        return Union(
            *[
                (weight, make(other))
                for other, weight in weighted_pools(True)
                if other not in clashing(pool) and other not in ("both", "speaker")
            ]
        )

    def scene(self, pool: str, tense: Tense, names: tuple[str, ...]) -> Space[VerbClause]:
        """Give what the people of a pool do in a scene, without saying where or when."""
        mode = Mode(tense, timed=False)
        return either(
            [
                Build(VerbClause, doers, just(verb), just(tense), self.scenic(verb, pool))
                for verb in self.clauses.verbs(mode)
                if verb.name in names
                and not (verb.recipient or verb.settled)
                and (doers := self.phrases.people_of(pool, verb.subjects, verb.lively)).size
            ]
        )

    def scenic(self, verb: Verb, pool: str) -> Space[Nominal | None]:
        """Give the objects of a scene: one thing, or a person."""
        if not verb.objects:
            return just(None)
        if verb.objects & PERSONS:
            return self.phrases.others(pool, frozenset({"name", "kin"}))
        return self.phrases.of_sorts(verb.objects, style=plain_style(verb))

    def daily(self, pool: str, tense: Tense) -> Space[VerbClause]:
        """Give what the people of a pool do on any day, in a tense."""
        return self.clauses.about(pool, Mode(tense, timed=False, daily=True))

    def arriving(self, tense: Tense, pool: str) -> Space[Clause]:
        """Give that somebody else comes."""
        weighted = [
            (weight, self.scene(other, tense, tuple(ARRIVING)))
            for other, weight in weighted_pools(True)
            if other not in (pool, "both") and not {pool, other} <= {"man", "woman", "kin"}
        ]
        return Union(*weighted)

    def when(self, pool: str) -> Space[GrammarSentence]:
        """Give what somebody was doing, or will do, when somebody else comes."""
        tell = partial(subordinate, "when")
        either_order = Items((True, False))
        doing = either([self.scene(pool, Tense.PAST_PROGRESSIVE, names) for names in BUSY])
        will = either([self.scene(pool, Tense.FUTURE, names) for names in SCENES[0]])
        return Union(
            (3, Build(tell, self.arriving(Tense.PAST, pool), doing, either_order)),
            (2, Build(tell, self.arriving(Tense.IF_PRESENT, pool), will, either_order)),
        )

    def contrary(self, pool: str) -> Space[GrammarSentence]:
        """Give causes without their effect, and what one does and another does not."""
        mode = Mode(Tense.PAST, timed=False, daily=True)
        verbs = [verb for verb in self.clauses.verbs(mode) if not verb.objects and not verb.settled]
        going = self.of(pool, Tense.PAST, lambda verb: verb in verbs)
        rivals = self.phrases.others(pool, frozenset({"name", "kin"}))
        return Union(
            (2, self.events.linked(pool, although, (PAST, PAST), contrary=True)),
            (1, Build(contrast, going, rivals)),
        )

    def reported(self, pool: str) -> Space[GrammarSentence]:
        """Give what a pool says, thinks, knows, hopes, said, heard or told."""
        subjects = self.phrases.anybody(pool)
        soon = self.others(Tense.FUTURE, pool)
        now: Space[Clause] = Union(
            (3, soon),
            (2, self.others(Tense.PROGRESSIVE, pool)),
            (1.5, self.states.qualities("present", pool)),
            (1, self.states.identities("present", pool)),
        )
        then: Space[Clause] = Union(
            (1, self.others(Tense.REPORTED_FUTURE, pool)), (1, self.others(Tense.PLUPERFECT, pool))
        )
        told = self.phrases.others(pool, frozenset({"name", "kin", "pronoun"}))
        own = self.daily(pool, Tense.REPORTED_FUTURE)
        return Union(
            (3, Build(Complement, subjects, Items(REPORTS_NOW), now)),
            (1, Build(Complement, subjects, just(HOPE), self.hoped(pool))),
            (1, Build(intend, Items(REPORTS_THEN[:2]), own)),
            (2, Build(Complement, subjects, Items(REPORTS_THEN), then)),
            (1, Build(Complement, subjects, just(TELLING), then, told)),
        )

    def hoped(self, pool: str) -> Space[VerbClause]:
        """Give what one hopes of others."""
        return self.rivals(
            pool, lambda other: self.of(other, Tense.FUTURE, lambda verb: verb.name in HOPED)
        )

    def coordinated(self, pool: str) -> Space[GrammarSentence]:
        """Give pairs of clauses of one tense, the first about the pool."""
        made: list[Space[GrammarSentence]] = []
        for tense in (Tense.PAST, Tense.FUTURE, Tense.PROGRESSIVE):
            for half, other in (*SCENES, *[halves[::-1] for halves in SCENES]):
                first = self.scene(pool, tense, half)
                second = self.rivals(pool, partial(self.scene, tense=tense, names=other))
                made.append(Build(partial(join, "and"), first, second))
        return either(made)

    def sequenced(self, pool: str) -> Space[GrammarSentence]:
        """Give what somebody does before or after doing something else."""
        events, spaces = self.events, []
        for link in self.phrases.lexicon.sequences:
            if not events.known(link):
                continue
            subjects = events.subjects(pool, link.cause, link.effect)
            for word, names in zip(
                LATER, ((link.cause, link.effect), (link.effect, link.cause)), strict=True
            ):
                first, second = (self.phrases.lexicon.events[name] for name in names)
                deed = events.deed(first, Tense.PAST, pool)
                for tense in (Tense.PAST, Tense.FUTURE):
                    main = events.deed(second, tense, pool)
                    tell = partial(follow, word)
                    spaces.append(Build(tell, subjects, deed, main))
        return either(spaces)

    def chains(self) -> Space[GrammarSentence]:
        """Give sentences of three clauses."""
        return Union(
            (3, self.pooled(self.explained_report)),
            (2, self.pooled(self.meanwhile)),
            (2, self.relatives.explained()),
        )

    def nested(self) -> Space[GrammarSentence]:
        """Give a report of a deed and its two reasons, and two or three reports in a row."""
        reports = [self.explained_report(pool) for pool in ("male name", "titled", "woman")]
        return Union(
            (1, self.pooled(partial(self.explained_report, nested=True))),
            (1, Build(in_a_row, reports[0], self.events.linked("kin", because, (EARLIER, PAST)))),
            (1, Build(in_a_row, *reports[:2])),
            (1, Build(in_a_row, *reports)),
        )

    def explained_report(self, pool: str, nested: bool = False) -> Space[GrammarSentence]:
        """Give what a pool reported of a deed and its reason, or of what would come of it."""
        subjects = self.phrases.anybody(pool)
        name = "nested" if nested else "chain"
        spaces: list[tuple[float, Space[GrammarSentence]]] = []
        for other, weight in weighted_pools(True):
            if other in (pool, "both", "speaker") or (pool == "both" and "name" in other):
                continue
            told = self.events.linked(other, explanation, (EARLIER, EARLIER))
            if nested:
                told = self.events.linked(other, stormy, (EARLIER, REPORTED))
            tell = partial(report, name)
            spaces.append((weight, Build(tell, subjects, Items(REPORTS_THEN), told)))
        return Union(*spaces)

    def meanwhile(self, pool: str) -> Space[GrammarSentence]:
        """Give what two people did at home when it rained."""
        storms: Space[Clause] = Build(Weather, Items(STORMY), just("event"))
        first = self.scene(pool, Tense.PAST, INDOORS[0])
        second = self.rivals(pool, partial(self.scene, tense=Tense.PAST, names=INDOORS[1]))
        main = Build(partial(both, "and"), first, second)
        return Build(partial(subordinate, "meanwhile"), storms, main, just(False))
