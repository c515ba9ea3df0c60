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
    CausalLayer,
    Company,
    DecoderLayer,
    Residual,
    VisiblePast,
    below,
)
from dragoman.neural.layers.feed_forward import AnyFeedForward, FeedForward
from dragoman.neural.layers.int8 import Int8Linear
from dragoman.neural.layers.kv_cache import Past

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
        self._back = _LookBack(layer.attention)
        self._across = _LookAcross(layer.source_attention)
        self._think = _feed_forward(layer.feed_forward)

    def step_beside(
        self, x: Float[Tensor, "b 1 d"], companies: Sequence[Company]
    ) -> tuple[Float[Tensor, "b 1 d"], list[Past]]:
        """Write one more position of several companies, whose rows stand below each other."""
        back, across = self._back, self._across
        if not (back.plain() and across.plain()):
            return super().step_beside(x, companies)
        first, second, third = self._around
        grown: list[Past] = []
        x = first(x, lambda y: back.each(y, companies, grown))
        x = second(x, lambda y: across(y, companies))
        return third(x, self._think), grown


class LeanCausalLayer(CausalLayer):
    """A causal layer whose single steps are lean."""

    def __init__(self, layer: CausalLayer) -> None:
        nn.Module.__init__(self)
        for name, part in layer.named_children():
            self.add_module(name, part)
        self._around = _around(layer.around_attention), _around(layer.around_feed_forward)
        self._back = _LookBack(layer.attention)
        self._think = _feed_forward(layer.feed_forward)

    def step(
        self,
        x: Float[Tensor, "b t d"],
        past: Past,
        rows: Int[Tensor, " b"] | None,
        seen: VisiblePast,
    ) -> tuple[Float[Tensor, "b t d"], Past]:
        """Read on; `rows` names the row of the past that each row goes on from."""
        back = self._back
        if x.shape[1] != 1 or not back.plain():
            return super().step(x, past, rows, seen)
        first, second = self._around
        grown: list[Past] = []
        x = first(x, lambda y: back(y, past, rows, seen, grown))
        return second(x, self._think), grown[0]


class _Look:
    """What looking back and looking across have in common."""

    def __init__(self, attention: Attention) -> None:
        self.attention = attention
        self.output = _product(attention.output)

    def plain(self) -> bool:
        """Say whether nobody watches and nothing stands before the first position."""
        attention = self.attention
        return attention.watcher is None and attention.prefix is None

    def mix(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        seen: VisiblePast,
        places: Tensor | None,
    ) -> Float[Tensor, "b t w"]:
        """Return one mixture of the values for each query, the heads side by side."""
        attention = self.attention
        shared = attention.heads // attention.key_value_heads
        if shared > 1:
            k, v = k.repeat_interleave(shared, dim=1), v.repeat_interleave(shared, dim=1)
        added = mask if mask is None else mask.unsqueeze(1)
        if attention.offsets is not None:
            queries = _count(q) if seen.places is None else seen.places
            bias = attention.offsets(q, queries, _count(k) if places is None else places)
            added = bias if added is None else bias.masked_fill(~added, -torch.inf)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
        return mixed.transpose(1, 2).flatten(2)


class _LookBack(_Look):
    """Self-attention of one more position."""

    def __init__(self, attention: Attention) -> None:
        super().__init__(attention)
        fused = attention.all_three
        self.all_three = None if fused is None or attention.rotary else _product(fused)
        self.heads = attention.heads, attention.key_value_heads, attention.key_value_heads
        parts = (attention.query, attention.key, attention.value)
        self.sizes = [part.out_features for part in parts]

    def __call__(
        self,
        y: Float[Tensor, "b 1 d"],
        past: Past,
        rows: Tensor | None,
        seen: VisiblePast,
        grown: list[Past],
    ) -> Float[Tensor, "b 1 d"]:
        """Look at the past and at oneself; hand the grown past over."""
        together = None if self.all_three is None else self.all_three(y)
        return self.output(self._back(y, together, past, rows, seen, grown))

    def each(
        self, y: Float[Tensor, "b 1 d"], companies: Sequence[Company], grown: list[Past]
    ) -> Float[Tensor, "b 1 d"]:
        """Let each company look at its past and at itself; hand the grown pasts over."""
        together = None if self.all_three is None else self.all_three(y)
        found, begin = [], 0
        for one in companies:
            own = slice(begin, begin + one.count)
            begin += one.count
            part = None if together is None else together[own]
            found.append(self._back(y[own], part, one.past, one.rows, one.seen, grown))
        return self.output(below(found))

    def _back(
        self,
        y: Float[Tensor, "b 1 d"],
        together: Float[Tensor, "b 1 m"] | None,
        past: Past | None,
        rows: Tensor | None,
        seen: VisiblePast,
        grown: list[Past],
    ) -> Float[Tensor, "b 1 w"]:
        if together is None:
            q, new = self.attention.ask_and_offer(y, seen.places)
        else:
            parts = together.split(self.sizes, dim=2)
            q, k, v = (
                part.view(len(y), 1, heads, size // heads).transpose(1, 2)
                for part, heads, size in zip(parts, self.heads, self.sizes, strict=True)
            )
            new = k, v
        after = Past.of(new) if past is None else past.grown(rows, new)
        grown.append(after)
        return self.mix(q, *after.offered, seen.mask, seen, seen.key_places)


class _LookAcross(_Look):
    """Attention of one more position to its source, which rows side by side may share."""

    def __init__(self, attention: Attention) -> None:
        super().__init__(attention)
        self.query = _product(attention.query)

    def __call__(
        self, y: Float[Tensor, "b 1 d"], companies: Sequence[Company]
    ) -> Float[Tensor, "b 1 d"]:
        """Let each company look at its sources."""
        asked, heads = self.query(y), self.attention.heads
        found, begin = [], 0
        for one in companies:
            (k, v), own = one.source, asked[begin : begin + one.count]
            begin += one.count
            q = own.view(len(k), -1, heads, own.shape[2] // heads).transpose(1, 2)  # m h b/m k
            mixed = self.mix(q, k, v, one.mask, one.seen, None)
            found.append(mixed.view(one.count, 1, mixed.shape[2]))
        return self.output(below(found))


def _around(residual: Residual) -> Callable[[Tensor, Part], Tensor]:
    """Return the path around a part, and the norm that goes with it."""
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
