"""Llama (Touvron et al. 2023): rotary positions, RMS norm, a gate in the feed-forward, no biases.

Embeddings are not scaled by √d: see the GPT-2 family for what is done about it.
"""

import math
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.task import LanguageTaskSettings
from dragoman.core.errors import ConfigError
from dragoman.interop.families.family import ImportPlan, ModelFamily, NetworkSettings
from dragoman.interop.foreign import (
    Foreign,
    Values,
    chosen_or_built_in,
    our_settings,
    parse_settings,
)
from dragoman.interop.table import TensorTable, in_layers, row
from dragoman.interop.tensor_layouts import Scaled
from dragoman.interop.tensor_source import TensorSource

LAYER = (
    row("layers.{n}.input_layernorm.weight", "layers.{n}.around_attention.norm.weight"),
    row("layers.{n}.post_attention_layernorm.weight", "layers.{n}.around_feed_forward.norm.weight"),
    row("layers.{n}.self_attn.q_proj.weight", "layers.{n}.attention.query.weight"),
    row("layers.{n}.self_attn.k_proj.weight", "layers.{n}.attention.key.weight"),
    row("layers.{n}.self_attn.v_proj.weight", "layers.{n}.attention.value.weight"),
    row("layers.{n}.self_attn.o_proj.weight", "layers.{n}.attention.output.weight"),
    row("layers.{n}.mlp.gate_proj.weight", "layers.{n}.feed_forward.gate.weight"),
    row("layers.{n}.mlp.up_proj.weight", "layers.{n}.feed_forward.inner.weight"),
    row("layers.{n}.mlp.down_proj.weight", "layers.{n}.feed_forward.output.weight"),
)
BASE = 10_000.0


class Rope(BaseModel):
    """Rotary position settings; only the plain ones are understood."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    rope_type: Literal["default"] = "default"
    rope_theta: float = BASE
    partial_rotary_factor: float = Field(1.0, ge=1.0, le=1.0)


class LlamaValues(Foreign):
    """The keys of a Llama."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int | None = None
    head_dim: int | None = None
    hidden_act: Literal["silu"] = "silu"
    max_position_embeddings: int = 2048
    rms_norm_eps: float = 1e-6
    tie_word_embeddings: bool = False
    rope_theta: float | None = None
    rope_scaling: None = None
    rope_parameters: Rope | None = None
    rope_interleaved: Literal[False] = False
    sliding_window: None = None
    attention_bias: Literal[False] = False
    mlp_bias: Literal[False] = False
    attention_dropout: float = 0.0
    pretraining_tp: int | None = 1

    def base(self, where: str) -> float:
        """Return the base of the rotary waves, which two keys may name."""
        named = None if self.rope_parameters is None else self.rope_parameters.rope_theta
        if None not in (named, self.rope_theta) and named != self.rope_theta:
            raise ConfigError(f"{where}: rope_theta and rope_parameters contradict each other.")
        return named or self.rope_theta or BASE


class Llama(ModelFamily):
    """Llama, and what is built alike: SmolLM2, TinyLlama."""

    kind: ClassVar[str] = "llama"
    architectures: ClassVar[tuple[str, ...]] = ("LlamaForCausalLM", "LlamaModel")

    def plan(
        self, values: Values, stored: TensorSource, ignored: tuple[str, ...] = ()
    ) -> ImportPlan:
        """Say what a settings file and its tensors become here."""
        where = str(stored.where)
        theirs = parse_settings(LlamaValues, values, where, ignored)
        settings = our_settings(
            DecoderOnlySettings,
            {
                "width": theirs.hidden_size,
                "layers": theirs.num_hidden_layers,
                "heads": theirs.num_attention_heads,
                "key_value_heads": theirs.num_key_value_heads,
                "key_width": theirs.head_dim,
                "value_width": theirs.head_dim,
                "ffn_width": theirs.intermediate_size,
                "activation": "swiglu",
                "biases": False,
                "normalization": "rms",
                "norm_epsilon": theirs.rms_norm_eps,
                "positions": "rotary",
                "rotary_base": theirs.base(where),
                "max_positions": theirs.max_position_embeddings,
                "dropout": 0.0,
                "attention_dropout": theirs.attention_dropout,
                "tied": theirs.tie_word_embeddings,
                "initialization": "normal",
            },
            where,
        )
        return ImportPlan(settings, theirs.vocab_size, LanguageTaskSettings(), self.table(settings))

    def values(
        self, settings: NetworkSettings, vocab_size: int, padding: int | None = None
    ) -> dict[str, Any] | None:
        """Return the settings file of one of our networks; None where it is of another kind."""
        if not isinstance(settings, DecoderOnlySettings) or settings.positions != "rotary":
            return None
        base = chosen_or_built_in(settings, "rotary_base")
        return {
            "architectures": [self.architectures[0]],
            "vocab_size": vocab_size,
            "hidden_size": settings.width,
            "intermediate_size": settings.ffn_width,
            "num_hidden_layers": settings.layers,
            "num_attention_heads": settings.heads,
            "num_key_value_heads": settings.key_value_heads or settings.heads,
            "head_dim": settings.key_width or settings.width // settings.heads,
            "hidden_act": "silu",
            "max_position_embeddings": settings.max_positions,
            "rms_norm_eps": chosen_or_built_in(settings, "norm_epsilon", "rms"),
            "rope_theta": base,
            "rope_parameters": {"rope_type": "default", "rope_theta": base},
            "attention_bias": False,
            "mlp_bias": False,
            "attention_dropout": settings.attention_dropout,
            "tie_word_embeddings": settings.tied,
        }

    def table(self, settings: DecoderOnlySettings, padding: int | None = None) -> TensorTable:
        """Return the rows of one of our networks."""
        size = math.sqrt(settings.width)
        head = () if settings.tied else (row("lm_head.weight", "output.weight"),)
        return TensorTable(
            (
                row("embed_tokens.weight", "embedding.table.weight", Scaled(1 / size)),
                *in_layers(LAYER, settings.layers),
                row("norm.weight", "last_norm.weight", Scaled(size if settings.tied else 1.0)),
                *head,
            ),
            prefix="model.",
            bare=("lm_head.",),
            dropped=(r"(layers\.\d+\.self_attn\.)?rotary_emb\.inv_freq",),
            copies={"lm_head.weight": "embed_tokens.weight"} if settings.tied else {},
        )
