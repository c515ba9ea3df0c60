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
    loss_tokens: int = 0
    """Tokens of the batch that the loss is over: those of the target that are no padding, or the
    masked ones of a masked language model; 0 is all of them."""
    classes: int = 0
    channels: int = 3
    image_size: int = 0
