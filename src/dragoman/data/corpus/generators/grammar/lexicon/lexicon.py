"""The whole lexicon in one value, so that a test can count with a smaller one."""

from dataclasses import dataclass, fields

from dragoman.data.corpus.generators.grammar.lexicon import (
    adjectives,
    adverbs,
    dealings,
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

    def lexemes(self) -> int:
        """Count the words of the open classes and the numerals."""
        return sum(len(getattr(self, field.name)) for field in fields(self))


WHOLE = Lexicon(
    men=people.men,
    women=people.women,
    kin=people.kin,
    names=people.names,
    titled=people.titled(),
    animals=people.animals,
    professions=people.professions,
    things=things.things,
    named=things.named,
    places=places.places,
    cities=places.cities,
    adjectives=adjectives.adjectives,
    verbs=(
        *intransitives.motions,
        *intransitives.activities,
        *intransitives.socials,
        *transitives.persons,
        *transitives.daily,
        *dealings.dealings,
        *dealings.gifts,
    ),
    likings=experiences.likings,
    feelings=experiences.feelings,
    times=adverbs.times,
    frequencies=adverbs.frequencies,
    manners=adverbs.manners,
    numerals=determiners.numerals,
    vocatives=vocatives.vocatives,
)
