"""Named events as clauses: what brings about what, and what precedes what.

The tables `links` and `sequences` of the lexicon say that the hungry eat and that hands are washed
before meals; every clause of reason, condition and order is drawn from them.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from dragoman.data.grammar.choices.clauses import Clauses
from dragoman.data.grammar.choices.phrases import Phrases
from dragoman.data.grammar.choices.spaces import Build, Items, Space, Union, just
from dragoman.data.grammar.lexicon.entries import Event, Link, Verb
from dragoman.data.grammar.syntax.adjuncts import Extras, Whereabouts
from dragoman.data.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.grammar.syntax.feelings import FeelingState, Weather
from dragoman.data.grammar.syntax.nominals import HE, Nominal
from dragoman.data.grammar.syntax.states import Quality
from dragoman.data.grammar.tenses import Tense


class Role(NamedTuple):
    """The role of an event in a story: the tense of a verb, of a state, of the weather."""

    verb: Tense
    state: str
    weather: str


PAST = Role(Tense.PAST, "past", "past")
EARLIER = Role(Tense.PLUPERFECT, "past", "past")
CONDITION = Role(Tense.IF_PRESENT, "condition", "condition")
FUTURE = Role(Tense.FUTURE, "future", "future")
REPORTED = Role(Tense.REPORTED_FUTURE, "reported", "future")
UNREAL_IF = Role(Tense.HAD_IF, "unreal if", "unreal if")
UNREAL = Role(Tense.WOULD_HAVE, "unreal", "past")
STAND_IN: Space[Nominal] = Items((HE,))  # the sentence puts the real subject in its place
Told = TypeVar("Told")


def plain_style(verb: Verb) -> str:
    """Say in which style the object of a verb is spoken of inside a longer sentence."""
    if "plural-object" in verb.flags:
        return "many"
    return "new" if "new-object" in verb.flags else "plain"


def at(place: Whereabouts) -> Extras:
    """Say where and nothing else."""
    return Extras(place)


class EventClauses:
    """The events of one lexicon as clauses."""

    def __init__(self, phrases: Phrases, clauses: Clauses) -> None:
        self.phrases = phrases
        self.clauses = clauses
        self.lexicon = phrases.lexicon
        self.verbs: dict[str, Verb] = {}
        for event in self.lexicon.events.values():
            self.find(event)

    def find(self, event: Event) -> None:
        """Find the verb of an event: that with objects if it names any."""
        for verb in self.lexicon.verbs:
            fitting = bool(verb.objects) == bool(event.objects) and not verb.recipient
            if event.kind == "verb" and verb.name == event.word and fitting:
                if event.name in self.verbs and not self.governs(verb, event):
                    continue
                if not event.objects or self.governs(verb, event):
                    self.verbs.setdefault(event.name, verb)

    def governs(self, verb: Verb, event: Event) -> bool:
        """Say whether a verb of people takes the objects of an event."""
        nouns = self.phrases.nouns(event.objects)
        ours = verb.subjects & {"people", "grown", "pronoun"}
        return bool(ours) and any(noun.sorts & verb.objects for noun in nouns)

    def known(self, link: Link) -> bool:
        """Say whether the lexicon has the words of both events."""
        return all(self.has(self.lexicon.events[name]) for name in (link.cause, link.effect))

    def has(self, event: Event) -> bool:
        """Say whether the lexicon has the words of an event."""
        if event.kind == "verb":
            return event.name in self.verbs
        if event.kind == "quality":
            return any(a.english == event.word for a in self.lexicon.adjectives)
        return event.kind == "weather" or any(
            f.english == event.word for f in self.lexicon.feelings
        )

    def subjects(self, pool: str, *names: str) -> Space[Nominal]:
        """Give the people of a pool who may do all that is named."""
        verbs = [self.verbs[name] for name in names if name in self.verbs]
        lively = any(verb.lively for verb in verbs)
        kinds = [verb.subjects for verb in verbs if "people" not in verb.subjects]
        if not kinds:
            return self.phrases.people_of(pool, frozenset({"people"}), lively)
        if len(kinds) == 1 or kinds[0] == kinds[1]:
            return self.phrases.people_of(pool, kinds[0], lively)
        return self.phrases.people_of(pool, frozenset({"name", "pronoun"}), lively)

    def clause(self, name: str, role: Role, pool: str, negative: bool = False) -> Space[Clause]:
        """Give the clauses that tell an event in a role, of a stand-in subject."""
        event = self.lexicon.events[name]
        if event.kind == "weather":
            return just(Weather(event.word, role.weather))
        if event.kind == "quality":
            found = [a for a in self.lexicon.adjectives if a.english == event.word]
            return Build(Quality, STAND_IN, Items(found), just(role.state), just(negative))
        if event.kind == "feeling":
            felt = [f for f in self.lexicon.feelings if f.english == event.word]
            return Build(FeelingState, STAND_IN, Items(felt), just(role.state), just(negative))
        return self.deed(event, role.verb, pool, negative)

    def deed(
        self, event: Event, tense: Tense, pool: str, negative: bool = False
    ) -> Space[VerbClause]:
        """Give the clauses of what somebody does, with the objects of the event."""
        verb = self.verbs[event.name]
        things: Space[Nominal | None] = just(None)
        if event.objects:
            style = "the" if negative else plain_style(verb)
            things = self.phrases.of_sorts(event.objects, style=style)
        extras: Space[Extras] = just(Extras())
        if event.place:
            kind, *nouns = event.place
            extras = Build(at, self.clauses.adjuncts.of_kind(kind, pool, nouns))
        parts = (things, just(None), extras, just(negative))
        return Build(VerbClause, STAND_IN, just(verb), just(tense), *parts)

    def linked(
        self,
        pool: str,
        tell: Callable[[Nominal, Clause, Clause], Told],
        roles: tuple[Role, Role],
        contrary: bool = False,
    ) -> Space[Told]:
        """Give every cause and effect about the people of a pool; `contrary` denies the effect."""
        spaces: list[tuple[float, Space[Told]]] = []
        for link in self.lexicon.causes:
            if not self.known(link) or (contrary and link.without_effect):
                continue
            if not self.fits(link, roles):
                continue
            subjects = self.subjects(pool, link.cause, link.effect)
            kinds = [self.lexicon.events[name].kind for name in (link.cause, link.effect)]
            before, after = roles
            if before is PAST and kinds[0] == "verb" and kinds[1] != "verb":
                before = EARLIER  # what one had done, so that one was tired
            cause = self.clause(link.cause, before, pool, link.without_cause)
            effect = self.clause(link.effect, after, pool, contrary or link.without_effect)
            spaces.append((1.0, Build(tell, subjects, cause, effect)))
        return Union(*spaces)

    def fits(self, link: Link, roles: tuple[Role, Role]) -> bool:
        """Say whether both events can be told so: a feeling has no unreal form."""
        kinds = [self.lexicon.events[name].kind for name in (link.cause, link.effect)]
        unreal = {"unreal", "unreal if", "reported"}
        return not any(
            kind == "feeling" and role.state in unreal
            for kind, role in zip(kinds, roles, strict=True)
        )
