"""Captions of one or two colored shapes, in English and in Hindi.

Hindi adjectives agree with their noun, and before के ऊपर and its like both stand in the oblique:
एक बड़ा छल्ला, but बड़े छल्ले के ऊपर; एक नीली पत्ती, and नीली पत्ती के नीचे.
"""

from typing import Literal, NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.grammar.hindi.adjectives import inflect
from dragoman.data.grammar.hindi.nouns import decline

Language = Literal["en", "hi"]


class Thing(NamedTuple):
    """One coloured shape."""

    shape: str
    color: str
    size: str


class Scene(NamedTuple):
    """One thing, or two and where the first is, seen from the second."""

    things: tuple[Thing, ...]
    relation: str | None = None


class ShapeNoun(NamedTuple):
    """A shape in Hindi."""

    word: str
    feminine: bool = False


NOUNS = {
    "circle": ShapeNoun("वृत्त"),
    "square": ShapeNoun("वर्ग"),
    "triangle": ShapeNoun("त्रिभुज"),
    "cross": ShapeNoun("क्रॉस"),
    "ring": ShapeNoun("छल्ला"),
    "star": ShapeNoun("तारा"),
    "bar": ShapeNoun("पट्टी", feminine=True),
    "leaf": ShapeNoun("पत्ती", feminine=True),
}
SHAPES = tuple(NOUNS)
"""The classes, in the order of their numbers."""

HINDI = {
    "red": "लाल",
    "green": "हरा",
    "blue": "नीला",
    "yellow": "पीला",
    "purple": "बैंगनी",
    "orange": "नारंगी",
    "small": "छोटा",
    "large": "बड़ा",
}
PLACES = {
    "above": ("above", "के ऊपर"),
    "below": ("below", "के नीचे"),
    "left": ("to the left of", "के बाईं ओर"),
    "right": ("to the right of", "के दाईं ओर"),
}
MOST_DETAIL = 3


def caption(scene: Scene, language: Language = "en", detail: int = MOST_DETAIL) -> str:
    """Describe a scene: its shapes (`detail` 1), their colours too (2), their sizes too (3)."""
    if not 1 <= detail <= MOST_DETAIL:
        raise DataError(f"detail {detail}: have 1 (shapes), 2 (and colours) or 3 (and sizes).")
    say = _in_english if language == "en" else _in_hindi
    return say(scene, detail)


def _adjectives(thing: Thing, detail: int) -> list[str]:
    return [thing.size, thing.color][MOST_DETAIL - detail :]


def _in_english(scene: Scene, detail: int) -> str:
    said = []
    for thing in scene.things:
        words = " ".join([*_adjectives(thing, detail), thing.shape])
        said.append(f"{'an' if words[0] in 'aeiou' else 'a'} {words}")
    if scene.relation is None:
        return said[0]
    return f"{said[0]} {PLACES[scene.relation][0]} {said[1]}"


def _in_hindi(scene: Scene, detail: int) -> str:
    first = f"एक {_hindi_phrase(scene.things[0], detail, oblique=False)}"
    if scene.relation is None:
        return first
    second = _hindi_phrase(scene.things[1], detail, oblique=True)
    return f"{first} {second} {PLACES[scene.relation][1]}"


def _hindi_phrase(thing: Thing, detail: int, *, oblique: bool) -> str:
    noun = NOUNS[thing.shape]
    adjectives = [inflect(HINDI[a], noun.feminine, oblique) for a in _adjectives(thing, detail)]
    shape = decline(noun.word, noun.feminine, inflects=True, plural=False, oblique=oblique)
    return " ".join([*adjectives, shape])
