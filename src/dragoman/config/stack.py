"""What all networks made of stacked attention layers have in common."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dragoman.config.settings import Settings

Positions = Literal[
    "none",
    "sinusoidal",
    "sinusoidal-halves",
    "sinusoidal-from-one",
    "learned",
    "rotary",
    "alibi",
    "relative",
    "t5",
    "shaw",
]
"""How a token is told where it stands."""


class StackSettings(Settings):
    """The size and habits of stacked attention layers."""

    kind: str

    width: int = Field(256, ge=2, le=65_536)
    """Size of every hidden state (d)."""

    heads: int = Field(4, ge=1, le=4096)
    """Attention heads (h); in an encoder-decoder those of the encoder and by default of the
    decoder."""

    key_value_heads: int | None = Field(None, ge=1, le=4096)
    """Heads of keys and values, each shared by several of queries; one is multi-query attention.
    Default: `heads`."""

    key_width: int | None = Field(None, ge=1, le=65_536)
    """Size of a head's queries and keys; default: width / heads."""

    value_width: int | None = Field(None, ge=1, le=65_536)
    """Size of a head's values; default: width / heads."""

    output_projection: bool = True
    """Whether a matrix mixes the heads; without it their values, side by side, fill the width."""

    ffn_width: int = Field(1024, ge=1, le=1_000_000)
    """Size of the feed-forward's middle (f); in an encoder-decoder that of the encoder and by
    default of the decoder."""

    activation: Literal["relu", "gelu", "gelu-tanh", "quick-gelu", "swish", "swiglu", "single"] = (
        "relu"
    )
    """What the feed-forward bends with: ReLU, GELU, its older approximation or CLIP's, Swish (as
    most Marian models do), a gate of its own (SwiGLU), or a single ReLU layer without a middle."""

    biases: bool = True
    """Whether the matrices of attention and feed-forward have biases."""

    output_bias: bool = False
    """Whether each entry of the vocabulary has a bias of its own."""

    norm: Literal["pre", "post", "none"] = "pre"
    """Normalize before each sub-layer (stable), after it (as in the 2017 paper), or not at all."""

    normalization: Literal["layer", "rms"] = "layer"
    """Layer norm, or its simpler kin without mean and bias."""

    positions: Positions = "sinusoidal"
    """Added to the embeddings: sines and cosines side by side (the paper), in two halves (Marian)
    or with waves counted from one, or a learned table. In attention: queries and keys turned
    (rotary), a fixed loss by distance (ALiBi), a learned number for each offset (relative) or
    bucket of offsets (T5), a learned vector for each offset (Shaw). Or nothing."""

    max_relative_position: int = Field(16, ge=1, le=1024)
    """Offset from which on relative and Shaw positions are all alike."""

    buckets: int = Field(32, ge=4, le=1024, multiple_of=4)
    """Groups into which T5 positions sort the offsets."""

    max_bucket_distance: int = Field(128, ge=2, le=65_536)
    """Offset from which on T5 positions are all alike."""

    rotary_base: float = Field(10_000.0, gt=1.0, le=1e12)
    """How slowly the slowest rotary wave turns; larger for longer texts."""

    max_positions: int = Field(1024, ge=2, le=1_000_000)
    """Positions of a learned table; the other kinds have no limit."""

    dropout: float = Field(0.1, ge=0.0, lt=1.0)
    """Dropout on each sub-layer's output and on the embeddings."""

    attention_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Dropout on attention weights; costs the fast attention kernel."""

    ffn_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Dropout inside the feed-forward, after its activation."""

    word_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Chance that a whole token's embedding is blanked (Gal & Ghahramani 2016)."""

    initialization: Literal["xavier", "normal", "dictionary"] = "xavier"

    def _head_counts(self) -> dict[str, int]:
        """Return the heads of each stack, by the key that sets them."""
        return {"heads": self.heads}

    @model_validator(mode="after")
    def _heads_fit(self) -> Self:
        for key, heads in self._head_counts().items():
            if None in (self.key_width, self.value_width) and self.width % heads:
                raise ValueError(
                    f"width {self.width} does not split into {heads} equal {key}. "
                    f"Nearest width that does: {max(1, round(self.width / heads)) * heads}."
                )
            if self.key_value_heads and heads % self.key_value_heads:
                raise ValueError(
                    f"{heads} {key} do not share {self.key_value_heads} key_value_heads evenly. "
                    f"Use a number that divides {heads}."
                )
            values = heads * (self.value_width or self.width // heads)
            if not self.output_projection and values != self.width:
                raise ValueError(
                    f"without output_projection the values of {heads} {key} must fill the width "
                    f"{self.width}, but they have {values}. Leave value_width out."
                )
        return self

    @model_validator(mode="after")
    def _positions_fit(self) -> Self:
        if self.positions.startswith("sinusoidal") and self.width % 2:
            raise ValueError(f"sinusoidal positions need an even width, not {self.width}.")
        for key, heads in self._head_counts().items():
            key_width = self.key_width or self.width // heads
            if self.positions == "rotary" and key_width % 2:
                raise ValueError(
                    f"rotary positions turn pairs, so a head's keys need an even width, not "
                    f"{key_width} (width / {key}). Set key_width to an even number."
                )
        if self.positions == "t5" and self.max_bucket_distance <= self.buckets // 2:
            raise ValueError(
                f"max_bucket_distance {self.max_bucket_distance} must be more than half of the "
                f"{self.buckets} "
                f"buckets, each of which holds one offset. Use at least {self.buckets // 2 + 1}."
            )
        return self
