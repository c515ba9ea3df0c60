"""The size and habits of a network."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from dragoman.config.settings import Settings


class TransformerSettings(Settings):
    """An encoder-decoder Transformer (Vaswani et al. 2017)."""

    kind: Literal["transformer"] = "transformer"

    width: int = Field(256, ge=2, le=65_536)
    """Size of every hidden state (d)."""

    heads: int = Field(4, ge=1)
    """Attention heads (h) of the encoder and, unless said otherwise, of the decoder."""

    decoder_heads: int | None = Field(None, ge=1)
    """Attention heads of the decoder, where they differ."""

    encoder_layers: int = Field(3, ge=1, le=200)
    decoder_layers: int = Field(3, ge=1, le=200)

    inner_width: int = Field(1024, ge=1, le=1_000_000)
    """Size of the encoder's feed-forward middle (f) and, unless said otherwise, the decoder's."""

    decoder_inner_width: int | None = Field(None, ge=1, le=1_000_000)
    """Size of the decoder's feed-forward middle, where it differs."""

    norm: Literal["before", "after"] = "before"
    """Normalise before each sub-layer (stable) or after it (as in the 2017 paper)."""

    activation: Literal["relu", "gelu"] = "relu"

    positions: Literal["sinusoidal", "sinusoidal-halves", "learned", "relative"] = "sinusoidal"
    """Sines and cosines side by side (the paper) or in two halves (Marian), a learned table, or a
    learned number for each offset between query and key, added to the scores of attention."""

    reach: int = Field(16, ge=1, le=1024)
    """Offset from which on relative positions are all alike."""

    longest: int = Field(1024, ge=2, le=1_000_000)
    """Positions of a learned table; sinusoids have no limit."""

    tied: Literal["all", "target", "none"] = "all"
    """One matrix for both embeddings and the output, for target and output only, or three."""

    dropout: float = Field(0.1, ge=0.0, lt=1.0)
    """Dropout on each sub-layer's output and on the embeddings."""

    attention_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Dropout on attention weights; costs the fast attention kernel."""

    inner_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Dropout inside the feed-forward, after its activation."""

    word_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Chance that a whole token's embedding is blanked (Gal & Ghahramani 2016)."""

    initialisation: Literal["xavier", "normal", "dictionary"] = "xavier"
    """Xavier-uniform matrices with embeddings of deviation 1/√width, everything normal 0.02, or
    Xavier with embeddings in which words and their translations, counted out before training,
    begin alike."""

    @model_validator(mode="after")
    def _heads_split_the_width(self) -> Self:
        for key in ("heads", "decoder_heads"):
            heads = getattr(self, key)
            if heads is not None and self.width % heads:
                raise ValueError(
                    f"width {self.width} does not split into {heads} equal {key}. "
                    f"Nearest width that does: {max(1, round(self.width / heads)) * heads}."
                )
        if self.positions.startswith("sinusoidal") and self.width % 2:
            raise ValueError(f"sinusoidal positions need an even width, not {self.width}.")
        return self


ModelSettings = Annotated[TransformerSettings, Field(discriminator="kind")]
