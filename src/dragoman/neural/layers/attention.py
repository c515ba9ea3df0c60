"""Scaled dot-product attention with many heads: softmax(QKᵀ / √k) V.

Vaswani et al. 2017, section 3.2. Shapes are spelled as in `dragoman.core.shapes`.
"""

import math
from typing import Protocol

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.core.errors import ConfigError
from dragoman.neural.layers.dropout import drop
from dragoman.neural.layers.offsets import OffsetBias
from dragoman.neural.layers.watchable import Watchable

KeysValues = tuple[Float[Tensor, "b h s k"], Float[Tensor, "b h s k"]]
"""What a memory offers to be looked at; computed once, kept while decoding."""


class Attend(Protocol):
    """From queries, keys and values to a mixture of values."""

    def __call__(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        bias: Tensor | None,
        causal: bool,
        dropout: float,
    ) -> Tensor:
        """Mix the values, for each query, by the likeness of query and key."""
        ...


def attention_weights(
    q: Float[Tensor, "b h t k"],
    k: Float[Tensor, "b h s k"],
    mask: Bool[Tensor, "#b 1 #t s"] | None,
    bias: Float[Tensor, "h #t s"] | None,  # noqa: F821 (a shape, not a name)
    causal: bool,
) -> Float[Tensor, "b h t s"]:
    """Return how much each query looks at each key; every row sums to one."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # b h t s
    if bias is not None:
        scores = scores + bias
    if causal:
        visible = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~visible, -math.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(dim=-1)


def attend_written_out(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
    dropout: float,
) -> Tensor:
    """Attend as the equation has it; the reference, and faster than the kernel with dropout."""
    weights = attention_weights(q, k, mask, bias, causal)
    return (drop(weights, dropout) if dropout else weights) @ v  # b h t k


def attend_fast(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
    dropout: float,
) -> Tensor:
    """Attend by torch's fused kernel, unless dropout makes it the slower way.

    A mask besides the causal one is not for the kernel either (not every device takes both), nor
    is a bias, whose gradient the kernel does not give.
    """
    if dropout or bias is not None or (causal and mask is not None):
        return attend_written_out(q, k, v, mask, bias, causal, dropout)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)


class Attention(Watchable):
    """Let each query position look at every memory position that the mask allows.

    Self-attention is `attention(x, x)`; cross-attention is `attention(x, memory)`.
    """

    def __init__(
        self, width: int, heads: int, *, dropout: float = 0.0, offsets: OffsetBias | None = None
    ) -> None:
        super().__init__()
        if width % heads:
            raise ConfigError(
                f"attention: width {width} does not split into {heads} equal heads. "
                f"Use a width that is a multiple of {heads}."
            )
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)
        self.offsets = offsets
        self.attend: Attend = attend_fast

    def forward(
        self,
        x: Float[Tensor, "b t d"],
        memory: Float[Tensor, "b s d"],
        mask: Bool[Tensor, "#b #t s"] | None = None,
        causal: bool = False,
    ) -> Float[Tensor, "b t d"]:
        """Return one mixture of the memory for each position of x."""
        return self.look(x, self.offer(memory), mask, causal)

    def offer(self, memory: Float[Tensor, "b s d"]) -> KeysValues:
        """Project a memory to the keys and values that queries will meet."""
        return self._split(self.key(memory)), self._split(self.value(memory))

    def look(
        self,
        x: Float[Tensor, "b t d"],
        offered: KeysValues,
        mask: Bool[Tensor, "#b #t s"] | None = None,
        causal: bool = False,
        position: int | None = None,
    ) -> Float[Tensor, "b t d"]:
        """Return one mixture of the offered values for each position of x.

        The queries stand at positions 0, 1, …, or all of them at one `position`.
        """
        q = self._split(self.query(x))  # b h t k
        k, v = offered
        mask = mask if mask is None else mask.unsqueeze(1)  # b 1 t s
        bias = None
        if self.offsets is not None:
            queries, start = (q.shape[2], 0) if position is None else (1, position)
            bias = self.offsets(queries, k.shape[2], start)  # h t s
        if self.watcher is not None:
            self.watcher(attention_weights(q, k, mask, bias, causal).detach())
        dropout = self.dropout if self.training else 0.0
        mixed = self.attend(q, k, v, mask, bias, causal, dropout)
        return self.output(mixed.transpose(1, 2).flatten(2))  # b t d

    def _split(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b h n k"]:
        return x.view(*x.shape[:2], self.heads, x.shape[2] // self.heads).transpose(1, 2)
