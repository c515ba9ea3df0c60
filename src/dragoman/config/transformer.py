"""The size and habits of an encoder-decoder Transformer."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dragoman.config.stack import StackSettings


class TransformerSettings(StackSettings):
    """An encoder-decoder Transformer (Vaswani et al. 2017)."""

    kind: Literal["transformer"] = "transformer"

    decoder_heads: int | None = Field(None, ge=1, le=4096)
    """Attention heads of the decoder, where they differ."""

    encoder_layers: int = Field(3, ge=1, le=200)
    decoder_layers: int = Field(3, ge=1, le=200)

    decoder_ffn_width: int | None = Field(None, ge=1, le=1_000_000)
    """Size of the decoder's feed-forward middle, where it differs."""

    tied: Literal["all", "target", "none"] = "all"
    """One matrix for both embeddings and the output, for target and output only, or three."""

    initialization: Literal["xavier", "normal", "dictionary"] = "xavier"
    """Xavier-uniform matrices with embeddings of deviation 1/√width, everything normal 0.02, or
    Xavier with embeddings in which words and their translations, counted out before training,
    begin alike."""

    def _head_counts(self) -> dict[str, int]:
        own = {} if self.decoder_heads is None else {"decoder_heads": self.decoder_heads}
        return {"heads": self.heads, **own}

    @model_validator(mode="after")
    def _a_dictionary_is_passed_on(self) -> Self:
        if self.initialization != "dictionary":
            return self
        heads = self.decoder_heads or self.heads
        values = (self.key_value_heads or heads) * (self.value_width or self.width // heads)
        if values != self.width or not self.output_projection:
            raise ValueError(
                "initialization = 'dictionary' needs heads whose values fill the width and are "
                "mixed by an output projection, so that what they see can be passed on. Leave out "
                "key_value_heads, value_width and output_projection, or use 'xavier'."
            )
        return self
