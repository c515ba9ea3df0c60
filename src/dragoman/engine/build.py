"""From settings to the things themselves: one `match` per union, so no kind is forgotten."""

from typing import assert_never

import torch

from dragoman.config.model import ModelSettings, TransformerSettings
from dragoman.data.tokenizer.symbols import PAD
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.neural.models.transformer import Transformer

TranslationModel = Transformer
"""A network that reads a source and writes a target."""


def build_model(settings: ModelSettings, tokenizer: Tokenizer, seed: int) -> TranslationModel:
    """Build the network of a recipe with freshly drawn weights."""
    torch.manual_seed(seed)
    match settings:
        case TransformerSettings():
            return Transformer(settings, tokenizer.source.size, tokenizer.target.size, padding=PAD)
        case _:
            assert_never(settings)
