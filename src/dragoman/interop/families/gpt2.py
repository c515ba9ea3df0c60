"""GPT-2 (Radford et al. 2019): causal layers, learned positions, matrices kept turned.

Its embeddings are not scaled by √d, as ours are: so the table is divided by √d, and where it is
the output too, the last norm is multiplied by √d instead.
"""

import math
from typing import Any, ClassVar, Literal

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.task import LanguageTaskSettings
from dragoman.interop.families.family import ImportPlan, ModelFamily, NetworkSettings, dropout_note
from dragoman.interop.foreign import (
    Foreign,
    Values,
    chosen_or_built_in,
    our_settings,
    parse_settings,
)
from dragoman.interop.table import TensorTable, both, in_layers, row
from dragoman.interop.tensor_layouts import Concatenated, Scaled, Transposed
from dragoman.interop.tensor_source import TensorSource

ACTIVATIONS = {
    "gelu_new": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "gelu": "gelu",
    "relu": "relu",
}
THEIRS = {"gelu-tanh": "gelu_new", "gelu": "gelu", "relu": "relu"}
QKV = ("query", "key", "value")


class Gpt2Values(Foreign):
    """The keys of a GPT-2."""

    vocab_size: int
    n_embd: int
    n_layer: int
    n_head: int
    n_positions: int = 1024
    n_inner: int | None = None
    activation_function: Literal["gelu_new", "gelu_pytorch_tanh", "gelu", "relu"] = "gelu_new"
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    layer_norm_epsilon: float = 1e-5
    scale_attn_weights: Literal[True] = True
    scale_attn_by_inverse_layer_idx: Literal[False] = False
    add_cross_attention: Literal[False] = False
    tie_word_embeddings: bool = True


class Gpt2(ModelFamily):
    """GPT-2."""

    kind: ClassVar[str] = "gpt2"
    architectures: ClassVar[tuple[str, ...]] = ("GPT2LMHeadModel", "GPT2Model")

    def plan(
        self, values: Values, stored: TensorSource, ignored: tuple[str, ...] = ()
    ) -> ImportPlan:
        """Say what a settings file and its tensors become here."""
        where = str(stored.where)
        theirs = parse_settings(Gpt2Values, values, where, ignored)
        settings = our_settings(
            DecoderOnlySettings,
            {
                "width": theirs.n_embd,
                "layers": theirs.n_layer,
                "heads": theirs.n_head,
                "ffn_width": theirs.n_inner or 4 * theirs.n_embd,
                "activation": ACTIVATIONS[theirs.activation_function],
                "positions": "learned",
                "max_positions": theirs.n_positions,
                "norm_epsilon": theirs.layer_norm_epsilon,
                "dropout": theirs.resid_pdrop,
                "attention_dropout": theirs.attn_pdrop,
                "tied": theirs.tie_word_embeddings,
                "initialization": "normal",
            },
            where,
        )
        notes = dropout_note(theirs.resid_pdrop, theirs.embd_pdrop, "the embeddings")
        table = self.table(settings)
        return ImportPlan(settings, theirs.vocab_size, LanguageTaskSettings(), table, notes)

    def values(
        self, settings: NetworkSettings, vocab_size: int, padding: int | None = None
    ) -> dict[str, Any] | None:
        """Return the settings file of one of our networks; None where it is of another kind."""
        if not isinstance(settings, DecoderOnlySettings) or settings.positions != "learned":
            return None
        return {
            "architectures": [self.architectures[0]],
            "vocab_size": vocab_size,
            "n_embd": settings.width,
            "n_layer": settings.layers,
            "n_head": settings.heads,
            "n_positions": settings.max_positions,
            "n_inner": settings.ffn_width,
            "activation_function": THEIRS.get(settings.activation, settings.activation),
            "resid_pdrop": settings.dropout,
            "embd_pdrop": settings.dropout,
            "attn_pdrop": settings.attention_dropout,
            "layer_norm_epsilon": chosen_or_built_in(settings, "norm_epsilon", "layer"),
            "tie_word_embeddings": settings.tied,
        }

    def table(self, settings: DecoderOnlySettings, padding: int | None = None) -> TensorTable:
        """Return the rows of one of our networks."""
        size = math.sqrt(settings.width)
        around = Scaled(size if settings.tied else 1.0)
        layers = (
            *both("h.{n}.ln_1", "layers.{n}.around_attention.norm"),
            *both("h.{n}.ln_2", "layers.{n}.around_feed_forward.norm"),
            row("h.{n}.attn.c_attn.weight", _parts("weight"), Concatenated(3, turned=True)),
            row("h.{n}.attn.c_attn.bias", _parts("bias"), Concatenated(3)),
            row("h.{n}.attn.c_proj.weight", "layers.{n}.attention.output.weight", Transposed()),
            row("h.{n}.attn.c_proj.bias", "layers.{n}.attention.output.bias"),
            row("h.{n}.mlp.c_fc.weight", "layers.{n}.feed_forward.inner.weight", Transposed()),
            row("h.{n}.mlp.c_fc.bias", "layers.{n}.feed_forward.inner.bias"),
            row("h.{n}.mlp.c_proj.weight", "layers.{n}.feed_forward.output.weight", Transposed()),
            row("h.{n}.mlp.c_proj.bias", "layers.{n}.feed_forward.output.bias"),
        )
        head = () if settings.tied else (row("lm_head.weight", "output.weight"),)
        return TensorTable(
            (
                row("wte.weight", "embedding.table.weight", Scaled(1 / size)),
                row("wpe.weight", "embedding.positions.table.weight"),
                *in_layers(layers, settings.layers),
                *both("ln_f", "last_norm", around),
                *head,
            ),
            prefix="transformer.",
            bare=("lm_head.",),
            dropped=(r"h\.\d+\.attn\.(bias|masked_bias)",),
            copies={"lm_head.weight": "wte.weight"} if settings.tied else {},
        )


def _parts(part: str) -> list[str]:
    return [f"layers.{{n}}.attention.{which}.{part}" for which in QKV]
