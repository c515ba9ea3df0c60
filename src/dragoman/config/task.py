"""What a network is trained to do."""

from typing import Annotated, Literal

from pydantic import Field

from dragoman.config.captions import ImageTextTaskSettings as ImageTextTaskSettings
from dragoman.config.settings import Settings


class TranslationTaskSettings(Settings):
    """Write the translation of a text."""

    kind: Literal["translation"] = "translation"


class LanguageTaskSettings(Settings):
    """Guess the next token of plain text: a causal language model."""

    kind: Literal["language"] = "language"


class MaskedTaskSettings(Settings):
    """Guess hidden tokens of plain text from both sides (Devlin et al. 2019)."""

    kind: Literal["masked"] = "masked"

    mlm_probability: float = Field(0.15, gt=0.0, lt=1.0)
    """Share of the tokens that are asked for."""

    mask_replace_prob: float = Field(0.8, ge=0.0, le=1.0)
    """Share of these that become the mask …"""

    random_replace_prob: float = Field(0.1, ge=0.0, le=1.0)
    """… and share that becomes a random entry; the others stay as they are."""

    whole_word_masking: bool = False
    """Choose all the pieces of a word together."""

    dynamic_masking: bool = True
    """Choose anew in each epoch (RoBERTa), or once for all."""

    next_sentence: bool = False
    """Read two segments, and guess whether the second follows the first (BERT); otherwise rows are
    filled with whole sentences (RoBERTa)."""


class SpansTaskSettings(Settings):
    """Write the spans that were cut out of a text, each after its mark (Raffel et al. 2020)."""

    kind: Literal["spans"] = "spans"

    noise_density: float = Field(0.15, gt=0.0, lt=1.0)
    """Share of the tokens that are cut out."""

    mean_span_length: float = Field(3.0, ge=1.0)
    """Tokens of a span, on average."""


class ClassificationTaskSettings(Settings):
    """Give a text one of several classes."""

    kind: Literal["classification"] = "classification"


class ImageTaskSettings(Settings):
    """Say what a picture shows: one of several classes."""

    kind: Literal["images"] = "images"


class AutoencodingTaskSettings(Settings):
    """Bring a picture down to a few numbers, and rebuild it from them."""

    kind: Literal["autoencoding"] = "autoencoding"

    noise: float = Field(0.0, ge=0.0)
    """Deviation of the noise on the pixels that are read, where that of the pixels is 1; asked for
    is the picture without it (Vincent et al. 2008)."""

    masked_share: float = Field(0.0, ge=0.0, lt=1.0)
    """Share of the pixels that are hidden from the network, which is asked for all of them."""


TaskSettings = Annotated[
    TranslationTaskSettings
    | LanguageTaskSettings
    | MaskedTaskSettings
    | SpansTaskSettings
    | ClassificationTaskSettings
    | ImageTaskSettings
    | AutoencodingTaskSettings
    | ImageTextTaskSettings,
    Field(discriminator="kind"),
]
