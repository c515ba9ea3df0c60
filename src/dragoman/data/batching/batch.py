"""A batch: examples side by side, filled up to a rectangle."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.data.tokenizer.special_tokens import END, PAD, START


@dataclass(frozen=True)
class Batch:
    """Token numbers of b examples; PAD fills each row up to the longest."""

    source: NDArray[np.int64]  # b s, END last
    target: NDArray[np.int64]  # b t, START first, END last
    examples: NDArray[np.int64]  # b, their places in the store

    @property
    def target_count(self) -> int:
        """Tokens to be predicted: all of the target but START and PAD."""
        return int(np.count_nonzero(self.target[:, 1:] != PAD))


def make_batch(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]], examples: ArrayLike | None = None
) -> Batch:
    """Gather examples as they stand in a store: each side with its END, without START."""
    sources = [np.asarray(source, dtype=np.int64) for source, _ in pairs]
    targets = [np.asarray(target, dtype=np.int64) for _, target in pairs]
    return Batch(
        source=_rectangle(sources, 0),
        target=_rectangle(targets, 1),
        examples=np.asarray(np.arange(len(pairs)) if examples is None else examples, np.int64),
    )


def make_source(sentences: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Gather encoded sentences, to which END is added: what a translator is given."""  # b s
    return _rectangle([np.asarray([*ids, END], dtype=np.int64) for ids in sentences], 0)


def _rectangle(rows: Sequence[NDArray[np.int64]], before: int) -> NDArray[np.int64]:
    """Fill up with PAD; `before` columns hold START."""
    width = before + max((len(row) for row in rows), default=0)
    filled = np.full((len(rows), width), PAD, dtype=np.int64)
    filled[:, :before] = START
    for row, ids in zip(filled, rows, strict=True):
        row[before : before + len(ids)] = ids
    return filled
