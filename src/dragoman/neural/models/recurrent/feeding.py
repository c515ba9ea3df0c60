"""The decoder that also remembers where it has looked (Luong et al. 2015, section 3.3).

As in `product`, but what each step answered with is fed to the next one beside the word:

    s_i = f([y_{i-1}; s̃_{i-1}], s_{i-1});  s̃_i = tanh(W_c [s_i; c_i]), by the readout;  s̃_0 = 0

So every step waits for the one before it, attention and readout included.
"""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.alignment import ProductAlignment
from dragoman.neural.layers.readout import Readout
from dragoman.neural.models.recurrent.attention_trace import AttentionTrace
from dragoman.neural.models.recurrent.bridge import LayerByLayer
from dragoman.neural.models.recurrent.decoder import (
    Decoder,
    DecoderState,
    EncodedSource,
    SourceKeys,
    attend_to_source,
)
from dragoman.neural.models.recurrent.input_feeding import FedStack


class FeedingDecoder(Decoder):
    """Remember, look, speak, and be told what was said."""

    def __init__(self, settings: RecurrentSettings) -> None:
        super().__init__()
        width, read = settings.width, settings.memory_width
        self.start = LayerByLayer(settings)
        self.source_attention = ProductAlignment(width, read, matrix=settings.context == "general")
        self.layers = FedStack(settings, settings.output_width)
        self.readout = Readout((width, read), settings.output_width, settings.readout)

    def begin(self, memory: EncodedSource) -> DecoderState:
        """Make ready to write; nothing has been said yet."""
        keys = self.source_attention.project_keys(memory.outputs)
        source = SourceKeys(keys, memory.outputs, memory.mask)
        return DecoderState(self.start(memory.last), source=source, fed=self._silence(memory))

    def step(
        self, words: Float[Tensor, "n m"], state: DecoderState
    ) -> tuple[Float[Tensor, "n o"], DecoderState]:
        """Take one more word of each row; return the readout and the new state."""
        if state.fed is None:
            raise ValueError("this state was begun by another decoder: nothing is fed.")
        s, recurrent = self.layers.step(words, state.fed, state.recurrent)
        context, weights = attend_to_source(self.source_attention, s, state)
        said = self.readout(s, context)
        return said, replace(state, recurrent=recurrent, fed=said, weights=weights)

    def forward(
        self, words: Float[Tensor, "b t m"], memory: EncodedSource
    ) -> Float[Tensor, "b t o"]:
        """Return the readout after each word."""
        along = self.layers.along(words, self.start(memory.last))
        trace = AttentionTrace(self.source_attention, memory, words.shape[1])
        said = [self._silence(memory)]
        for position in range(words.shape[1]):
            s = along.step(position, said[-1])
            said.append(self.readout(s, trace.attend(s)))
        self.tell(trace.all_weights())
        return torch.stack(said[1:], dim=1)

    def tell(self, weights: Float[Tensor, "b t s"]) -> None:
        """Show where a pass has looked."""
        self.source_attention.tell(weights)

    def _silence(self, memory: EncodedSource) -> Float[Tensor, "b o"]:
        return memory.outputs.new_zeros(len(memory.outputs), self.readout.width)
