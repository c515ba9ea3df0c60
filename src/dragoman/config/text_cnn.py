"""The size and habits of a convolutional network that judges a text."""

from typing import Annotated, Literal

from pydantic import Field

from dragoman.config.settings import Settings


class TextCnnSettings(Settings):
    """A convolutional classifier of texts (Kim 2014): windows of words, the best of each kind."""

    kind: Literal["text-cnn"] = "text-cnn"

    embedding_width: int = Field(128, ge=1, le=65_536)
    """Size of a token's vector."""

    kernel_sizes: tuple[Annotated[int, Field(ge=1, le=1000)], ...] = Field((3, 4, 5), min_length=1)
    """Tokens that a filter sees at once, for each group of filters."""

    filters: int = Field(100, ge=1, le=65_536)
    """Filters of each width."""

    dropout: float = Field(0.5, ge=0.0, lt=1.0)
    """Dropout on what the filters found."""
