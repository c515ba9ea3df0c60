"""Single steps of decoder layers with as little as possible between the products.

A step for a few rows is a hundred small operations, and at that size the way to a kernel costs as
much as the kernel. So a network whose training is over gets layers that have found out once what
each part does, and call the kernels at once. What they compute is what the layers of `blocks`
compute, and a test keeps the two equal; anything special (a watcher, a prefix, an adapted matrix)
goes the way of those.
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import (
    BatchRows,
    CausalLayer,
    DecoderLayer,
    Positions,
    Residual,
    stack_rows,
)
from dragoman.neural.layers.feed_forward import AnyFeedForward, FeedForward
from dragoman.neural.layers.int8 import Int8Linear
from dragoman.neural.layers.kv_cache import KVCache

Part = Callable[[Tensor], Tensor]


class LeanDecoderLayer(DecoderLayer):
    """A decoder layer whose single steps are lean."""

    def __init__(self, layer: DecoderLayer) -> None:
        nn.Module.__init__(self)
        for name, part in layer.named_children():
            self.add_module(name, part)
        self._around = tuple(
            _around(part)
            for part in (
                layer.around_attention,
                layer.around_source_attention,
                layer.around_feed_forward,
            )
        )
        self._self_attention = _SelfAttentionStep(layer.attention)
        self._cross_attention = _CrossAttentionStep(layer.source_attention)
        self._feed_forward_part = _feed_forward(layer.feed_forward)

    def step_groups(
        self, x: Float[Tensor, "b 1 d"], groups: Sequence[BatchRows]
    ) -> tuple[Float[Tensor, "b 1 d"], list[KVCache]]:
        """Write one more position of several groups of batch rows, stacked in one batch."""
        self_attention, cross_attention = self._self_attention, self._cross_attention
        if not (self_attention.plain() and cross_attention.plain()):
            return super().step_groups(x, groups)
        first, second, third = self._around
        extended: list[KVCache] = []
        x = first(x, lambda y: self_attention.each(y, groups, extended))
        x = second(x, lambda y: cross_attention(y, groups))
        return third(x, self._feed_forward_part), extended


class LeanCausalLayer(CausalLayer):
    """A causal layer whose single steps are lean."""

    def __init__(self, layer: CausalLayer) -> None:
        nn.Module.__init__(self)
        for name, part in layer.named_children():
            self.add_module(name, part)
        self._around = _around(layer.around_attention), _around(layer.around_feed_forward)
        self._self_attention = _SelfAttentionStep(layer.attention)
        self._feed_forward_part = _feed_forward(layer.feed_forward)

    def step(
        self,
        x: Float[Tensor, "b t d"],
        cache: KVCache,
        rows: Int[Tensor, " b"] | None,
        positions: Positions,
    ) -> tuple[Float[Tensor, "b t d"], KVCache]:
        """Read on with a KV cache; `rows` names the cache row that each row continues."""
        self_attention = self._self_attention
        if x.shape[1] != 1 or not self_attention.plain():
            return super().step(x, cache, rows, positions)
        first, second = self._around
        extended: list[KVCache] = []
        x = first(x, lambda y: self_attention(y, cache, rows, positions, extended))
        return second(x, self._feed_forward_part), extended[0]


class _AttentionStep:
    """The common part of self-attention and cross-attention in a single step."""

    def __init__(self, attention: Attention) -> None:
        self.attention = attention
        self.output = _product(attention.output)

    def plain(self) -> bool:
        """Say whether there is neither a watcher nor a prefix."""
        attention = self.attention
        return attention.watcher is None and attention.prefix is None

    def attend_queries(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        positions: Positions,
        places: Tensor | None,
    ) -> Float[Tensor, "b t w"]:
        """Return a weighted mean of the values for each query, the heads side by side."""
        attention = self.attention
        shared = attention.heads // attention.key_value_heads
        if shared > 1:
            k, v = k.repeat_interleave(shared, dim=1), v.repeat_interleave(shared, dim=1)
        added = mask if mask is None else mask.unsqueeze(1)
        if attention.offsets is not None:
            queries = _count(q) if positions.places is None else positions.places
            bias = attention.offsets(q, queries, _count(k) if places is None else places)
            added = bias if added is None else bias.masked_fill(~added, -torch.inf)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
        return mixed.transpose(1, 2).flatten(2)


class _SelfAttentionStep(_AttentionStep):
    """Self-attention of one more position."""

    def __init__(self, attention: Attention) -> None:
        super().__init__(attention)
        fused = attention.qkv
        self.qkv = None if fused is None or attention.rotary else _product(fused)
        self.heads = attention.heads, attention.key_value_heads, attention.key_value_heads
        parts = (attention.query, attention.key, attention.value)
        self.sizes = [part.out_features for part in parts]

    def __call__(
        self,
        y: Float[Tensor, "b 1 d"],
        cache: KVCache,
        rows: Tensor | None,
        positions: Positions,
        extended: list[KVCache],
    ) -> Float[Tensor, "b 1 d"]:
        """Attend to the cached positions and the new one; append the extended cache."""
        together = None if self.qkv is None else self.qkv(y)
        return self.output(self._attend(y, together, cache, rows, positions, extended))

    def each(
        self, y: Float[Tensor, "b 1 d"], groups: Sequence[BatchRows], extended: list[KVCache]
    ) -> Float[Tensor, "b 1 d"]:
        """Attend within each group of rows; append their extended caches."""
        together = None if self.qkv is None else self.qkv(y)
        found, begin = [], 0
        for one in groups:
            own = slice(begin, begin + one.count)
            begin += one.count
            part = None if together is None else together[own]
            found.append(self._attend(y[own], part, one.cache, one.rows, one.positions, extended))
        return self.output(stack_rows(found))

    def _attend(
        self,
        y: Float[Tensor, "b 1 d"],
        together: Float[Tensor, "b 1 m"] | None,
        cache: KVCache | None,
        rows: Tensor | None,
        positions: Positions,
        extended: list[KVCache],
    ) -> Float[Tensor, "b 1 w"]:
        if together is None:
            q, new = self.attention.project_qkv(y, positions.places)
        else:
            parts = together.split(self.sizes, dim=2)
            q, k, v = (
                part.view(len(y), 1, heads, size // heads).transpose(1, 2)
                for part, heads, size in zip(parts, self.heads, self.sizes, strict=True)
            )
            new = k, v
        after = KVCache.of(new) if cache is None else cache.extend(rows, new)
        extended.append(after)
        return self.attend_queries(
            q, *after.keys_values, positions.mask, positions, positions.key_places
        )


class _CrossAttentionStep(_AttentionStep):
    """Cross-attention of one more position to its source, which neighbouring rows may share."""

    def __init__(self, attention: Attention) -> None:
        super().__init__(attention)
        self.query = _product(attention.query)

    def __call__(
        self, y: Float[Tensor, "b 1 d"], groups: Sequence[BatchRows]
    ) -> Float[Tensor, "b 1 d"]:
        """Attend from each group of rows to its sources."""
        projected, heads = self.query(y), self.attention.heads
        found, begin = [], 0
        for one in groups:
            (k, v), own = one.source, projected[begin : begin + one.count]
            begin += one.count
            q = own.view(len(k), -1, heads, own.shape[2] // heads).transpose(1, 2)  # m h b/m k
            mixed = self.attend_queries(q, k, v, one.mask, one.positions, None)
            found.append(mixed.view(one.count, 1, mixed.shape[2]))
        return self.output(stack_rows(found))


def _around(residual: Residual) -> Callable[[Tensor, Part], Tensor]:
    """Return the residual connection around a sublayer, and its norm."""
    norm = _norm(residual.norm)
    if residual.place == "pre":
        return lambda x, part: x + part(norm(x))
    return lambda x, part: norm(x + part(x))


def _norm(norm: nn.Module) -> Part:
    if isinstance(norm, nn.LayerNorm):
        shape, weight, bias, epsilon = norm.normalized_shape, norm.weight, norm.bias, norm.eps
        return lambda x: torch.layer_norm(x, shape, weight, bias, epsilon)
    return norm


def _feed_forward(part: AnyFeedForward) -> Part:
    if not isinstance(part, FeedForward):
        return part
    inner, bend, output = _product(part.inner), part.activation, _product(part.output)
    if isinstance(bend, nn.ReLU):
        return lambda x: output(inner(x).relu_())
    return lambda x: output(bend(inner(x)))


def _product(matrix: nn.Module) -> Part:
    """Return the product with a matrix, and whatever else the matrix does."""
    if isinstance(matrix, Int8Linear):
        packed, found = matrix.packed, torch.ops.quantized.linear_dynamic.default
        kernel = getattr(found, "_op", found)  # without looking for other ways to do it each time
        return lambda x: kernel(x, packed, True)
    if type(matrix) is nn.Linear:
        weight, bias = matrix.weight, matrix.bias
        return lambda x: F.linear(x, weight, bias)
    return matrix


def _count(x: Float[Tensor, "b h n k"]) -> Int[Tensor, "1 n"]:
    return torch.arange(x.shape[2], device=x.device).unsqueeze(0)
