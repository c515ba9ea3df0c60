"""Byte-pair encoding with its merge table, written out (Sennrich et al. 2016, algorithm 1).

Every word begins as single characters. The two neighbours that stand together most often, over all
words, are joined wherever they stand; that is one merge. A word is cut by the same merges in the
same order. With low 5 times, lower 2, newest 6 and widest 3 times:

    1  e + s → es      9 times
    2  es + t → est    9
    3  l + o → lo      7
    4  lo + w → low    7

Of pairs that are equally frequent the one whose parts are older comes first: characters by their
number in Unicode, then what was joined, in the order of joining. The `tokenizers` library does the
same, and is what learns and cuts in earnest (`learn`, `bpe`); tests keep the three equal.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.merges import segment

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Merge:
    """Two neighbours that are joined."""

    pair: Pair
    count: int | None = None
    """How often they stood together when they were chosen; None where that is not known."""

    @property
    def piece(self) -> str:
        """The merged subword."""
        return "".join(self.pair)


def learn(words: Mapping[str, int], merges: int, least: int = 1) -> list[Merge]:
    """Learn so many merges from counted words; fewer where no pair is left that is seen `least`."""
    neighbors = Neighbors((tuple(word), times) for word, times in words.items())
    age = {character: number for number, character in enumerate(sorted(neighbors.parts))}
    table: list[Merge] = []
    while len(table) < merges and neighbors.pairs:
        count = max(neighbors.pairs.values())
        if count < least:
            break
        tied = [pair for pair in neighbors.pairs if neighbors.pairs[pair] == count]
        best = Merge(min(tied, key=lambda pair: (age[pair[0]], age[pair[1]])), count)
        age.setdefault(best.piece, len(age))
        neighbors.join(best.pair, best.piece)
        table.append(best)
    return table


def cut(word: str, merges: Iterable[Merge]) -> list[str]:
    """Cut a word by the merges of a table, in their order."""
    parts = [*word]
    for merge in merges:
        parts = join(parts, merge.pair, merge.piece)
    return parts


def join(parts: Sequence[str], pair: Pair, piece: str) -> list[str]:
    """Join a pair wherever it stands, from left to right."""
    joined: list[str] = []
    place = 0
    while place < len(parts):
        found = tuple(parts[place : place + 2]) == pair
        joined.append(piece if found else parts[place])
        place += 2 if found else 1
    return joined


def merges_of(tokenizer: BpeTokenizer) -> list[Merge]:
    """Return the merges that make the subwords of a vocabulary, for people to look at.

    A subword that no two earlier subwords make, which training never leaves, is left out.
    """
    earlier: dict[str, int] = {}
    table = []
    for rank, piece in enumerate(tokenizer.learned):
        parts = segment(piece, earlier)
        if len(parts) == 2:
            table.append(Merge((parts[0], parts[1])))
        earlier[piece] = rank
    return table


def merge_lines(merges: Sequence[Merge]) -> str:
    """Return a table of merges as lines of text."""
    lines = []
    for rank, merge in enumerate(merges, 1):
        times = "" if merge.count is None else f"    {merge.count:,} times"
        lines.append(f"{rank:>5}  {merge.pair[0]} + {merge.pair[1]} → {merge.piece}{times}\n")
    return "".join(lines)


class Neighbors:
    """Counted words in parts, and how often each two parts stand side by side in them."""

    def __init__(self, words: Iterable[tuple[Sequence[str], int]]) -> None:
        self.parts: Counter[str] = Counter()
        self.pairs: Counter[Pair] = Counter()
        self._words: list[list[str]] = []
        self._times: list[int] = []
        self._where: defaultdict[Pair, set[int]] = defaultdict(set)
        for number, (parts, times) in enumerate(words):
            self._words.append([*parts])
            self._times.append(times)
            self._count(number, times)

    def join(self, pair: Pair, piece: str) -> set[Pair]:
        """Join a pair in every word; return the pairs whose counts have changed."""
        changed: set[Pair] = set()
        for number in self._where.pop(pair):
            changed |= self._count(number, -self._times[number])
            self._words[number] = join(self._words[number], pair, piece)
            changed |= self._count(number, self._times[number])
        return changed

    def _count(self, number: int, times: int) -> set[Pair]:
        """Add a word to the counts, or with negative times take it away; return its pairs."""
        parts = self._words[number]
        for part in parts:
            self.parts[part] += times
        found = [*pairwise(parts)]
        for pair in found:
            self.pairs[pair] += times
            if times > 0:
                self._where[pair].add(number)
            elif not self.pairs[pair]:
                del self.pairs[pair]
        return set(found)
