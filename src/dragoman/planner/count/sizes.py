"""The sizes of a network that its settings leave to the corpus, and those of a batch."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Vocabulary, classes and images of a network, and the shape of a batch."""

    batch: int = 1
    """Rows: sentences, texts or images."""
    source_vocab: int = 0
    target_vocab: int = 0
    source_length: int = 0
    """Tokens of a row; of a text without a target, all of them."""
    target_length: int = 0
    """Tokens that a decoder reads, and is asked for."""
    masked_tokens: int = 0
    """Tokens of the batch that a masked language model is asked for; 0 is all of them."""
    classes: int = 0
    channels: int = 3
    image_size: int = 0
