"""Scaled dot-product attention with many heads: softmax(QKᵀ / √k) V.

Vaswani et al. 2017, section 3.2. Shapes are spelled as in `dragoman.core.shapes`; besides, a memory
has g heads of keys and values, each shared by h / g heads of queries (Ainslie et al. 2023; with one
for all, Shazeer 2019), and a head's values may have a width w of their own.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.core.errors import ConfigError
from dragoman.neural.layers.dropout import drop
from dragoman.neural.layers.kv_cache import KeysValues
from dragoman.neural.layers.prefix import MaskedKeys, Prefix
from dragoman.neural.layers.relative_position_bias import PositionBias
from dragoman.neural.layers.rotary import Rotary
from dragoman.neural.layers.watchable import Watchable


class Attend(Protocol):
    """Scaled dot-product attention: from queries, keys and values to weighted means of values."""

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
        """Average the values for each query, weighted by the likeness of query and key."""
        ...


def attention_weights(
    q: Float[Tensor, "b h t k"],
    k: Float[Tensor, "b h s k"],
    mask: Bool[Tensor, "#b 1 #t s"] | None,
    bias: Float[Tensor, "#b h #t s"] | None,
    causal: bool,
) -> Float[Tensor, "b h t s"]:
    """Return how much each query attends to each key; every row sums to one."""
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


def parameter_free_attention(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
    """Mix each position with all others by their likeness: softmax(xxᵀ) x, with nothing learned."""
    return (x @ x.transpose(-2, -1)).softmax(dim=-1) @ x


@dataclass(frozen=True, slots=True)
class HeadShape:
    """The shape of attention heads; plain ones share the width evenly and have biases."""

    key_value_heads: int | None = None
    """Heads of keys and values, if fewer than those of queries."""
    key_width: int | None = None
    value_width: int | None = None
    biases: bool = True
    output: bool = True
    """Whether a last matrix mixes the heads; without it they are laid side by side."""


PLAIN = HeadShape()


class Attention(Watchable):
    """Multi-head attention of each query position to every memory position that the mask allows.

    Self-attention is `attention(x, x)`; cross-attention is `attention(x, memory)`.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        shape: HeadShape = PLAIN,
        *,
        dropout: float = 0.0,
        position_bias: PositionBias | None = None,
        rotary: Rotary | None = None,
    ) -> None:
        super().__init__()
        _check(width, heads, shape)
        self.heads = heads
        self.key_value_heads = groups = shape.key_value_heads or heads
        self.dropout = dropout
        key_width = shape.key_width or width // heads
        value_width = shape.value_width or width // heads
        self.query = nn.Linear(width, heads * key_width, bias=shape.biases)
        self.key = nn.Linear(width, groups * key_width, bias=shape.biases)
        self.value = nn.Linear(width, groups * value_width, bias=shape.biases)
        mixed = heads * value_width
        self.output = nn.Linear(mixed, width, bias=shape.biases) if shape.output else nn.Identity()
        self.offsets = position_bias  # named as in checkpoints
        self.rotary = rotary
        self.prefix: Prefix | None = None  # set by `neural.adapt.prefix`
        self.qkv: nn.Module | None = None  # set by `fuse`
        self.attend: Attend = attend_fast

    def forward(
        self,
        x: Float[Tensor, "b t d"],
        memory: Float[Tensor, "b s d"],
        mask: Bool[Tensor, "#b #t s"] | None = None,
        causal: bool = False,
    ) -> Float[Tensor, "b t d"]:
        """Return a weighted mean of the memory's values for each position of x."""
        if self.qkv is not None and memory is x:
            return self.self_attention(x, mask, causal)[0]
        return self.attend_to(x, self.project_keys_values(memory), mask, causal)

    def fuse(self) -> None:
        """Make one matrix of three for queries, keys and values; only for a network that reads.

        One product with it is faster than three. Cross-attention, whose queries come from one
        sequence and its keys from another, has no use for it.
        """
        parts = (self.query, self.key, self.value)
        if any(type(part) is not nn.Linear for part in parts):
            return  # adapted, say: more than a matrix
        together = nn.Linear(self.query.in_features, sum(part.out_features for part in parts))
        together.weight = nn.Parameter(torch.cat(tuple(part.weight for part in parts)).detach())
        biases = tuple(part.bias for part in parts if part.bias is not None)
        together.register_parameter(
            "bias", nn.Parameter(torch.cat(biases).detach()) if biases else None
        )
        self.qkv = together

    def project_keys_values(
        self, memory: Float[Tensor, "b s d"], places: Int[Tensor, "#b s"] | None = None
    ) -> KeysValues:
        """Project a memory, at the places or at 0, 1, …, to keys and values."""
        k = _split(self.key(memory), self.key_value_heads)
        v = _split(self.value(memory), self.key_value_heads)
        return (k if self.rotary is None else self.rotary(k, places)), v

    def attend_to(
        self,
        x: Float[Tensor, "b t d"],
        keys_values: KeysValues,
        mask: Bool[Tensor, "#b #t s"] | None = None,
        causal: bool = False,
        places: Int[Tensor, "#b #t"] | None = None,
        key_places: Int[Tensor, "#b s"] | None = None,
    ) -> Float[Tensor, "b t d"]:
        """Attend from each position of x to keys and values that were projected before.

        The queries stand at the places and the keys at theirs, or both at 0, 1, …
        """
        q = _split(self.query(x), self.heads)  # b h t k
        if self.rotary is not None:
            q = self.rotary(q, places)
        return self.attend_queries(q, keys_values, mask, causal, places, key_places)

    def self_attention(
        self, x: Float[Tensor, "b n d"], mask: Bool[Tensor, "#b #n n"] | None, causal: bool
    ) -> tuple[Float[Tensor, "b n d"], KeysValues]:
        """Attend from the positions of x to each other; return also their keys and values."""
        q, keys_values = self.project_qkv(x)
        return self.attend_queries(q, keys_values, mask, causal), keys_values

    def project_qkv(
        self, x: Float[Tensor, "b n d"], places: Int[Tensor, "#b n"] | None = None
    ) -> tuple[Float[Tensor, "b h n k"], KeysValues]:
        """Return queries, keys and values (QKV) for self-attention.

        One product with all three matrices is faster than three. It is made by a fused network,
        and in training, unless one of the three is more than a matrix: adapted, say.
        """
        parts = (self.query, self.key, self.value)
        if self.qkv is not None:
            together = self.qkv(x)
        elif self.training and all(type(part) is nn.Linear for part in parts):
            weights = tuple(part.weight for part in parts)
            biases = tuple(part.bias for part in parts if part.bias is not None)
            together = F.linear(x, torch.cat(weights), torch.cat(biases) if biases else None)
        else:
            q = _split(self.query(x), self.heads)
            return (q if self.rotary is None else self.rotary(q, places)), self.project_keys_values(
                x, places
            )
        q, k, v = together.split([part.out_features for part in parts], dim=2)
        q, k = _split(q, self.heads), _split(k, self.key_value_heads)
        if self.rotary is not None:
            q, k = self.rotary(q, places), self.rotary(k, places)
        return q, (k, _split(v, self.key_value_heads))

    def attend_queries(
        self,
        q: Float[Tensor, "b h t k"],
        keys_values: KeysValues,
        mask: Bool[Tensor, "#b #t s"] | None,
        causal: bool = False,
        places: Int[Tensor, "#b #t"] | None = None,
        key_places: Int[Tensor, "#b s"] | None = None,
    ) -> Float[Tensor, "b t d"]:
        """Attend with queries that were projected before, and mix the heads."""
        k, v = (self._for_all_heads(part) for part in keys_values)
        mask = mask if mask is None else mask.unsqueeze(1)  # b 1 t s
        bias = None
        if self.offsets is not None:
            queries = _count(q) if places is None else places
            bias = self.offsets(q, queries, _count(k) if key_places is None else key_places)
        if self.prefix is not None:
            mixed = self._attend_with_prefix(q, MaskedKeys(k, v, mask, bias), self.prefix, causal)
            return self.output(mixed.transpose(1, 2).flatten(2))
        if self.watcher is not None:
            self.watcher(attention_weights(q, k, mask, bias, causal).detach())
        dropout = self.dropout if self.training else 0.0
        mixed = self.attend(q, k, v, mask, bias, causal, dropout)
        return self.output(mixed.transpose(1, 2).flatten(2))  # b t d

    def _attend_with_prefix(
        self, q: Float[Tensor, "b h t k"], real: MaskedKeys, prefix: Prefix, causal: bool
    ) -> Float[Tensor, "b h t w"]:
        """Attend to virtual positions too; the watcher gets the weights of real ones only."""
        extended = (real.only_past(q.shape[2]) if causal else real).behind(prefix())
        if self.watcher is not None:
            weights = attention_weights(q, extended.k, extended.mask, extended.bias, False)
            self.watcher(weights[..., extended.k.shape[2] - real.k.shape[2] :].detach())
        dropout = self.dropout if self.training else 0.0
        return self.attend(q, extended.k, extended.v, extended.mask, extended.bias, False, dropout)

    def _for_all_heads(self, x: Float[Tensor, "b g s k"]) -> Float[Tensor, "b h s k"]:
        shared = self.heads // self.key_value_heads
        return x if shared == 1 else x.repeat_interleave(shared, dim=1)


def _split(x: Float[Tensor, "b n d"], heads: int) -> Float[Tensor, "b h n k"]:
    return x.view(*x.shape[:2], heads, x.shape[2] // heads).transpose(1, 2)


def _count(x: Float[Tensor, "b h n k"]) -> Int[Tensor, "1 n"]:
    return torch.arange(x.shape[2], device=x.device).unsqueeze(0)


def _check(width: int, heads: int, shape: HeadShape) -> None:
    if None in (shape.key_width, shape.value_width) and width % heads:
        raise ConfigError(
            f"attention: width {width} does not split into {heads} equal heads. "
            f"Use a width that is a multiple of {heads}."
        )
    if heads % (shape.key_value_heads or heads):
        raise ConfigError(
            f"attention: {heads} heads do not share {shape.key_value_heads} heads of keys and "
            f"values evenly. Use a number that divides {heads}."
        )
    mixed = heads * (shape.value_width or width // heads)
    if not shape.output and mixed != width:
        raise ConfigError(
            f"attention: without an output projection, {heads} heads of values must fill the width "
            f"{width}, but they have {mixed}. Use a value width of {width / heads:g}."
        )
