"""What every family of checkpoints can do."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from dragoman.config.clip import ClipSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.task import TaskSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.data.batching.pixels import Pixels
from dragoman.engine.interop.foreign import Values
from dragoman.engine.interop.stored import Stored
from dragoman.engine.interop.table import Table

NetworkSettings = DecoderOnlySettings | TransformerSettings | EncoderSettings
"""Networks that can be exchanged."""

ImportedSettings = NetworkSettings | ClipSettings
"""Networks that can be read, and some of them not yet written."""


@dataclass(frozen=True)
class Plan:
    """How a checkpoint becomes one of our networks."""

    settings: ImportedSettings
    vocabulary: int
    task: TaskSettings
    table: Table
    notes: tuple[str, ...] = ()
    """What is not quite as it was, in plain words."""
    pixels: Pixels | None = None
    """What images are like to a network that looks at them."""


class Family(ABC):
    """A kind of network that another library has, too."""

    kind: ClassVar[str]
    """What the settings file calls it (`model_type`)."""
    architectures: ClassVar[tuple[str, ...]]
    """The classes it may have been saved from; the first is what we write."""

    @abstractmethod
    def plan(self, values: Values, stored: Stored, ignored: tuple[str, ...] = ()) -> Plan:
        """Say what a settings file and its tensors become here."""

    @abstractmethod
    def values(
        self, settings: NetworkSettings, vocabulary: int, padding: int | None = None
    ) -> dict[str, Any] | None:
        """Return the settings file of one of our networks; None where it is of another kind.

        The padding's number matters to RoBERTa, whose positions begin after it.
        """

    @abstractmethod
    def table(self, settings: Any, padding: int | None = None) -> Table:
        """Return the rows of one of our networks."""


def dropout_note(kept: float, other: float, what: str) -> tuple[str, ...]:
    """Say where one number of ours stands for two of theirs."""
    if kept == other:
        return ()
    return (f"Dropout on {what} was {other:g}; here it is {kept:g}, as on the sub-layers.",)
