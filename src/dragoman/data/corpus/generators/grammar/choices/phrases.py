"""Which noun phrases there are: people by pool, things by kind, places with their postposition.

Two people in a clause are drawn from different pools, so that nobody helps himself.
"""

from collections.abc import Iterable
from functools import partial

from dragoman.data.corpus.generators.grammar.choices.spaces import (
    Build,
    Items,
    Space,
    Union,
    either,
    just,
    maybe,
)
from dragoman.data.corpus.generators.grammar.lexicon.determiners import (
    ALL,
    BARE,
    DEMONSTRATIVES,
    EVERY,
    OWN,
    OWNERS_POSSESSIVES,
    POSSESSIVES,
    SOME,
    THE,
    A,
)
from dragoman.data.corpus.generators.grammar.lexicon.entries import (
    Adjective,
    Determiner,
    Noun,
    Postposition,
)
from dragoman.data.corpus.generators.grammar.lexicon.lexicon import Lexicon
from dragoman.data.corpus.generators.grammar.syntax.clauses import Adjunct
from dragoman.data.corpus.generators.grammar.syntax.nominals import (
    PERSONAL,
    Coordination,
    Nominal,
    Phrase,
)

POOLS = ("male name", "female name", "titled", "man", "woman", "kin", "pronoun", "both")
POOL_WEIGHTS = (3.0, 3.0, 0.7, 3.0, 2.4, 3.4, 6.0, 0.6)
WORDED = ("man", "woman", "kin")  # the pools of common nouns, of which verbs choose
COUNTED = frozenset({"fruit", "dish", "book", "flower", "money", "vessel", "object", "vegetable"})
NAMELIKE = frozenset({"name", "city", "sport", "language", "subject", "art", "festival"})
SAID_OF_PEOPLE = frozenset({"personal", "character", "quality", "mood", "want"})
TASKS = frozenset({"task", "homework"})  # what one does is one's own
PASSING = frozenset({"mood", "want"})  # classes that rarely stand before a noun
PLACED = frozenset({"size", "look", "age"})  # what is said of a place on the way
MARRIED = {"husband": ("your", "her"), "wife": ("your", "his")}  # who else has one
FEW, DOZEN = 4, 11  # how many of the numerals are said of anything, and of small things
TOKENS = {
    "pronoun": frozenset({"pronoun"}),
    "speaker": frozenset({"pronoun"}),
    "asked": frozenset({"pronoun"}),
    "titled": frozenset[str](),
    "female name": frozenset({"name", "female-name"}),
}  # the sorts that name a pool without nouns
Choice = tuple[Determiner, bool]


def determine(noun: Noun, choice: Choice, adjective: Adjective | None) -> Phrase:
    """Put a phrase together."""
    determiner, plural = choice
    return Phrase(noun, plural, determiner, adjective)


class Phrases:
    """The noun phrases of one lexicon at one difficulty."""

    def __init__(self, lexicon: Lexicon, difficulty: int) -> None:
        self.lexicon = lexicon
        self.rich = difficulty >= 2
        self.things = (*lexicon.things, *lexicon.named, *lexicon.animals)
        self.grounds = (*lexicon.places, *lexicon.cities)
        self.people = {"man": lexicon.men, "woman": lexicon.women, "kin": lexicon.kin}
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

    def determiners(self, noun: Noun, bare: bool) -> Space[Choice]:
        """Give the determiners a noun can take, each with the number it asks for."""
        if noun.unique:
            return numbered(noun, (THE,))
        if "bodypart" in noun.sorts:
            return numbered(noun, (OWN,))
        groups: list[tuple[float, tuple[Determiner, ...]]] = [(4.0, (THE,)), (2.6, (A,))]
        if not (noun.honorific or noun.many):
            groups.append((1.2, DEMONSTRATIVES))
        if self.rich:
            groups += self.rich_determiners(noun)
            if bare and noun.kind not in TASKS:
                groups.append((1.2 if noun.plural else 5.0, (BARE,)))
        return Union(*[(weight, numbered(noun, group)) for weight, group in groups])

    def subject_determiners(self, noun: Noun, indefinite: bool) -> Space[Choice]:
        """Give the determiners of somebody spoken of: known, or brought in by a, two, some."""
        if indefinite:
            groups: list[tuple[float, tuple[Determiner, ...]]] = [(2.0, (A,))]
            if self.rich:
                groups += [(0.8, self.lexicon.numerals[:FEW]), (0.8, SOME)]
                if "young" in noun.sorts:
                    groups.append((0.5, (EVERY,)))
        else:
            groups = [(6.0, (THE,)), (0.4, (ALL,) if self.rich else ())]
            if not (noun.honorific or noun.many):
                groups.append((1.2, DEMONSTRATIVES))
        return Union(*[(weight, numbered(noun, group)) for weight, group in groups])

    def rich_determiners(self, noun: Noun) -> list[tuple[float, tuple[Determiner, ...]]]:
        """List numerals, quantifiers and possessives for a noun, with their weights."""
        groups = [(0.9, self.lexicon.numerals[:FEW]), (0.7, SOME)]
        groups += self.larger_numbers(noun)
        if noun.kind in COUNTED or noun.sorts & {"person", "cloth"}:
            groups.append((0.3, (ALL,)))
        if "young" in noun.sorts:
            groups.append((0.3, (EVERY,)))
        if noun.kind in TASKS:
            groups.append((5.0, (OWN,)))
        elif "own" in noun.sorts:
            groups += [(2.6, POSSESSIVES), (0.6, OWNERS_POSSESSIVES)]
        return groups

    def new(self, noun: Noun) -> Space[Choice]:
        """Give the determiners of what is only now made or bought: a, two, some, the."""
        groups: list[tuple[float, tuple[Determiner, ...]]] = [(2.0, (THE,)), (4.0, (A,))]
        groups.append((1.5 if noun.plural else 5.0, (BARE,)))
        if self.rich:
            groups += [(1.0, self.lexicon.numerals[:FEW]), (0.7, SOME)]
            groups += self.larger_numbers(noun)
        return Union(*[(weight, numbered(noun, group)) for weight, group in groups])

    def larger_numbers(self, noun: Noun) -> list[tuple[float, tuple[Determiner, ...]]]:
        """List the numerals above five, which only small things come in."""
        if noun.kind not in COUNTED:
            return []
        return [(0.5, self.lexicon.numerals[FEW:DOZEN]), (0.5, self.lexicon.numerals[DOZEN:])]

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
        chance = 0.3 if "animal" not in noun.sorts else 0.15
        adjectives = maybe(Items(suited), chance if suited else 0)
        return Build(determine, just(noun), self.determiners(noun, bare), adjectives)

    def somebody(self, noun: Noun, indefinite: bool) -> Space[Phrase]:
        """Give the phrases on one person."""
        if noun.kind == "kin":
            return self.relative(noun)
        suited = [a for a in self.adjectives(noun) if a.sort in SAID_OF_PEOPLE]
        personal = [a for a in suited if a.sort == "personal"]
        others = [a for a in suited if a.sort not in ("personal", *PASSING)]
        passing = [a for a in suited if a.sort in PASSING]
        described: Space[Adjective | None] = Union(
            (0.9, just(None)),
            (0.06 if self.rich else 0, Items(personal)),
            (0.03 if self.rich else 0, Items(others)),
            (0.01 if self.rich else 0, Items(passing)),
        )
        choices = self.subject_determiners(noun, indefinite)
        return Build(determine, just(noun), choices, described)

    def relative(self, noun: Noun) -> Space[Phrase]:
        """Give somebody's relative; kinship needs an owner."""
        married = MARRIED.get(noun.english)
        others = [p for p in POSSESSIVES[1:] if married is None or p.english in married]
        groups: list[tuple[float, tuple[Determiner, ...]]] = [
            (6.0, POSSESSIVES[:1]),
            (6.0, tuple(others)),
        ]
        if self.rich and not noun.many and married is None:
            groups.append((1.0, OWNERS_POSSESSIVES))
        suited = [a for a in self.adjectives(noun) if a.sort == "birth"] if self.rich else []
        owners = Union(*[(weight, numbered(noun, group)) for weight, group in groups])
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
        a time, "plain" inside longer sentences.
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
        suited = self.adjectives(noun, classes) if self.rich else []
        adjectives = maybe(Items(suited), 0.3 if suited else 0)
        choices = self.new(noun) if style == "new" else self.one(noun, style)
        if style in ("many", "usual", "ongoing", "denied"):
            choices = self.ongoing(noun, style)
        if style == "the":
            choices = numbered(noun, (THE,) if noun.plural else (THE, BARE))
        if style == "bare":
            choices = Items([c for c in numbered(noun, (BARE,)) if c[1] or not noun.plural])
        if style == "own":
            choices = Union((2, numbered(noun, (OWN, THE))), (2, numbered(noun, (A,))))
        return Build(determine, just(noun), choices, adjectives)

    def ongoing(self, noun: Noun, style: str) -> Space[Choice]:
        """Give the determiners of what is not counted: in habits, in the midst, in denials."""
        if "bodypart" in noun.sorts:
            return numbered(noun, (OWN,))
        groups: list[tuple[float, tuple[Determiner, ...]]] = [(4.0, (THE,))]
        if style != "many":
            groups.append(({"ongoing": 2.0, "denied": 0.4}.get(style, 0.0), (A,)))
            groups.append((0.8, DEMONSTRATIVES if not noun.many else ()))
        if noun.kind in TASKS:
            groups.append((5.0, (OWN,)))
        elif "own" in noun.sorts and self.rich:
            groups += [(2.6, POSSESSIVES), (0.4, OWNERS_POSSESSIVES)]
        if noun.kind not in TASKS:
            groups.append((1.5 if noun.plural else 5.0, (BARE,)))
        spaces = [(weight, numbered(noun, group)) for weight, group in groups]
        if style == "many":
            spaces = [(w, Items([c for c in s if c[1] or not noun.plural])) for w, s in spaces]
        return Union(*spaces)

    def one(self, noun: Noun, style: str) -> Space[Choice]:
        """Give the determiners of one thing: the, a, this, my."""
        if not noun.plural:
            return numbered(noun, (THE, BARE) if noun.kind not in TASKS else (THE, OWN))
        groups: list[tuple[float, tuple[Determiner, ...]]] = [(2.0, (THE,)), (2.0, (A,))]
        if "bodypart" in noun.sorts:
            return numbered(noun, (OWN,))
        if style == "one":
            groups.append((0.7, DEMONSTRATIVES[:2]))
        if "own" in noun.sorts and self.rich and not (style == "plain" and noun.kind in TASKS):
            groups.append((1.5, POSSESSIVES))
        return Union(*[(weight, singular(group)) for weight, group in groups])

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
                *[(noun.weight, self.somebody(noun, indefinite)) for noun in nouns]
            )
            return made
        own = TOKENS.get(pool, frozenset({"name"})) | {"people", "grown", "person"}
        fitting = sorts & own and not (lively and pool == "titled")
        nobody: Space[Nominal] = Items(())
        return self.pools.get(pool, nobody) if fitting else nobody

    def anybody(self, pool: str) -> Space[Nominal]:
        """Give the people of one pool."""
        return self.people_of(pool, frozenset({"people"}))

    def others(self, pool: str, sorts: frozenset[str] = frozenset({"person"})) -> Space[Nominal]:
        """Give the people of every other pool, to do something to or for."""
        key = ("others", pool, tuple(sorted(sorts)))
        if key not in self.crowds:
            excluded = {"pronoun" if pool in ("speaker", "asked") else pool, "both"}
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


def numbered(noun: Noun, group: Iterable[Determiner]) -> Items[Choice]:
    """Give each determiner with every number it and the noun allow."""
    choices = []
    for determiner in group:
        if noun.plural and "s" in determiner.numbers:
            choices.append((determiner, False))
        if noun.plural and "p" in determiner.numbers:
            choices.append((determiner, True))
        uncounted = not noun.plural and ("m" in determiner.numbers)
        if uncounted:
            choices.append((determiner, False))
    return Items(choices)


def singular(group: Iterable[Determiner]) -> Items[Choice]:
    """Give each determiner in the singular."""
    return Items([(determiner, False) for determiner in group])
