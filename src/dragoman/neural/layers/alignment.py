"""Attention of a recurrent decoder to the source: additive, dot and general scores.

Each score says how well the decoder's state s fits the encoder's state h of one position:

    additive   vᵀ tanh(W s + U h)    Bahdanau et al. 2015
    dot        sᵀ h                  Luong et al. 2015
    general    sᵀ W h                Luong et al. 2015

Their softmax over the source weighs the encoder's states; the weighted sum is the context. What
depends on the source alone (the keys U h, W h) is projected once, for all steps.
"""

import math
from abc import ABC, abstractmethod

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.neural.layers.watchable import Watchable


class Alignment(Watchable, ABC):
    """Attention of a recurrent decoder. A step is one query; there may also be many at once."""

    @abstractmethod
    def project_keys(self, memory: Float[Tensor, "b s e"]) -> Float[Tensor, "b s k"]:
        """Project the encoder's states to keys."""

    @abstractmethod
    def scores(
        self, queries: Float[Tensor, "b t d"], keys: Float[Tensor, "b s k"]
    ) -> Float[Tensor, "b t s"]:
        """Say how well each query fits each key."""

    def forward(
        self,
        queries: Float[Tensor, "b t d"],
        keys: Float[Tensor, "b s k"],
        memory: Float[Tensor, "b s e"],
        mask: Bool[Tensor, "b s"],
    ) -> tuple[Float[Tensor, "b t e"], Float[Tensor, "b t s"]]:
        """Return the context of each query, and the weights of the source positions in it."""
        scores = self.scores(queries, keys).masked_fill(~mask.unsqueeze(1), -math.inf)
        weights = scores.softmax(dim=-1)  # b t s
        return weights @ memory, weights

    def tell(self, weights: Float[Tensor, "b t s"]) -> None:
        """Show the attention weights of a whole pass to the watcher."""
        if self.watcher is not None:
            self.watcher(weights.detach().unsqueeze(1))  # b 1 t s


class AdditiveAlignment(Alignment):
    """Additive attention, vᵀ tanh(W s + U h): a small network with one hidden layer.

    tanh x = 2σ(2x) − 1, and σ takes a third of the time of tanh. The softmax does not see the −1,
    which adds the same to every score, so 2vᵀ σ(2W s + 2U h) gives the same weights.
    """

    def __init__(self, width: int, memory_width: int, hidden_width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, hidden_width, bias=False)
        self.key = nn.Linear(memory_width, hidden_width, bias=False)
        self.energy = nn.Linear(hidden_width, 1, bias=False)

    def project_keys(self, memory: Float[Tensor, "b s e"]) -> Float[Tensor, "b s k"]:
        """Return 2U h for every position."""
        return 2 * self.key(memory)

    def scores(
        self, queries: Float[Tensor, "b t d"], keys: Float[Tensor, "b s k"]
    ) -> Float[Tensor, "b t s"]:
        """Return 2vᵀ σ(2W s + 2U h)."""
        hidden = (2 * self.query(queries)).unsqueeze(2) + keys.unsqueeze(1)  # b t s k
        return F.linear(hidden.sigmoid_(), 2 * self.energy.weight).squeeze(3)


class ProductAlignment(Alignment):
    """Dot-product attention, sᵀ h, or general: sᵀ W h with a matrix between them."""

    def __init__(self, width: int, memory_width: int, *, matrix: bool) -> None:
        super().__init__()
        if not matrix and width != memory_width:
            raise ValueError(f"a plain product needs equal widths, not {width} and {memory_width}.")
        self.key = nn.Linear(memory_width, width, bias=False) if matrix else None

    def project_keys(self, memory: Float[Tensor, "b s e"]) -> Float[Tensor, "b s k"]:
        """Return h or W h for every position."""
        return memory if self.key is None else self.key(memory)

    def scores(
        self, queries: Float[Tensor, "b t d"], keys: Float[Tensor, "b s k"]
    ) -> Float[Tensor, "b t s"]:
        """Return the product of each query with each key."""
        return torch.bmm(queries, keys.transpose(1, 2))
