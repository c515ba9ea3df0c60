"""T5 (Raffel et al. 2020): an encoder-decoder with buckets of offsets, RMS norm and no biases.

It does not divide its scores by √k, so our queries are larger by √k. Its embeddings are not scaled
by √d, but where they are the output too, its last states are divided by √d: with a table that is
smaller by √d, ours is the same network.
"""

import math
from typing import Any, ClassVar, Literal

from dragoman.config.task import SpansTaskSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.interop.families.family import ImportPlan, ModelFamily, NetworkSettings
from dragoman.interop.foreign import (
    Foreign,
    Values,
    chosen_or_built_in,
    our_settings,
    parse_settings,
)
from dragoman.interop.table import TensorRow, TensorTable, in_layers, row
from dragoman.interop.tensor_layouts import Repeated, Scaled, Transposed
from dragoman.interop.tensor_source import TensorSource

SHARED, HEAD = "shared.weight", "lm_head.weight"
COPIES = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
BUCKETS = "{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"


class T5Values(Foreign):
    """The keys of a T5."""

    vocab_size: int
    d_model: int
    d_kv: int
    d_ff: int
    num_layers: int
    num_heads: int
    num_decoder_layers: int | None = None
    relative_attention_num_buckets: int = 32
    relative_attention_max_distance: int = 128
    dropout_rate: float = 0.1
    layer_norm_epsilon: float = 1e-6
    feed_forward_proj: Literal["relu", "gated-silu"] = "relu"
    dense_act_fn: Literal["relu", "silu"] | None = None
    is_gated_act: bool | None = None
    is_decoder: Literal[False] = False
    tie_word_embeddings: bool = True
    scale_decoder_outputs: bool | None = None

    def scaled(self) -> bool:
        """Whether the last states are divided by √d."""
        told = self.scale_decoder_outputs
        return self.tie_word_embeddings if told is None else told


class T5(ModelFamily):
    """T5."""

    kind: ClassVar[str] = "t5"
    architectures: ClassVar[tuple[str, ...]] = ("T5ForConditionalGeneration", "T5WithLMHeadModel")

    def plan(
        self, values: Values, stored: TensorSource, ignored: tuple[str, ...] = ()
    ) -> ImportPlan:
        """Say what a settings file and its tensors become here."""
        where = str(stored.where)
        theirs = parse_settings(T5Values, values, where, ignored)
        there = {HEAD, SHARED} <= stored.shapes.keys()
        own = there and not stored.tensor(HEAD).equal(stored.tensor(SHARED))
        settings = our_settings(
            TransformerSettings,
            {
                "width": theirs.d_model,
                "heads": theirs.num_heads,
                "key_width": theirs.d_kv,
                "value_width": theirs.d_kv,
                "ffn_width": theirs.d_ff,
                "encoder_layers": theirs.num_layers,
                "decoder_layers": theirs.num_decoder_layers or theirs.num_layers,
                "activation": "relu" if theirs.feed_forward_proj == "relu" else "swiglu",
                "biases": False,
                "normalization": "rms",
                "norm_epsilon": theirs.layer_norm_epsilon,
                "positions": "t5",
                "buckets": theirs.relative_attention_num_buckets,
                "max_bucket_distance": theirs.relative_attention_max_distance,
                "dropout": theirs.dropout_rate,
                "attention_dropout": theirs.dropout_rate,
                "ffn_dropout": theirs.dropout_rate,
                "tied": "none" if own else "all",
                "initialization": "normal",
            },
            where,
        )
        size = math.sqrt(theirs.d_model)
        table = self._table(
            settings,
            head=1 / size if theirs.scaled() else 1.0,
            norm=1.0 if own or theirs.scaled() else size,
        )
        return ImportPlan(settings, theirs.vocab_size, SpansTaskSettings(), table)

    def values(
        self, settings: NetworkSettings, vocab_size: int, padding: int | None = None
    ) -> dict[str, Any] | None:
        """Return the settings file of one of our networks; None where it is of another kind."""
        if not isinstance(settings, TransformerSettings) or settings.positions != "t5":
            return None
        return {
            "architectures": [self.architectures[0]],
            "vocab_size": vocab_size,
            "d_model": settings.width,
            "d_kv": settings.key_width or settings.width // settings.heads,
            "d_ff": settings.ffn_width,
            "num_layers": settings.encoder_layers,
            "num_decoder_layers": settings.decoder_layers,
            "num_heads": settings.heads,
            "relative_attention_num_buckets": settings.buckets,
            "relative_attention_max_distance": settings.max_bucket_distance,
            "dropout_rate": settings.dropout,
            "layer_norm_epsilon": chosen_or_built_in(settings, "norm_epsilon", "rms"),
            "feed_forward_proj": "gated-silu" if settings.activation == "swiglu" else "relu",
            "is_encoder_decoder": True,
            "tie_word_embeddings": settings.tied == "all",
            "scale_decoder_outputs": settings.tied == "all",
        }

    def table(self, settings: TransformerSettings, padding: int | None = None) -> TensorTable:
        """Return the rows of one of our networks."""
        return self._table(settings, head=1.0, norm=1.0)

    def _table(self, settings: TransformerSettings, *, head: float, norm: float) -> TensorTable:
        words = Scaled(1 / math.sqrt(settings.width))
        if settings.tied == "all":
            tables: tuple[TensorRow, ...] = (row(SHARED, "source_embedding.table.weight", words),)
            copies = dict.fromkeys((*COPIES, HEAD), SHARED)
        else:
            sides = [f"{side}_embedding.table.weight" for side in ("source", "target")]
            output = row(HEAD, "output.weight", Scaled(head))
            tables = (row(SHARED, sides, Repeated(2, words)), output)
            copies = dict.fromkeys(COPIES, SHARED)
        return TensorTable(
            (
                *tables,
                *_stack(settings, "encoder", settings.encoder_layers),
                *_stack(settings, "decoder", settings.decoder_layers),
                row("encoder.final_layer_norm.weight", "encoder_norm.weight"),
                row("decoder.final_layer_norm.weight", "decoder_norm.weight", Scaled(norm)),
            ),
            dropped=(r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias.*",),
            copies=copies,
        )


def _stack(settings: TransformerSettings, side: str, layers: int) -> tuple[TensorRow, ...]:
    looks = [("SelfAttention", "attention")]
    looks += [("EncDecAttention", "source_attention")] if side == "decoder" else []
    queries = Scaled(math.sqrt(settings.key_width or settings.width // settings.heads))
    rows: list[TensorRow] = []
    for place, (theirs, ours) in enumerate(looks):
        before, here = f"{side}.block.{{n}}.layer.{place}", f"{side}.{{n}}"
        rows += [
            row(f"{before}.layer_norm.weight", f"{here}.around_{ours}.norm.weight"),
            row(f"{before}.{theirs}.q.weight", f"{here}.{ours}.query.weight", queries),
            row(f"{before}.{theirs}.k.weight", f"{here}.{ours}.key.weight"),
            row(f"{before}.{theirs}.v.weight", f"{here}.{ours}.value.weight"),
            row(f"{before}.{theirs}.o.weight", f"{here}.{ours}.output.weight"),
        ]
    before, here = f"{side}.block.{{n}}.layer.{len(looks)}", f"{side}.{{n}}"
    rows.append(row(f"{before}.layer_norm.weight", f"{here}.around_feed_forward.norm.weight"))
    inside = [("wi_0", "gate"), ("wi_1", "inner")]
    if settings.activation != "swiglu":
        inside = [("wi", "inner")]
    for theirs, ours in (*inside, ("wo", "output")):
        name = f"{before}.DenseReluDense.{theirs}.weight"
        rows.append(row(name, f"{here}.feed_forward.{ours}.weight"))
    buckets = row(BUCKETS.format(side=side), f"{side}.0.attention.offsets.table", Transposed())
    return (buckets, *in_layers(rows, layers))
