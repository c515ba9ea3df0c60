"""The size and habits of recurrent networks that write freely, judge a text or tag its words."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dragoman.config.cells import CellSettings, LstmCell
from dragoman.config.settings import Settings


class RecurrentLanguageSettings(Settings):
    """A recurrent language model (Mikolov et al. 2010): from each token to the next."""

    kind: Literal["recurrent-language"] = "recurrent-language"

    cell: CellSettings = LstmCell()

    embedding_width: int = Field(256, ge=1, le=65_536)
    """Size of a token's vector."""

    width: int = Field(256, ge=1, le=65_536)
    """Size of every hidden state (d)."""

    layers: int = Field(1, ge=1, le=200)

    residual: bool = False
    """Add what a layer reads to what it says, from the second layer on."""

    tied: bool = True
    """One matrix for the embedding and the output; needs `word_width` equal to `width`."""

    first_width: int | None = Field(None, ge=1, le=1_000_000)
    """Size of the vector that a text can be written from, where there is to be one."""

    dropout: float = Field(0.1, ge=0.0, lt=1.0)
    """Dropout on the embeddings, between the layers and on the last states."""

    @model_validator(mode="after")
    def _tied_widths_are_equal(self) -> Self:
        if self.tied and self.embedding_width != self.width:
            raise ValueError(
                f"tied = true needs equal widths, not word_width {self.embedding_width} and width "
                f"{self.width}. Make them equal or set tied = false."
            )
        return self


class RecurrentClassifierSettings(Settings):
    """A recurrent network that gives a class to a text or to each of its tokens."""

    kind: Literal["recurrent-classifier"] = "recurrent-classifier"

    cell: CellSettings = LstmCell()

    embedding_width: int = Field(128, ge=1, le=65_536)
    """Size of a token's vector."""

    width: int = Field(128, ge=1, le=65_536)
    """Size of every hidden state (d), in each direction."""

    layers: int = Field(1, ge=1, le=200)

    bidirectional: bool = True
    """Read the text both ways, so that a word is seen with what follows it."""

    residual: bool = False
    """Add what a layer reads to what it says, from the second layer on."""

    each: bool = False
    """Give a class to each token instead of one to the text."""

    pooling: Literal["last", "mean", "max", "first"] = "last"
    """Judge a text by the last states, by the mean or the maximum of all, or by those at its first
    word, where a network that reads one way has seen nothing else."""

    dropout: float = Field(0.1, ge=0.0, lt=1.0)
    """Dropout on the embeddings, between the layers and on what is judged."""
