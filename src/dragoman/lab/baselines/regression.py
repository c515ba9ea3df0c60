"""Features of a text, and the multinomial logistic regression that tells its class from them.

    P(class | x)  =  softmax(x W + b)
    minimised:       Σ −log P(true class | x)  +  decay / 2 · |W|²

The sum is convex, so there is one best W, and neither a seed nor an order of the texts matters. It
is found by L-BFGS on all texts at once, from nought.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.core.errors import DataError
from dragoman.metrics.classification import Label

Texts = Sequence[Sequence[int]]
"""Token numbers of each text."""

STEPS = 200
CLOSE_ENOUGH = 1e-7


class TextClassifier(ABC):
    """Something that makes features of texts, and a logistic regression on these."""

    def __init__(self, *, decay: float = 1.0) -> None:
        self.decay = decay
        self.labels: tuple[Label, ...] = ()
        self.weights = torch.zeros(0)
        self.bias = torch.zeros(0)

    def fit(self, texts: Texts, labels: Sequence[Label]) -> Self:
        """Learn from texts and their classes."""
        if len(texts) != len(labels) or not texts:
            raise DataError(
                f"baseline: {len(labels)} classes for {len(texts)} texts; each text must have one."
            )
        self.labels = tuple(dict.fromkeys(sorted(labels, key=lambda one: (type(one) is str, one))))
        numbers = {label: number for number, label in enumerate(self.labels)}
        self.learn_features(texts)
        true = torch.tensor([numbers[label] for label in labels])
        features = self.features(texts)
        self.weights, self.bias = regression(features, true, len(self.labels), self.decay)
        return self

    def predict(self, texts: Texts) -> list[Label]:
        """Return the likeliest class of each text."""
        return [self.labels[number] for number in self.probabilities(texts).argmax(1).tolist()]

    def probabilities(self, texts: Texts) -> Float[Tensor, "b c"]:
        """Return how likely each class is, for each text."""
        if not self.labels:
            raise DataError("baseline: nothing is learned yet; fit it first.")
        if not texts:
            return torch.zeros(0, len(self.labels))
        return (self.features(texts) @ self.weights + self.bias).softmax(1)

    @abstractmethod
    def learn_features(self, texts: Texts) -> None:
        """Learn what the features need to know of the training texts."""

    @abstractmethod
    def features(self, texts: Texts) -> Float[Tensor, "b f"]:
        """Return a row of features for each text; the matrix may be sparse."""


def regression(
    features: Float[Tensor, "b f"], true: Int[Tensor, " b"], classes: int, decay: float
) -> tuple[Float[Tensor, "f c"], Float[Tensor, " c"]]:
    """Return the best weights and bias."""
    weights = torch.zeros(features.shape[1], classes, dtype=features.dtype, requires_grad=True)
    bias = torch.zeros(classes, dtype=features.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weights, bias],
        max_iter=STEPS,
        tolerance_grad=CLOSE_ENOUGH,
        tolerance_change=CLOSE_ENOUGH**2,
        line_search_fn="strong_wolfe",
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        fit = nn.functional.cross_entropy(features @ weights + bias, true)
        value = fit + decay / 2 / len(true) * weights.square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    return weights.detach(), bias.detach()
