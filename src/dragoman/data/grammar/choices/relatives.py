"""The space of sentences with relative clauses."""

from collections.abc import Callable
from dataclasses import replace

from dragoman.data.grammar.choices.clauses import PERSONS, Clauses, Mode, allows
from dragoman.data.grammar.choices.events import (
    EARLIER,
    PAST,
    STAND_IN,
    EventClauses,
    at,
    plain_style,
)
from dragoman.data.grammar.choices.phrases import POOL_WEIGHTS, POOLS, Phrases, suits
from dragoman.data.grammar.choices.spaces import Build, Items, Space, Union, either, just
from dragoman.data.grammar.lexicon.determiners import POSSESSIVES
from dragoman.data.grammar.lexicon.entries import Adjective, Noun, Verb
from dragoman.data.grammar.syntax.adjuncts import Extras
from dragoman.data.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.grammar.syntax.having import Location
from dragoman.data.grammar.syntax.joined import Joined
from dragoman.data.grammar.syntax.nominals import Nominal, Phrase, resuming
from dragoman.data.grammar.syntax.relatives import (
    Arrival,
    LastRelative,
    ObjectRelative,
    SubjectRelative,
)
from dragoman.data.grammar.syntax.sentences import GrammarSentence
from dragoman.data.grammar.syntax.states import Naming, Quality
from dragoman.data.grammar.tenses import Tense

HEADS = ("man", "woman")
# Tenses that follow each other in an object relative clause and its main clause.
SEQUENCES = (
    (Tense.PAST, "present"),
    (Tense.PAST, "past"),
    (Tense.PLUPERFECT, "past"),
    (Tense.PROGRESSIVE, "present"),
)
LATE_SEQUENCES = (
    (Tense.PAST, (Tense.HABITUAL, Tense.PAST_PROGRESSIVE)),
    (Tense.FUTURE, (Tense.HABITUAL, Tense.PAST)),
)
# Whom one knows, meets and thanks, and who then did something.
ACQUAINTED = frozenset({"meet", "help", "thank", "call", "invite", "talk to", "look for"})
ARRIVALS = frozenset({"arrive", "come", "return"})
# What tells one person from others: what he does for a living, and what one sees him doing.
TRADES = frozenset({"live", "work", "study", "sell", "drive", "teach", "speak", "play", "repair"})
SEEN = frozenset(
    {"sit", "stand", "read", "sing", "dance", "play", "wait for", "run", "talk to", "eat", "drink"}
    | {"wear", "cook", "swim", "write", "sew"}
)
# Of what one did this to, one says what it is like.
JUDGED = frozenset(
    {"buy", "make", "cook", "eat", "drink", "read", "write", "watch", "wear", "bring", "sing"}
    | {"choose", "draw", "lose", "find", "use", "wash", "send", "show"}
)
DONE = frozenset({"buy", "bring", "write", "help", "call", "come", "draw", "make", "cook", "meet"})
COMERS = frozenset({"=king", "=queen", "=guest", "=policeman", "=man", "=woman", "=lady"})
PRAISE = frozenset({"intelligent", "honest", "kind", "hardworking", "tired", "happy", "sad"})
TOLD = frozenset({"goods", "food", "drinkable", "show", "told", "text", "exam", "task"})


class Relatives:
    """The sentences with relative clauses of one lexicon at one difficulty."""

    def __init__(self, phrases: Phrases, clauses: Clauses, events: EventClauses) -> None:
        self.phrases = phrases
        self.clauses = clauses
        self.events = events
        self.lexicon = phrases.lexicon

    def constructions(self) -> dict[str, Callable[[], Space[GrammarSentence]]]:
        """Name every construction and how to make its space."""
        return {
            "relative": self.relatives,
            "object relative": self.object_relatives,
            "late relative": self.late_relatives,
            "long-distance relative": self.long_relatives,
        }

    def heads(self, pool: str, verb: Verb, tense: Tense) -> Space[Nominal]:
        """Give the plain heads of a pool who may do what a verb says: the man, the men.

        A habit tells one of many: the man who works in the bank, and no fisherman.
        """
        nouns = [
            noun
            for noun in self.phrases.people[pool]
            if suits(noun, verb.subjects)
            and not noun.honorific
            and (tense is not Tense.HABITUAL or "folk" in noun.sorts)
        ]
        made: Space[Nominal] = self.phrases.heads(nouns)
        return made

    def deeds(
        self,
        pool: str,
        *tenses: Tense,
        heads: Space[Nominal] | None = None,
        names: frozenset[str] = frozenset(),
    ) -> Space[VerbClause]:
        """Give what the head of a relative clause does, is seen doing or did."""
        made = []
        for tense in tenses:
            told = names or {Tense.HABITUAL: TRADES, Tense.PAST: DONE}.get(tense, SEEN)
            mode = Mode(tense, timed=False)
            for verb in self.clauses.verbs(mode):
                subjects = self.heads(pool, verb, tense)
                if verb.name not in told or verb.recipient or not subjects.size:
                    continue
                if heads is None or "people" in verb.subjects:
                    made.append(self.deed(verb, mode, pool, heads or subjects))
        return either(made)

    def deed(self, verb: Verb, mode: Mode, pool: str, heads: Space[Nominal]) -> Space[VerbClause]:
        """Give the clauses of one verb, with one thing and, where it must be, a place."""
        things: Space[Nominal | None] = just(None)
        if verb.objects & PERSONS:
            things = self.phrases.others(pool, frozenset({"name", "kin", "pronoun"}))
        elif verb.objects:
            style = "bare" if mode.tense is Tense.HABITUAL else plain_style(verb)
            things = self.phrases.of_sorts(verb.objects, style=style)
        extras: Space[Extras] = just(Extras())
        if verb.places:
            where: Space[Extras] = Build(at, self.clauses.adjuncts.places(verb.places))
            needed = 1.0 if verb.settled or verb.name in ("work", "study") else 0.3
            extras = Union((needed, where), (1 - needed, extras))
        parts = (things, just(None), extras)
        return Build(VerbClause, heads, just(verb), just(mode.tense), *parts)

    def predicates(self, pool: str, tense: str, placed: bool = True) -> Space[Clause]:
        """Give what is said of the head in the main clause: what, who and where he is."""
        praised = [a for a in self.lexicon.adjectives if a.english in PRAISE and a.predicative]
        quality = Build(Quality, STAND_IN, Items(praised), just(tense))
        spots = self.clauses.adjuncts.places(("be",))
        where = Build(Location, STAND_IN, spots, just(tense))
        kin = [noun for noun in self.lexicon.kin if noun.plural]
        kin = [noun for noun in kin if noun.feminine == (pool == "woman")]
        related = [
            Phrase(noun, False, owner) for noun in kin for owner in POSSESSIVES[:3] if noun.weight
        ]
        named = Build(Naming, STAND_IN, Items(related), just(tense))
        return Union((3, quality), (1 if placed else 0, where), (2, named))

    def relatives(self) -> Space[GrammarSentence]:
        """Give subject relative clauses, in tenses that go together."""
        made: list[tuple[float, Space[GrammarSentence]]] = []
        for pool in HEADS:
            before = self.deeds(pool, Tense.PAST_PROGRESSIVE, Tense.PAST)
            now = self.deeds(pool, Tense.HABITUAL, Tense.PROGRESSIVE)
            made.append((2, Build(relative, before, self.predicates(pool, "past"))))
            made.append((3, Build(relative, now, self.predicates(pool, "present"))))
        return Union(*made)

    def long_relatives(self) -> Space[GrammarSentence]:
        """Give subject relative clauses with a "when" inside: agreement over a distance."""
        verbs = [v for v in self.lexicon.verbs if v.name in ARRIVALS and not v.objects]
        made: list[Space[GrammarSentence]] = []
        for pool, other in (HEADS, HEADS[::-1]):
            comers = [n for n in self.phrases.people[other] if n.sorts & COMERS]
            arrivals = Build(Arrival, self.phrases.heads(comers), Items(verbs))
            deeds = self.deeds(pool, Tense.PAST, names=SEEN | DONE | {"pull"})
            parts = (deeds, self.predicates(pool, "past", placed=False), arrivals)
            made.append(Build(long_relative, *parts))
        return either(made)

    def object_relatives(self) -> Space[GrammarSentence]:
        """Give object relative clauses about things, and what these are like."""
        made: list[Space[GrammarSentence]] = []
        for verb in self.lexicon.verbs:
            if verb.name not in JUDGED or verb.marker is not None or verb.recipient:
                continue
            if not verb.looks or not verb.subjects & {"people", "grown"}:
                continue
            for noun in self.phrases.nouns(verb.objects & (TOLD | verb.objects)):
                suited = [
                    a
                    for a in self.lexicon.adjectives
                    if a.predicative and a.suits & noun.sorts and a.sort in verb.looks
                ]
                if noun.plural and suited and "animal" not in noun.sorts:
                    made += self.object_relative(verb, noun, suited)
        return either(made)

    def object_relative(
        self, verb: Verb, noun: Noun, suited: list[Adjective]
    ) -> list[Space[GrammarSentence]]:
        """Give the relative clauses of one verb on one noun."""
        made: list[Space[GrammarSentence]] = []
        for tense, state in SEQUENCES:
            if allows(verb, tense):
                clause = self.pooled_clause(verb, tense, self.phrases.heads([noun]))
                main = Build(Quality, STAND_IN, Items(suited), just(state))
                made.append(Build(ObjectRelative, clause, main))
        return made

    def pooled_clause(self, verb: Verb, tense: Tense, heads: Space[Nominal]) -> Space[VerbClause]:
        """Give clauses of a verb with the heads as objects, about anybody who may do it."""
        return Union(
            *[
                (weight, Build(VerbClause, doers, just(verb), just(tense), heads))
                for pool, weight in zip(POOLS, POOL_WEIGHTS, strict=True)
                if (doers := self.phrases.people_of(pool, verb.subjects, verb.lively)).size
            ]
        )

    def late_relatives(self) -> Space[GrammarSentence]:
        """Give relative clauses on the object of the main clause."""
        verbs = [v for v in self.lexicon.verbs if v.name in ACQUAINTED and "person" in v.objects]
        made: list[Space[GrammarSentence]] = []
        for pool in HEADS:
            nouns = [n for n in self.phrases.people[pool] if not n.honorific]
            subjects = Union(
                *[
                    (w, self.phrases.anybody(p))
                    for p, w in zip(POOLS, POOL_WEIGHTS, strict=True)
                    if p not in HEADS
                ]
            )
            for tense, others in LATE_SEQUENCES:
                heads: Space[Nominal] = self.phrases.heads(nouns)
                main = either(
                    [Build(VerbClause, subjects, just(verb), just(tense), heads) for verb in verbs]
                )
                deeds = self.deeds(pool, *others, heads=STAND_IN)
                made.append(Build(LastRelative, main, deeds))
        return either(made)

    def explained(self) -> Space[GrammarSentence]:
        """Give a relative clause whose main clause has a reason."""
        made: list[Space[GrammarSentence]] = []
        for pool in HEADS:
            deeds = self.deeds(pool, Tense.HABITUAL)
            told = self.events.linked(pool, held, (EARLIER, PAST))
            made.append(Build(explained_relative, deeds, told))
        return either(made)


def held(subject: Nominal, cause: Clause, effect: Clause) -> Joined:
    """Hold an effect and its cause together until the head of the sentence is known."""
    return Joined(effect.of(subject), cause, "because", "क्योंकि")


def relative(deed: VerbClause, main: Clause) -> SubjectRelative:
    """Put a relative clause together: its head is who did the deed."""
    head = head_of(deed)
    return SubjectRelative(head, deed, agreeing(head, main))


def long_relative(deed: VerbClause, main: Clause, arrival: Arrival) -> SubjectRelative:
    """Put a long-distance relative clause together."""
    head = head_of(deed)
    return SubjectRelative(head, deed, agreeing(head, main), arrival, "long-distance relative")


def explained_relative(deed: VerbClause, main: Joined) -> SubjectRelative:
    """Put a relative clause together whose main clause has a reason."""
    head = head_of(deed)
    reason = Joined(main.first, main.second.of(resuming(head)), main.link, main.hindi_link)
    return SubjectRelative(head, deed, reason, construction="chain")


def agreeing(head: Phrase, main: Clause) -> Clause:
    """Name as many as there are: the girls are my sisters."""
    if isinstance(main, Naming) and head.plural:
        return replace(main, thing=replace(main.thing, plural=True))
    return main


def head_of(deed: VerbClause) -> Phrase:
    """Give the head of a relative clause."""
    if not isinstance(deed.subject, Phrase):
        raise TypeError("the head of a relative clause is a noun phrase")
    return deed.subject
