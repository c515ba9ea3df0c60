"""Closed forms of Transformer layers: attention with every kind of position, feed-forward, norms.

With h heads, g of keys and values, k and w the widths of a head's keys and values, and m keys seen
by each of n queries:

parameters   d·(h·k + g·k + g·w) + h·w·d, and their biases
FLOPs        those of the four matrices, 2·h·n·m·k for the scores and 2·h·n·m·w for the values
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dragoman.config.stack import StackSettings
from dragoman.config.start import Matrix, PrefixStart
from dragoman.planner.count.layers import added, bend, linear, norm
from dragoman.planner.count.tape import FLOAT, INTEGER, Signal, Tape, in_one_storage

PROJECTED: tuple[Matrix, ...] = ("query", "key", "value")

Reads = Literal["encoder", "decoder", "cross"]
"""Kind of attention: bidirectional, causal, or from target to source."""


@dataclass(frozen=True, slots=True)
class LayerShape:
    """The sizes and habits that all layers of a stack share."""

    width: int
    heads: int
    ffn_width: int
    activation: str = "gelu"
    key_value_heads: int | None = None
    key_width: int | None = None
    value_width: int | None = None
    output_projection: bool = True
    biases: bool = True
    norm: str = "pre"
    normalization: str = "layer"
    positions: str = "none"
    max_relative_position: int = 0
    buckets: int = 0
    dropout: float = 0.0
    attention_dropout: float = 0.0
    ffn_dropout: float = 0.0

    @property
    def groups(self) -> int:
        """Heads of keys and values."""
        return self.key_value_heads or self.heads

    @property
    def keys(self) -> int:
        """Width of a head's queries and keys."""
        return self.key_width or self.width // self.heads

    @property
    def values(self) -> int:
        """Width of a head's values."""
        return self.value_width or self.width // self.heads

    @classmethod
    def of(
        cls, settings: StackSettings, heads: int | None = None, ffn_width: int | None = None
    ) -> "LayerShape":
        """Take them from the settings of a stack."""
        return cls(
            settings.width,
            heads or settings.heads,
            ffn_width or settings.ffn_width,
            settings.activation,
            settings.key_value_heads,
            settings.key_width,
            settings.value_width,
            settings.output_projection,
            settings.biases,
            settings.norm,
            settings.normalization,
            settings.positions,
            settings.max_relative_position,
            settings.buckets,
            settings.dropout,
            settings.attention_dropout,
            settings.ffn_dropout,
        )


def self_attention_layer(tape: Tape, shape: LayerShape, x: Signal, reads: Reads) -> Signal:
    """Count a layer of an encoder or of a decoder-only network; x is b n d."""
    x = _residual(tape, shape, "attention", x, lambda y: attention(tape, shape, y, y, reads))
    return _residual(tape, shape, "feed_forward", x, lambda y: feed_forward(tape, shape, y))


def cross_attention_layer(tape: Tape, shape: LayerShape, x: Signal, memory: Signal) -> Signal:
    """Count a layer of a decoder that attends to a source."""
    x = _residual(tape, shape, "attention", x, lambda y: attention(tape, shape, y, y, "decoder"))
    x = _residual(
        tape, shape, "source_attention", x, lambda y: attention(tape, shape, y, memory, "cross")
    )
    return _residual(tape, shape, "feed_forward", x, lambda y: feed_forward(tape, shape, y))


def _residual(
    tape: Tape, shape: LayerShape, name: str, x: Signal, part: Callable[[Signal], Signal]
) -> Signal:
    around = f"around_{name}.norm"
    read = norm(tape, around, x, shape.normalization) if shape.norm == "pre" else x
    summed = added(tape, x, tape.dropout(part(read), shape.dropout))
    return norm(tape, around, summed, shape.normalization) if shape.norm == "post" else summed


def feed_forward(tape: Tape, shape: LayerShape, x: Signal) -> Signal:
    """Count the feed-forward: two matrices, three with a gate, or a single one."""
    biases, width = shape.biases, shape.width
    with tape.part("feed_forward", "feed-forward"):
        match shape.activation:
            case "single":
                y = linear(tape, "output", x, width, bias=biases, target="outer")
                return tape.dropout(bend(tape, y, "relu"), shape.ffn_dropout)
            case "swiglu":
                gate = linear(tape, "gate", x, shape.ffn_width, bias=biases, target="gate")
                inner = linear(tape, "inner", x, shape.ffn_width, bias=biases, target="inner")
                opened = bend(tape, gate, "silu")
                y = added(tape, opened, inner)
                if y.slope:
                    tape.keep(opened, inner)
            case kind:
                inner = linear(tape, "inner", x, shape.ffn_width, bias=biases, target="inner")
                y = bend(tape, inner, kind)
        y = tape.dropout(y, shape.ffn_dropout)
        return linear(tape, "output", y, width, bias=biases, target="outer")


def attention(tape: Tape, shape: LayerShape, x: Signal, memory: Signal, reads: Reads) -> Signal:
    """Count multi-head attention from x (b n d) to a memory (b m d)."""
    name = "source_attention" if reads == "cross" else "attention"
    heads, groups, biases = shape.heads, shape.groups, shape.biases
    with tape.part(name, "cross-attention" if reads == "cross" else "self-attention"):

        def project(part: Matrix, of: Signal, width: int) -> Signal:
            return linear(tape, part, of, width, bias=biases, target=part)

        q = project("query", x, heads * shape.keys)
        k = project("key", memory, groups * shape.keys)
        v = project("value", memory, groups * shape.values)
        if reads == "decoder" and not any(map(tape.lora_rank, PROJECTED)):
            q, k, v = in_one_storage(q, k, v)  # one product makes all three
        if shape.positions == "rotary" and reads != "cross":
            q, k = (tape.signal(*one.shape, slope=one.slope) for one in (q, k))
        if groups < heads:  # repeated for all heads
            k = tape.signal(*k.shape[:2], heads * shape.keys, slope=k.slope)
            v = tape.signal(*v.shape[:2], heads * shape.values, slope=v.slope)
        biased = _position_bias(tape, shape, q, memory.shape[1], reads)
        if start := tape.prefix():
            k, v = _with_prefix(tape, shape, start, k, v, reads)
        mixed = _mix(tape, shape, q, k, v, biased=biased)
        if not shape.output_projection:
            return mixed
        return project("output", mixed, shape.width)


def _mix(tape: Tape, shape: LayerShape, q: Signal, k: Signal, v: Signal, *, biased: bool) -> Signal:
    """Count scores and weighted means; the fused kernel keeps no scores."""
    batch, queries, keys = q.shape[0], q.shape[1], k.shape[1]
    pairs = batch * shape.heads * queries * keys
    kept = q.slope or k.slope or biased
    with tape.part("scores", "attention scores"):
        tape.product(2 * pairs * shape.keys, q.slope, k.slope)
        tape.product(2 * pairs * shape.values, kept, v.slope)
        mixed = tape.signal(batch, queries, shape.heads * shape.values, slope=kept or v.slope)
        if not mixed.slope:
            return mixed
        plain = not shape.attention_dropout and shape.positions in _FUSED
        if plain and shape.keys == shape.values:
            tape.keep(q, k, v, mixed)
            tape.keep_bytes(FLOAT * batch * shape.heads * queries)
            return mixed
        tape.keep(q, k, v)
        tape.keep_bytes(FLOAT * pairs)
        if shape.attention_dropout and tape.training:
            tape.keep_bytes(2 * FLOAT * pairs)
        tape.work_in(2 * FLOAT * pairs)
        return mixed


_FUSED = ("none", "sinusoidal", "sinusoidal-halves", "sinusoidal-from-one", "learned", "rotary")
"""Positions that leave attention to the fused kernel: the others add to its scores."""


def _position_bias(tape: Tape, shape: LayerShape, q: Signal, keys: int, reads: Reads) -> bool:
    """Count what positions add to the scores; say whether a gradient flows into it."""
    if reads == "cross" and shape.positions != "relative":
        return False
    offsets = 2 * shape.max_relative_position + 1
    match shape.positions:
        case "relative":
            with tape.part("offsets", "relative position bias"):
                tape.keep_bytes(INTEGER * q.shape[1] * keys)
                return tape.weight(shape.heads * offsets, "other", "table")
        case "t5":
            with tape.part("offsets", "T5 position bias"):
                tape.keep_bytes(INTEGER * q.shape[1] * keys)
                return tape.shared_weight(f"t5 {reads}", shape.heads * shape.buckets, "table")
        case "shaw":
            with tape.part("offsets", "Shaw position bias"):
                trained = tape.weight(offsets * shape.keys, "other", "table")
                rows = q.shape[0] * q.shape[1] * shape.heads
                tape.product(2 * rows * shape.keys * offsets, q.slope, trained)
                tape.keep_bytes(INTEGER * q.shape[1] * keys)
                return trained or q.slope
        case _:
            return False


def _with_prefix(
    tape: Tape, shape: LayerShape, start: PrefixStart, k: Signal, v: Signal, reads: Reads
) -> tuple[Signal, Signal]:
    """Count virtual keys and values, learned as they are or made by a small network."""
    length, made = start.length, shape.groups * (shape.keys + shape.values)
    with tape.part("prefix", "prefix"):
        if start.projection_width is None:
            tape.adapter_weight(length * made)
        else:
            _reparametrized(tape, shape, start, made, reads)
    longer = length + k.shape[1]
    return (
        tape.signal(k.shape[0], longer, k.shape[2], slope=True),
        tape.signal(v.shape[0], longer, v.shape[2], slope=True),
    )


def _reparametrized(
    tape: Tape, shape: LayerShape, start: PrefixStart, made: int, reads: Reads
) -> None:
    """Count P = W₂ tanh(W₁ P' + b₁) + b₂, of which all attentions of a kind share P' and W₁."""
    width, through = shape.width, start.projection_width or 0
    with tape.part("source", "prefix source"):
        count = start.length * width + width * through + through
        tape.shared_weight(f"prefix {reads}", count, adapter=True)
        tape.product(2 * start.length * width * through, True, True)
        tape.keep_bytes(FLOAT * start.length * through)
    with tape.part("output", "linear"):
        tape.adapter_weight(through * made + made)
        tape.product(2 * start.length * through * made, True, True)
