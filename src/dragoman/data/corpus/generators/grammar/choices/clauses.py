"""Which clauses there are: every verb with the subjects, objects and adjuncts that suit it."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from dragoman.data.corpus.generators.grammar.choices.phrases import POOL_WEIGHTS, POOLS, Phrases
from dragoman.data.corpus.generators.grammar.choices.spaces import (
    Build,
    Items,
    Space,
    Union,
    either,
    just,
    maybe,
)
from dragoman.data.corpus.generators.grammar.lexicon.entries import Adverb, Noun, Verb
from dragoman.data.corpus.generators.grammar.lexicon.prepositions import (
    AS_FAR_AS,
    BY_MEANS_OF,
    FOR,
    FROM,
    PERSONAL,
    WITH,
)
from dragoman.data.corpus.generators.grammar.syntax.clauses import Adjunct, Extras, VerbClause
from dragoman.data.corpus.generators.grammar.syntax.nominals import Nominal
from dragoman.data.corpus.generators.grammar.tenses import NEGATABLE, Tense

ENDLESS = frozenset({Tense.PROGRESSIVE, Tense.PAST_PROGRESSIVE, Tense.BEGAN})
ONCE = frozenset(
    {Tense.PAST, Tense.PERFECT, Tense.PLUPERFECT, Tense.FUTURE, Tense.IF_PRESENT}
    | {Tense.REPORTED_FUTURE, Tense.HAD_IF, Tense.WOULD_HAVE}
)
# What animals eat, drink and touch.
ANIMAL_OBJECTS = frozenset({"fruit", "vegetable", "liquid", "person", "vessel"})


WILLED = frozenset({Tense.HAVE_TO, Tense.SHOULD, Tense.WANT})
WILD = ONCE | ENDLESS | {Tense.CAN}  # the tenses in which animals are spoken of


class Mode(NamedTuple):
    """How a clause is said: its tense, whether denied, whether it may name a time."""

    tense: Tense
    negative: bool = False
    timed: bool = True


def allows(verb: Verb, tense: Tense, negative: bool = False) -> bool:
    """Say whether a verb makes sense in a tense; nobody is advised to fall down."""
    if tense in WILLED and not negative and (verb.unkind or not verb.commands):
        return False
    if verb.once:
        return tense in ONCE
    if verb.stative:
        return tense not in ENDLESS and tense is not Tense.ALREADY
    return not (verb.punctual and tense in ENDLESS)


def extend(adjunct: Adjunct | None, manner: Adverb | None, time: Adverb | None) -> Extras:
    """Put the optional parts together."""
    return Extras(adjunct, time, manner)


def repeat(adjunct: Adjunct | None, manner: Adverb | None, frequency: Adverb | None) -> Extras:
    """Put the optional parts of a habit together."""
    return Extras(adjunct, None, manner, frequency)


class Clauses:
    """The verb clauses of one lexicon at one difficulty."""

    def __init__(self, phrases: Phrases, difficulty: int) -> None:
        self.phrases = phrases
        self.lexicon = phrases.lexicon
        self.rich = difficulty >= 2
        self.adjuncts: dict[tuple[str, str], Space[Adjunct]] = {}
        self.made: dict[tuple[object, ...], Space[VerbClause]] = {}
        self.optional: dict[tuple[object, ...], Space[Extras]] = {}
        self.governed: dict[tuple[object, ...], Space[Nominal | None]] = {}

    def adjunct(self, kind: str, pool: str) -> Space[Adjunct]:
        """Give the adjuncts of one kind; companions come from another pool than the subject."""
        personal = kind in ("companion", "benefit")
        key = (kind, pool if personal else "")
        if key not in self.adjuncts:
            self.adjuncts[key] = self.make_adjunct(kind, pool)
        return self.adjuncts[key]

    def make_adjunct(self, kind: str, pool: str) -> Space[Adjunct]:
        """Make the adjuncts of one kind."""
        phrases, lexicon = self.phrases, self.lexicon
        indoors = [*self.nouns("place"), *self.nouns("area"), *lexicon.cities]
        outdoors = [*indoors, *self.nouns("water"), *self.nouns("landmark")]
        instruments = {"pen": "pen", "blade": "blade", "key": "key"}
        if kind in instruments:
            thing = phrases.thing_heads((instruments[kind],))
            return Build(partial(Adjunct, BY_MEANS_OF.english, BY_MEANS_OF.hindi), thing)
        table: dict[str, Callable[[], Space[Adjunct]]] = {
            "in": lambda: phrases.being_at(indoors),
            "water": lambda: phrases.being_at(self.nouns("water")),
            "on": lambda: phrases.spatial(PERSONAL),
            "goal": lambda: phrases.going_to("to", outdoors),
            "at": lambda: phrases.going_to("at", indoors),
            "source": lambda: self.around(FROM.english, FROM.hindi, outdoors),
            "shop": lambda: self.around(FROM.english, FROM.hindi, self.shops),
            "reach": lambda: self.around(AS_FAR_AS.english, AS_FAR_AS.hindi, outdoors),
            "companion": lambda: self.beside(WITH.english, WITH.hindi, pool),
            "benefit": lambda: self.beside(FOR.english, FOR.hindi, pool),
        }
        return table[kind]()

    @property
    def shops(self) -> list[Noun]:
        """List the places one buys from."""
        nouns = self.nouns("place") + self.nouns("area")
        return [noun for noun in nouns if noun.english in ("shop", "market")]

    def nouns(self, kind: str) -> list[Noun]:
        """List the nouns of a kind."""
        return self.phrases.kinds.get(kind, [])

    def around(self, english: str, hindi: str, nouns: Iterable[Noun]) -> Space[Adjunct]:
        """Give places under a fixed postposition."""
        here = either([self.phrases.place(noun) for noun in nouns])
        return Build(partial(Adjunct, english, hindi), here)

    def beside(self, english: str, hindi: str, pool: str) -> Space[Adjunct]:
        """Give people under a fixed postposition."""
        return Build(partial(Adjunct, english, hindi), self.phrases.others(pool))

    def extras(
        self, verb: Verb, tense: Tense, pool: str, negative: bool, timed: bool
    ) -> Space[Extras]:
        """Give the optional parts a verb allows in a tense."""
        usual = tense is Tense.HABITUAL and not negative
        time = tense.time if timed and not verb.stative else ""
        key = (verb.extras, verb.settled, pool, time, usual, usual and verb.stative)
        if key not in self.optional:
            self.optional[key] = self.make_extras(verb, time, pool, usual)
        return self.optional[key]

    def make_extras(self, verb: Verb, time: str, pool: str, usual: bool) -> Space[Extras]:
        """Make the optional parts."""
        nothing: Space[Adverb | None] = just(None)
        kinds = sorted(verb.extras - {"move", "task", "voice"}) if self.rich else []
        places = either([self.adjunct(kind, pool) for kind in kinds])
        suited = [m for m in self.lexicon.manners if m.suits & verb.extras] if self.rich else []
        chance = 1.0 if verb.settled else 0.55
        adjuncts = maybe(places, chance if kinds else 0)
        manners = maybe(Items(suited), 0.2 if suited else 0)
        if usual:
            often: Space[Adverb | None] = nothing if verb.stative else Items(self.frequencies)
            return Build(repeat, adjuncts, manners, often)
        times = [adverb for adverb in self.lexicon.times if time in adverb.suits]
        if not self.rich:
            times = []
        return Build(extend, adjuncts, manners, maybe(Items(times), 0.4 if times else 0))

    @property
    def frequencies(self) -> tuple[Adverb, ...]:
        """The adverbs of frequency; a habit always has one, else "read" could be past."""
        return self.lexicon.frequencies

    def objects(self, verb: Verb, pool: str) -> Space[Nominal | None]:
        """Give the objects of a verb; people come from another pool than the subject."""
        key = (verb.objects, pool)
        if key not in self.governed:
            self.governed[key] = self.make_objects(verb, pool)
        return self.governed[key]

    def make_objects(self, verb: Verb, pool: str) -> Space[Nominal | None]:
        """Make the objects."""
        if not verb.objects:
            return just(None)
        kinds = [kind for kind in verb.objects if kind != "person"]
        if pool == "animal":
            kinds = [kind for kind in kinds if kind in ANIMAL_OBJECTS]
        spaces: list[tuple[float, Space[Nominal | None]]] = []
        if kinds:
            spaces.append((1.0, self.phrases.of_kinds(kinds)))
        if "person" in verb.objects:
            spaces.append((2.0, self.phrases.others(pool)))
        return Union(*spaces)

    def recipients(self, verb: Verb, pool: str) -> Space[Nominal | None]:
        """Give the people something goes to."""
        if not verb.recipient:
            return just(None)
        return self.phrases.others(pool)

    def of_verb(
        self, verb: Verb, mode: Mode, pool: str, subjects: Space[Nominal]
    ) -> Space[VerbClause]:
        """Give the clauses of one verb in one mode, about given subjects of a pool."""
        return Build(
            VerbClause,
            subjects,
            just(verb),
            just(mode.tense),
            self.objects(verb, pool),
            self.recipients(verb, pool),
            self.extras(verb, mode.tense, pool, mode.negative, mode.timed),
            just(mode.negative),
        )

    def about(self, pool: str, mode: Mode) -> Space[VerbClause]:
        """Give the clauses of every verb in one mode, about the people of one pool."""
        return self.spoken_of(pool, self.phrases.subjects(pool), mode)

    def spoken_of(self, pool: str, subjects: Space[Nominal], mode: Mode) -> Space[VerbClause]:
        """Give the clauses about given subjects, who belong to the pool."""
        key = (pool, id(subjects), mode)
        if key not in self.made:
            role = "animals" if pool == "animal" else "people"
            verbs = [
                v
                for v in self.lexicon.verbs
                if role in v.subjects and allows(v, mode.tense, mode.negative)
            ]
            if pool == "animal":
                verbs = [v for v in verbs if tame(v)]
            if not self.rich:
                verbs = [v for v in verbs if not v.settled]
            self.made[key] = either([self.of_verb(verb, mode, pool, subjects) for verb in verbs])
        return self.made[key]

    def any(self, mode: Mode, without: str = "") -> Space[VerbClause]:
        """Give the clauses of a mode about anybody outside a pool."""
        weighted = [
            (weight, self.about(pool, mode))
            for pool, weight in weighted_pools(without != "")
            if pool not in clashing(without) and self.phrases.subjects(pool).size
        ]
        if mode.tense in WILD:
            animals: Space[Nominal] = self.phrases.animals
            weighted.append((2.5, self.spoken_of("animal", animals, mode)))
        return Union(*weighted)

    def either_way(self, tense: Tense) -> Space[VerbClause]:
        """Give the clauses of a tense, affirmed or, where that is natural, denied."""
        if tense not in NEGATABLE or not self.rich:
            return self.any(Mode(tense))
        return Union((4, self.any(Mode(tense))), (1, self.any(Mode(tense, negative=True))))


def tame(verb: Verb) -> bool:
    """Say whether an animal could do it to something it reaches."""
    return not verb.objects or bool(ANIMAL_OBJECTS & set(verb.objects))


def weighted_pools(joined: bool) -> list[tuple[str, float]]:
    """List the pools with their weights.

    Beside another clause, "they" might mean its women: there, only I, we and you are said.
    """
    return [
        ("speaker" if joined and pool == "pronoun" else pool, weight)
        for pool, weight in zip(POOLS, POOL_WEIGHTS, strict=True)
    ]


def clashing(pool: str) -> frozenset[str]:
    """Name the pools with whom somebody of this pool could be the same person."""
    names = {"male name", "female name", "both"}
    if pool == "both":
        return frozenset(names)
    return frozenset({pool, "both"} if pool in names else {pool})
