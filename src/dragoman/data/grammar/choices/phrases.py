"""The space of noun phrases: people by pool, things by kind, places with their postposition.

Two people in a clause are drawn from different pools, so that nobody helps himself.
"""

from collections.abc import Iterable
from functools import partial

from dragoman.data.grammar.choices.determiners import Choice, Determiners, numbered, singular
from dragoman.data.grammar.choices.spaces import Build, Items, Space, Union, either, just, maybe
from dragoman.data.grammar.lexicon.determiners import (
    DEMONSTRATIVES,
    OWNERS_POSSESSIVES,
    POSSESSIVES,
    THE,
)
from dragoman.data.grammar.lexicon.entries import Adjective, Determiner, Noun, Postposition
from dragoman.data.grammar.lexicon.lexicon import Lexicon
from dragoman.data.grammar.syntax.adjuncts import Adjunct
from dragoman.data.grammar.syntax.nominals import PERSONAL, Coordination, Nominal, Phrase

POOLS = ("male name", "female name", "titled", "man", "woman", "kin", "pronoun", "both")
POOL_WEIGHTS = (3.0, 3.0, 0.7, 3.0, 2.4, 3.4, 6.0, 0.6)
WORDED = ("man", "woman", "kin", "asked kin")  # the pools of common nouns, of which verbs choose
NAMELIKE = frozenset({"name", "city", "sport", "language", "subject", "art", "festival"})
SAID_OF_PEOPLE = frozenset({"personal", "character", "quality", "mood", "want"})
PASSING = frozenset({"mood", "want"})  # classes that rarely stand before a noun
PLACED = frozenset({"size", "look", "age"})  # what is said of a place on the way
FIRST_PERSON = ("my", "our")
MARRIED = {"husband": ("your", "her"), "wife": ("your", "his")}  # who else has one
PLAIN = {"speaker": "pronoun", "asked": "pronoun", "asked kin": "kin"}  # parts of other pools
TOKENS = {
    "pronoun": frozenset({"pronoun"}),
    "speaker": frozenset({"pronoun"}),
    "asked": frozenset({"pronoun"}),
    "titled": frozenset[str](),
    "female name": frozenset({"name", "female-name"}),
}  # the sorts that name a pool without nouns


def determine(noun: Noun, choice: Choice, adjective: Adjective | None) -> Phrase:
    """Put a phrase together."""
    determiner, plural = choice
    return Phrase(noun, plural, determiner, adjective)


class Phrases:
    """The noun phrases of one lexicon at one difficulty."""

    def __init__(self, lexicon: Lexicon, difficulty: int) -> None:
        self.lexicon = lexicon
        self.rich = difficulty >= 2
        self.determiners = Determiners(lexicon.numerals, self.rich)
        self.things = (*lexicon.things, *lexicon.named, *lexicon.animals)
        self.grounds = (*lexicon.places, *lexicon.cities)
        self.people = {"man": lexicon.men, "woman": lexicon.women}
        self.people |= {"kin": lexicon.kin, "asked kin": lexicon.kin}
        self.spaces: dict[tuple[object, ...], Space[Phrase]] = {}
        self.crowds: dict[tuple[object, ...], Space[Nominal]] = {}
        self.spots: dict[str, Space[Phrase]] = {}
        self.pools = self.make_pools()

    def make_pools(self) -> dict[str, Space[Nominal]]:
        """Make the pools of people that no verb chooses among: names and pronouns."""
        men = [noun for noun in self.lexicon.names if not noun.feminine]
        women = [noun for noun in self.lexicon.names if noun.feminine]
        pools: dict[str, Space[Nominal]] = {
            "male name": Build(Phrase, Items(men)),
            "female name": Build(Phrase, Items(women)),
            "titled": Build(Phrase, Items(self.lexicon.titled)),
            "pronoun": Items(PERSONAL),
            "speaker": Items(PERSONAL[:3]),
            "asked": Items(PERSONAL[2:]),
        }
        if self.rich:
            mixed = Build(Coordination, pools["male name"], pools["female name"])
            sisters = [
                Coordination(Phrase(first), Phrase(second))
                for first in women
                for second in women
                if first is not second
            ]
            pools["both"] = Union((2, mixed), (1, Items(sisters)))
        return pools

    def nouns(self, sorts: Iterable[str]) -> list[Noun]:
        """List the things, animals and places of some sorts."""
        wanted = frozenset(sorts)
        return [noun for noun in (*self.things, *self.grounds) if noun.sorts & wanted]

    def adjectives(self, noun: Noun, classes: frozenset[str] | None = None) -> list[Adjective]:
        """List the adjectives that stand before a noun, of some classes or named as =dirty."""
        return [
            adjective
            for adjective in self.lexicon.adjectives
            if adjective.attributive
            and adjective.suits & noun.sorts
            and (classes is None or {adjective.sort, "=" + adjective.english} & classes)
        ]

    def of_nouns(
        self, nouns: Iterable[Noun], bare: bool = False, classes: frozenset[str] | None = None
    ) -> Space[Phrase]:
        """Give the phrases on some nouns, each as likely as its weight says."""
        return Union(*[(noun.weight, self.of_noun(noun, bare, classes)) for noun in nouns])

    def of_noun(self, noun: Noun, bare: bool, classes: frozenset[str] | None) -> Space[Phrase]:
        """Give the phrases on one noun."""
        if noun.kind in NAMELIKE:
            return just(Phrase(noun))
        if noun.kind == "kin":
            return self.relative(noun)
        suited = self.adjectives(noun, classes) if self.rich else []
        chance = 0.4 if "animal" not in noun.sorts else 0.15
        adjectives = maybe(Items(suited), chance if suited else 0)
        return Build(determine, just(noun), self.determiners.of(noun, bare), adjectives)

    def somebody(
        self, noun: Noun, indefinite: bool, asked: bool = False, single: bool = False
    ) -> Space[Phrase]:
        """Give the phrases on one person, or on several like him if not `single`."""
        if noun.kind == "kin":
            return self.relative(noun, asked, single)
        suited = [a for a in self.adjectives(noun) if a.sort in SAID_OF_PEOPLE]
        personal = [a for a in suited if a.sort == "personal"]
        others = [a for a in suited if a.sort not in ("personal", *PASSING)]
        passing = [a for a in suited if a.sort in PASSING]
        described: Space[Adjective | None] = Union(
            (0.8, just(None)),
            (0.16 if self.rich and not single else 0, Items(personal)),
            (0.03 if self.rich and not single else 0, Items(others)),
            (0.01 if self.rich and not single else 0, Items(passing)),
        )
        choices = self.determiners.of_subject(noun, indefinite)
        if single:
            choices = Items([(THE, False)])
        return Build(determine, just(noun), choices, described)

    def relative(self, noun: Noun, asked: bool = False, single: bool = False) -> Space[Phrase]:
        """Give somebody's relative; kinship needs an owner. One's own one does not ask about."""
        married = MARRIED.get(noun.english)
        others = [p for p in POSSESSIVES[1:] if married is None or p.english in married]
        groups: list[tuple[float, tuple[Determiner, ...]]] = [
            (6.0, POSSESSIVES[:1]),
            (6.0, tuple(others)),
        ]
        if self.rich and not noun.many and married is None:
            groups.append((1.0, OWNERS_POSSESSIVES))
        suited = [a for a in self.adjectives(noun) if a.sort == "birth"] if self.rich else []
        if asked:
            groups = [(w, tuple(p for p in g if p.english not in FIRST_PERSON)) for w, g in groups]
        numbers = [(weight, numbered(noun, group)) for weight, group in groups]
        if single and noun.plural:
            numbers = [(weight, singular(group)) for weight, group in groups]
        owners = Union(*numbers)
        return Build(determine, just(noun), owners, maybe(Items(suited), 0.2 if suited else 0))

    def heads(self, nouns: Iterable[Noun]) -> Space[Phrase]:
        """Give plain heads for relative clauses: the man, the men."""
        made = [
            (n.weight, Build(determine, just(n), numbered(n, (THE,)), just(None))) for n in nouns
        ]
        return Union(*made)

    def of_sorts(
        self, sorts: Iterable[str], classes: frozenset[str] = frozenset(), style: str = ""
    ) -> Space[Phrase]:
        """Give the phrases on every thing, animal or place of some sorts.

        The style is "new" for what is only now made or bought, "one" for what one has one of at
        a time, "own" for what one wears, "known" for what is there already, "ongoing", "usual" and
        "denied" for what is not counted, "many" for what is always many, and "plain", "the" and
        "bare" inside longer sentences.
        """
        key = (tuple(sorted(sorts)), tuple(sorted(classes)), style)
        if key not in self.spaces:
            found = [noun for noun in self.nouns(sorts) if noun.kind != "transport"]
            if style:
                made = [(noun.weight, self.styled(noun, classes, style)) for noun in found]
                self.spaces[key] = Union(*made)
            else:
                self.spaces[key] = self.of_nouns(found, bare=True, classes=classes)
        return self.spaces[key]

    def styled(self, noun: Noun, classes: frozenset[str], style: str) -> Space[Phrase]:
        """Give the phrases on a noun in a style."""
        if noun.kind in NAMELIKE:
            return just(Phrase(noun))
        suited = self.adjectives(noun, classes) if self.rich and style != "denied" else []
        adjectives = maybe(Items(suited), 0.4 if suited else 0)
        choices = self.determiners.in_style(noun, style)
        return Build(determine, just(noun), choices, adjectives)

    def known(self, noun: Noun) -> Space[Phrase]:
        """Give the phrases on what is known already: the book, my books."""
        mine = POSSESSIVES if noun.sorts & {"own", "owned", "@own"} else ()
        choices = Union((2, numbered(noun, (THE,))), (1, numbered(noun, mine)))
        return Build(determine, just(noun), choices, just(None))

    def people_of(
        self, pool: str, sorts: frozenset[str], lively: bool = False, indefinite: bool = False
    ) -> Space[Nominal]:
        """Give the people of a pool who are of some sorts; an empty space if there are none.

        Sorts are kinds of noun, `people` for all and `grown` for all who are not children.
        """
        key = (pool, tuple(sorted(sorts)), lively, indefinite)
        if key not in self.crowds:
            self.crowds[key] = self.choose(pool, sorts, lively, indefinite)
        return self.crowds[key]

    def choose(
        self, pool: str, sorts: frozenset[str], lively: bool, indefinite: bool
    ) -> Space[Nominal]:
        """Make the people of a pool who are of some sorts."""
        if pool in WORDED:
            nouns = [
                noun
                for noun in self.people[pool]
                if suits(noun, sorts) and not (lively and noun.elder)
            ]
            made: Space[Nominal] = Union(
                *[(n.weight, self.somebody(n, indefinite, pool == "asked kin")) for n in nouns]
            )
            return made
        own = TOKENS.get(pool, frozenset({"name"})) | {"people", "grown", "person"}
        fitting = sorts & own and not (lively and pool == "titled")
        nobody: Space[Nominal] = Items(())
        return self.pools.get(pool, nobody) if fitting else nobody

    def owners(self, pool: str) -> Space[Nominal]:
        """Give those of a pool who have something: of common nouns one, not several."""
        if pool not in WORDED:
            return self.anybody(pool)
        nouns = [noun for noun in self.people[pool] if noun.kind != "stranger"]
        asked = pool == "asked kin"
        return Union(*[(n.weight, self.somebody(n, False, asked, single=True)) for n in nouns])

    def anybody(self, pool: str) -> Space[Nominal]:
        """Give the people of one pool."""
        return self.people_of(pool, frozenset({"people"}))

    def others(self, pool: str, sorts: frozenset[str] = frozenset({"person"})) -> Space[Nominal]:
        """Give the people of every other pool, to do something to or for."""
        key = ("others", pool, tuple(sorted(sorts)))
        if key not in self.crowds:
            excluded = {PLAIN.get(pool, pool), "both"}
            if pool == "both":
                excluded |= {"male name", "female name"}
            weighted = [
                (weight, self.people_of(name, sorts))
                for name, weight in zip(POOLS, POOL_WEIGHTS, strict=True)
                if name not in excluded
            ]
            self.crowds[key] = Union(*weighted)
        return self.crowds[key]

    def being_at(self, nouns: Iterable[Noun]) -> Space[Adjunct]:
        """Give being at places, each with its own postposition."""
        made = []
        for noun in nouns:
            english, hindi = noun.preposition
            made.append((noun.weight, Build(partial(Adjunct, english, hindi), self.place(noun))))
        return Union(*made)

    def going_to(self, english: str, nouns: Iterable[Noun]) -> Space[Adjunct]:
        """Give going to places."""
        made = []
        for noun in nouns:
            word = "in" if noun.kind == "city" and english == "at" else english
            here = Build(partial(Adjunct, word, noun.goal or "-"), self.place(noun))
            made.append((noun.weight, here))
        return Union(*made)

    def place(self, noun: Noun) -> Space[Phrase]:
        """Give one place: definite, and now and then described."""
        if noun.english not in self.spots:
            self.spots[noun.english] = self.make_place(noun)
        return self.spots[noun.english]

    def make_place(self, noun: Noun) -> Space[Phrase]:
        """Make the phrases of one place."""
        if noun.kind == "city":
            return just(Phrase(noun))
        suited = self.adjectives(noun, PLACED) if self.rich else []
        owners = POSSESSIVES if self.rich and noun.sorts & {"owned", "@own"} else ()
        articles = Union(
            (6, singular((THE,))), (0.7, singular(DEMONSTRATIVES[:2])), (2, singular(owners))
        )
        return Build(determine, just(noun), articles, maybe(Items(suited), 0.12 if suited else 0))

    def spatial(self, table: dict[Postposition, tuple[str, ...]]) -> Space[Adjunct]:
        """Give positions with respect to a thing: under the table, behind the house."""
        made = []
        for word, sorts in table.items():
            here = either([self.place(noun) for noun in self.nouns(sorts)])
            made.append(Build(partial(Adjunct, word.english, word.hindi), here))
        return either(made)


def suits(noun: Noun, sorts: frozenset[str]) -> bool:
    """Say whether somebody is of some sorts."""
    if noun.kind == "stranger":  # a thief does what thieves do, and nothing else
        return "=" + noun.english in sorts
    if "people" in sorts or ("grown" in sorts and "young" not in noun.sorts):
        return True
    return bool(noun.sorts & sorts)
