"""From settings to the things themselves: one `match` per union, so no kind is forgotten."""

from typing import assert_never

import torch

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.model import ModelSettings, TransformerSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.data.formats.placeholders import PROMPT_END
from dragoman.data.tokenizer.symbols import FIRST_PLACEHOLDER, PAD, START
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.transformer import Transformer

TranslationModel = Transformer | RecurrentTranslator | DecoderOnly
"""A network that reads a source and writes a target."""


def build_model(settings: ModelSettings, tokenizer: Tokenizer, seed: int) -> TranslationModel:
    """Build the network of a recipe with freshly drawn weights."""
    torch.manual_seed(seed)
    words = tokenizer.source.size, tokenizer.target.size
    match settings:
        case TransformerSettings():
            return Transformer(settings, *words, padding=PAD)
        case RecurrentSettings():
            return RecurrentTranslator(settings, *words, padding=PAD)
        case DecoderOnlySettings():
            ended = FIRST_PLACEHOLDER + PROMPT_END
            return DecoderOnly(settings, *words, padding=PAD, start=START, prompt_end=ended)
        case _:
            assert_never(settings)
