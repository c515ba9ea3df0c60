"""The size and habits of a network."""

from typing import Annotated

from pydantic import Field

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.clip import ClipSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings, RecurrentLanguageSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.transformer import TransformerSettings as TransformerSettings
from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)

ModelSettings = Annotated[
    TransformerSettings | RecurrentSettings | DecoderOnlySettings, Field(discriminator="kind")
]
"""Networks that translate."""

LanguageModelSettings = Annotated[
    DecoderOnlySettings | RecurrentLanguageSettings, Field(discriminator="kind")
]
"""Networks that write freely."""

ClassifierSettings = Annotated[
    EncoderSettings | RecurrentClassifierSettings | TextCnnSettings, Field(discriminator="kind")
]
"""Networks that judge a text."""

AnyModel = Annotated[
    TransformerSettings
    | RecurrentSettings
    | DecoderOnlySettings
    | RecurrentLanguageSettings
    | EncoderSettings
    | RecurrentClassifierSettings
    | TextCnnSettings
    | CnnSettings
    | AlexNetSettings
    | VggSettings
    | GoogLeNetSettings
    | ResNetSettings
    | VitSettings
    | AutoencoderSettings
    | ClipSettings,
    Field(discriminator="kind"),
]
