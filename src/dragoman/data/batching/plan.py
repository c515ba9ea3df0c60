"""The batches of one epoch: which examples stand together.

Shuffle everything; in each window of the shuffled examples sort by length, so that neighbours fit
together; cut batches that stay within the budget of token slots; shuffle the batches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.config.batches import BatchSettings

Lengths = NDArray[np.integer[Any]]
Order = NDArray[np.int32] | NDArray[np.int64]


@dataclass(frozen=True)
class EpochPlan:
    """The batches of one epoch. Takes 4 bytes per example and 16 per batch."""

    order: Order
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    left_out: int
    """Examples with a side longer than `batches.max_length`."""

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> NDArray[np.int64]:
        return self.order[self.starts[index] : self.ends[index]].astype(np.int64)


def epoch_plan(
    source_lengths: Lengths, target_lengths: Lengths, settings: BatchSettings, seed: int, epoch: int
) -> EpochPlan:
    """Plan an epoch: a pure function of its arguments, so that training can go on anywhere."""
    random = np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, epoch])))
    order = _fitting(source_lengths, target_lengths, settings.max_length)
    random.shuffle(order)
    cuts = [0]
    for begin in range(0, len(order), settings.window):
        window = order[begin : begin + settings.window]
        source, target = source_lengths[window], target_lengths[window]
        by_length = _by_length(source, target)
        window[:] = window[by_length]
        longer = np.maximum(source, target)[by_length]
        cuts += [begin + end for end in _cut(longer, settings.max_tokens)]
    bounds = np.array(cuts, dtype=np.int64)
    shuffled = random.permutation(len(bounds) - 1)
    return EpochPlan(
        order=order,
        starts=bounds[:-1][shuffled],
        ends=bounds[1:][shuffled],
        left_out=len(source_lengths) - len(order),
    )


def _by_length(source: Lengths, target: Lengths) -> NDArray[np.intp]:
    """Sort by the longer side, longest first; equals by source minus target, to and fro.

    Falling for one length and rising for the next, the other side does not jump where the longer
    side changes. The sort is stable: the shuffled order breaks ties.
    """
    longer, lean = np.maximum(source, target), source - target
    return np.lexsort((np.where(longer % 2, lean, -lean), -longer))


def _fitting(source: Lengths, target: Lengths, longest: int) -> Order:
    places = np.flatnonzero((source <= longest) & (target <= longest))
    return places.astype(np.int32) if len(source) < 2**31 else places


def _cut(longer: Lengths, budget: int) -> Iterator[int]:
    """Yield where each batch ends: as many examples as fit, at least one; the first is longest."""
    begin = 0
    while begin < len(longer):
        begin = min(len(longer), begin + max(1, budget // int(longer[begin])))
        yield begin
