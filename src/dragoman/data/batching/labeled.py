"""Texts with their classes in batches: START, the tokens of a text, END; and one class a row.

They lie in a token store of pairs, with the text as the source and the number of its class as the
target. What is longer than `batches.max_length` is cut, so that every text counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.config.batches import BatchSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.arrays import Ids
from dragoman.data.batching.endless import Endless
from dragoman.data.batching.plan import EpochPlan, epoch_plan
from dragoman.data.batching.store import TokenStore
from dragoman.data.tokenizer.special_tokens import END, OURS, PAD, START, SpecialTokens
from dragoman.data.tokenizer.tokenizer import Tokenizer

Numbers = NDArray[np.int64]

AROUND = 2
"""START and END."""


@dataclass(frozen=True)
class LabeledBatch:
    """Token numbers of b texts, side by side, and the number of each one's class."""

    tokens: Numbers  # b n
    classes: Numbers  # b
    examples: Numbers  # b, the numbers of the texts
    lengths: Numbers  # b, without padding


def special_tokens_around(tokenizer: Tokenizer) -> SpecialTokens:
    """Return what a vocabulary puts around a text; where it has nothing of its own, ours."""
    pad, start, end = tokenizer.pad, tokenizer.start, tokenizer.end
    return SpecialTokens(
        padding=PAD if pad is None else pad,
        start=START if start is None else start,
        end=END if end is None else end,
    )


def row_of(tokens: Sequence[int] | Ids, longest: int, special: SpecialTokens = OURS) -> Numbers:
    """Return what a network reads of a text that has these tokens: no more than `longest`."""
    inside = np.asarray(tokens[: longest - AROUND], dtype=np.int64)
    return np.concatenate(([special.start], inside, [special.end])).astype(np.int64)


def make_labeled_batch(
    rows: Sequence[Numbers],
    classes: Sequence[int],
    examples: Numbers,
    special: SpecialTokens = OURS,
) -> LabeledBatch:
    """Gather rows, each filled up to the longest."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    tokens = np.full((len(rows), lengths.max()), special.padding, dtype=np.int64)
    for place, row in enumerate(rows):
        tokens[place, : len(row)] = row
    return LabeledBatch(tokens, np.array(classes, dtype=np.int64), examples, lengths)


def gather(
    rows: Sequence[Numbers],
    classes: Sequence[int],
    settings: BatchSettings,
    special: SpecialTokens = OURS,
) -> list[LabeledBatch]:
    """Gather a few texts into batches of similar length, each text once."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    plan = epoch_plan(lengths, lengths, settings, 0, 0)
    return [
        make_labeled_batch([rows[i] for i in one], [classes[i] for i in one], one, special)
        for one in (plan[number] for number in range(len(plan)))
    ]


class LabeledStream(Endless[EpochPlan, LabeledBatch]):
    """Texts of a store, every one exactly once per epoch, in an order fixed by the seed."""

    def __init__(
        self, store: TokenStore, settings: BatchSettings, seed: int, special: SpecialTokens = OURS
    ) -> None:
        self.store, self.settings, self.seed, self.special = (store, settings, seed, special)

    def plan(self, epoch: int) -> EpochPlan:
        """Say which texts stand together: those of similar length."""
        if not len(self.store):
            raise DataError("there is no text to train on.")
        whole = self.store.source_lengths - 1 + AROUND  # each is stored with one mark after it
        lengths = np.minimum(whole, self.settings.max_length)
        return epoch_plan(lengths, lengths, self.settings, self.seed, epoch)

    def batch(self, plan: EpochPlan, number: int, epoch: int) -> LabeledBatch:
        """Make one batch of a plan."""
        examples, longest = plan[number], self.settings.max_length
        stored = [self.store.example(int(index)) for index in examples]
        rows = [row_of(text[:-1], longest, self.special) for text, _ in stored]
        classes = [int(label[0]) for _, label in stored]
        return make_labeled_batch(rows, classes, examples, self.special)
