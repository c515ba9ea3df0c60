"""The determiners of a noun: known or new, counted or not, by what is said of it."""

from collections.abc import Iterable

from dragoman.data.grammar.choices.spaces import Items, Space, Union
from dragoman.data.grammar.lexicon.determiners import (
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
from dragoman.data.grammar.lexicon.entries import Determiner, Noun

COUNTED = frozenset({"fruit", "dish", "book", "flower", "money", "vessel"})
TASKS = frozenset({"task", "homework"})  # what one does is one's own
FIXTURES = frozenset({"opening", "appliance", "light"})  # those of one's own house, never just any
FEW, DOZEN = 4, 11  # how many of the numerals are said of anything, and of small things
Choice = tuple[Determiner, bool]
Groups = list[tuple[float, tuple[Determiner, ...]]]


class Determiners:
    """The determiners of one lexicon at one difficulty."""

    def __init__(self, numerals: tuple[Determiner, ...], rich: bool) -> None:
        self.numerals = numerals
        self.rich = rich

    def in_style(self, noun: Noun, style: str) -> Space[Choice]:
        """Give the determiners of an object in a style, as `Phrases.of_sorts` names them."""
        match style:
            case "new":
                return self.new(noun)
            case "the":
                return numbered(noun, (THE,) if noun.plural else (THE, BARE))
            case "bare":
                return Items([c for c in numbered(noun, (BARE,)) if c[1] or not noun.plural])
            case "known":
                return self.known(noun)
            case "own":
                new = (A,) if "worn" in noun.sorts else ()
                return Union((2, numbered(noun, (OWN, THE))), (2, numbered(noun, new)))
            case "many" | "usual" | "ongoing" | "denied":
                return self.ongoing(noun, style)
            case _:
                return self.one(noun, style)

    def of(self, noun: Noun, bare: bool) -> Space[Choice]:
        """Give the determiners a noun can take, each with the number it asks for."""
        if noun.unique:
            return numbered(noun, (THE,))
        if noun.sorts & {"bodypart", "homework"}:
            return numbered(noun, (OWN,))
        groups: Groups = [(4.0, (THE,)), (2.6, (A,))]
        if not (noun.honorific or noun.many):
            groups.append((1.2, DEMONSTRATIVES))
        if self.rich:
            groups += self.numbers_and_owners(noun)
            if bare and noun.kind not in TASKS | FIXTURES:
                groups.append((1.2 if noun.plural else 5.0, (BARE,)))
        return Union(*[(weight, numbered(noun, group)) for weight, group in groups])

    def of_subject(self, noun: Noun, indefinite: bool) -> Space[Choice]:
        """Give the determiners of somebody spoken of: known, or brought in by a, two, some."""
        if indefinite:
            groups: Groups = [(2.0, (A,))]
            if self.rich:
                groups += [(0.8, self.numerals[:FEW]), (0.8, SOME)]
                if "young" in noun.sorts:
                    groups.append((0.5, (EVERY,)))
        else:
            groups = [(6.0, (THE,))]
            if not (noun.honorific or noun.many):
                groups.append((1.2, DEMONSTRATIVES))
        return Union(*[(weight, numbered(noun, group)) for weight, group in groups])

    def numbers_and_owners(self, noun: Noun) -> Groups:
        """List numerals, quantifiers and possessives for a noun, with their weights."""
        groups = [(0.5, self.numerals[:FEW]), (0.7, SOME)]
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
        groups: Groups = [(2.0, (THE,)), (4.0, (A,))]
        groups.append((1.5 if noun.plural else 5.0, (BARE,)))
        if self.rich:
            groups += [(1.0, self.numerals[:FEW]), (0.7, SOME)]
            groups += self.larger_numbers(noun)
        return Union(*[(weight, numbered(noun, group)) for weight, group in groups])

    def larger_numbers(self, noun: Noun) -> Groups:
        """List the numerals above five, which small things come in, and money above twelve."""
        if noun.kind not in COUNTED:
            return []
        dozen = (0.5, self.numerals[FEW:DOZEN])
        return [dozen, (3.0, self.numerals[DOZEN:])] if noun.kind == "money" else [dozen]

    def known(self, noun: Noun) -> Space[Choice]:
        """Give the determiners of what is there already: the, this, my."""
        groups: Groups = [(4.0, (THE,))]
        if not noun.many:
            groups.append((0.8, DEMONSTRATIVES))
        if noun.sorts & {"own", "owned", "@own"} and self.rich:
            groups.append((1.5, POSSESSIVES))
        single = noun.plural and (noun.kind in FIXTURES or noun.kind == "handset")
        return Union(*[(w, singular(g) if single else numbered(noun, g)) for w, g in groups])

    def ongoing(self, noun: Noun, style: str) -> Space[Choice]:
        """Give the determiners of what is not counted: in habits, in the midst, in denials."""
        if noun.sorts & {"bodypart", "homework"}:
            return numbered(noun, (OWN,))
        groups: Groups = [(4.0, (THE,))]
        if style != "many":
            groups.append(({"ongoing": 2.0, "denied": 0.4}.get(style, 0.0), (A,)))
            groups.append((0.8, DEMONSTRATIVES if not noun.many else ()))
        if noun.kind in TASKS:
            groups.append((5.0, (OWN,)))
        elif "own" in noun.sorts and self.rich:
            groups += [(2.6, POSSESSIVES), (0.4, OWNERS_POSSESSIVES)]
        if noun.kind not in TASKS | FIXTURES:
            groups.append((1.5 if noun.plural else 5.0, (BARE,)))
        spaces = [(weight, numbered(noun, group)) for weight, group in groups]
        if style == "many":
            spaces = [(w, Items([c for c in s if c[1] or not noun.plural])) for w, s in spaces]
        return Union(*spaces)

    def one(self, noun: Noun, style: str) -> Space[Choice]:
        """Give the determiners of one thing: the, a, this, my."""
        if not noun.plural:
            return numbered(noun, (THE, BARE) if noun.kind not in TASKS else (THE, OWN))
        groups: Groups = [(2.0, (THE,)), (2.0, (A,))]
        if "bodypart" in noun.sorts:
            return numbered(noun, (OWN,))
        if style == "one":
            groups.append((0.7, DEMONSTRATIVES[:2]))
        if "own" in noun.sorts and self.rich and not (style == "plain" and noun.kind in TASKS):
            groups.append((1.5, POSSESSIVES))
        return Union(*[(weight, singular(group)) for weight, group in groups])


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
    return Items([(determiner, False) for determiner in group if "s" in determiner.numbers])
