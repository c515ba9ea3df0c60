"""From settings to the things themselves: one `match` per union, so no kind is forgotten."""

from typing import assert_never

import torch

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.clip import ClipSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.model import (
    ClassifierSettings,
    LanguageModelSettings,
    ModelSettings,
    TransformerSettings,
)
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings, RecurrentLanguageSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ImageModelSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)
from dragoman.core.errors import ConfigError
from dragoman.data.formats.placeholders import PROMPT_END
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import END, FIRST_PLACEHOLDER, PAD, START
from dragoman.data.tokenizer.text_special_tokens import text_special_tokens
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.neural.models.autoencoder import Autoencoder
from dragoman.neural.models.clip.model import Clip
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.models.images.alexnet import AlexNet
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.googlenet import GoogLeNet
from dragoman.neural.models.images.network import ImageNetwork
from dragoman.neural.models.images.resnet import ResNet
from dragoman.neural.models.images.vgg import Vgg
from dragoman.neural.models.images.vit import Vit
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel
from dragoman.neural.models.text_cnn import TextCnn
from dragoman.neural.models.transformer import Transformer

TranslationModel = Transformer | RecurrentTranslator | DecoderOnly
"""A network that reads a source and writes a target."""

LanguageNetwork = DecoderOnly | RecurrentLanguageModel
"""A network that goes on writing a text."""

ClassifierModel = Encoder | RecurrentClassifier | TextCnn
"""A network that gives a text a class."""

PROMPT_END_ID = FIRST_PLACEHOLDER + PROMPT_END


def build_model(settings: ModelSettings, tokenizer: TokenizerPair, seed: int) -> TranslationModel:
    """Build the network of a recipe with freshly drawn weights."""
    torch.manual_seed(seed)
    words = tokenizer.source.size, tokenizer.target.size
    match settings:
        case TransformerSettings():
            return Transformer(settings, *words, padding=PAD)
        case RecurrentSettings():
            return RecurrentTranslator(settings, *words, padding=PAD)
        case DecoderOnlySettings():
            ended = PROMPT_END_ID
            return DecoderOnly(settings, *words, padding=PAD, start=START, prompt_end=ended)
        case _:
            assert_never(settings)


def build_language_model(
    settings: LanguageModelSettings, tokenizer: Tokenizer, seed: int
) -> LanguageNetwork:
    """Build the network of a language model with freshly drawn weights."""
    torch.manual_seed(seed)
    size, special_tokens = tokenizer.size, text_special_tokens(tokenizer)
    padding, start = special_tokens.padding, special_tokens.start
    match settings:
        case DecoderOnlySettings():
            ended = PROMPT_END_ID
            return DecoderOnly(settings, size, size, padding=padding, start=start, prompt_end=ended)
        case RecurrentLanguageSettings():
            return RecurrentLanguageModel(settings, size, padding=padding)
        case _:
            assert_never(settings)


def build_encoder(settings: EncoderSettings, tokenizer: Tokenizer, seed: int) -> Encoder:
    """Build a network that reads from both sides, with freshly drawn weights."""
    torch.manual_seed(seed)
    padding = PAD if tokenizer.pad is None else tokenizer.pad
    return Encoder(settings, tokenizer.size, padding=padding)


def build_classifier(
    settings: ClassifierSettings, tokenizer: Tokenizer, classes: int, seed: int
) -> ClassifierModel:
    """Build the network of a classifier with freshly drawn weights.

    How many classes there are is known from the corpus. An encoder is given a head for so many and
    the pooler that it judges by, and no head that guesses words or what follows.
    """
    torch.manual_seed(seed)
    padding = PAD if tokenizer.pad is None else tokenizer.pad
    match settings:
        case EncoderSettings():
            return build_encoder(for_classes(settings, classes), tokenizer, seed)
        case RecurrentClassifierSettings():
            if settings.each:
                raise ConfigError("model.each = true tags words. For a class a text, leave it out.")
            return RecurrentClassifier(settings, tokenizer.size, classes, padding=padding)
        case TextCnnSettings():
            return TextCnn(settings, tokenizer.size, classes, padding=padding)
        case _:
            assert_never(settings)


def build_image_model(
    settings: ImageModelSettings, channels: int, size: int, classes: int, seed: int
) -> ImageNetwork:
    """Build the network of a classifier of images with freshly drawn weights."""
    torch.manual_seed(seed)
    shape = channels, size, classes
    match settings:
        case CnnSettings():
            return Cnn(settings, *shape)
        case AlexNetSettings():
            return AlexNet(settings, *shape)
        case VggSettings():
            return Vgg(settings, *shape)
        case GoogLeNetSettings():
            return GoogLeNet(settings, *shape)
        case ResNetSettings():
            return ResNet(settings, *shape)
        case VitSettings():
            return Vit(settings, *shape)
        case _:
            assert_never(settings)


def build_autoencoder(
    settings: AutoencoderSettings, channels: int, size: int, seed: int
) -> Autoencoder:
    """Build a network that rebuilds images with freshly drawn weights."""
    torch.manual_seed(seed)
    return Autoencoder(settings, channels, size)


def build_clip(
    settings: ClipSettings, channels: int, size: int, tokenizer: Tokenizer, seed: int
) -> Clip:
    """Build the network that matches images and texts with freshly drawn weights."""
    torch.manual_seed(seed)
    end = END if tokenizer.end is None else tokenizer.end
    return Clip(settings, channels, size, tokenizer.size, end=end)


def for_classes(settings: EncoderSettings, classes: int) -> EncoderSettings:
    """Return the settings of an encoder that gives a text one of so many classes."""
    if settings.classes not in (0, classes):
        raise ConfigError(
            f"model.classes = {settings.classes}, and the corpus has {classes}. Leave it out."
        )
    heads = {"classes": classes, "pooler": True, "lm_head": "none", "next_sentence_head": False}
    return settings.model_copy(update=heads)
