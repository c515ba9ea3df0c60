"""Words for Pig Latin: where they come from, how they are split, numbered and gathered.

Numbers: 0 padding, 1 the end of a prompt, 2 START, 3 END, and from 4 on the letters; with a to z
that makes the 30 entries that the literature counts (which has a hyphen and no padding).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.data.batching.batch import Batch, make_batch
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import present
from dragoman.data.corpus.generators.pig_latin import LARGE, SMALL, pig_latin, read_words
from dragoman.data.tokenizer.special_tokens import END

PROMPT_END = 1
FIRST_LETTER = END + 1
TRAINED_SHARE = 0.8
FEWEST = 35
"""Words that a list must have, so that each part of each split has some."""

Task = Literal["pig-latin", "backwards-and-sorted"]
WordPair = tuple[str, str]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Words:
    """The word lists; the small one is the beginning of the large one."""

    small: tuple[str, ...]
    large: tuple[str, ...]

    @property
    def checksum(self) -> str:
        """A short name for exactly these words."""
        text = f"{len(self.small)}\n" + "\n".join(self.large)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


@dataclass(frozen=True)
class WordSplit:
    """Words to train on and words to be judged by."""

    train: tuple[str, ...]
    valid: tuple[str, ...]
    common: tuple[str, ...]
    """Held out of both lists: the same words, whichever list is trained on."""


def gather_words(listed: Path | None) -> Words:
    """Read the common words of the catalogue, or a list of the user's own."""
    if listed is None:
        found = present(find_entry("common-words"))
        if not found:
            raise DataError(
                "pig-latin: the common words are not on this machine. "
                "Fetch them once with `dragoman data get common-words`, or give --words FILE."
            )
        listed = found[0].path
    words = read_words(listed)[:LARGE]
    if len(words) < FEWEST:
        raise DataError(f"{listed}: has only {len(words)} words; {FEWEST} are needed.")
    return Words(tuple(words[: max(5, len(words) * SMALL // LARGE)]), tuple(words))


def split_words(words: Words, size: Literal["small", "large"], seed: int) -> WordSplit:
    """Hold out a fifth of a list by a seeded shuffle.

    The small list is split first and the rest of the large one after it, each four to one: what
    the small list holds out the large one holds out as well, so that both can be judged by it.
    """
    random = Random(f"pig-latin/{seed}")
    small_train, small_valid = _four_to_one(words.small, random)
    rest_train, rest_valid = _four_to_one(words.large[len(words.small) :], random)
    common = (*small_valid, *rest_valid)
    if size == "small":
        return WordSplit(small_train, small_valid, common)
    return WordSplit((*small_train, *rest_train), common, common)


def _four_to_one(words: Sequence[str], random: Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
    shuffled = random.sample(words, len(words))
    cut = int(TRAINED_SHARE * len(shuffled))
    return tuple(shuffled[:cut]), tuple(shuffled[cut:])


def target_of(word: str, task: Task) -> str:
    """Return what a word becomes: its Pig Latin, or its letters backwards and then in order."""
    return pig_latin(word) if task == "pig-latin" else word[::-1] + "".join(sorted(word))


@dataclass(frozen=True)
class Alphabet:
    """Letters and their numbers."""

    letters: tuple[str, ...]

    @classmethod
    def of(cls, words: Sequence[str]) -> "Alphabet":
        """Take a to z, and whatever else stands in the words."""
        more = sorted({letter for word in words for letter in word} - set(ascii_lowercase))
        return cls((*ascii_lowercase, *more))

    @property
    def size(self) -> int:
        """Entries, with those that are no letters."""
        return FIRST_LETTER + len(self.letters)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each letter."""
        return {letter: FIRST_LETTER + place for place, letter in enumerate(self.letters)}

    def encode(self, word: str) -> Ids:
        """Return the numbers of a word's letters, and END."""
        return np.array([*(self.numbers[letter] for letter in word), END], dtype=np.int64)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the letters of some numbers."""
        return "".join(self.letters[number - FIRST_LETTER] for number in ids)


def encoded(pairs: Sequence[WordPair], alphabet: Alphabet) -> list[tuple[Ids, Ids]]:
    """Number the letters of both sides of each pair."""
    return [(alphabet.encode(source), alphabet.encode(target)) for source, target in pairs]


def equal_batches(
    pairs: Sequence[tuple[Ids, Ids]], size: int, random: Random | None = None
) -> list[Batch]:
    """Gather pairs of equal source and target length, at most `size` together: no padding.

    With a source of randomness the pairs of a length are shuffled, and the batches.
    """
    places = list(range(len(pairs)))
    if random:
        random.shuffle(places)
    buckets: dict[tuple[int, int], list[int]] = {}
    for place in places:
        source, target = pairs[place]
        buckets.setdefault((len(source), len(target)), []).append(place)
    groups = [
        bucket[begin : begin + size]
        for _, bucket in sorted(buckets.items())
        for begin in range(0, len(bucket), size)
    ]
    if random:
        random.shuffle(groups)
    return [make_batch([pairs[place] for place in group], group) for group in groups]
