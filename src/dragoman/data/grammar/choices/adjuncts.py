"""The space of adjuncts: of place, company, benefit, instrument and means."""

from collections.abc import Callable, Iterable
from functools import partial

from dragoman.data.grammar.choices.phrases import Phrases
from dragoman.data.grammar.choices.spaces import Build, Space, Union, either, just
from dragoman.data.grammar.lexicon.entries import Adverb, Noun, Postposition
from dragoman.data.grammar.lexicon.prepositions import (
    AT_HOME,
    BY,
    BY_MEANS_OF,
    FOR,
    FROM,
    HERE,
    IN,
    IN_THE_SKY,
    ON,
    OUTSIDE,
    THERE,
    UNDER,
    WITH,
)
from dragoman.data.grammar.syntax.adjuncts import Adjunct, Spot, Whereabouts
from dragoman.data.grammar.syntax.nominals import Nominal, Phrase

RIDES = ("=bus", "=train", "=car", "=taxi", "=ship", "=aeroplane")
BESIDE = {"companion": WITH, "benefit": FOR}  # these name other people


class Adjuncts:
    """The adjuncts of one lexicon at one difficulty."""

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.made: dict[tuple[object, ...], Space[Whereabouts]] = {}

    def of_kind(self, kind: str, pool: str, nouns: Iterable[str] = ()) -> Space[Whereabouts]:
        """Give the adjuncts of a kind; companions come from another pool than the subject."""
        only = tuple(nouns)
        key = (kind, pool if kind in BESIDE else "", only)
        if key not in self.made:
            self.made[key] = self.make(kind, pool, only)
        return self.made[key]

    def make(self, kind: str, pool: str, only: tuple[str, ...]) -> Space[Whereabouts]:
        """Make the adjuncts of a kind, on some nouns only if they are named."""
        phrases = self.phrases
        if kind in BESIDE:
            person = phrases.others(pool, frozenset({"kin", "name", "pronoun"}))
            return self.under(BESIDE[kind], person)
        table: dict[str, Callable[[], Space[Whereabouts]]] = {
            "goal": lambda: self.going("to", only or ("@go",), THERE if not only else None),
            "hither": lambda: self.going("to", only or ("@come",), HERE if not only else None),
            "at": lambda: self.going("at", only or ("@go",), None),
            "from": lambda: self.around(FROM, ("@leave", "@go")),
            "on-bed": lambda: self.around(ON, ("=bed", "=sofa")),
            "on-seat": lambda: self.around(ON, ("=chair", "=sofa", "=bed")),
            "under": lambda: self.around(UNDER, ("=tree",)),
            "outside": lambda: self.around(OUTSIDE, ("=house", "=school", "=shop", "=office")),
            "on-furniture": lambda: self.around(ON, ("=table", "=shelf", "=chair")),
            "in-furniture": lambda: self.around(IN, ("=cupboard", "=box", "=bag")),
            "by": lambda: self.around(BY, RIDES, bare=True),
            "shop": lambda: self.around(FROM, ("=shop", "=market")),
            "pen": lambda: self.tool("pen"),
            "blade": lambda: self.tool("blade"),
            "sky": lambda: just(Spot(IN_THE_SKY)),
        }
        return table[kind]()

    def places(self, sorts: Iterable[str]) -> Space[Whereabouts]:
        """Give being at the places of some sorts."""
        wanted = {"@" + sort for sort in sorts}
        grounds = [noun for noun in self.phrases.grounds if noun.sorts & wanted]
        home = [noun for noun in grounds if noun.english == "house"] if "@be" not in wanted else []
        elsewhere: Space[Whereabouts] = self.phrases.being_at(
            [noun for noun in grounds if noun not in home]
        )
        at_home: Space[Whereabouts] = just(Spot(AT_HOME))
        weights = [noun.weight for noun in grounds if noun not in home]
        return Union((sum(weights), elsewhere), *[(noun.weight, at_home) for noun in home])

    def going(
        self, english: str, sorts: tuple[str, ...], adverb: Adverb | None
    ) -> Space[Whereabouts]:
        """Give going to places of some sorts, or here, or there."""
        nouns = [noun for noun in self.phrases.grounds if noun.sorts & set(sorts)]
        spots: Space[Whereabouts] = self.phrases.going_to(english, nouns)
        if adverb is None:
            return spots
        return Union((6, spots), (1, just(Spot(adverb))))

    def around(
        self, word: Postposition, sorts: tuple[str, ...], bare: bool = False
    ) -> Space[Whereabouts]:
        """Give things and places under a fixed postposition."""
        found = [noun for noun in self.phrases.nouns(sorts) if noun.kind != "transport"]
        here = either([self.bare(noun) if bare else self.phrases.place(noun) for noun in found])
        return self.under(word, here)

    def bare(self, noun: Noun) -> Space[Phrase]:
        """Give a noun without article: by train."""
        return just(Phrase(noun))

    def tool(self, kind: str) -> Space[Whereabouts]:
        """Give what one writes or cuts with."""
        tools = [noun for noun in self.phrases.nouns((kind,)) if noun.plural]
        return self.under(BY_MEANS_OF, either([self.phrases.place(noun) for noun in tools]))

    def under(self, word: Postposition, phrases: Space[Nominal]) -> Space[Whereabouts]:
        """Put a preposition before phrases."""
        return Build(partial(Adjunct, word.english, word.hindi), phrases)
