"""The networks of a tagger, behind one interface: token numbers in, scores of labels out."""

from typing import assert_never

import torch

from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.tagging import TaggerSettings
from dragoman.data.tokenizer.special_tokens import PAD
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.neural.models.encoder_tagger import EncoderTagger
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier

TaggerModel = EncoderTagger | RecurrentClassifier
"""A network that scores the labels of each token: b n -> b n c."""


def build_tagger(
    settings: TaggerSettings, tokenizer: Tokenizer, labels: int, seed: int
) -> TaggerModel:
    """Build the network of a tagger with freshly drawn weights.

    How many labels there are is known from the corpus. A recurrent network answers at each token
    (many to many), whatever its settings say of a text as a whole.
    """
    torch.manual_seed(seed)
    padding = PAD if tokenizer.pad is None else tokenizer.pad
    match settings:
        case EncoderSettings():
            return EncoderTagger(settings, tokenizer.size, labels, padding=padding)
        case RecurrentClassifierSettings():
            each = settings.model_copy(update={"each": True})
            return RecurrentClassifier(each, tokenizer.size, labels, padding=padding)
        case _:
            assert_never(settings)
