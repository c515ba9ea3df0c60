"""BPE dropout while training: other subwords for the same words in every epoch."""

from collections.abc import Sequence

import numpy as np

from dragoman.data.batching.arrays import Ids
from dragoman.data.batching.stream import Resegment
from dragoman.data.tokenizer.pair import TokenizerPair


def bpe_dropout(tokenizer: TokenizerPair, dropout: float, seed: int) -> Resegment | None:
    """Return the hook for `BatchStream`, or None where there is nothing to drop.

    Chance depends on seed, epoch and example alone, so a resumed run sees the same subwords.
    """
    if dropout == 0.0:
        return None

    def resegment(
        source: Ids, target: Ids, epoch: int, example: int
    ) -> tuple[Sequence[int], Sequence[int]]:
        random = np.random.Generator(
            np.random.Philox(np.random.SeedSequence([seed, epoch, example]))
        )
        return (
            tokenizer.source.resegment(source, dropout, random),
            tokenizer.target.resegment(target, dropout, random),
        )

    return resegment
