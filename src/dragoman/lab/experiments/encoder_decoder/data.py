"""Toy languages: sentences of numbered words, their translation, and which word belongs to which.

Every source word has one target word. Where a language keeps the order, the target is the source
word by word. Where it sorts, the words of the first half of the vocabulary come first and then
those of the second, each half in its own order:

    source   c X a Y b Z       target   c a b X Y Z       in the words of the other language

Where a word goes depends on the words before it, so that no fixed map of places is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

from dragoman.config.settings import Settings
from dragoman.data.batching.batch import Batch, make_batch
from dragoman.data.batching.stream import Position
from dragoman.data.tokenizer.special_tokens import END
from dragoman.metrics.alignment import Link

FIRST_WORD = END + 1
Words = tuple[int, ...]


@dataclass(frozen=True)
class ToyPair:
    """A sentence, its translation, and the gold links between their words."""

    source: Words
    target: Words
    links: tuple[Link, ...]


class ToyLanguage(Settings):
    """A pair of languages, and how long their sentences are."""

    order: Literal["kept", "sorted"]
    words: int = 16
    shortest: int = 4
    longest: int = 10

    @property
    def vocab_size(self) -> int:
        """Entries of either vocabulary, special tokens included."""
        return FIRST_WORD + self.words


class ToyDrawer:
    """Draws pairs of a language; its dictionary and its sentences follow from the seed."""

    def __init__(self, language: ToyLanguage, seed: int) -> None:
        self.language = language
        self.random = Random(f"toy/{language.order}/{seed}")
        numbers = list(range(language.words))
        self.random.shuffle(numbers)
        self.dictionary = numbers
        self.held_out: set[Words] = set()

    def pair(self, length: int) -> ToyPair:
        """Draw one pair with so many words."""
        numbers = self.random.choices(range(self.language.words), k=length)
        places = list(range(length))
        if self.language.order == "sorted":
            half = self.language.words // 2
            places.sort(key=lambda place: numbers[place] >= half)  # stable: each half in its order
        return ToyPair(
            tuple(FIRST_WORD + number for number in numbers),
            tuple(FIRST_WORD + self.dictionary[numbers[place]] for place in places),
            tuple((place, to) for to, place in enumerate(places)),
        )

    def hold_out(self, count: int, length: int | None = None) -> list[ToyPair]:
        """Draw pairs that training will not show, of one length or of all."""
        pairs = [self.pair(length or self._length()) for _ in range(count)]
        self.held_out.update(pair.source for pair in pairs)
        return pairs

    def batches(self, size: int) -> Iterator[tuple[Batch, Position]]:
        """Draw new pairs for ever, those of a batch of one length, none of them held out."""
        step = 0
        while True:
            length = self._length()
            pairs: list[ToyPair] = []
            while len(pairs) < size:
                pair = self.pair(length)
                if pair.source not in self.held_out:
                    pairs.append(pair)
            step += 1
            yield as_batch(pairs), Position(0, step)

    def _length(self) -> int:
        return self.random.randint(self.language.shortest, self.language.longest)


def as_batch(pairs: list[ToyPair]) -> Batch:
    """Put pairs side by side as a network reads them."""
    return make_batch([((*pair.source, END), (*pair.target, END)) for pair in pairs])
