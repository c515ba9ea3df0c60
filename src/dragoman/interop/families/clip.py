"""CLIP (Radford et al. 2021): a vision Transformer and a causal text Transformer that meet.

Its settings file holds those of both towers. How it is shown images stands in a file of its own.
"""

from typing import Any, ClassVar, Literal

from dragoman.config.clip import ClipSettings, PatchTowerSettings, TextTowerSettings
from dragoman.config.task import ImageTextTaskSettings
from dragoman.core.errors import ConfigError
from dragoman.interop.families.clip_pixels import read_pixels
from dragoman.interop.families.family import ImportPlan, ModelFamily, NetworkSettings
from dragoman.interop.foreign import Foreign, Values, our_settings, parse_settings
from dragoman.interop.table import TensorRow, TensorTable, both, in_layers, row
from dragoman.interop.tensor_source import TensorSource

Act = Literal["quick_gelu", "gelu", "gelu_new", "gelu_pytorch_tanh", "relu"]
ACTIVATIONS: dict[str, str] = {
    "quick_gelu": "quick-gelu",
    "gelu": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "relu": "relu",
}
SAMPLING = (
    *("add_cross_attention", "bad_words_ids", "begin_suppress_tokens", "chunk_size_feed_forward"),
    *("cross_attention_hidden_size", "diversity_penalty", "do_sample", "dropout", "early_stopping"),
    *("encoder_no_repeat_ngram_size", "exponential_decay_length_penalty", "forced_bos_token_id"),
    *("forced_eos_token_id", "is_decoder", "length_penalty", "max_length", "min_length"),
    *("no_repeat_ngram_size", "num_beam_groups", "num_beams", "num_return_sequences"),
    *("output_scores", "prefix", "pruned_heads", "remove_invalid_values", "repetition_penalty"),
    *("return_dict_in_generate", "suppress_tokens", "temperature", "tf_legacy_loss"),
    *("tie_encoder_decoder", "tie_word_embeddings", "tokenizer_class", "top_k", "top_p"),
    *("torchscript", "typical_p", "use_bfloat16"),
)
"""Keys that older files have in every tower, most of them about writing; CLIP looks at none."""

LAYER = (
    *both("self_attn.q_proj", "attention.query"),
    *both("self_attn.k_proj", "attention.key"),
    *both("self_attn.v_proj", "attention.value"),
    *both("self_attn.out_proj", "attention.output"),
    *both("layer_norm1", "around_attention.norm"),
    *both("layer_norm2", "around_feed_forward.norm"),
    *both("mlp.fc1", "feed_forward.inner"),
    *both("mlp.fc2", "feed_forward.output"),
)


class TowerValues(Foreign):
    """The keys of either tower."""

    num_attention_heads: int
    num_hidden_layers: int = 12
    hidden_act: Act = "quick_gelu"
    layer_norm_eps: float = 1e-5
    attention_dropout: float = 0.0
    projection_dim: int = 512
    """Not looked at: the file itself says how wide both projections are."""


class TextValues(TowerValues):
    """The keys of the tower that reads; what is left out is as in the first CLIP."""

    vocab_size: int = 49408
    hidden_size: int = 512
    intermediate_size: int = 2048
    num_attention_heads: int = 8
    max_position_embeddings: int = 77


class VisionValues(TowerValues):
    """The keys of the tower that looks."""

    hidden_size: int = 768
    intermediate_size: int = 3072
    num_attention_heads: int = 12
    num_channels: int = 3
    image_size: int = 224
    patch_size: int = 32


class ClipValues(Foreign):
    """The keys around the two towers."""

    text_config: dict[str, Any]
    vision_config: dict[str, Any]
    text_config_dict: dict[str, Any] | None = None
    vision_config_dict: dict[str, Any] | None = None
    projection_dim: int = 512
    logit_scale_init_value: float = 2.6592


class ClipFamily(ModelFamily):
    """CLIP with a vision Transformer."""

    kind: ClassVar[str] = "clip"
    architectures: ClassVar[tuple[str, ...]] = ("CLIPModel",)

    def plan(
        self, values: Values, stored: TensorSource, ignored: tuple[str, ...] = ()
    ) -> ImportPlan:
        """Say what a settings file and its tensors become here."""
        where, passed = str(stored.where), (*ignored, *SAMPLING)
        theirs = parse_settings(ClipValues, values, where, passed)
        told = {**theirs.text_config, **(theirs.text_config_dict or {})}
        text = parse_settings(TextValues, told, f"{where}: text_config", passed)
        told = {**theirs.vision_config, **(theirs.vision_config_dict or {})}
        vision = parse_settings(VisionValues, told, f"{where}: vision_config", passed)
        settings = ClipSettings(
            image=_image_settings(vision, where),
            text=_text_settings(text, where),
            width=theirs.projection_dim,
        )
        pixels = read_pixels(stored.where, vision.image_size, vision.num_channels)
        task = ImageTextTaskSettings()
        return ImportPlan(settings, text.vocab_size, task, self.table(settings), pixels=pixels)

    def values(
        self, settings: NetworkSettings, vocab_size: int, padding: int | None = None
    ) -> dict[str, Any] | None:
        """Return nothing: such networks are read, and not yet written."""
        return None

    def table(self, settings: ClipSettings, padding: int | None = None) -> TensorTable:
        """Return the rows of one of our networks."""
        looking, reading = "vision_model.embeddings", "text_model.embeddings"
        words = "text.embedding"
        layers = settings.image.layers if isinstance(settings.image, PatchTowerSettings) else 0
        return TensorTable(
            (
                row("logit_scale", "log_scale"),
                row(f"{looking}.class_embedding", "image.token"),
                row(f"{looking}.patch_embedding.weight", "image.patches.weight"),
                row(f"{looking}.position_embedding.weight", "image.positions.weight"),
                *both("vision_model.pre_layrnorm", "image.first_norm"),
                *_layers("vision_model", "image", layers),
                *both("vision_model.post_layernorm", "image.last_norm"),
                row("visual_projection.weight", "image.output.weight"),
                row(f"{reading}.token_embedding.weight", f"{words}.table.weight"),
                row(f"{reading}.position_embedding.weight", f"{words}.positions.table.weight"),
                *_layers("text_model", "text", settings.text.layers),
                *both("text_model.final_layer_norm", "text.last_norm"),
                row("text_projection.weight", "text.output.weight"),
            ),
            dropped=(r"(text|vision)_model\.embeddings\.position_ids",),
        )


def _layers(theirs: str, ours: str, count: int) -> tuple[TensorRow, ...]:
    written = (
        row(f"{theirs}.encoder.layers.{{n}}.{one.theirs}", f"{ours}.layers.{{n}}.{one.ours[0]}")
        for one in LAYER
    )
    return in_layers(written, count)


def _text_settings(theirs: TextValues, where: str) -> TextTowerSettings:
    return our_settings(
        TextTowerSettings,
        {
            "width": theirs.hidden_size,
            "layers": theirs.num_hidden_layers,
            "heads": theirs.num_attention_heads,
            "ffn_width": theirs.intermediate_size,
            "activation": ACTIVATIONS[theirs.hidden_act],
            "max_positions": theirs.max_position_embeddings,
            "norm_epsilon": theirs.layer_norm_eps,
            "dropout": 0.0,
            "attention_dropout": theirs.attention_dropout,
            "initialization": "normal",
        },
        f"{where}: text_config",
    )


def _image_settings(theirs: VisionValues, where: str) -> PatchTowerSettings:
    if theirs.patch_size < 1 or theirs.image_size % theirs.patch_size:
        raise ConfigError(
            f"{where}: vision_config: patches of {theirs.patch_size} do not fill images of "
            f"{theirs.image_size}. Such a network cannot be built here."
        )
    return our_settings(
        PatchTowerSettings,
        {
            "patch": theirs.patch_size,
            "width": theirs.hidden_size,
            "layers": theirs.num_hidden_layers,
            "heads": theirs.num_attention_heads,
            "ffn_width": theirs.intermediate_size,
            "activation": ACTIVATIONS[theirs.hidden_act],
            "norm_epsilon": theirs.layer_norm_eps,
            "attention_dropout": theirs.attention_dropout,
        },
        f"{where}: vision_config",
    )
