"""The whole lexicon in one value, so that a test can count with a smaller one."""

from dataclasses import dataclass, fields

from dragoman.data.corpus.generators.grammar.lexicon import (
    adjectives as adjectives_words,
    adverbs as adverbs_words,
    determiners as determiners_words,
    experiences as experiences_words,
    intransitives as intransitives_words,
    people as people_words,
    places as places_words,
    things as things_words,
    transitives as transitives_words,
    vocatives as vocatives_words,
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

    men: tuple[Noun, ...] = people_words.men
    women: tuple[Noun, ...] = people_words.women
    kin: tuple[Noun, ...] = people_words.kin
    names: tuple[Noun, ...] = people_words.names
    titled: tuple[Noun, ...] = people_words.titled()
    animals: tuple[Noun, ...] = people_words.animals
    professions: tuple[Noun, ...] = people_words.professions
    things: tuple[Noun, ...] = things_words.things
    named: tuple[Noun, ...] = things_words.named
    places: tuple[Noun, ...] = places_words.places
    cities: tuple[Noun, ...] = places_words.cities
    adjectives: tuple[Adjective, ...] = adjectives_words.adjectives
    verbs: tuple[Verb, ...] = (
        *intransitives_words.motions,
        *intransitives_words.activities,
        *intransitives_words.socials,
        *transitives_words.persons,
        *transitives_words.daily,
        *transitives_words.dealings,
        *transitives_words.gifts,
    )
    likings: tuple[Liking, ...] = experiences_words.likings
    feelings: tuple[Feeling, ...] = experiences_words.feelings
    times: tuple[Adverb, ...] = adverbs_words.times
    frequencies: tuple[Adverb, ...] = adverbs_words.frequencies
    manners: tuple[Adverb, ...] = adverbs_words.manners
    numerals: tuple[Determiner, ...] = determiners_words.numerals
    vocatives: tuple[Vocative, ...] = vocatives_words.vocatives

    def lexemes(self) -> int:
        """Count the words of the open classes and the numerals."""
        return sum(len(getattr(self, field.name)) for field in fields(self))
