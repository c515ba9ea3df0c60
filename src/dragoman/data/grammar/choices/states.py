"""The space of clauses of being, having, liking and feeling."""

from collections.abc import Iterable
from functools import partial

from dragoman.data.grammar.choices.clauses import Clauses, clashing, weighted_pools
from dragoman.data.grammar.choices.determiners import numbered
from dragoman.data.grammar.choices.phrases import POOL_WEIGHTS, POOLS, WORDED, Phrases, determine
from dragoman.data.grammar.choices.spaces import Build, Items, Space, Union, either, just
from dragoman.data.grammar.lexicon.determiners import (
    BARE,
    DEMONSTRATIVES,
    POSSESSIVES,
    SOME,
    THE,
    A,
)
from dragoman.data.grammar.lexicon.entries import Adjective, Determiner, Liking, Noun
from dragoman.data.grammar.lexicon.prepositions import (
    ABOVE,
    AT_HOME,
    HERE,
    ON,
    PERSONAL,
    SPATIAL,
    THERE,
)
from dragoman.data.grammar.syntax.adjuncts import Spot, Whereabouts
from dragoman.data.grammar.syntax.clauses import Clause
from dragoman.data.grammar.syntax.feelings import WEATHER, Experience, FeelingState, Weather
from dragoman.data.grammar.syntax.having import Existence, Location, Possession
from dragoman.data.grammar.syntax.nominals import Nominal, Phrase
from dragoman.data.grammar.syntax.sentences import StateClause
from dragoman.data.grammar.syntax.states import Identity, Quality

NAMES = frozenset({"name"})  # what is said of names is said of pronouns
LUGGAGE = ("object", "=bag", "=basket", "=bucket", "=suitcase")
MOVABLES = (*LUGGAGE, "book", "key", "pen", "vessel", "handset", "toy", "fruit")
ADJECTIVAL = ("goods", "drinkable", "meal", "show", "told", "place", "area", "opening", "exam")
SCHOOL = ("question", "lesson", "task", "answer", "language", "homework", "letter")
NOTED = (*ADJECTIVAL, *SCHOOL, "animal", "wall", "ride", "wheeled", "water", "landmark")
HAD = ("own", "pet", "appliance", "=job")
HABITATS = {
    "pet": ("=garden", "=house", "=street", "=room"),
    "farm": ("=field", "=village"),
    "wild": ("=forest", "=zoo"),
    "small": ("=garden", "=kitchen"),
    "reptile": ("=garden", "=forest"),
    "bird": ("=garden", "=park"),
}
WEATHER_TIMES = {
    "present": (("", ""), ("today", "आज")),
    "past": (("", ""), ("yesterday", "कल")),
    "future": (("", ""), ("tomorrow", "कल"), ("today", "आज")),
    "event": (("", ""), ("yesterday", "कल"), ("last night", "कल रात")),
}
DONE_OR_BORN = ("bodypart", "task", "homework", "womenswear", "finery")  # not said to be had
KIN = ("kin", "asked kin")
EVERYBODY = (*POOLS, "speaker", "asked", "asked kin")
OTHERS = tuple(pool for pool in EVERYBODY if pool not in KIN)
FAMILY = 2  # how many of the numerals suit what one has


class States:
    """The clauses of being, having and feeling of one lexicon at one difficulty."""

    def __init__(
        self, phrases: Phrases, clauses: Clauses, difficulty: int, denies: bool = True
    ) -> None:
        self.denies = denies  # a question asks what is so
        self.phrases = phrases
        self.clauses = clauses
        self.lexicon = phrases.lexicon
        self.rich = difficulty >= 2

    def anybody(
        self, without: str = "", also: tuple[str, ...] = (), single: bool = False
    ) -> list[tuple[float, Space[Nominal]]]:
        """List the pools of people outside some, with their weights."""
        return [
            (weight, (self.phrases.owners if single else self.phrases.anybody)(pool))
            for pool, weight in weighted_pools(without != "", not self.denies)
            if pool not in {*clashing(without), *also} and self.phrases.anybody(pool).size
        ]

    def said_of(self, sorts: Iterable[str], tense: str = "") -> Space[Adjective]:
        """Give the adjectives one can say of some sorts of noun, in a tense."""
        wanted = frozenset(sorts)
        suited = [a for a in self.lexicon.adjectives if a.suits & wanted and a.predicative]
        if tense == "become":
            suited = [a for a in suited if a.english in ACQUIRED]
        return Items(suited)

    def qualities(self, tense: str, without: str = "") -> Space[StateClause]:
        """Give what people, animals and things are like."""
        spaces: list[tuple[float, Space[StateClause]]] = []
        for pool, weight in weighted_pools(without != "", not self.denies):
            if pool not in clashing(without):
                spaces.append((weight, self.personal_quality(pool, tense)))
        if without == "" and tense != "become":
            nouns = self.phrases.nouns(NOTED)
            if tense == "future":
                nouns = [noun for noun in nouns if "animal" not in noun.sorts]
            things = [(n.weight, self.thing_quality(n, tense)) for n in nouns]
            spaces.append((20.0, Union(*things)))
        return Union(*spaces)

    def personal_quality(self, pool: str, tense: str) -> Space[StateClause]:
        """Give what the people of a pool are like."""
        if pool in WORDED:
            nouns = self.phrases.people[pool]
            return Union(*[(n.weight, self.thing_quality(n, tense)) for n in nouns])
        subjects = self.phrases.anybody(pool)
        return self.quality(subjects, self.said_of(NAMES, tense), tense)

    def quality(
        self, subjects: Space[Nominal], adjectives: Space[Adjective], tense: str
    ) -> Space[StateClause]:
        """Give what subjects are like, denied now and then, or very much so."""
        graded = Items([a for a in adjectives if a.comparative])
        parts = (just(tense), self.flags(tense))
        plain = Build(Quality, subjects, adjectives, *parts)
        if not self.rich or tense == "become":
            return plain
        return Union((3, plain), (1, Build(Quality, subjects, graded, *parts, just(True))))

    def flags(self, tense: str) -> Space[bool]:
        """Whether it is denied."""
        if not (self.rich and self.denies) or tense not in ("present", "past", "future"):
            return just(False)
        return Union((5, just(False)), (1, just(True)))

    def thing_quality(self, noun: Noun, tense: str) -> Space[StateClause]:
        """Give what one thing or person is like, without an adjective inside its phrase."""
        suited = self.said_of(noun.sorts, tense)
        if tense == "future":
            suited = Items([a for a in suited if a.sort in ("mood", "taste", "heat", "ease")])
        if noun.kind == "kin":
            thing = self.phrases.relative(noun, asked=not self.denies)
        elif noun.kind in ("city", "sport", "language", "subject", "art", "festival"):
            thing = just(Phrase(noun))
        else:
            group = (THE, *DEMONSTRATIVES) if not (noun.honorific or noun.many) else (THE,)
            mine = POSSESSIVES if noun.sorts & {"own", "owned", "@own"} else ()
            choices = Union((3, numbered(noun, group)), (1.5, numbered(noun, mine)))
            thing = Build(determine, just(noun), choices, just(None))
        return self.quality(thing, suited, tense)

    def comparisons(self, tense: str) -> Space[Clause]:
        """Give who is more so than whom."""
        said = [a for a in self.lexicon.adjectives if a.suits & NAMES and a.comparative]
        graded = Items([a for a in said if a.sort != "mood" and (a.predicative or a.compared)])
        spaces = []
        for pool, weight in zip(POOLS, POOL_WEIGHTS, strict=True):
            subjects = self.phrases.people_of(pool, frozenset({"kin", "name", "pronoun", "folk"}))
            others = self.phrases.others(pool, frozenset({"kin", "name", "pronoun"}))
            if subjects.size and others.size:
                flags = (just(False), just(False))
                made = Build(Quality, subjects, graded, just(tense), *flags, others)
                spaces.append((weight, made))
        return Union(*spaces)

    def identities(self, tense: str, without: str = "") -> Space[StateClause]:
        """Give what people are: doctors, teachers."""
        nouns = Items(self.lexicon.professions)
        suited = [a for a in self.lexicon.adjectives if a.english in PROFESSIONAL]
        described: Space[Adjective | None] = Union(
            (2, just(None)), (1, Items(suited) if self.rich else Items(()))
        )
        if tense == "become":
            described = just(None)
        return Union(
            *[
                (w, Build(Identity, s, nouns, just(tense), self.flags(tense), described))
                for w, s in self.anybody(without, ("man", "woman"))
            ]
        )

    @property
    def spots(self) -> Space[Whereabouts]:
        """Places of people: at places, at home, here, near something."""
        around: Space[Whereabouts] = self.phrases.spatial(PERSONAL)
        plain: Space[Whereabouts] = Build(Spot, Items((AT_HOME, HERE, THERE)))
        return Union((5, self.clauses.adjuncts.places(("be",))), (1, around), (1.5, plain))

    @property
    def shelves(self) -> Space[Whereabouts]:
        """Places of things: on, under and in other things."""
        made: Space[Whereabouts] = self.phrases.spatial(SPATIAL)
        return made

    def locations(self, tense: str) -> Space[StateClause]:
        """Give where people and things are."""
        people = [
            (w, Build(Location, s, self.spots, just(tense), self.flags(tense)))
            for w, s in self.anybody()
        ]
        movables = [noun for noun in self.phrases.nouns(MOVABLES) if noun.plural]
        things = Union(*[(noun.weight, self.phrases.known(noun)) for noun in movables])
        lying = Build(Location, things, self.shelves, just(tense), self.flags(tense))
        pictures = self.phrases.nouns(("picture", "=clock", "=mirror"))
        over: Space[Whereabouts] = self.phrases.spatial({ABOVE: ("=door", "=bed", "=table")})
        hung = Union(*[(n.weight, self.phrases.known(n)) for n in pictures])
        hanging = Build(Location, hung, over, just(tense), self.flags(tense))
        if tense == "future":
            return Union(*people)
        return Union(*people, (14.0, lying), (1.0, hanging))

    def indefinite(self, noun: Noun) -> Space[Phrase]:
        """Give the phrases that bring something new: a, two, many, some."""
        many = self.lexicon.numerals[:FAMILY] if self.rich else ()
        group: tuple[Determiner, ...] = (*many, *SOME[:2]) if self.rich else ()
        if noun.kind == "kin":
            group = many
        uncounted = (BARE, *SOME) if self.rich else (BARE,)
        larger = self.phrases.determiners.larger_numbers(noun) if self.rich else []
        choices = Union(
            (2, numbered(noun, (A,))),
            (1, numbered(noun, group)),
            *[(weight, numbered(noun, numerals)) for weight, numerals in larger],
            (1, numbered(noun, uncounted if not noun.plural else ())),
        )
        suited = self.phrases.adjectives(noun, FOUND) if self.rich and noun.kind != "kin" else []
        described: Space[Adjective | None] = Union((4, just(None)), (1, Items(suited)))
        return Build(determine, just(noun), choices, described)

    def existences(self, tense: str) -> Space[Clause]:
        """Give what there is and where."""
        things = either([self.indefinite(noun) for noun in self.phrases.nouns(MOVABLES)])
        people = either([self.indefinite(noun) for noun in self.people if noun.plural])
        spaces: list[tuple[float, Space[Clause]]] = [
            (3, Build(Existence, things, self.shelves, just(tense))),
            (1, Build(Existence, people, self.clauses.adjuncts.places(("be",)), just(tense))),
        ]
        for kind, places in HABITATS.items():
            animals = [n for n in self.lexicon.animals if n.kind == kind]
            here = self.phrases.being_at([n for n in self.phrases.grounds if n.sorts & {*places}])
            found = either([self.indefinite(noun) for noun in animals])
            spaces.append((0.5, Build(Existence, found, here, just(tense))))
        birds = either([self.indefinite(n) for n in self.lexicon.animals if n.kind == "bird"])
        perched = self.phrases.spatial({ON: ("=tree", "=wall")})
        spaces.append((0.5, Build(Existence, birds, perched, just(tense))))
        return Union(*spaces)

    @property
    def people(self) -> tuple[Noun, ...]:
        """The common nouns of people."""
        everybody = (*self.lexicon.men, *self.lexicon.women)
        return tuple(noun for noun in everybody if noun.kind != "stranger")

    def possessions(self, tense: str, without: str = "") -> Space[StateClause]:
        """Give who has what, things and relatives."""
        owned = [
            noun
            for noun in self.phrases.nouns(HAD)
            if noun.kind not in DONE_OR_BORN and not noun.sorts & {"=cart", "=boat"}
        ]
        things = Union(*[(noun.weight, self.indefinite(noun)) for noun in owned])
        family = either([self.indefinite(noun) for noun in self.lexicon.kin if noun.plural])
        had: Space[Phrase] = Union((3, things), (1, family))
        if tense == "future":
            had = things
        how = (just(tense), just(not self.denies))
        return Union(
            *[(w, Build(Possession, s, had, *how)) for w, s in self.anybody(without, KIN, True)],
            *[
                (w, Build(Possession, s, things, *how))
                for w, s in self.anybody(without, OTHERS, True)
            ],
        )

    def wanted(self, liking: Liking) -> Space[Phrase]:
        """Give what is liked, needed, found: of all, of these, or some."""
        spaces = []
        for noun in self.phrases.nouns(liking.objects):
            if noun.kind in ("sport", "language", "subject", "art", "festival", "transport"):
                spaces.append((noun.weight, self.phrases.of_noun(noun, False, None)))
                continue
            if liking.english in ("like", "remember"):
                mine = POSSESSIVES if noun.sorts & {"own", "owned", "@own"} else ()
                animal = numbered(noun, (THE,)) if liking.english == "remember" else None
                choices = Union(
                    (3, animal or numbered(noun, (BARE,) if noun.kind != "home" else ())),
                    (1.5, numbered(noun, (THE,) if noun.many else (THE, *DEMONSTRATIVES))),
                    (1.0, numbered(noun, mine)),
                )
                made: Space[Phrase] = Build(determine, just(noun), choices, just(None))
            elif liking.english in ("find", "receive"):
                made = Union((2, self.phrases.known(noun)), (1, self.indefinite(noun)))
            else:
                made = self.indefinite(noun)
            spaces.append((noun.weight, made))
        return Union(*spaces)

    def experiences(self, tense: str, subjects: Space[Nominal]) -> Space[StateClause]:
        """Give what given people like, need, want, find, receive and remember."""
        spaces: list[Space[StateClause]] = []
        for liking in self.lexicon.likings:
            found = liking.english in ("find", "receive")
            if (found and tense == "present") or (tense == "future" and not found):
                continue
            denied = just(False) if tense == "future" else self.flags("past")
            make = partial(Experience, liking=liking, tense=tense)
            spaces.append(Build(partial(experience, make), subjects, self.wanted(liking), denied))
        return either(spaces)

    def all_experiences(self, tense: str, without: str = "") -> Space[StateClause]:
        """Give what anybody likes, needs, wants, finds, receives and remembers."""
        return Union(*[(w, self.experiences(tense, s)) for w, s in self.anybody(without)])

    def feelings(self, tense: str, subjects: Space[Nominal]) -> Space[StateClause]:
        """Give the states given people are in; only those with "be" are denied."""
        being = Items([f for f in self.lexicon.feelings if f.verb == "be"])
        having = Items([f for f in self.lexicon.feelings if f.verb != "be"])
        return Union(
            (3, Build(FeelingState, subjects, being, just(tense), self.flags(tense))),
            (1, Build(FeelingState, subjects, having, just(tense), just(False))),
        )

    def all_feelings(self, tense: str) -> Space[StateClause]:
        """Give the states anybody is in, animals, too, when they hunger and thirst."""
        beasts: Space[Nominal] = self.phrases.heads(self.lexicon.animals)
        bodily = Items([f for f in self.lexicon.feelings if f.english in ("hungry", "thirsty")])
        starving = Build(FeelingState, beasts, bodily, just(tense), self.flags(tense))
        return Union(*[(w, self.feelings(tense, s)) for w, s in self.anybody()], (2.0, starving))

    def weather(self, tense: str) -> Space[Clause]:
        """Give the weather."""
        kinds = [kind for kind, tenses in WEATHER.items() if tense in tenses]
        return Build(Weather, Items(kinds), just(tense), Items(WEATHER_TIMES[tense]))


ACQUIRED = frozenset({"happy", "sad", "tired", "sick", "angry", "rich", "worried"})
PROFESSIONAL = frozenset({"good", "famous", "honest", "hardworking", "intelligent"})
FOUND = frozenset({"colour", "size", "=new"})  # what is said of a thing when it turns up


def experience(make: partial[Experience], subject: Nominal, thing: Phrase, no: bool) -> Experience:
    """Put an experience together."""
    return make(subject=subject, thing=thing, negative=no)
