"""Documents cut into chunks for a causal language model, and chunks laid side by side in rows.

A document is read as START, its tokens, END. A chunk takes so many of these and is asked for the
ones that follow each, so that every token but START is asked for exactly once. Short chunks are
packed into one row; they are numbered, and no network may look from one into another.
"""

from bisect import bisect_left, insort
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.config.batches import BatchSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.endless import Endless
from dragoman.data.batching.plan import epoch_plan
from dragoman.data.batching.text_batch import TextBatch
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.special_tokens import OURS, SpecialTokens

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Chunks:
    """The chunks of documents: where each begins, and its number of predicted tokens."""

    documents: Numbers
    begins: Numbers
    lengths: Numbers

    def __len__(self) -> int:
        return len(self.lengths)


def cut(store: TextStore, longest: int) -> Chunks:
    """Cut every document into chunks of at most `longest` tokens, the last one shorter."""
    starts = np.asarray(store.starts, dtype=np.int64)
    asked = starts[1:] - starts[:-1] + 1  # its tokens and END
    counts = -(-asked // longest)
    documents = np.repeat(np.arange(len(asked), dtype=np.int64), counts)
    first: Numbers = np.repeat(np.cumsum(counts) - counts, counts)
    begins: Numbers = (np.arange(len(documents), dtype=np.int64) - first) * longest
    return Chunks(documents, begins, np.minimum(longest, asked[documents] - begins))


@dataclass(frozen=True)
class ChunkRows:
    """The batches of one epoch: each a list of rows, each a list of chunks."""

    batches: list[list[list[int]]]

    def __len__(self) -> int:
        return len(self.batches)


class ChunkStream(Endless[ChunkRows, TextBatch]):
    """Chunks of a store, every one exactly once per epoch, in an order fixed by the seed."""

    def __init__(
        self,
        store: TextStore,
        settings: BatchSettings,
        seed: int,
        *,
        packed: bool,
        special: SpecialTokens = OURS,
    ) -> None:
        self.store, self.settings, self.seed, self.packed = store, settings, seed, packed
        self.special = special
        self.chunks = cut(store, settings.max_length)

    def plan(self, epoch: int) -> ChunkRows:
        """Say which chunks stand in which row of which batch."""
        if not len(self.chunks):
            raise DataError("there is no text to train on.")
        return self._packed(epoch) if self.packed else self._alone(epoch)

    def batch(self, plan: ChunkRows, number: int, epoch: int) -> TextBatch:
        """Lay the chunks of one batch side by side."""
        rows = plan.batches[number]
        width = max(int(self.chunks.lengths[row].sum()) for row in rows)
        tokens = np.full((len(rows), width), self.special.padding, dtype=np.int64)
        labels, documents = tokens.copy(), np.zeros_like(tokens)
        for place, row in enumerate(rows):
            begin = 0
            for turn, chunk in enumerate(row, 1):
                read, asked = self._chunk(chunk)
                end = begin + len(read)
                tokens[place, begin:end], labels[place, begin:end] = read, asked
                documents[place, begin:end] = turn
                begin = end
        return TextBatch(
            tokens=tokens,
            labels=labels,
            documents=documents,
            segments=np.zeros_like(tokens),
            follows=None,
            examples=np.array([row[0] for row in rows], dtype=np.int64),
        )

    def _chunk(self, chunk: int) -> tuple[Numbers, Numbers]:
        """Return what a chunk reads and what it is asked for."""
        document = self.store.document(int(self.chunks.documents[chunk]))
        begin, length = int(self.chunks.begins[chunk]), int(self.chunks.lengths[chunk])
        inside = np.asarray(document[max(0, begin - 1) : begin + length], dtype=np.int64)
        before = [self.special.start] if begin == 0 else []
        after = [self.special.end] if begin + length > len(document) else []
        whole = np.concatenate((before, inside, after)).astype(np.int64)
        return whole[:-1], whole[1:]

    def _alone(self, epoch: int) -> ChunkRows:
        """Give each chunk a row of its own, with others of its length."""
        lengths = self.chunks.lengths
        plan = epoch_plan(lengths, lengths, self.settings, self.seed, epoch)
        return ChunkRows([[[int(chunk)] for chunk in plan[n]] for n in range(len(plan))])

    def _packed(self, epoch: int) -> ChunkRows:
        """Fill rows with chunks, the longest first, each into the fullest row it fits."""
        random = np.random.Generator(np.random.Philox(np.random.SeedSequence([self.seed, epoch])))
        order = random.permutation(len(self.chunks))
        longest, rows = self.settings.max_length, []
        for begin in range(0, len(order), self.settings.window):
            rows += _fill(order[begin : begin + self.settings.window], self.chunks.lengths, longest)
        together = max(1, self.settings.max_tokens // longest)
        mixed = random.permutation(len(rows))
        groups = [mixed[n : n + together] for n in range(0, len(mixed), together)]
        return ChunkRows([[rows[row] for row in group] for group in groups])


def _fill(chunks: Numbers, lengths: Numbers, longest: int) -> list[list[int]]:
    rows: list[list[int]] = []
    room: list[tuple[int, int]] = []  # what is free in a row, and which row; in order
    for chunk in chunks[np.argsort(-lengths[chunks], kind="stable")].tolist():
        length = int(lengths[chunk])
        place = bisect_left(room, (length, -1))
        if place < len(room):
            free, row = room.pop(place)
            rows[row].append(chunk)
        else:
            free, row = longest, len(rows)
            rows.append([chunk])
        if free > length:
            insort(room, (free - length, row))
    return rows
