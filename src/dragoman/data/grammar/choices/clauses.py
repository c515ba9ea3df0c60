"""The space of clauses: every verb with the subjects, objects and adjuncts that suit it."""

from collections.abc import Callable
from typing import NamedTuple

from dragoman.data.grammar.choices.adjuncts import BESIDE, Adjuncts
from dragoman.data.grammar.choices.phrases import POOL_WEIGHTS, POOLS, Phrases
from dragoman.data.grammar.choices.spaces import Build, Items, Space, Union, either, just, maybe
from dragoman.data.grammar.lexicon.entries import Adverb, Verb
from dragoman.data.grammar.syntax.adjuncts import Extras, Whereabouts
from dragoman.data.grammar.syntax.clauses import VerbClause
from dragoman.data.grammar.syntax.nominals import IT, THAT, THIS, Nominal
from dragoman.data.grammar.tenses import HABITS, NEGATABLE, Tense

ENDLESS = frozenset({Tense.PROGRESSIVE, Tense.PAST_PROGRESSIVE, Tense.BEGAN})
STANDING = frozenset({Tense.PROGRESSIVE, Tense.PAST_PROGRESSIVE})
ONCE = frozenset(
    {Tense.PAST, Tense.PERFECT, Tense.PLUPERFECT, Tense.FUTURE, Tense.IF_PRESENT}
    | {Tense.REPORTED_FUTURE, Tense.HAD_IF, Tense.WOULD_HAVE}
)
WILLED = frozenset({Tense.HAVE_TO, Tense.MUST, Tense.SHOULD, Tense.WANT})
DUTIES = frozenset({Tense.HAVE_TO, Tense.HAD_TO, Tense.MUST, Tense.SHOULD})
HARMLESS = frozenset({Tense.PAST, Tense.PERFECT, Tense.PLUPERFECT, Tense.HAD_IF})
COMPLETE = HARMLESS | {Tense.WOULD_HAVE, Tense.ALREADY, Tense.HAD_TO, Tense.WAS_ABLE}
COUNTING = HARMLESS | {Tense.FUTURE, Tense.ALREADY, Tense.HAD_TO, Tense.HAVE_TO}
UNFINISHED = ENDLESS | {Tense.HABITUAL, Tense.FUTURE, Tense.CAN, Tense.WANT, Tense.USED_TO}
EVENTS = frozenset({Tense.PAST, Tense.PERFECT, Tense.PROGRESSIVE, Tense.PAST_PROGRESSIVE})
WITHOUT = {
    "imperfect": COMPLETE - {Tense.PAST},
    "stative": ENDLESS | {Tense.ALREADY},
    "punctual": ENDLESS,
    "posture": frozenset(
        {Tense.PERFECT, Tense.PLUPERFECT, Tense.ALREADY, Tense.BEGAN}
    ),  # nobody "has sat"
    "unfinished": frozenset(Tense) - UNFINISHED,
    "no-habit": frozenset({Tense.HABITUAL, Tense.USED_TO, Tense.BEGAN}),
    "feeling": frozenset({Tense.CAN, Tense.FUTURE, Tense.WAS_ABLE, Tense.WANT}),
    "unforeseen": frozenset({Tense.FUTURE}),
}  # the tenses in which verbs with a flag are not said
MANNERS = frozenset({"move", "task", "voice", "early", "well", "fast"})
ON_THE_WAY = frozenset({"goal", "hither", "from", "at", "shop"})  # where to, and when
PEOPLE = frozenset({"people", "grown", "pronoun"})
PERSONS = frozenset(
    {"person", "kin", "name", "pronoun", "boy", "girl", "man", "woman", "worker", "=thief"}
    | {"=patient", "=child", "=man", "=woman", "=brother", "=sister"}
)
WILD = (
    frozenset({Tense.PAST, Tense.HABITUAL}) | ENDLESS
)  # the tenses in which animals are spoken of
Taken = Callable[[Verb], bool]


class Mode(NamedTuple):
    """The mode of a clause: its tense, whether denied, whether it may name a time."""

    tense: Tense
    negative: bool = False
    timed: bool = True
    daily: bool = False  # only what people do on any day
    asked: bool = False  # in a question, where nobody says "never"


def allows(verb: Verb, tense: Tense, negative: bool = False) -> bool:
    """Say whether a verb makes sense in a tense; nobody is advised to fall down."""
    if "standing" in verb.flags:
        return tense in STANDING
    if verb.once:
        return tense in ONCE
    if verb.mishap:
        return tense in HARMLESS or tense in (Tense.FUTURE, Tense.IF_PRESENT)
    if tense is Tense.BEGAN and verb.adjuncts & ON_THE_WAY:
        return False
    if "only-told" in verb.flags or (tense in DUTIES and "duty" not in verb.flags):
        return False
    if tense in WILLED and not negative and (verb.unkind or not verb.commands):
        return False
    return not any(tense in tenses for flag, tenses in WITHOUT.items() if flag in verb.flags)


def style_of(verb: Verb, mode: Mode) -> str:
    """Say in which style the object of a verb is spoken of."""
    if "plural-object" in verb.flags:
        return "many"
    if "one-object" in verb.flags:
        return "one"
    if "known-object" in verb.flags:
        return "known"
    if "own-object" in verb.flags:
        return "own"
    if mode.negative:
        return "many" if mode.tense in HABITS else "denied"
    if mode.tense in HABITS:
        return "usual"
    if "new-object" in verb.flags:
        return "new"
    return "" if mode.tense in COUNTING else "ongoing"


def extend(adjunct: Whereabouts | None, manner: Adverb | None, time: Adverb | None) -> Extras:
    """Put the optional parts together."""
    return Extras(adjunct, time, manner)


def repeat(adjunct: Whereabouts | None, manner: Adverb | None, often: Adverb | None) -> Extras:
    """Put the optional parts of a habit together."""
    return Extras(adjunct, None, manner, often)


class Clauses:
    """The verb clauses of one lexicon at one difficulty."""

    def __init__(self, phrases: Phrases, difficulty: int) -> None:
        self.phrases = phrases
        self.lexicon = phrases.lexicon
        self.rich = difficulty >= 2
        self.adjuncts = Adjuncts(phrases)
        self.made: dict[tuple[object, ...], Space[VerbClause]] = {}
        self.optional: dict[tuple[object, ...], Space[Extras]] = {}
        self.governed: dict[tuple[object, ...], Space[Nominal | None]] = {}

    def whereabouts(self, verb: Verb, pool: str) -> Space[Whereabouts]:
        """Give the adjuncts of a verb: its places, its goal, its company."""
        kinds = sorted(verb.adjuncts - MANNERS)
        spaces = [self.adjuncts.of_kind(kind, pool) for kind in kinds]
        weights = [0.5 if kind in ("companion", "benefit") else 1.0 for kind in kinds]
        if verb.places:
            spaces.append(self.adjuncts.places(verb.places))
            weights.append(1.5)
        return Union(*zip(weights, spaces, strict=True))

    def extras(self, verb: Verb, mode: Mode, pool: str) -> Space[Extras]:
        """Give the optional parts a verb allows in a tense."""
        usual = mode.tense is Tense.HABITUAL and not mode.negative
        untimed = verb.stative or "untimed" in verb.flags
        time = mode.tense.time if mode.timed and not untimed else ""
        company = pool if verb.adjuncts & BESIDE.keys() else ""
        key = (verb, company, time, usual, usual and mode.asked)
        if key not in self.optional:
            often = self.often(verb, mode.asked) if usual else None
            self.optional[key] = self.make_extras(verb, time, pool, often)
        return self.optional[key]

    def make_extras(
        self, verb: Verb, time: str, pool: str, often: Space[Adverb | None] | None
    ) -> Space[Extras]:
        """Make the optional parts; a settled verb always says where."""
        places = self.whereabouts(verb, pool) if self.rich else Union()
        chance = 1.0 if verb.settled else 0.4
        where: Space[Whereabouts | None] = maybe(places, chance if places.size else 0)
        suited = [m for m in self.lexicon.manners if m.suits & verb.adjuncts] if self.rich else []
        manners = maybe(Items(suited), 0.2 if suited else 0)
        if often is not None:
            return Build(repeat, where, manners, often)
        times = [
            adverb
            for adverb in self.lexicon.times
            if time in adverb.suits
            and (verb.long or not adverb.long)
            and (adverb.hour or "hourly" not in verb.flags)
        ]
        if not (times and self.rich):
            return Build(extend, where, manners, just(None))
        if verb.settled or verb.adjuncts & ON_THE_WAY:
            return Build(extend, where, manners, maybe(Items(times), 0.35))
        dated = Build(extend, just(None), manners, Items(times))  # a place or a time, not both
        return Union((0.65, Build(extend, where, manners, just(None))), (0.35, dated))

    def often(self, verb: Verb, asked: bool) -> Space[Adverb | None]:
        """Say how often; "they read" must, since it could be past."""
        if verb.stative or not self.rich:
            return just(None)
        adverbs = Items([a for a in self.lexicon.frequencies if not (asked and a.negates)])
        return adverbs if verb.past == verb.english else maybe(adverbs, 0.7)

    def objects(self, verb: Verb, pool: str, mode: Mode) -> Space[Nominal | None]:
        """Give the objects of a verb; people come from another pool than the subject."""
        personal = pool if verb.objects & PERSONS else ""
        style = style_of(verb, mode)
        key = (verb.objects, verb.looks, "it-object" in verb.flags, style, personal)
        if key not in self.governed:
            self.governed[key] = self.make_objects(verb, pool, style)
        return self.governed[key]

    def make_objects(self, verb: Verb, pool: str, style: str) -> Space[Nominal | None]:
        """Make the objects: things and animals with the adjectives that suit, people, it."""
        if not verb.objects:
            return just(None)
        spaces: list[tuple[float, Space[Nominal | None]]] = []
        things = self.phrases.of_sorts(verb.objects - PERSONS, verb.looks, style)
        spaces.append((1.0, things))
        if things.size and self.rich and "it-object" in verb.flags and style != "usual":
            spaces.append((0.05, Items((IT, THIS, THAT))))
        if verb.objects & PERSONS:
            spaces.append((2.0, self.phrases.others(pool, verb.objects & PERSONS)))
        return Union(*spaces)

    def recipients(self, verb: Verb, pool: str) -> Space[Nominal | None]:
        """Give the people something goes to."""
        if not verb.recipient:
            return just(None)
        young = frozenset({"boy", "girl", "name", "pronoun", "=son", "=daughter", "=friend"})
        everybody = frozenset({"person"})
        return self.phrases.others(pool, young if "to-young" in verb.flags else everybody)

    def of_verb(
        self, verb: Verb, mode: Mode, pool: str, subjects: Space[Nominal]
    ) -> Space[VerbClause]:
        """Give the clauses of one verb in one mode, about given subjects of a pool."""
        shifted = Items((True, False)) if verb.recipient else just(False)
        return Build(
            VerbClause,
            subjects,
            just(verb),
            just(mode.tense),
            self.objects(verb, pool, mode),
            self.recipients(verb, pool),
            self.extras(verb, mode, pool),
            just(mode.negative),
            shifted,
        )

    def verbs(self, mode: Mode) -> list[Verb]:
        """List the verbs of a mode."""
        return [
            verb
            for verb in self.lexicon.verbs
            if allows(verb, mode.tense, mode.negative)
            and not (verb.once and mode.negative)
            and (verb.daily or not mode.daily)
            and (self.rich or not verb.settled)
        ]

    def about(self, pool: str, mode: Mode) -> Space[VerbClause]:
        """Give the clauses of every verb in one mode, about those of one pool who do it."""
        key = (pool, mode)
        if key not in self.made:
            self.made[key] = Union(
                *[
                    (verb.weight, self.of_verb(verb, mode, pool, doers))
                    for verb in self.verbs(mode)
                    if (doers := self.doers(pool, verb, mode)).size
                ]
            )
        return self.made[key]

    def doers(self, pool: str, verb: Verb, mode: Mode) -> Space[Nominal]:
        """Give those of a pool who do what a verb says; in an event, somebody new may come in."""
        known = self.phrases.people_of(pool, verb.subjects, verb.lively)
        event = mode.tense in EVENTS and not (mode.negative or mode.asked or mode.daily)
        if pool in ("kin", "man", "woman") and event and pool != "kin":
            new = self.phrases.people_of(pool, verb.subjects, verb.lively, indefinite=True)
            return Union((4, known), (1, new))
        return known

    def spoken_of(
        self, pool: str, subjects: Space[Nominal], mode: Mode, wanted: Taken | None = None
    ) -> Space[VerbClause]:
        """Give the clauses about given subjects, of verbs that anybody in the pool may do."""
        return Union(
            *[
                (verb.weight, self.of_verb(verb, mode, pool, subjects))
                for verb in self.verbs(mode)
                if verb.subjects & PEOPLE and (wanted is None or wanted(verb))
            ]
        )

    def animals(self, mode: Mode) -> Space[VerbClause]:
        """Give what animals do, each its own."""
        made = []
        for verb in self.verbs(mode):
            nouns = [noun for noun in self.lexicon.animals if noun.sorts & verb.subjects]
            if nouns:
                doers: Space[Nominal] = self.phrases.of_nouns(nouns)
                parts = (self.objects(verb, "animal", mode), just(None), just(Extras()))
                clause = (doers, just(verb), just(mode.tense), *parts, just(mode.negative))
                made.append(Build(VerbClause, *clause))
        return either(made)

    def any(self, mode: Mode, without: str = "") -> Space[VerbClause]:
        """Give the clauses of a mode about anybody outside a pool."""
        weighted = [
            (weight, self.about(pool, mode))
            for pool, weight in weighted_pools(without != "", mode.asked)
            if pool not in clashing(without)
        ]
        if mode.tense in WILD and without == "" and not (mode.negative or mode.asked):
            weighted.append((1.5, self.animals(mode)))
        return Union(*weighted)

    def either_way(self, tense: Tense) -> Space[VerbClause]:
        """Give the clauses of a tense, affirmed or, where that is natural, denied."""
        timed = tense is not Tense.PLUPERFECT  # "had gone at six" waits for what came next
        said = self.any(Mode(tense, timed=timed))
        if tense not in NEGATABLE or not self.rich:
            return said
        return Union((4, said), (1, self.any(Mode(tense, negative=True, timed=timed))))


def weighted_pools(joined: bool, asked: bool = False) -> list[tuple[str, float]]:
    """List the pools with their weights.

    Beside another clause, "they" might mean its women: there, only I, we and you are said. And
    nobody asks others about himself or his own family.
    """
    said = {"pronoun": "asked" if asked else "speaker" if joined else "pronoun"}
    if asked:
        said["kin"] = "asked kin"
    return [
        (said.get(pool, pool), weight) for pool, weight in zip(POOLS, POOL_WEIGHTS, strict=True)
    ]


def clashing(pool: str) -> frozenset[str]:
    """Name the pools with whom somebody of this pool could be the same person."""
    names = {"male name", "female name", "both"}
    if pool == "both":
        return frozenset(names)
    return frozenset({pool, "both"} if pool in names else {pool})
