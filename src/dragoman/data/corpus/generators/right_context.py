"""Words that only what follows them explains.

    Teddy , they say , is on sale .              Teddy is a thing
    Teddy , they say , is a great president .    Teddy is a person

Every word has a tag. That of the first, "person" or "thing", is decided by the last words of the
sentence; all other words are "other". What lies between says nothing, and has 0 to 4 parts.
"""

from random import Random
from typing import NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.sampling import draw_distinct

PERSON, THING, OTHER = "person", "thing", "other"
MOST_ASIDES = 4

NAMES = (
    *("Teddy", "Rose", "Amber", "Brown", "May", "Jack", "Daisy", "Ivy", "Ruby", "Dolly", "Pepper"),
    *("Barbie", "Ginger", "Olive", "Robin", "Basil", "Violet", "Pearl", "Iris", "Lily"),
)
ASIDES = (
    *("they say", "as you know", "of course", "it seems", "so I hear", "I believe", "in my view"),
    *("once again", "by the way", "as always"),
)
OF_PERSONS = (
    *("a great president", "a good teacher", "my oldest friend", "their new doctor", "tired"),
    *("a famous singer", "our neighbour", "a kind nurse", "the new mayor", "asleep"),
    *("angry with me", "in love", "a brave soldier", "late for work", "sorry"),
)
OF_THINGS = (
    *("on sale", "sold out", "made in China", "five rupees", "out of print", "on the top shelf"),
    *("a cheap toy", "broken", "a brand of soap", "in the red box", "wrapped in paper"),
    *("a kind of paint", "a new colour", "in stock", "sold by weight"),
)


class Tagged(NamedTuple):
    """A sentence, its words between spaces, and one tag for each."""

    text: str
    tags: tuple[str, ...]
    asides: int
    """How many parts stand between the word and what decides its tag."""


def draw_tagged(count: int, *, seed: int, asides: int | None = None) -> list[Tagged]:
    """Draw distinct sentences with so many asides; without a number, with 0 to 4 of them."""
    if asides is not None and not 0 <= asides <= MOST_ASIDES:
        raise DataError(f"asides {asides}: have 0 to {MOST_ASIDES} of them.")

    def make(random: Random) -> Tagged:
        between = random.randint(0, MOST_ASIDES) if asides is None else asides
        tag, endings = random.choice([(PERSON, OF_PERSONS), (THING, OF_THINGS)])
        said = "".join(f", {aside} " for aside in random.sample(ASIDES, between))
        middle = f"{said}, is" if said else "is"
        text = f"{random.choice(NAMES)} {middle} {random.choice(endings)} ."
        return Tagged(text, (tag, *[OTHER] * text.count(" ")), between)

    return draw_distinct(make, count, seed=f"right context/{asides}/{seed}")
