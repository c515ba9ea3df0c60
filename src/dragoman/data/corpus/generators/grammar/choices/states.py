"""Which clauses of being, having and feeling there are."""

from functools import partial

from dragoman.data.corpus.generators.grammar.choices.clauses import (
    Clauses,
    clashing,
    weighted_pools,
)
from dragoman.data.corpus.generators.grammar.choices.phrases import (
    POOL_WEIGHTS,
    POOLS,
    Phrases,
    determine,
    numbered,
)
from dragoman.data.corpus.generators.grammar.choices.spaces import (
    Build,
    Items,
    Space,
    Union,
    either,
    just,
)
from dragoman.data.corpus.generators.grammar.lexicon.determiners import QUANTIFIERS, A
from dragoman.data.corpus.generators.grammar.lexicon.entries import Adjective, Determiner, Noun
from dragoman.data.corpus.generators.grammar.lexicon.prepositions import ABOVE, SPATIAL
from dragoman.data.corpus.generators.grammar.syntax.clauses import Clause
from dragoman.data.corpus.generators.grammar.syntax.feelings import (
    WEATHER,
    Experience,
    State,
    Weather,
)
from dragoman.data.corpus.generators.grammar.syntax.nominals import Nominal, Phrase
from dragoman.data.corpus.generators.grammar.syntax.states import (
    Existence,
    Identity,
    Location,
    Possession,
    Quality,
)

MOVABLES = ("object", "fragile", "vessel", "pen", "key", "blade", "reading", "cloth")
GOODS = (*MOVABLES, "container", "jewel", "picture", "vehicle", "craft")
NOTED = (
    *GOODS,
    "fruit",
    "dish",
    "furniture",
    "seat",
    "place",
    "area",
    "tale",
    "song",
    "show",
    "opening",
)


class States:
    """The clauses of being, having and feeling of one lexicon at one difficulty."""

    def __init__(self, phrases: Phrases, clauses: Clauses, difficulty: int) -> None:
        self.phrases = phrases
        self.clauses = clauses
        self.lexicon = phrases.lexicon
        self.rich = difficulty >= 2
        self.spatial = phrases.spatial(SPATIAL)
        self.around = clauses.adjunct("on", "")

    def anybody(
        self, without: str = "", also: tuple[str, ...] = ()
    ) -> list[tuple[float, Space[Nominal]]]:
        """List the pools of people outside some, with their weights."""
        return [
            (weight, self.phrases.subjects(pool))
            for pool, weight in weighted_pools(without != "")
            if pool not in {*clashing(without), *also} and self.phrases.subjects(pool).size
        ]

    def suited(self, kind: str) -> Space[Adjective]:
        """Give the adjectives one can say of a kind of noun."""
        usual = "man" if kind in ("name", "person") else kind
        return Items([a for a in self.lexicon.adjectives if usual in a.suits and a.predicative])

    def acquired(self, kind: str, tense: str) -> Space[Adjective]:
        """Give the adjectives a thing can be, or become, in a tense."""
        suited = self.suited(kind)
        if tense != "become":
            return suited
        return Items([a for a in suited if a.english not in INBORN])

    def qualities(self, tense: str, without: str = "") -> Space[Clause]:
        """Give what people, animals and things are like."""
        flags = self.flags(tense)
        plain = self.plain
        spaces: list[tuple[float, Space[Clause]]] = [
            (w, Build(Quality, s, self.acquired("person", tense), just(tense), flags, plain))
            for w, s in self.anybody(without)
        ]
        if without == "":
            spaces += [
                (0.16, self.thing_quality(noun, tense))
                for kind in NOTED
                for noun in self.phrases.kinds.get(kind, ())
            ]
        return Union(*spaces)

    @property
    def plain(self) -> Space[bool]:
        """Whether "very" is said."""
        return Union((3, just(False)), (1, just(True))) if self.rich else just(False)

    def flags(self, tense: str) -> Space[bool]:
        """Whether it is denied."""
        if not self.rich or tense not in ("present", "past", "future"):
            return just(False)
        return Union((5, just(False)), (1, just(True)))

    def thing_quality(self, noun: Noun, tense: str) -> Space[Clause]:
        """Give what one thing is like, without an adjective inside its phrase."""
        thing = Build(determine, just(noun), self.phrases.determiners(noun, False), just(None))
        parts = (thing, self.acquired(noun.kind, tense), just(tense), self.flags(tense), self.plain)
        return Build(Quality, *parts)

    def predicates(self, kind: str, tense: str) -> Space[Clause]:
        """Give qualities still without a subject, for relative clauses to speak of their head."""
        nobody: Space[Nominal] = self.phrases.heads["man"]
        first = Items([next(iter(nobody))])
        return Build(Quality, first, self.suited(kind), just(tense), self.flags(tense), self.plain)

    def comparisons(self, tense: str) -> Space[Clause]:
        """Give who is more so than whom."""
        graded = Items([a for a in self.suited("person") if a.comparative])
        spaces = []
        for pool, weight in zip(POOLS, POOL_WEIGHTS, strict=True):
            subjects, others = self.phrases.subjects(pool), self.phrases.others(pool)
            if subjects.size and others.size:
                flags = (just(False), just(False))
                made = Build(Quality, subjects, graded, just(tense), *flags, others)
                spaces.append((weight, made))
        return Union(*spaces)

    def identities(self, tense: str, without: str = "") -> Space[Clause]:
        """Give what people are: doctors, teachers."""
        nouns = Items(self.lexicon.professions)
        suited = [a for a in self.suited("person") if a.english in PROFESSIONAL]
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

    def locations(self, tense: str) -> Space[Clause]:
        """Give where people and things are."""
        spots = Union((2, self.clauses.adjunct("in", "")), (1, self.around))
        people = [
            (w, Build(Location, s, spots, just(tense), self.flags(tense)))
            for w, s in self.anybody()
        ]
        things = self.phrases.of_nouns(self.nouns(MOVABLES))
        lying = Build(Location, things, self.spatial, just(tense), self.flags(tense))
        pictures = self.phrases.of_nouns(self.nouns(("picture",)))
        over = self.phrases.spatial({ABOVE: ("opening",)})
        hanging = Build(Location, pictures, over, just(tense), self.flags(tense))
        return Union(*people, (12.0, lying), (1.5, hanging))

    def nouns(self, kinds: tuple[str, ...]) -> list[Noun]:
        """List the nouns of some kinds."""
        return [noun for kind in kinds for noun in self.phrases.kinds.get(kind, ())]

    def indefinite(self, noun: Noun) -> Space[Phrase]:
        """Give the phrases that bring something new: a, two, many, some."""
        some = tuple(d for d in QUANTIFIERS if d.english in ("many", "some"))
        many = self.lexicon.numerals[:FAMILY] if noun.kind == "kin" else self.lexicon.numerals
        group: tuple[Determiner, ...] = (A, *many, *some) if self.rich else (A,)
        choices = Union((1, numbered(noun, group[:1])), (2, numbered(noun, group[1:])))
        return Build(determine, just(noun), choices, just(None))

    def existences(self, tense: str) -> Space[Clause]:
        """Give what there is and where."""
        things = either([self.indefinite(noun) for noun in self.nouns(MOVABLES)])
        animals = either([self.indefinite(noun) for noun in self.lexicon.animals])
        indoors = self.clauses.adjunct("in", "")
        return Union(
            (2, Build(Existence, things, self.spatial, just(tense))),
            (1, Build(Existence, things, indoors, just(tense))),
            (1, Build(Existence, animals, self.around, just(tense))),
            (1, Build(Existence, animals, indoors, just(tense))),
        )

    def possessions(self, tense: str, without: str = "") -> Space[Clause]:
        """Give who has what, things and relatives."""
        things = either([self.indefinite(noun) for noun in self.nouns(GOODS)])
        family = either([self.indefinite(noun) for noun in self.lexicon.kin if noun.plural])
        had = Union((3, things), (1, family))
        return Union(
            *[(w, Build(Possession, s, had, just(tense))) for w, s in self.anybody(without)]
        )

    def experiences(self, tense: str, subjects: Space[Nominal]) -> Space[Clause]:
        """Give what given people like, need, find, receive and remember."""
        spaces: list[Space[Clause]] = []
        for liking in self.lexicon.likings:
            found = liking.english in ("find", "receive")
            if (found and tense == "present") or (tense == "future" and not found):
                continue
            things = self.phrases.of_kinds(liking.objects)
            denied = self.flags("past")
            if tense == "future":
                denied = just(False)
            make = partial(Experience, liking=liking, tense=tense)
            spaces.append(Build(partial(experience, make), subjects, things, denied))
        return either(spaces)

    def all_experiences(self, tense: str, without: str = "") -> Space[Clause]:
        """Give what anybody likes, needs, finds, receives and remembers."""
        return Union(*[(w, self.experiences(tense, s)) for w, s in self.anybody(without)])

    def feelings(self, tense: str, subjects: Space[Nominal]) -> Space[Clause]:
        """Give the states given people are in; only those with "be" are denied."""
        being = Items([f for f in self.lexicon.feelings if f.verb == "be"])
        having = Items([f for f in self.lexicon.feelings if f.verb != "be"])
        return Union(
            (3, Build(State, subjects, being, just(tense), self.flags(tense))),
            (1, Build(State, subjects, having, just(tense), just(False))),
        )

    def all_feelings(self, tense: str, without: str = "") -> Space[Clause]:
        """Give the states anybody is in."""
        return Union(*[(w, self.feelings(tense, s)) for w, s in self.anybody(without)])

    def moods(self, subjects: Space[Nominal], tense: str) -> Space[Clause]:
        """Give the qualities that pass: happy, tired."""
        passing = [a for a in self.suited("person") if a.english in PASSING]
        return Build(Quality, subjects, Items(passing), just(tense))

    def weather(self, tense: str) -> Space[Clause]:
        """Give the weather."""
        return Build(Weather, Items(sorted(WEATHER)), just(tense))


INBORN = frozenset({"young", "tall", "new", "long", "short", "interesting"})
FAMILY = 5  # how many of the numerals suit brothers and daughters
PASSING = frozenset({"happy", "sad", "tired", "ill"})
PROFESSIONAL = frozenset({"good", "famous", "honest", "hardworking", "intelligent"})


def experience(make: partial[Experience], subject: Nominal, thing: Phrase, no: bool) -> Experience:
    """Put an experience together."""
    return make(subject=subject, thing=thing, negative=no)
