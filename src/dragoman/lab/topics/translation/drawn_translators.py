"""Recurrent translators with random weights, and random sentences for them."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.cells import CellSettings, GruCell, LstmCell
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.settings import Settings
from dragoman.data.tokenizer.special_tokens import START
from dragoman.lab.topics.recurrent.drawn import RandomNumbers
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.models.recurrent.model import RecurrentTranslator

FIRST_WORD = 4
"""Padding, unknown, START and END come before the words of every vocabulary."""


class TranslatorSettings(Settings):
    """A small translator with random weights, and one random pair of sentences."""

    width: int = Field(default=4, ge=2, le=24)
    """Size of the states of encoder and decoder."""
    word_width: int = Field(default=3, ge=1, le=24)
    """Size of the embeddings."""
    source_words: int = Field(default=5, ge=1, le=20)
    """Words of the source, T_x."""
    target_words: int = Field(default=4, ge=1, le=20)
    """Words of the target, T_y."""
    vocab: int = Field(default=7, ge=2, le=60)
    """Words of each vocabulary, besides the special tokens."""
    seed: int = Field(default=1, ge=0, le=10_000)
    """Seed of the random weights and words."""

    @property
    def vocab_size(self) -> int:
        """Entries of each vocabulary."""
        return FIRST_WORD + self.vocab


def draw_translator(
    draw: RandomNumbers, settings: TranslatorSettings, model: RecurrentSettings
) -> RecurrentTranslator:
    """Build a translator and draw all its weights."""
    size = settings.vocab_size
    return draw.network(lambda: RecurrentTranslator(model, size, size))


def bahdanau(settings: TranslatorSettings) -> RecurrentSettings:
    """Return the whole network of Bahdanau et al. 2015."""
    return RecurrentSettings(
        cell=GruCell(reset="before"),
        width=settings.width,
        embedding_width=settings.word_width,
        attention_width=settings.width + 1,
        readout_width=settings.width + 2,
        readout="maxout",
        context="additive",
        tied="none",
        dropout=0.0,
    )


def summarizing(
    settings: TranslatorSettings, cell: CellSettings | None = None
) -> RecurrentSettings:
    """Return the network of Sutskever et al. 2014: the decoder begins where the encoder ended."""
    return RecurrentSettings(
        cell=cell or LstmCell(),
        width=settings.width,
        embedding_width=settings.word_width,
        bidirectional=False,
        context="first",
        readout="linear",
        tied="none",
        dropout=0.0,
    )


def told_at_every_step(settings: TranslatorSettings) -> RecurrentSettings:
    """Return the network of Cho et al. 2014: a summary that the decoder is told at every step."""
    changed = {"context": "every", "readout": "tanh", "cell": GruCell()}
    return summarizing(settings).model_copy(update=changed)


def draw_words(draw: RandomNumbers, settings: TranslatorSettings, count: int) -> Tensor:
    """Draw one sentence of so many words, as a batch of one."""
    shape = (1, count)
    return torch.randint(FIRST_WORD, settings.vocab_size, shape, generator=draw.generator)


def draw_pair(draw: RandomNumbers, settings: TranslatorSettings) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a source, the target as the decoder reads it, and the words that it is asked for."""
    source = draw_words(draw, settings, settings.source_words)
    labels = draw_words(draw, settings, settings.target_words)
    target = torch.cat((torch.tensor([[START]]), labels[:, :-1]), dim=1)
    return source, target, labels


def decoder_layers(model: RecurrentTranslator) -> RecurrentStack:
    """Return the layers of a decoder, those that are fed a context too."""
    layers = getattr(model.decoder, "layers", None)
    found = layers if isinstance(layers, RecurrentStack) else getattr(layers, "layers", None)
    if not isinstance(found, RecurrentStack):
        raise TypeError("this decoder has no recurrent layers.")
    return found
