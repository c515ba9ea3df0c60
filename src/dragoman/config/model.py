"""The size and habits of a network."""

from typing import Annotated

from pydantic import Field

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.transformer import TransformerSettings as TransformerSettings

ModelSettings = Annotated[
    TransformerSettings | RecurrentSettings | DecoderOnlySettings, Field(discriminator="kind")
]
