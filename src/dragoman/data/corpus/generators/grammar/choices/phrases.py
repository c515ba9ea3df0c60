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
    BARE,
    DEMONSTRATIVES,
    ONE,
    OWNERS_POSSESSIVES,
    POSSESSIVES,
    QUANTIFIERS,
    THE,
    A,
)
from dragoman.data.corpus.generators.grammar.lexicon.entries import Determiner, Noun, Postposition
from dragoman.data.corpus.generators.grammar.lexicon.lexicon import Lexicon
from dragoman.data.corpus.generators.grammar.lexicon.tables import rows
from dragoman.data.corpus.generators.grammar.syntax.clauses import Adjunct
from dragoman.data.corpus.generators.grammar.syntax.nominals import (
    PERSONAL,
    Coordination,
    Nominal,
    Phrase,
)

POOLS = ("male name", "female name", "titled", "man", "woman", "kin", "pronoun", "both")
POOL_WEIGHTS = (3.0, 3.0, 1.6, 5.0, 3.6, 2.4, 2.6, 0.8)
PERSONS = ("male name", "female name", "titled", "man", "woman", "kin", "pronoun")
HEADS = ("man", "woman")
OWNED = frozenset(row["english"] for row in rows("places") if row["flags"] == "owned")


def determine(noun: Noun, choice: tuple[Determiner, bool], adjective: object) -> Phrase:
    """Put a phrase together."""
    determiner, plural = choice
    return Phrase(noun, plural, determiner, adjective)  # type: ignore[arg-type]


class Phrases:
    """The noun phrases of one lexicon at one difficulty."""

    def __init__(self, lexicon: Lexicon, difficulty: int) -> None:
        self.lexicon = lexicon
        self.rich = difficulty >= 2
        nouns = (*lexicon.things, *lexicon.named, *lexicon.places, *lexicon.cities)
        self.kinds: dict[str, list[Noun]] = {}
        for noun in (*nouns, *lexicon.animals):
            self.kinds.setdefault(noun.kind, []).append(noun)
        self.spaces: dict[tuple[str, ...], Space[Phrase]] = {}
        self.company: dict[str, Space[Nominal]] = {}
        self.spots: dict[str, Space[Phrase]] = {}
        self.pools = self.people()
        self.animals = self.of_nouns(lexicon.animals)
        self.heads = {
            "man": self.heads_of(lexicon.men),
            "woman": self.heads_of(lexicon.women),
        }

    def people(self) -> dict[str, Space[Nominal]]:
        """Make the pools people are drawn from."""
        lexicon = self.lexicon
        men = [noun for noun in lexicon.names if not noun.feminine]
        women = [noun for noun in lexicon.names if noun.feminine]
        pools: dict[str, Space[Nominal]] = {
            "male name": Build(Phrase, Items(men)),
            "female name": Build(Phrase, Items(women)),
            "titled": Build(Phrase, Items(lexicon.titled)),
            "man": self.of_nouns(lexicon.men),
            "woman": self.of_nouns(lexicon.women),
            "kin": either([self.kin(noun) for noun in lexicon.kin]),
            "pronoun": Items(PERSONAL),
            "speaker": Items(PERSONAL[:3]),
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

    def determiners(self, noun: Noun, bare: bool) -> Space[tuple[Determiner, bool]]:
        """Give the determiners a noun can take, each with the number it asks for."""
        groups: list[tuple[float, tuple[Determiner, ...]]] = [
            (5.0, (THE,)),
            (2.4, (A,)),
            (1.6, DEMONSTRATIVES),
        ]
        if self.rich:
            groups += [(1.4, (*self.lexicon.numerals, ONE)), (1.2, QUANTIFIERS)]
            if noun.kind not in HEADS:
                groups += [(1.8, POSSESSIVES), (1.0, OWNERS_POSSESSIVES)]
            if bare:
                groups.append((1.0, (BARE,)))
        return Union(*[(weight, numbered(noun, group)) for weight, group in groups])

    def of_nouns(self, nouns: Iterable[Noun], bare: bool = False) -> Space[Phrase]:
        """Give the phrases on some nouns, every noun equally likely."""
        return either([self.of_noun(noun, bare) for noun in nouns])

    def of_noun(self, noun: Noun, bare: bool) -> Space[Phrase]:
        """Give the phrases on one noun."""
        if noun.kind in ("name", "city", "sport", "language", "subject"):
            return just(Phrase(noun))
        suited = [a for a in self.lexicon.adjectives if noun.kind in a.suits] if self.rich else []
        adjectives = maybe(Items(suited), 0.36 if suited else 0)
        return Build(determine, just(noun), self.determiners(noun, bare), adjectives)

    def kin(self, noun: Noun) -> Space[Phrase]:
        """Give somebody's relative; kinship needs an owner."""
        owners = POSSESSIVES + OWNERS_POSSESSIVES if self.rich else POSSESSIVES
        return Build(determine, just(noun), numbered(noun, owners), just(None))

    def heads_of(self, nouns: Iterable[Noun]) -> Space[Phrase]:
        """Give plain heads for relative clauses: the man, the men."""
        return either([Build(determine, just(n), numbered(n, (THE,)), just(None)) for n in nouns])

    def of_kinds(self, kinds: Iterable[str]) -> Space[Phrase]:
        """Give the phrases on every noun of some kinds."""
        key = tuple(sorted(kinds))
        if key not in self.spaces:
            nouns = [noun for kind in key for noun in self.kinds.get(kind, ())]
            self.spaces[key] = self.of_nouns(nouns, bare=True)
        return self.spaces[key]

    def thing_heads(self, kinds: Iterable[str]) -> Space[Phrase]:
        """Give plain things for relative clauses: the book, the books."""
        nouns = [noun for kind in sorted(kinds) for noun in self.kinds.get(kind, ())]
        return self.heads_of([noun for noun in nouns if noun.plural])

    def how_many(self, kinds: Iterable[str], determiner: Determiner) -> Space[Phrase]:
        """Give the plural things one can ask the number of."""
        nouns = [noun for kind in sorted(kinds) for noun in self.kinds.get(kind, ())]
        return Items([Phrase(noun, True, determiner) for noun in nouns if noun.plural])

    def subjects(self, pool: str) -> Space[Nominal]:
        """Give the people of one pool; an empty space if it has none here."""
        return self.pools.get(pool, Items(()))

    def others(self, pool: str) -> Space[Nominal]:
        """Give the people of every other pool, to do something to or for."""
        if pool not in self.company:
            self.company[pool] = self.outside(pool)
        return self.company[pool]

    def outside(self, pool: str) -> Space[Nominal]:
        """Join the pools of everybody else."""
        excluded = {"pronoun" if pool == "speaker" else pool, "both"}
        if pool == "both":
            excluded |= {"male name", "female name"}
        weighted = zip(POOLS, POOL_WEIGHTS, strict=True)
        return Union(*[(w, self.subjects(p)) for p, w in weighted if p not in excluded])

    def being_at(self, nouns: Iterable[Noun]) -> Space[Adjunct]:
        """Give being at places, each with its own postposition."""
        made = []
        for noun in nouns:
            english, hindi = noun.preposition
            made.append(Build(partial(Adjunct, english, hindi), self.place(noun)))
        return either(made)

    def going_to(self, english: str, nouns: Iterable[Noun]) -> Space[Adjunct]:
        """Give going to places."""
        made = []
        for noun in nouns:
            word = "in" if noun.kind == "city" and english == "at" else english
            made.append(Build(partial(Adjunct, word, noun.goal or "-"), self.place(noun)))
        return either(made)

    def place(self, noun: Noun) -> Space[Phrase]:
        """Give one place: definite, and now and then described."""
        if noun.english not in self.spots:
            self.spots[noun.english] = self.make_place(noun)
        return self.spots[noun.english]

    def make_place(self, noun: Noun) -> Space[Phrase]:
        """Make the phrases of one place."""
        if noun.kind == "city":
            return just(Phrase(noun))
        determiners: tuple[Determiner, ...] = (THE, *DEMONSTRATIVES[:2])
        if self.rich and noun.english in OWNED:
            determiners += POSSESSIVES
        suited = [a for a in self.lexicon.adjectives if noun.kind in a.suits] if self.rich else []
        articles = Union(
            (3, numbered_singular(determiners[:1])), (1, numbered_singular(determiners[1:]))
        )
        return Build(determine, just(noun), articles, maybe(Items(suited), 0.2 if suited else 0))

    def spatial(self, table: dict[Postposition, tuple[str, ...]]) -> Space[Adjunct]:
        """Give positions with respect to a thing: under the table, behind the house."""
        made = []
        for word, kinds in table.items():
            nouns = [noun for kind in kinds for noun in self.kinds.get(kind, ())]
            here = either([self.place(noun) for noun in nouns])
            made.append(Build(partial(Adjunct, word.english, word.hindi), here))
        return either(made)


def numbered(noun: Noun, group: Iterable[Determiner]) -> Items[tuple[Determiner, bool]]:
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


def numbered_singular(group: Iterable[Determiner]) -> Items[tuple[Determiner, bool]]:
    """Give each determiner in the singular."""
    return Items([(determiner, False) for determiner in group])
