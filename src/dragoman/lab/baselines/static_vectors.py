"""One vector for each token, whatever stands around it, learned from what usually does.

Tokens that stand in the same company get similar vectors, and a token of two meanings gets one
vector between them. Two ways to learn them:

Counting (Levy, Goldberg & Dagan 2015): how much oftener than by chance a word w has c within the
window, where that is at all oftener, and the best matrix of few columns for it.

    M[w, c]  =  max(0, log( P(w, c) / (P(w) · P(c)^¾) ))        P^¾ sums to one again
    M  ≈  U S Vᵀ        vectors: U √S

Skip-gram with negative sampling (Mikolov et al. 2013): tell a true neighbour c of w from k tokens
drawn at random with the chance P^¾.

    loss  =  −log σ(u_c · v_w)  −  Σ log σ(−u_n · v_w)           vectors: v

The mean of its tokens' vectors stands for a text.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import logsigmoid

from dragoman.core.errors import ConfigError, DataError
from dragoman.lab.baselines.bag_of_words import bags
from dragoman.lab.baselines.regression import TextClassifier, Texts

Numbers = NDArray[np.int64]

FLATTER = 0.75
"""Power of the frequencies of neighbours: rare ones count for a little more."""

SPARE = 10
"""Columns more than asked for, which make the truncated decomposition exact enough."""


@dataclass(frozen=True)
class Counting:
    """Vectors from a matrix of counted neighbours; the same texts always give the same."""

    vocabulary: int
    width: int = 100
    window: int = 5

    def vectors(self, texts: Texts) -> Float[Tensor, "v d"]:
        """Return a vector for each token; one that was never seen has noughts."""
        if self.width > self.vocabulary:
            raise ConfigError(
                f"static vectors: a width of {self.width} for {self.vocabulary} tokens; "
                "use a smaller one."
            )
        matrix = attraction(neighbors(texts, self.vocabulary, self.window), self.vocabulary)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # the decomposition begins with random columns
            columns = min(self.width + SPARE, self.vocabulary)
            u, s, _ = torch.svd_lowrank(matrix, q=columns, niter=6)
        vectors = (u * s.sqrt())[:, : self.width]
        largest = vectors.gather(0, vectors.abs().argmax(0, keepdim=True))
        return vectors * largest.sign()  # of the two signs that fit equally, always the same


@dataclass(frozen=True)
class SkipGram:
    """Vectors that tell true neighbours from random ones; the same seed gives the same."""

    vocabulary: int
    width: int = 100
    window: int = 5
    negatives: int = 5
    epochs: int = 5
    batch: int = 4096
    rate: float = 0.01
    seed: int = 1

    def vectors(self, texts: Texts) -> Float[Tensor, "v d"]:
        """Return a vector for each token."""
        pairs = torch.from_numpy(neighbors(texts, self.vocabulary, self.window))
        random = torch.Generator().manual_seed(self.seed)
        chances = torch.bincount(pairs[:, 1], minlength=self.vocabulary).double() ** FLATTER
        own = torch.randn(self.vocabulary, self.width, generator=random) / self.width
        others = torch.zeros(self.vocabulary, self.width)
        weights = [own.requires_grad_(), others.requires_grad_()]
        optimizer = torch.optim.Adam(weights, lr=self.rate)
        for _ in range(self.epochs):
            for some in torch.randperm(len(pairs), generator=random).split(self.batch):
                word, true = pairs[some].unbind(1)
                drawn = torch.multinomial(
                    chances, len(some) * self.negatives, replacement=True, generator=random
                )
                false = drawn.view(len(some), self.negatives)
                optimizer.zero_grad()
                skip_gram_loss(own[word], others[true], others[false]).backward()
                optimizer.step()
        return own.detach()


class MeanOfVectors(TextClassifier):
    """A logistic regression on the mean of the vectors of a text's tokens."""

    def __init__(
        self,
        vocabulary: int,
        source: Counting | SkipGram | Float[Tensor, "v d"],
        *,
        decay: float = 1.0,
    ) -> None:
        super().__init__(decay=decay)
        self.vocabulary = vocabulary
        self.source = source
        self.vectors = source if isinstance(source, Tensor) else torch.zeros(vocabulary, 0)

    def learn_features(self, texts: Texts) -> None:
        """Learn the vectors from the texts themselves, unless they were given."""
        if not isinstance(self.source, Tensor):
            self.vectors = self.source.vectors(texts)

    def features(self, texts: Texts) -> Float[Tensor, "b d"]:
        """Return the mean of the vectors of each text; noughts for an empty text."""
        lengths = torch.tensor([[max(1, len(text))] for text in texts], dtype=torch.float64)
        return bags(texts, self.vocabulary) @ self.vectors.double() / lengths


def neighbors(texts: Texts, vocabulary: int, window: int) -> Int[NDArray[np.int64], "p 2"]:
    """Return every token with every other that stands at most `window` places from it."""
    lengths = [len(text) for text in texts]
    if window < 1 or max(lengths, default=0) < 2:
        raise DataError(
            f"static vectors: no two tokens stand together in {len(lengths)} texts with a window "
            f"of {window}; give texts of several tokens and a window of 1 or more."
        )
    tokens = np.concatenate([np.asarray(text, dtype=np.int64) for text in texts])
    if tokens.min() < 0 or tokens.max() >= vocabulary:
        raise DataError(
            f"static vectors: tokens {tokens.min()} to {tokens.max()}, where 0 to {vocabulary - 1} "
            "are in the vocabulary."
        )
    text_of = np.repeat(np.arange(len(lengths)), lengths)
    pairs = []
    for apart in range(1, window + 1):
        together = text_of[apart:] == text_of[:-apart]
        left, right = tokens[:-apart][together], tokens[apart:][together]
        pairs += [np.stack((left, right), 1), np.stack((right, left), 1)]
    return np.concatenate(pairs)


def attraction(pairs: Int[NDArray[np.int64], "p 2"], vocabulary: int) -> Float[Tensor, "v v"]:
    """Return M, as a sparse matrix."""
    keys, counts = np.unique(pairs @ [vocabulary, 1], return_counts=True)
    rows, columns = np.divmod(keys, vocabulary)
    word, company = (np.bincount(side, counts, vocabulary) for side in (rows, columns))
    flatter = company**FLATTER
    oftener = counts * flatter.sum() / (word[rows] * flatter[columns])
    attracted = oftener > 1
    return torch.sparse_coo_tensor(
        torch.from_numpy(np.stack((rows, columns))[:, attracted]),
        torch.from_numpy(np.log(oftener[attracted])),
        (vocabulary, vocabulary),
        is_coalesced=True,
        check_invariants=False,
    )


def skip_gram_loss(
    word: Float[Tensor, "b d"], true: Float[Tensor, "b d"], false: Float[Tensor, "b k d"]
) -> Float[Tensor, ""]:
    """Return the loss of telling true neighbours from false ones, the mean over the pairs."""
    right = logsigmoid((word * true).sum(-1))  # b
    wrong = logsigmoid(-(false @ word.unsqueeze(-1)).squeeze(-1)).sum(-1)  # b
    return -(right + wrong).mean()


def nearest(vectors: Float[Tensor, "v d"], token: int, count: int) -> list[tuple[int, float]]:
    """Return the tokens whose vectors point most nearly the same way, and the cosines."""
    lengths = vectors.norm(dim=1).clamp(min=1e-12)
    cosines = (vectors @ vectors[token]) / (lengths * lengths[token])
    cosines[token] = -torch.inf
    best = cosines.topk(min(count, len(vectors) - 1))
    return [*zip(best.indices.tolist(), best.values.tolist(), strict=True)]
