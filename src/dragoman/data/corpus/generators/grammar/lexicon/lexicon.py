"""The whole lexicon in one value, so that a test can count with a smaller one."""

from dataclasses import dataclass, fields

from dragoman.data.corpus.generators.grammar.lexicon import (
    adjectives,
    adverbs,
    determiners,
    experiences,
    intransitives,
    people,
    places,
    things,
    transitives,
    vocatives,
)
from dragoman.data.corpus.generators.grammar.lexicon.entries import (
    Adjective,
    Adverb,
    Determiner,
    Noun,
    Verb,
)
from dragoman.data.corpus.generators.grammar.lexicon.experiences import Feeling, Liking
from dragoman.data.corpus.generators.grammar.lexicon.vocatives import Vocative


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Every open class of words, and the numerals."""

    men: tuple[Noun, ...] = people.men
    women: tuple[Noun, ...] = people.women
    kin: tuple[Noun, ...] = people.kin
    names: tuple[Noun, ...] = people.names
    titled: tuple[Noun, ...] = people.titled()
    animals: tuple[Noun, ...] = people.animals
    professions: tuple[Noun, ...] = people.professions
    things: tuple[Noun, ...] = things.things
    named: tuple[Noun, ...] = things.named
    places: tuple[Noun, ...] = places.places
    cities: tuple[Noun, ...] = places.cities
    adjectives: tuple[Adjective, ...] = adjectives.adjectives
    verbs: tuple[Verb, ...] = (
        *intransitives.motions,
        *intransitives.activities,
        *intransitives.socials,
        *transitives.persons,
        *transitives.daily,
        *transitives.dealings,
        *transitives.gifts,
    )
    likings: tuple[Liking, ...] = experiences.likings
    feelings: tuple[Feeling, ...] = experiences.feelings
    times: tuple[Adverb, ...] = adverbs.times
    frequencies: tuple[Adverb, ...] = adverbs.frequencies
    manners: tuple[Adverb, ...] = adverbs.manners
    numerals: tuple[Determiner, ...] = determiners.numerals
    vocatives: tuple[Vocative, ...] = vocatives.vocatives

    def lexemes(self) -> int:
        """Count the words of the open classes and the numerals."""
        return sum(len(getattr(self, field.name)) for field in fields(self))
