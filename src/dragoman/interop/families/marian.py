"""Marian (Junczys-Dowmunt et al. 2018): the Transformer of 2017, with norms after its parts.

Its sines and cosines stand in two halves and are no weights, though some files store them. Where
its embeddings are not scaled by √d, ours are smaller by √d; where they are the output as well, the
decoder's last norm is larger by √d in return.
"""

import math
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from dragoman.config.task import TranslationTaskSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError
from dragoman.interop.families.family import (
    ImportPlan,
    ModelFamily,
    NetworkSettings,
    TranslatorSpecialTokens,
)
from dragoman.interop.foreign import Foreign, Values, our_settings, parse_settings
from dragoman.interop.table import TensorRow, TensorTable, both, in_layers, row
from dragoman.interop.tensor_layouts import SAME, OneRow, Repeated, Scaled, TensorLayout
from dragoman.interop.tensor_source import TensorSource
from dragoman.neural.layers.positions import sinusoids

Act = Literal["relu", "gelu", "gelu_new", "gelu_pytorch_tanh", "swish", "silu"]
ACTIVATIONS: dict[str, str] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "swish": "swish",
    "silu": "swish",
}
THEIRS = {"relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu_new", "swish": "swish"}
WRITING = (
    *("bad_words_ids", "begin_suppress_tokens", "diversity_penalty", "do_sample"),
    *("early_stopping", "encoder_no_repeat_ngram_size", "exponential_decay_length_penalty"),
    *("forced_eos_token_id", "length_penalty", "max_length", "min_length"),
    *("no_repeat_ngram_size", "num_beam_groups", "num_beams", "num_return_sequences"),
    *("output_scores", "remove_invalid_values", "repetition_penalty", "return_dict_in_generate"),
    *("suppress_tokens", "temperature", "top_k", "top_p", "typical_p"),
)
"""Keys about writing; generation.py reads those of them that we have, too."""

UNUSED = (
    *("_num_labels", "add_bias_logits", "chunk_size_feed_forward", "classif_dropout"),
    *("cross_attention_hidden_size", "extra_pos_embeddings", "force_bos_token_to_be_generated"),
    *("init_std", "num_hidden_layers", "prefix", "pruned_heads", "save_step", "tf_legacy_loss"),
    *("tokenizer_class", "torchscript", "use_bfloat16"),
)
"""Keys that their network does not look at."""

SHARED, HEAD, BIAS = "shared.weight", "lm_head.weight", "final_logits_bias"
TABLES = {side: f"{side}.embed_tokens.weight" for side in ("encoder", "decoder")}
WAVES = {side: f"{side}.embed_positions.weight" for side in ("encoder", "decoder")}
PREFIX = "model."
LOOKS = {"encoder": ("self",), "decoder": ("self", "encoder")}
OURS = {"self": "attention", "encoder": "source_attention"}
CLOSE = 1e-4


class MarianValues(Foreign):
    """The keys of a Marian."""

    vocab_size: int
    d_model: int
    encoder_layers: int
    decoder_layers: int
    encoder_attention_heads: int
    decoder_attention_heads: int
    encoder_ffn_dim: int
    decoder_ffn_dim: int
    decoder_vocab_size: int | None = None
    activation_function: Act = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.0
    activation_dropout: float = 0.0
    encoder_layerdrop: float = 0.0
    decoder_layerdrop: float = 0.0
    max_position_embeddings: int = 1024
    scale_embedding: bool = False
    share_encoder_decoder_embeddings: bool = True
    tie_word_embeddings: bool = True
    tie_encoder_decoder: Literal[False] = False
    is_decoder: Literal[False] = False
    add_cross_attention: Literal[False] = False
    static_position_embeddings: Literal[True] = True
    normalize_embedding: Literal[False] = False
    normalize_before: Literal[False] = False
    add_final_layer_norm: Literal[False] = False
    forced_bos_token_id: None = None
    pad_token_id: int | None = 58100
    eos_token_id: int = 0
    decoder_start_token_id: int = 58100

    def tied(self, stored: TensorSource) -> Literal["all", "target", "none"]:
        """Return which matrices are one."""
        if not self.tie_word_embeddings:
            return "none"
        return "all" if self.share_encoder_decoder_embeddings else "target"


class Marian(ModelFamily):
    """Marian, as the OPUS-MT models are."""

    kind: ClassVar[str] = "marian"
    architectures: ClassVar[tuple[str, ...]] = ("MarianMTModel",)
    two_vocabularies: ClassVar[bool] = True
    translates: ClassVar[bool] = True
    norm: ClassVar[Literal["pre", "post"]] = "post"
    known: ClassVar[type[MarianValues]] = MarianValues
    stores_waves: ClassVar[bool] = False
    """Whether a file must hold the sines and cosines, too."""

    def plan(
        self, values: Values, stored: TensorSource, ignored: tuple[str, ...] = ()
    ) -> ImportPlan:
        """Say what a settings file and its tensors become here."""
        where = str(stored.where)
        theirs = parse_settings(self.known, values, where, (*ignored, *WRITING, *UNUSED))
        _check_waves(stored, theirs.d_model)
        settings = our_settings(
            TransformerSettings,
            {
                "width": theirs.d_model,
                "heads": theirs.encoder_attention_heads,
                "decoder_heads": theirs.decoder_attention_heads,
                "ffn_width": theirs.encoder_ffn_dim,
                "decoder_ffn_width": theirs.decoder_ffn_dim,
                "encoder_layers": theirs.encoder_layers,
                "decoder_layers": theirs.decoder_layers,
                "activation": ACTIVATIONS[theirs.activation_function],
                "norm": self.norm,
                "positions": "sinusoidal-halves",
                "max_positions": theirs.max_position_embeddings,
                "dropout": theirs.dropout,
                "attention_dropout": theirs.attention_dropout,
                "ffn_dropout": theirs.activation_dropout,
                "tied": theirs.tied(stored),
                "output_bias": _has_bias(stored),
                "initialization": "normal",
            },
            where,
        )
        sides = theirs.share_encoder_decoder_embeddings
        return ImportPlan(
            settings,
            theirs.vocab_size,
            TranslationTaskSettings(),
            self._table(settings, _plain(stored), scaled=theirs.scale_embedding),
            notes=_notes(theirs),
            target_vocab_size=None if sides else theirs.decoder_vocab_size,
            special_tokens=TranslatorSpecialTokens(
                theirs.pad_token_id, theirs.decoder_start_token_id, theirs.eos_token_id
            ),
        )

    def values(
        self, settings: NetworkSettings, vocab_size: int, padding: int | None = None
    ) -> dict[str, Any] | None:
        """Return the settings file of one of our networks; None where it is of another kind."""
        if (
            not isinstance(settings, TransformerSettings)
            or settings.positions != "sinusoidal-halves"
            or settings.norm != self.norm
        ):
            return None
        if settings.activation not in THEIRS:
            raise ConfigError(
                f"model.activation = {settings.activation!r} has no place in a {self.kind!r}, "
                f"which has {', '.join(sorted(THEIRS))}."
            )
        return {
            "architectures": [self.architectures[0]],
            "vocab_size": vocab_size,
            "d_model": settings.width,
            "encoder_layers": settings.encoder_layers,
            "decoder_layers": settings.decoder_layers,
            "num_hidden_layers": settings.encoder_layers,
            "encoder_attention_heads": settings.heads,
            "decoder_attention_heads": settings.decoder_heads or settings.heads,
            "encoder_ffn_dim": settings.ffn_width,
            "decoder_ffn_dim": settings.decoder_ffn_width or settings.ffn_width,
            "activation_function": THEIRS[settings.activation],
            "dropout": settings.dropout,
            "attention_dropout": settings.attention_dropout,
            "activation_dropout": settings.ffn_dropout,
            "max_position_embeddings": settings.max_positions,
            "scale_embedding": True,
            "is_encoder_decoder": True,
            "tie_word_embeddings": settings.tied != "none",
            **self._two(settings),
        }

    def table(self, settings: TransformerSettings, padding: int | None = None) -> TensorTable:
        """Return the rows of one of our networks."""
        return self._table(settings, None, scaled=True)

    def further(
        self, settings: TransformerSettings, values: Values, given: dict[str, Tensor]
    ) -> dict[str, Tensor]:
        """Return biases of nothing where we have none, and the waves where a file holds them.

        A table for both sides is stored even where each side has its own, and it is not used.
        """
        words = values.get("decoder_vocab_size") or values["vocab_size"]
        found = {} if settings.output_bias else {BIAS: torch.zeros(1, words)}
        if settings.tied == "none" and not self.two_vocabularies:
            found[PREFIX + SHARED] = given[PREFIX + TABLES["encoder"]].clone()
        if self.stores_waves:
            table = sinusoids(values["max_position_embeddings"], settings.width, "halves").float()
            found |= {PREFIX + name: table.clone() for name in WAVES.values()}
        return found

    def _two(self, settings: TransformerSettings) -> dict[str, Any]:
        """Return what is said of two vocabularies."""
        return {"share_encoder_decoder_embeddings": settings.tied == "all"}

    def _table(
        self, settings: TransformerSettings, there: set[str] | None, *, scaled: bool
    ) -> TensorTable:
        size = math.sqrt(settings.width)
        words: TensorLayout = SAME if scaled else Scaled(1 / size)
        last = Scaled(1.0 if scaled or settings.tied == "none" else size)
        tables, copies, left = _tables(settings, there, words)
        bias = (row(BIAS, "output.bias", OneRow()),) if settings.output_bias else ()
        waves = tuple(f"{side}\\.embed_positions\\.weight" for side in WAVES)
        return TensorTable(
            (
                *tables,
                *in_layers(_layer("encoder"), settings.encoder_layers),
                *in_layers(_layer("decoder"), settings.decoder_layers - 1),
                *_last_layer(settings.decoder_layers - 1, last if self.norm == "post" else SAME),
                *self._last_norms(last),
                *bias,
            ),
            prefix=PREFIX,
            bare=(HEAD, BIAS),
            dropped=(*waves, *left, *(() if bias else (BIAS,))),
            copies=copies,
        )

    def _last_norms(self, last: TensorLayout) -> tuple[TensorRow, ...]:
        return ()


def _tables(
    settings: TransformerSettings, there: set[str] | None, words: TensorLayout
) -> tuple[tuple[TensorRow, ...], dict[str, str], tuple[str, ...]]:
    """Return the rows of the embeddings and the output, their copies, and what is never used."""
    source, target = (f"{side}_embedding.table.weight" for side in ("source", "target"))
    encoder, decoder = TABLES["encoder"], TABLES["decoder"]
    if settings.tied == "all":
        names = (SHARED, decoder, encoder, HEAD)
        kept = next((name for name in names if there is None or name in there), SHARED)
        others = dict.fromkeys((name for name in names if name != kept), kept)
        return (row(kept, source, words),), others, ()
    output = (row(HEAD, "output.weight"),) if settings.tied == "none" else ()
    if there is not None and not {encoder, decoder} & there:
        return (row(SHARED, (source, target), Repeated(2, words)), *output), {}, ()
    sides = (row(encoder, source, words), row(decoder, target, words))
    return (*sides, *output), {} if output else {HEAD: decoder}, (SHARED.replace(".", r"\."),)


def _layer(side: str) -> list[TensorRow]:
    theirs, ours = f"{side}.layers.{{n}}", f"{side}.{{n}}"
    rows: list[TensorRow] = []
    for look in LOOKS[side]:
        here = f"{ours}.{OURS[look]}"
        parts = {"q_proj": "query", "k_proj": "key", "v_proj": "value", "out_proj": "output"}
        for name, part in parts.items():
            rows += both(f"{theirs}.{look}_attn.{name}", f"{here}.{part}")
        rows += both(f"{theirs}.{look}_attn_layer_norm", f"{ours}.around_{OURS[look]}.norm")
    rows += both(f"{theirs}.fc1", f"{ours}.feed_forward.inner")
    rows += both(f"{theirs}.fc2", f"{ours}.feed_forward.output")
    rows += both(f"{theirs}.final_layer_norm", f"{ours}.around_feed_forward.norm")
    return rows


def _last_layer(number: int, last: TensorLayout) -> tuple[TensorRow, ...]:
    """Return the rows of the decoder's last layer, whose norm may be the last of all."""
    rows = [
        TensorRow(
            one.theirs.format(n=number), tuple(name.format(n=number) for name in one.ours), one.way
        )
        for one in _layer("decoder")
    ]
    *others, weight, bias = rows
    return (
        *others,
        TensorRow(weight.theirs, weight.ours, last),
        TensorRow(bias.theirs, bias.ours, last),
    )


def _plain(stored: TensorSource) -> set[str]:
    return {name.removeprefix(PREFIX) for name in stored.shapes}


def _has_bias(stored: TensorSource) -> bool:
    """Say whether the output's biases are more than zeros."""
    return BIAS in stored.shapes and bool(stored.tensor(BIAS).any())


def _check_waves(stored: TensorSource, width: int) -> None:
    """Refuse stored positions that are other than the waves that ours have built in."""
    for name, shape in stored.shapes.items():
        if name.removeprefix(PREFIX) not in WAVES.values():
            continue
        fits = len(shape) == 2 and shape[1] == width and width % 2 == 0
        if fits:
            wanted = sinusoids(shape[0], width, "halves").float()
            fits = torch.allclose(stored.tensor(name), wanted, atol=CLOSE)
        if not fits:
            raise ConfigError(
                f"{stored.where}: {name} holds other positions than sines and cosines in two "
                "halves. Such a network cannot be built here."
            )


def _notes(theirs: MarianValues) -> tuple[str, ...]:
    notes = []
    if theirs.encoder_layerdrop or theirs.decoder_layerdrop:
        notes.append("Whole layers were left out by chance in training; here they never are.")
    if theirs.share_encoder_decoder_embeddings and not theirs.tie_word_embeddings:
        notes.append("The sides may have shared a table; here each has its own, and learns alone.")
    return tuple(notes)
