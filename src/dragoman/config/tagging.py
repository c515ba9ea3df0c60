"""Tagging: where sentences with a label for each word come from, and what learns from them."""

from typing import Annotated, Literal

from pydantic import Field

from dragoman.config.encoder import EncoderSettings
from dragoman.config.files import Files
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.settings import Settings


class TaggedCorpus(Settings):
    """Sentences with a label for each word, in your own files."""

    kind: Literal["tagged"] = "tagged"

    train: Files
    """Files with a word, a tab and its label on each line, and an empty line after each sentence
    (CoNLL); relative to the recipe's folder."""

    valid: Files | None = None
    """Sentences to validate on; without it, some of `train` are held out."""

    test: Files | None = None
    """Sentences to test on; without it, some further ones of `train` are held out."""

    held_out: float = Field(0.1, gt=0.0, lt=0.5)
    """Share of the sentences that is held out for each set that has no file."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which sentences are held out; without it, the recipe's seed does."""

    repair: bool = True
    """Repair what is safe to repair (BOM, CRLF, NUL); False refuses the file instead."""


class GeneratedTags(Settings):
    """Sentences with a label for each word that a program draws, so that no file is needed."""

    kind: Literal["generated-tags"] = "generated-tags"

    labels: Literal["agreement", "phrases"] = "agreement"
    """What is asked: a word's part of speech and the number of the noun that it belongs to; or
    where each noun phrase begins and ends, and its number (BIO)."""

    sentences: int = Field(2000, ge=20)
    """Sentences to train on."""

    held_out: int = Field(400, ge=20)
    """Sentences in each of the validation set and the test set."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which sentences are drawn; without it, the recipe's seed does."""


TaggedSettings = Annotated[TaggedCorpus | GeneratedTags, Field(discriminator="kind")]
"""Sentences with a label for each word, for tagging."""

TaggerSettings = Annotated[
    EncoderSettings | RecurrentClassifierSettings, Field(discriminator="kind")
]
"""Networks that score the labels of each token."""
