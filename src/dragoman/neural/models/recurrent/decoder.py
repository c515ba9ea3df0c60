"""The interface and the state of every recurrent decoder."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.alignment import Alignment
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.layers.recurrent.state import RecurrentState


@dataclass(frozen=True, slots=True)
class EncodedSource:
    """The encoder's states of the sources."""

    outputs: Float[Tensor, "b s e"]
    """In the order of the source, however it was read."""
    last: RecurrentState
    """Of every layer and direction, after each row's own last position."""
    mask: Bool[Tensor, "b s"]


@dataclass(frozen=True, slots=True)
class SourceKeys:
    """The keys of a source for attention, with its states and padding mask."""

    keys: Float[Tensor, "b s k"]
    outputs: Float[Tensor, "b s e"]
    mask: Bool[Tensor, "b s"]

    def rows(self, index: Int[Tensor, " m"]) -> "SourceKeys":
        """Select or repeat sources."""
        return SourceKeys(self.keys[index], self.outputs[index], self.mask[index])

    def append(self, other: "SourceKeys") -> "SourceKeys":
        """Append other sources, all as wide as the longest needs."""
        both = (self, other)
        width = max(int(one.mask.sum(dim=1).max()) for one in both)
        return SourceKeys(
            torch.cat([_as_wide(one.keys, width) for one in both]),
            torch.cat([_as_wide(one.outputs, width) for one in both]),
            torch.cat([_as_wide(one.mask, width) for one in both]),
        )


def _as_wide(part: Tensor, width: int) -> Tensor:
    """Cut positions off at the end, or add masked ones."""
    sides = (0, 0) * (part.dim() - 2)
    return nn.functional.pad(part, (*sides, 0, width - part.shape[1]))


@dataclass(frozen=True, slots=True)
class DecoderState:
    """The state of a recurrent decoder. Rows that read the same source stand side by side."""

    recurrent: RecurrentState
    rows_per_source: int = 1
    """Rows that share each source."""
    source: SourceKeys | None = None
    fed: Float[Tensor, "n f"] | None = None
    """Input feeding: the vector that enters the next step with the word."""
    weights: Float[Tensor, "n s"] | None = None
    """Attention weights of the last step."""

    def reorder(self, rows: Int[Tensor, " m"]) -> "DecoderState":
        """Select, repeat or drop rows."""
        after = replace(
            self,
            recurrent=self.recurrent.rows(rows),
            fed=None if self.fed is None else self.fed[rows],
            weights=None if self.weights is None else self.weights[rows],
        )
        if self.source is None:
            return after
        sources, shares = (rows // self.rows_per_source).unique_consecutive(return_counts=True)
        if len(shares.unique()) != 1:  # no rectangle: each row gets a source of its own
            sources, shares = rows // self.rows_per_source, torch.ones_like(rows)
        after = replace(after, rows_per_source=int(shares[0]) if len(shares) else 1)
        if torch.equal(sources, torch.arange(len(self.source.mask), device=rows.device)):
            return after
        return replace(after, source=self.source.rows(sources))

    def append(self, other: "DecoderState") -> "DecoderState":
        """Append the rows of another state; both have as many rows for each source."""
        source, fed = self.source, self.fed
        if source is not None and other.source is not None:
            source = source.append(other.source)
        if fed is not None and other.fed is not None:
            fed = torch.cat((fed, other.fed))
        recurrent = RecurrentState.joined((self.recurrent, other.recurrent))
        return replace(self, recurrent=recurrent, source=source, fed=fed, weights=None)


class Decoder(nn.Module, ABC):
    """From the words so far to what the output makes scores from.

    `forward` writes a whole target whose words are known, and leaves as little as it can to the
    loop over positions; `step` writes one word. Tests keep the two equal.
    """

    @abstractmethod
    def begin(self, memory: EncodedSource) -> DecoderState:
        """Make ready to write."""

    @abstractmethod
    def step(
        self, words: Float[Tensor, "n m"], state: DecoderState
    ) -> tuple[Float[Tensor, "n o"], DecoderState]:
        """Take one more word of each row; return the readout and the new state."""

    @abstractmethod
    def forward(
        self, words: Float[Tensor, "b t m"], memory: EncodedSource
    ) -> Float[Tensor, "b t o"]:
        """Return the readout after each word."""

    def tell(self, weights: Float[Tensor, "b t s"]) -> None:
        """Show the watcher the attention weights of a pass that was taken in single steps."""


def decoder_stack(settings: RecurrentSettings, input_width: int) -> RecurrentStack:
    """Build a decoder's layers."""
    return RecurrentStack(
        settings.cell,
        input_width,
        settings.width,
        settings.decoder_layers,
        residual=settings.residual,
        dropout=settings.dropout,
    )


def attend_to_source(
    attention: Alignment, queries: Float[Tensor, "n d"], state: DecoderState
) -> tuple[Float[Tensor, "n e"], Float[Tensor, "n s"]]:
    """Attend from every row to its source; rows that share one are one batch."""
    if state.source is None:
        raise ValueError("this state was begun by another decoder: it has no source to look at.")
    source, together = state.source, queries.unflatten(0, (-1, state.rows_per_source))  # b beside d
    context, weights = attention(together, source.keys, source.outputs, source.mask)
    return context.flatten(0, 1), weights.flatten(0, 1)
