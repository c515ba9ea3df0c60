"""One-hot tokens, and a text as the bag of them: which tokens, how often, and no order.

A token as a one-hot row is nought everywhere but at its number. The rows of a text summed up are
its bag of words: with mat, rat and cat for a vocabulary, "mat cat mat" is [2, 0, 1]. Three kinds of
entry:

    counts     how often a token stands in the text
    presence   1 if it does
    tf-idf     the count, times ln((1 + T) / (1 + texts with the token)) + 1 for T training texts,
               so that what stands everywhere tells less; then each row is divided by its length

A matrix W after a one-hot row picks one row of W: an embedding. After a bag it sums rows.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from dragoman.core.errors import DataError
from dragoman.lab.baselines.regression import TextClassifier, Texts

Entry = Literal["counts", "presence", "tf-idf"]


def one_hot(ids: Sequence[int], vocabulary: int) -> Float[Tensor, "n v"]:
    """Return a row for each token: 1 at its number, 0 elsewhere."""
    rows = torch.zeros(len(ids), vocabulary, dtype=torch.float64)
    rows[range(len(ids)), list(ids)] = 1
    return rows


def bags(texts: Texts, vocabulary: int) -> Float[Tensor, "b v"]:
    """Return how often each token stands in each text, as a sparse matrix."""
    columns = torch.tensor([*chain.from_iterable(texts)], dtype=torch.long)
    lengths = torch.tensor([len(text) for text in texts], dtype=torch.long)
    if len(columns) and not 0 <= columns.min() <= columns.max() < vocabulary:
        raise DataError(
            f"bag of words: tokens {columns.min()} to {columns.max()}, where 0 to {vocabulary - 1} "
            "are in the vocabulary."
        )
    rows = torch.arange(len(texts)).repeat_interleave(lengths)
    ones = torch.ones(len(columns), dtype=torch.float64)
    places = torch.stack((rows, columns))
    shape = (len(texts), vocabulary)
    return torch.sparse_coo_tensor(places, ones, shape, check_invariants=False).coalesce()


class BagOfWords(TextClassifier):
    """A logistic regression on bags of words."""

    def __init__(self, vocabulary: int, *, entry: Entry = "tf-idf", decay: float = 1.0) -> None:
        super().__init__(decay=decay)
        self.vocabulary = vocabulary
        self.entry = entry
        self.rarity = torch.ones(vocabulary, dtype=torch.float64)
        """What each token's count is multiplied with."""

    def learn_features(self, texts: Texts) -> None:
        """Learn how rare each token is, where that counts."""
        if self.entry == "tf-idf":
            holding = torch.bincount(
                bags(texts, self.vocabulary).indices()[1], minlength=self.vocabulary
            )
            self.rarity = torch.log((1 + len(texts)) / (1 + holding.double())) + 1

    def features(self, texts: Texts) -> Float[Tensor, "b v"]:
        """Return the bag of each text, as a sparse matrix."""
        counted = bags(texts, self.vocabulary)
        (rows, columns), counts = counted.indices(), counted.values()
        match self.entry:
            case "counts":
                values = counts
            case "presence":
                values = torch.ones_like(counts)
            case "tf-idf":
                values = counts * self.rarity[columns]
                squares = torch.zeros(len(texts), dtype=values.dtype)
                values = values / squares.index_add(0, rows, values.square()).sqrt()[rows]
        return torch.sparse_coo_tensor(
            counted.indices(), values, counted.shape, is_coalesced=True, check_invariants=False
        )
