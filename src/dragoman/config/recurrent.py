"""The size and habits of a recurrent encoder-decoder."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dragoman.config.cells import CellSettings, LstmCell
from dragoman.config.settings import Settings


class RecurrentSettings(Settings):
    """A recurrent encoder-decoder, from Sutskever et al. 2014 to Luong et al. 2015."""

    kind: Literal["recurrent"] = "recurrent"

    cell: CellSettings = LstmCell()
    """What encoder and decoder are made of: "rnn", "gru", "gru-update" or "lstm"."""

    width: int = Field(256, ge=2, le=65_536)
    """Size of every hidden state (d); an encoder that reads both ways has as much for each."""

    embedding_width: int | None = Field(None, ge=1, le=65_536)
    """Size of the embeddings; default: `width`."""

    encoder_layers: int = Field(1, ge=1, le=200)
    decoder_layers: int = Field(1, ge=1, le=200)

    bidirectional: bool = True
    """Let the encoder read the source from both ends."""

    residual: bool = False
    """Add each layer's input to its output, from the second layer on."""

    context: Literal["first", "every", "additive", "dot", "general"] = "additive"
    """What the decoder knows of the source: the last states of the encoder to begin with
    (Sutskever et al. 2014), a summary at every step (Cho et al. 2014), or what it looks at, by an
    additive score (Bahdanau et al. 2015) or by a product, plain or with a matrix (Luong et al.
    2015)."""

    reverse_source: bool = False
    """Read each source backwards, so that the first words of both sides stand close together."""

    attention_width: int | None = Field(None, ge=1, le=65_536)
    """Size of the hidden layer of the additive score; default: `width`."""

    input_feeding: bool = False
    """Tell the next step what this one was answered with; for the contexts dot and general."""

    readout: Literal["linear", "tanh", "maxout"] = "tanh"
    """The layer before the output: linear (Sutskever et al.: where the widths allow, none at all),
    tanh (Luong et al.) or the larger of each two units (Cho et al., Bahdanau et al.)."""

    readout_width: int | None = Field(None, ge=1, le=65_536)
    """Size of what the readout hands to the output; where nothing is said, the embedding's if the
    two are tied, else `width`."""

    tied: Literal["all", "target", "none"] = "all"
    """One matrix for both embeddings and the output, for target and output only, or three."""

    dropout: float = Field(0.2, ge=0.0, lt=1.0)
    """Dropout on embeddings, between layers and before the output; never from step to step."""

    word_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Chance that a whole token's embedding is blanked (Gal & Ghahramani 2016)."""

    @property
    def word_width(self) -> int:
        """Size of a word's vector."""
        return self.embedding_width or self.width

    @property
    def output_width(self) -> int:
        """Size of what the output makes scores from."""
        return self.readout_width or (self.width if self.tied == "none" else self.word_width)

    @property
    def memory_width(self) -> int:
        """Size of what the encoder has made of one source position."""
        return self.width * (2 if self.bidirectional else 1)

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.context == "dot" and self.bidirectional:
            raise ValueError(
                "context 'dot' needs encoder states as wide as the decoder's, and two directions "
                "are twice as wide. Set context = 'general' or bidirectional = false."
            )
        if self.input_feeding and self.context not in ("dot", "general"):
            raise ValueError(
                f"input_feeding is for context 'dot' or 'general', not {self.context!r}. "
                "Set input_feeding = false."
            )
        if self.attention_width is not None and self.context != "additive":
            raise ValueError(
                f"attention_width is for context 'additive', and context is {self.context!r}. "
                "Leave it out."
            )
        if self.tied != "none" and self.output_width != self.word_width:
            raise ValueError(
                f"tied = {self.tied!r} needs a readout as wide as the embedding, but readout_width "
                f"is {self.output_width} and the embedding has {self.word_width}. "
                "Leave readout_width out or set tied = 'none'."
            )
        return self
