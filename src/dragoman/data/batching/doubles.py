"""Doubles: phrases of tokens that stand twice in a row, as the training targets have them.

    कभी कभी      of 22 times that the word comes once twice: the language doubles it
    को को       of thousands of times once: a slip of the pen
    cantante    ant ant: letters that words of the language double

So that a search can tell a language's own doubles from a stutter, they are counted once. Tokens are
compared by what they say: the letters without capitals and without the marks around them. What has
no letter (digits, marks, placeholders, bytes) says nothing and may stand as often as it likes, and
so may scripts without spaces, where doubling is grammar (人人, 研究研究).
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dragoman.core.unspaced import is_unspaced
from dragoman.data.batching.store import TokenStore
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE, FIXED, SPACE
from dragoman.data.tokenizer.tokenizer import Tokenizer

LONGEST = 4
"""Tokens of the longest phrase whose doubles are counted."""

EXAMPLES = 500_000
"""Examples that are looked at, spread over the corpus."""

TEXTS = 200_000
"""Examples whose words are looked at."""

TOGETHER = 16_384
"""Examples in memory at a time."""

SILENT_FIRST, SILENT_AGAIN = -1, -2
"""What says nothing; it equals nothing, not even itself."""

DOUBLED = re.compile(r"(?=(\S{3,12}?)\1)")
"""Matches each stretch of a word that stands twice in a row."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Doubles:
    """The doubles of a run: what its training targets say twice in a row."""

    phrases: dict[str, tuple[int, int]]
    """Sounds with spaces between: how often they stand twice in a row, and how often at all."""
    stretches: frozenset[str]
    """Letters that stand twice in a row inside a word."""


@dataclass(frozen=True)
class TokenSounds:
    """The sounds of a vocabulary: what each of its tokens says, numbered.

    A phrase is repeated where the `again` of its second copy equals the `first` of the first. Marks
    before the first copy and after the second do not matter ("¿Es es", "regalo regalo."); between
    the two they part them ("no, no").
    """

    names: tuple[str, ...]
    """The sounds themselves, with ▁ before those that begin a word."""
    first: Numbers
    again: Numbers

    @property
    def letters(self) -> Numbers:
        """Letters of each sound that goes on with a word; 0 of one that begins it.

        A vowel sign or an accent, which no word doubles, counts as two.
        """
        return np.array([_letters(name) for name in self.names], dtype=np.int64)

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "TokenSounds":
        """Return what the tokens of a tokenizer say."""
        numbers: dict[str, int] = {}
        first = np.full(tokenizer.size, SILENT_FIRST, dtype=np.int64)
        again = np.full(tokenizer.size, SILENT_AGAIN, dtype=np.int64)
        special = FIRST_PIECE if tuple(tokenizer.pieces[:FIRST_PIECE]) == FIXED else 0
        for token in range(special, tokenizer.size):
            text = tokenizer.decode([token]).strip(SPACE + " ")
            sound = _core(text)
            if sound is None:
                continue
            begins = SPACE if tokenizer.begins_word(token) else ""
            number = numbers.setdefault(begins + sound.casefold(), len(numbers))
            placeholder = len(sound) == 1 and not text.startswith(sound)  # %s, %d
            if text.endswith(sound) and not placeholder:
                first[token] = number
            if text.startswith(sound):
                again[token] = number
        return cls(tuple(numbers), first, again)


def count_doubles(store: TokenStore, tokenizer: Tokenizer) -> Doubles:
    """Count what stands twice in a row in the targets of a corpus."""
    sounds = TokenSounds.of(tokenizer)
    doubled: Counter[tuple[int, ...]] = Counter()
    chosen = np.arange(0, len(store), max(1, -(-len(store) // EXAMPLES)))
    parts = [chosen[at : at + TOGETHER] for at in range(0, len(chosen), TOGETHER)]
    for examples in parts:
        _add_doubles(doubled, *_target_sounds(store, examples, sounds))
    whole: Counter[tuple[int, ...]] = Counter()
    for examples in parts if doubled else []:
        _add_phrases(whole, doubled, _target_sounds(store, examples, sounds)[0])
    phrases = {
        " ".join(sounds.names[sound] for sound in phrase): (count, whole[phrase])
        for phrase, count in sorted(doubled.items())
    }
    return Doubles(phrases, _stretches(store, tokenizer))


def _stretches(store: TokenStore, tokenizer: Tokenizer) -> frozenset[str]:
    """Return the letters that words of the targets double."""
    examples = range(0, len(store), max(1, -(-len(store) // TEXTS)))
    words = {
        word
        for example in examples
        for word in tokenizer.decode(store.example(example)[1].tolist()).casefold().split()
    }
    found = {match for word in words for match in DOUBLED.findall(word)}
    return frozenset(letters for letters in found if _core(letters) == letters)


def _target_sounds(
    store: TokenStore, examples: Numbers, sounds: TokenSounds
) -> tuple[Numbers, Numbers]:
    """Return the sounds of targets one after the other; the END of each parts it from the next."""
    begins = store.starts[examples] + store.source_lengths[examples]
    lengths = store.target_lengths[examples].astype(np.int64)
    ends = np.cumsum(lengths)
    places = np.arange(int(ends[-1])) + np.repeat(begins - (ends - lengths), lengths)
    tokens = store.tokens[places]
    return sounds.first[tokens], sounds.again[tokens]


def _add_doubles(doubled: Counter[tuple[int, ...]], first: Numbers, again: Numbers) -> None:
    for size in range(1, LONGEST + 1):
        same = (first[:-size] == again[size:]).astype(np.int64)
        if len(same) < size:
            return
        runs = np.convolve(same, np.ones(size, dtype=np.int64), "valid")
        for place in np.flatnonzero(runs == size).tolist():
            doubled[tuple(first[place : place + size].tolist())] += 1


def _add_phrases(
    whole: Counter[tuple[int, ...]], doubled: Counter[tuple[int, ...]], first: Numbers
) -> None:
    """Count how often each phrase that is doubled anywhere comes at all."""
    for size in range(1, LONGEST + 1):
        wanted = {phrase for phrase in doubled if len(phrase) == size}
        starts = np.flatnonzero(np.isin(first, [phrase[0] for phrase in wanted]))
        for place in starts[starts <= len(first) - size].tolist():
            phrase = tuple(first[place : place + size].tolist())
            if phrase in wanted:
                whole[phrase] += 1


def _core(text: str) -> str | None:
    """Return a token's text without the marks around it; None where it says nothing."""
    spoken = [at for at, character in enumerate(text) if _is_spoken(character)]
    if not spoken:
        return None
    core = text[spoken[0] : spoken[-1] + 1]
    has_letter = any(unicodedata.category(character)[0] in "LM" for character in core)
    return core if has_letter and not any(map(is_unspaced, core)) else None


def _letters(name: str) -> int:
    if name.startswith(SPACE):
        return 0
    return len(name) + (unicodedata.category(name[0])[0] == "M")


@lru_cache(maxsize=4096)
def _is_spoken(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"
