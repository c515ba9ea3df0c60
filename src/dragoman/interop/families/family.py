"""The interface of every model family of Hugging Face that can be imported."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor

from dragoman.config.clip import ClipSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.task import TaskSettings
from dragoman.config.training import DecodingSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.data.batching.pixels import Pixels
from dragoman.interop.foreign import Values
from dragoman.interop.table import TensorTable
from dragoman.interop.tensor_source import TensorSource

NetworkSettings = DecoderOnlySettings | TransformerSettings | EncoderSettings
"""Networks that can be exchanged."""

ImportedSettings = NetworkSettings | ClipSettings
"""Networks that can be read, and some of them not yet written."""


@dataclass(frozen=True)
class TranslatorSpecialTokens:
    """The numbers that a checkpoint has for what is no text; None where it has none."""

    pad: int | None
    start: int | None
    """What the decoder begins with; a source has none."""
    end: int


@dataclass(frozen=True)
class ImportPlan:
    """The plan of an import: settings, tensor table and special tokens of a checkpoint."""

    settings: ImportedSettings
    vocab_size: int
    task: TaskSettings
    table: TensorTable
    notes: tuple[str, ...] = ()
    """What is not quite as it was, in plain words."""
    pixels: Pixels | None = None
    """What images are like to a network that looks at them."""
    target_vocab_size: int | None = None
    """Entries of the target's vocabulary, where it is another than the source's."""
    special_tokens: TranslatorSpecialTokens | None = None
    """The marks of a translator, which are given our numbers."""
    decoding: DecodingSettings | None = None
    """How a translator was made to search."""


class ModelFamily(ABC):
    """A kind of network that another library has, too."""

    kind: ClassVar[str]
    """What the settings file calls it (`model_type`)."""
    architectures: ClassVar[tuple[str, ...]]
    """The classes it may have been saved from; the first is what we write."""
    two_vocabularies: ClassVar[bool] = False
    """Whether source and target may have vocabularies of their own."""
    translates: ClassVar[bool] = False
    """Whether it comes as a translator, with a way to search and marks of its own."""

    @abstractmethod
    def plan(
        self, values: Values, stored: TensorSource, ignored: tuple[str, ...] = ()
    ) -> ImportPlan:
        """Say what a settings file and its tensors become here."""

    @abstractmethod
    def values(
        self, settings: NetworkSettings, vocab_size: int, padding: int | None = None
    ) -> dict[str, Any] | None:
        """Return the settings file of one of our networks; None where it is of another kind.

        The padding's number matters to RoBERTa, whose positions begin after it.
        """

    @abstractmethod
    def table(self, settings: Any, padding: int | None = None) -> TensorTable:
        """Return the rows of one of our networks."""

    def further(self, settings: Any, values: Values, given: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return tensors that they store besides, in which there is nothing new."""
        return {}


def dropout_note(kept: float, other: float, what: str) -> tuple[str, ...]:
    """Say where one number of ours stands for two of theirs."""
    if kept == other:
        return ()
    return (f"Dropout on {what} was {other:g}; here it is {kept:g}, as on the sub-layers.",)
