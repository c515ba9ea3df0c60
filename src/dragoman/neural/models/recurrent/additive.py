"""The decoder that looks at the source before each word (Bahdanau et al. 2015).

With the encoder's states h_j, and h←_1 the last state of its backward direction:

    s_0  = tanh(W_s h←_1)
    e_ij = vᵀ tanh(W_a s_{i-1} + U_a h_j);  α_i = softmax(e_i);  c_i = Σ_j α_ij h_j
    s_i  = f([y_{i-1}; c_i], s_{i-1})
    t̃_i  = U s_{i-1} + V y_{i-1} + C c_i;  p(y_i) from t̃_i, by the readout

The readout sees s_{i-1}, as the paper's appendix A.2.2 and the authors' program have it (the main
text writes s_i): what step i has learnt of the last word reaches y_i through V y_{i-1} alone.
"""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.alignment import AdditiveAlignment
from dragoman.neural.layers.readout import Readout
from dragoman.neural.layers.recurrent.state import RecurrentState
from dragoman.neural.models.recurrent.attention_trace import AttentionTrace
from dragoman.neural.models.recurrent.bridge import Bridge
from dragoman.neural.models.recurrent.decoder import (
    Decoder,
    DecoderState,
    EncodedSource,
    SourceKeys,
    attend_to_source,
)
from dragoman.neural.models.recurrent.input_feeding import FedStack


class AdditiveDecoder(Decoder):
    """Look, speak, and only then remember."""

    def __init__(self, settings: RecurrentSettings) -> None:
        super().__init__()
        width, read = settings.width, settings.memory_width
        self.start = Bridge(settings, width)
        self.source_attention = AdditiveAlignment(width, read, settings.attention_width or width)
        self.layers = FedStack(settings, read)
        parts = (width, settings.word_width, read)
        self.readout = Readout(parts, settings.output_width, settings.readout)

    def begin(self, memory: EncodedSource) -> DecoderState:
        """Make ready to write; what attention needs of the source is computed here."""
        keys = self.source_attention.project_keys(memory.outputs)
        return DecoderState(
            self._first(memory), source=SourceKeys(keys, memory.outputs, memory.mask)
        )

    def step(
        self, words: Float[Tensor, "n m"], state: DecoderState
    ) -> tuple[Float[Tensor, "n o"], DecoderState]:
        """Take one more word of each row; return the readout and the new state."""
        s = state.recurrent.hidden[-1]
        context, weights = attend_to_source(self.source_attention, s, state)
        _, recurrent = self.layers.step(words, context, state.recurrent)
        spoken = self.readout(s, words, context)
        return spoken, replace(state, recurrent=recurrent, weights=weights)

    def forward(
        self, words: Float[Tensor, "b t m"], memory: EncodedSource
    ) -> Float[Tensor, "b t o"]:
        """Return the readout after each word; only looking and the cells are in the loop."""
        along = self.layers.along(words, self._first(memory))
        trace = AttentionTrace(self.source_attention, memory, words.shape[1])
        states: list[Tensor] = []
        contexts: list[Tensor] = []
        for position in range(words.shape[1]):
            if position:
                along.step(position - 1, contexts[-1])
            states.append(along.top)
            contexts.append(trace.attend(along.top))
        self.tell(trace.all_weights())
        return self.readout(torch.stack(states, dim=1), words, torch.stack(contexts, dim=1))

    def tell(self, weights: Float[Tensor, "b t s"]) -> None:
        """Show where a pass has looked."""
        self.source_attention.tell(weights)

    def _first(self, memory: EncodedSource) -> RecurrentState:
        """Begin every layer from the last state of the encoder's last direction."""
        layers = len(self.start.maps) // self.start.parts
        last = memory.last.parts
        return self.start(tuple(part[-1].expand(layers, *part[-1].shape) for part in last))
