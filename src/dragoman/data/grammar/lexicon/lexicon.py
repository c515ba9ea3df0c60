"""The whole lexicon in one value, so that a test can count with a smaller one."""

from dataclasses import dataclass, fields

from dragoman.data.grammar.lexicon import words
from dragoman.data.grammar.lexicon.determiners import numerals
from dragoman.data.grammar.lexicon.entries import (
    Adjective,
    Adverb,
    Determiner,
    Event,
    Feeling,
    Liking,
    Link,
    Noun,
    Verb,
    Vocative,
)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Every open class of words, and the numerals."""

    men: tuple[Noun, ...]
    women: tuple[Noun, ...]
    kin: tuple[Noun, ...]
    names: tuple[Noun, ...]
    titled: tuple[Noun, ...]
    animals: tuple[Noun, ...]
    professions: tuple[Noun, ...]
    things: tuple[Noun, ...]
    named: tuple[Noun, ...]
    places: tuple[Noun, ...]
    cities: tuple[Noun, ...]
    adjectives: tuple[Adjective, ...]
    verbs: tuple[Verb, ...]
    likings: tuple[Liking, ...]
    feelings: tuple[Feeling, ...]
    times: tuple[Adverb, ...]
    frequencies: tuple[Adverb, ...]
    manners: tuple[Adverb, ...]
    numerals: tuple[Determiner, ...]
    vocatives: tuple[Vocative, ...]
    events: dict[str, Event]
    causes: tuple[Link, ...]
    sequences: tuple[Link, ...]

    def lexemes(self) -> int:
        """Count the words of the open classes and the numerals."""
        others = ("events", "causes", "sequences")
        return sum(len(getattr(self, f.name)) for f in fields(self) if f.name not in others)


def whole() -> Lexicon:
    """Read every table."""
    people, things, places = words.nouns("people"), words.nouns("things"), words.nouns("places")
    return Lexicon(
        men=of_kinds(people, "male"),
        women=of_kinds(people, "female"),
        kin=of_kinds(people, "kin"),
        names=words.names(),
        titled=words.titled(),
        animals=words.nouns("animals"),
        professions=words.professions(),
        things=tuple(noun for noun in things if not noun.sorts & NAMED),
        named=of_kinds(things, *NAMED),
        places=tuple(noun for noun in places if noun.kind != "city"),
        cities=of_kinds(places, "city"),
        adjectives=words.adjectives(),
        verbs=words.verbs(),
        likings=words.likings(),
        feelings=words.feelings(),
        times=words.adverbs("times"),
        frequencies=words.adverbs("frequencies"),
        manners=words.adverbs("manners"),
        numerals=numerals,
        vocatives=words.vocatives(),
        events=words.events(),
        causes=words.links("links", "cause", "effect"),
        sequences=words.links("sequences", "first", "then"),
    )


def of_kinds(nouns: tuple[Noun, ...], *kinds: str) -> tuple[Noun, ...]:
    """Pick the nouns of some kinds."""
    return tuple(noun for noun in nouns if noun.sorts & set(kinds))


NAMED = frozenset(
    {"sport", "language", "subject", "art", "festival"}
)  # words of their own without article or number
WHOLE = whole()
