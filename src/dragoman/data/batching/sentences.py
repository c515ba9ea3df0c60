"""Rows of plain text for a network that reads from both sides.

full sentences   START a₁ a₂ END START b₁ b₂ b₃ END      whole lines, as many as fit (RoBERTa)
a pair           START a₁ a₂ END a₃ a₄ END               does the second segment follow? (BERT)
                   0   0  0   0  1  1   1

In full sentences every line of a corpus stands exactly once in an epoch. Where a document ends and
the row has room, the next one begins, with marks and a number of its own: attention does not cross
documents, so a document is read as if it stood alone. A line that is longer than a row is cut.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import ConfigError, DataError
from dragoman.data.batching.seeded_random import Purpose, seeded_random
from dragoman.data.batching.text_batch import Numbers, TextRow
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.special_tokens import OURS, SpecialTokens


class RowSource(Protocol):
    """Rows that are the same whenever the same row of the same epoch is asked for."""

    def lengths(self, epoch: int) -> Numbers:
        """Return how many tokens each row of an epoch has."""
        ...

    def row(self, epoch: int, example: int) -> TextRow:
        """Return one row of an epoch."""
        ...


@dataclass(frozen=True)
class SentencePieces:
    """Lines of a corpus, in order; each of them whole, or cut where it is longer than a row."""

    documents: Numbers
    begins: Numbers
    ends: Numbers

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def sizes(self) -> Numbers:
        """Tokens of each piece."""
        return self.ends - self.begins


def cut_lines(store: TextStore, longest: int) -> SentencePieces:
    """Return the lines of a store without the newlines between them, cut to a greatest length."""
    firsts = np.asarray(store.documents, dtype=np.int64)
    lines = np.asarray(store.lines, dtype=np.int64)
    documents: Numbers = np.repeat(np.arange(len(store), dtype=np.int64), np.diff(firsts))
    begins, ends = lines[:-1], lines[1:].copy()
    ends[:-1][documents[1:] == documents[:-1]] -= 1  # a newline stands before the next line
    parts = -(-(ends - begins) // longest)  # none of an empty line
    before: Numbers = np.repeat(np.cumsum(parts) - parts, parts)
    number = np.arange(len(before), dtype=np.int64) - before
    cut: Numbers = np.repeat(begins, parts) + number * longest
    return SentencePieces(
        np.repeat(documents, parts), cut, np.minimum(np.repeat(ends, parts), cut + longest)
    )


class FullSentences:
    """Rows filled with whole lines, one document after the other; all epochs have the same rows."""

    def __init__(self, store: TextStore, longest: int, *, special: SpecialTokens = OURS) -> None:
        _check_room(longest, 3)
        self.store = store
        self.special = special
        self.pieces = cut_lines(store, longest - 2)
        self.bounds, self._lengths = _fill(self.pieces, longest)

    def __len__(self) -> int:
        return len(self._lengths)

    def lengths(self, epoch: int) -> Numbers:
        """Return how many tokens each row has."""
        return self._lengths

    def row(self, epoch: int, example: int) -> TextRow:
        """Return one row: for each of its documents START, lines and END."""
        inside = range(int(self.bounds[example]), int(self.bounds[example + 1]))
        texts: dict[int, list[Numbers]] = {}
        for piece in inside:
            lines = texts.setdefault(int(self.pieces.documents[piece]), [])
            lines.append(_tokens(self.store, self.pieces, piece, piece + 1))
        special = self.special
        parts = [_joined([special.start], *lines, [special.end]) for lines in texts.values()]
        numbers = np.repeat(np.arange(1, len(parts) + 1, dtype=np.int64), [*map(len, parts)])
        return TextRow(_joined(*parts), documents=numbers)


class NextSentences:
    """Pairs of segments: half of the time the second truly follows, half it is from elsewhere.

    A corpus is cut into runs of at least two lines of one document, enough to fill a row. In every
    epoch each run is parted anew into two segments, and a coin decides whether the second one stays
    or is replaced by lines of another document, about as many as it has. A document of one line has
    nothing that follows, so it only serves as such a replacement.
    """

    def __init__(
        self,
        store: TextStore,
        longest: int,
        seed: int,
        *,
        every_epoch: bool = True,
        special: SpecialTokens = OURS,
    ) -> None:
        _check_room(longest, 5)
        self.store = store
        self.room = longest - 3
        self.seed = seed
        self.every_epoch = every_epoch
        self.special = special
        self.pieces = pieces = cut_lines(store, self.room)
        self.before: Numbers = np.concatenate(([0], np.cumsum(pieces.sizes)))
        """Tokens before each piece, and all of them."""
        found, firsts = np.unique(pieces.documents, return_index=True)
        self.firsts: Numbers = np.append(firsts, len(pieces)).astype(np.int64)
        """The first piece of each document that has any, and the number of pieces."""
        self.runs = _runs(pieces.sizes, self.firsts, self.room)
        if len(found) < 2 or not len(self.runs):
            raise DataError(
                "the next sentence can be guessed only where there are several documents, some of "
                "two lines or more. Set corpus.documents = 'paragraphs' and part the documents by "
                "empty lines, or set task.next_sentence = false."
            )

    def __len__(self) -> int:
        return len(self.runs)

    def lengths(self, epoch: int) -> Numbers:
        """Return how many tokens each row of an epoch has."""
        drawn = (self._draw(epoch, example) for example in range(len(self)))
        sizes = (self._size(one[0]) + self._size(one[1]) for one in drawn)
        return np.fromiter((min(size, self.room) + 3 for size in sizes), np.int64, len(self))

    def row(self, epoch: int, example: int) -> TextRow:
        """Return one pair: START, the first segment, END, the second segment, END."""
        first, second, follows = self._draw(epoch, example)
        one = _tokens(self.store, self.pieces, first.start, first.stop)
        other = _tokens(self.store, self.pieces, second.start, second.stop)
        keep, keep_other = fit_segments(len(one), len(other), self.room)
        # What is cut away is farthest from the seam: there the answer is to be found.
        one, other = one[len(one) - keep :], other[:keep_other]
        start, end = [self.special.start], [self.special.end]
        return TextRow(
            _joined(start, one, end, other, end),
            segments=np.repeat(np.arange(2, dtype=np.int64), [keep + 2, keep_other + 1]),
            follows=int(follows),
        )

    def _draw(self, epoch: int, example: int) -> tuple[range, range, bool]:
        """Return the pieces of the two segments of a row, and whether the second follows."""
        epoch = epoch if self.every_epoch else 0
        random = seeded_random(Purpose.NEXT_SENTENCE, self.seed, epoch, example)
        begin, end = self.runs[example].tolist()
        seam = int(random.integers(begin + 1, end))
        first, second = range(begin, seam), range(seam, end)
        follows = bool(random.random() < 0.5)
        return first, second if follows else self._elsewhere(second, random), follows

    def _elsewhere(self, second: range, random: np.random.Generator) -> range:
        """Draw lines of another document, until they are as long as what they replace."""
        own = int(np.searchsorted(self.firsts, second.start, side="right")) - 1
        other = int(random.integers(len(self.firsts) - 2))
        other += other >= own
        first, last = int(self.firsts[other]), int(self.firsts[other + 1])
        begin = int(random.integers(first, last))
        wanted = self.before[begin] + self._size(second)
        end = int(np.searchsorted(self.before, wanted))
        return range(begin, min(last, end))

    def _size(self, pieces: range) -> int:
        return int(self.before[pieces.stop] - self.before[pieces.start])


def fit_segments(one: int, other: int, room: int) -> tuple[int, int]:
    """Return how long two segments are once the longer one has been cut until both fit."""
    keep_other = min(other, max(room - one, room // 2))
    return min(one, room - keep_other), keep_other


def _fill(pieces: SentencePieces, longest: int) -> tuple[Numbers, Numbers]:
    """Put pieces into rows; return the first piece of each row, and how long the rows become."""
    bounds, lengths = [0], [0]
    before = -1
    for place, (document, size) in enumerate(
        zip(pieces.documents.tolist(), pieces.sizes.tolist(), strict=True)
    ):
        needed = size if document == before else size + 2
        if lengths[-1] + needed > longest:
            bounds.append(place)
            lengths.append(0)
            needed = size + 2
        lengths[-1] += needed
        before = document
    if not len(pieces):
        return np.zeros(1, np.int64), np.empty(0, np.int64)
    return np.array([*bounds, len(pieces)], np.int64), np.array(lengths, np.int64)


def _runs(sizes: Numbers, firsts: Numbers, room: int) -> Numbers:
    """Return begin and end of each run: two pieces or more, ended where they fill a row."""
    runs: list[list[int]] = []
    for first, last in zip(firsts[:-1].tolist(), firsts[1:].tolist(), strict=True):
        begin, length = first, 0
        for place in range(first, last):
            length += int(sizes[place])
            if length >= room and place > begin:
                runs.append([begin, place + 1])
                begin, length = place + 1, 0
        if last - begin > 1:
            runs.append([begin, last])
        elif last > begin > first:
            runs[-1][1] = last  # a single line left over goes with those before it
    return np.array(runs, dtype=np.int64).reshape(-1, 2)


def _tokens(store: TextStore, pieces: SentencePieces, begin: int, end: int) -> Numbers:
    """Return the tokens of consecutive pieces."""
    bounds = zip(pieces.begins[begin:end].tolist(), pieces.ends[begin:end].tolist(), strict=True)
    return _joined(*(store.tokens[first:last] for first, last in bounds))


def _joined(*parts: NDArray[np.integer] | list[int]) -> Numbers:
    return np.concatenate(parts).astype(np.int64)


def _check_room(longest: int, least: int) -> None:
    if longest < least:
        raise ConfigError(
            f"batches.max_length = {longest} leaves no room for words between the marks of a row. "
            f"Set it to {least} or more."
        )
