"""A batch of plain text: rows side by side, filled up to a rectangle.

tokens     START a ■ a END START b b ■ END PAD      ■ hides a word
labels      PAD  ·  a ·  ·    ·  · · b   ·  PAD      · is PAD too: nothing is asked there
documents    1   1  1 1  1    2  2 2 2   2   0
segments     0   0  0 0  0    0  0 0 0   0   0       1 in the second text of a pair
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.data.tokenizer.special_tokens import PAD

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class TextRow:
    """One row before it is padded; what is left out is one document, one segment, no question."""

    tokens: Numbers  # n
    labels: Numbers | None = None  # n, padding where nothing is asked
    documents: Numbers | None = None  # n, from 1
    segments: Numbers | None = None  # n
    follows: int | None = None
    """1 where the second segment truly follows the first, 0 where it does not."""

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class TextBatch:
    """Token numbers of b rows, what is asked of them, and which of them see each other."""

    tokens: Numbers  # b n
    labels: Numbers  # b n, padding where nothing is asked
    documents: Numbers  # b n, from 1; 0 for padding
    segments: Numbers  # b n
    follows: Numbers | None  # b, where rows are pairs
    examples: Numbers  # b, the numbers of the rows


def make_text_batch(
    rows: Sequence[TextRow], examples: ArrayLike | None = None, *, padding: int = PAD
) -> TextBatch:
    """Gather rows, each filled up to the longest."""
    width = max(map(len, rows), default=0)
    answers = [row.follows for row in rows if row.follows is not None]
    if answers and len(answers) != len(rows):
        raise ValueError("some rows of a batch are pairs, and some are not.")

    def rectangle(parts: Sequence[Numbers | None], empty: int, otherwise: int) -> Numbers:
        filled = np.full((len(rows), width), empty, dtype=np.int64)
        for place, (row, part) in enumerate(zip(rows, parts, strict=True)):
            filled[place, : len(row)] = otherwise if part is None else part
        return filled

    return TextBatch(
        tokens=rectangle([row.tokens for row in rows], padding, padding),
        labels=rectangle([row.labels for row in rows], padding, padding),
        documents=rectangle([row.documents for row in rows], 0, 1),
        segments=rectangle([row.segments for row in rows], 0, 0),
        follows=np.array(answers, dtype=np.int64) if answers else None,
        examples=np.asarray(np.arange(len(rows)) if examples is None else examples, np.int64),
    )
