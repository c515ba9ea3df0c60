"""Training a WordPiece vocabulary on counted words.

Every word begins as single characters, those after the first with ## before them. Then two
neighbours a and b are joined wherever they stand, and so on; which two, a score says:

    ratio         count(ab) / (count(a) · count(b))
    likelihood    count(ab) · log( N · count(ab) / (count(a) · count(b)) )     N: parts in all
    count         count(ab)

The ratio is how the books tell WordPiece: a pair is worth joining if its parts seldom stand without
each other. Taken at its word it spends the vocabulary on rare names: with 8000 subwords a word of
WikiText-2 takes 3.9 of them, and 1.4 with the others. The papers speak of the pair that makes the
text likelier (Schuster & Nakajima 2012), which is the second line; Google's own program was never
published. The Hugging Face trainer of that name ranks by the count, so its subwords are byte pairs
with ## before them.

Of equal scores the more frequent pair is joined, and of those the one whose parts are older.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from dragoman.config.tokenizer import WordPieceRank
from dragoman.data.tokenizer.escape import MARK
from dragoman.data.tokenizer.learn import LONGEST_PIECE, SEEN, Counts
from dragoman.data.tokenizer.merge_table import Neighbors, Pair
from dragoman.data.tokenizer.special_tokens import FIXED, SPACE
from dragoman.data.tokenizer.wordpiece import MORE

LEAST = 2
"""Times a pair must stand together to be joined."""


def learn_word_pieces(
    counts: Counts, room: int, rank: WordPieceRank = "ratio"
) -> tuple[list[str], int]:
    """Return subwords, characters first, and how many characters were left to bytes.

    At most half of the room goes to single characters.
    """
    alphabet, rare = _alphabet(counts, room // 2)
    neighbors = Neighbors(_fragments(counts, frozenset(alphabet)))
    scores = _Scores(neighbors, rank)
    pieces = dict.fromkeys(alphabet)
    reserved = frozenset(FIXED)
    while len(pieces) < room and (pair := scores.best()):
        piece = _joined(pair)
        scores.update(neighbors.join(pair, piece), (*pair, piece))
        if piece not in reserved:
            pieces[piece] = None
    return [*pieces], rare


def _alphabet(counts: Counts, room: int) -> tuple[list[str], int]:
    """Return the single characters worth a number, most frequent first, and how many are not."""
    seen: Counter[str] = Counter({SPACE: SEEN})
    for word, count in counts.items():
        for part in _parts(word):
            seen[part] += count
    ordered = sorted(seen, key=lambda part: (-seen[part], part))
    chosen = [part for part in ordered if seen[part] >= SEEN and part[-1] != MARK][:room]
    if SPACE not in chosen:
        chosen[-1] = SPACE
    left = {part[-1] for part in ordered} - {part[-1] for part in chosen} - {MARK}
    return chosen, len(left)


def _parts(word: str) -> list[str]:
    """Cut a word, with ▁ before it unless it goes on after a placeholder, into characters."""
    if not word.startswith(SPACE):
        return [MORE + character for character in word]
    return [word[1:2] or SPACE, *(MORE + character for character in word[2:])]


def _fragments(counts: Counts, alphabet: frozenset[str]) -> Iterator[tuple[Sequence[str], int]]:
    """Yield the words in characters, cut where one is left to bytes, and after a first # of two."""
    for word, count in sorted(counts.items()):
        parts = _parts(word)
        if parts[:2] == ["#", MORE + "#"]:
            parts = parts[1:]
        for known, some in groupby(parts, alphabet.__contains__):
            if known:
                yield [*some], count


def _joined(pair: Pair) -> str:
    return pair[0] + pair[1].removeprefix(MORE)


class _Scores:
    """Every pair with its count in arrays, so that the best of all is found at a glance."""

    def __init__(self, neighbors: Neighbors, rank: WordPieceRank) -> None:
        self._neighbors = neighbors
        self._rank = rank
        self._total = float(neighbors.parts.total())
        self._age = {part: number for number, part in enumerate(sorted(neighbors.parts))}
        self._part_counts = np.zeros(2 * len(self._age))
        self._pairs: dict[Pair, int] = {}
        self._names: list[Pair] = []
        self._rows = np.zeros((3, 1024), dtype=np.int64)  # left part, right part, count
        self.update(neighbors.pairs, neighbors.parts)

    def update(self, pairs: Iterable[Pair], parts: Iterable[str]) -> None:
        """Take over the counts of some pairs and of some parts."""
        for part in parts:
            number = self._age.setdefault(part, len(self._age))
            if number == len(self._part_counts):
                self._part_counts = np.resize(self._part_counts, 2 * number)
            self._part_counts[number] = self._neighbors.parts[part]
        for pair in pairs:
            count = self._neighbors.pairs[pair]
            row = self._pairs.get(pair)
            if row is not None:
                self._rows[2, row] = count
            elif count >= LEAST and len(_joined(pair).removeprefix(MORE)) <= LONGEST_PIECE:
                self._add(pair, count)

    def best(self) -> Pair | None:
        """Return the pair with the highest score, or None where no pair is left."""
        (alive,) = np.nonzero(self._rows[2, : len(self._names)] >= LEAST)
        if not len(alive):
            return None
        left, right, count = self._rows[:, alive]
        scores = self._scores(count, self._part_counts[left] * self._part_counts[right])
        (tied,) = np.nonzero(scores == scores.max())
        first = np.lexsort((right[tied], left[tied], -count[tied]))[0]
        return self._names[alive[tied[first]]]

    def _scores(self, pair: NDArray[np.int64], product: NDArray[np.float64]) -> NDArray[Any]:
        match self._rank:
            case "ratio":
                return pair / product
            case "likelihood":
                return pair * np.log(self._total * pair / product)
            case "count":
                return pair
            case _:
                assert_never(self._rank)

    def _add(self, pair: Pair, count: int) -> None:
        row = self._pairs[pair] = len(self._names)
        self._names.append(pair)
        if row == self._rows.shape[1]:
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)), axis=1)
        self._rows[:, row] = self._age[pair[0]], self._age[pair[1]], count
