"""The decoder that is told one summary of the source at every step (Cho et al. 2014).

    c = tanh(V h_last);  s_0 = tanh(V' c);  s_i = f([y_{i-1}; c], s_{i-1})
    p(y_i) from U s_i + V y_{i-1} + C c, by the readout

The paper lets the reset gate of its unit also act on what c adds to the candidate; here c goes in
beside the word, as with any other cell.
"""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.readout import Readout
from dragoman.neural.layers.recurrent.state import RecurrentState
from dragoman.neural.models.recurrent.bridge import Bridge
from dragoman.neural.models.recurrent.decoder import (
    Decoder,
    DecoderState,
    EncodedSource,
    decoder_stack,
)


class EveryDecoder(Decoder):
    """Hear the summary at every step."""

    def __init__(self, settings: RecurrentSettings) -> None:
        super().__init__()
        width, word = settings.width, settings.word_width
        self.directions = 2 if settings.bidirectional else 1
        self.summary = nn.Linear(settings.memory_width, width)
        self.start = Bridge(settings, width)
        self.layers = decoder_stack(settings, word + width)
        self.readout = Readout((width, word, width), settings.output_width, settings.readout)

    def begin(self, memory: EncodedSource) -> DecoderState:
        """Make ready to write; the summary goes into every step."""
        summary = self._summary(memory)
        return DecoderState(self._first(summary), fed=summary)

    def step(
        self, words: Float[Tensor, "n m"], state: DecoderState
    ) -> tuple[Float[Tensor, "n o"], DecoderState]:
        """Take one more word of each row; return the readout and the new state."""
        if state.fed is None:
            raise ValueError("this state was begun by another decoder: it has no summary.")
        s, recurrent = self.layers.step(torch.cat((words, state.fed), dim=1), state.recurrent)
        return self.readout(s, words, state.fed), replace(state, recurrent=recurrent)

    def forward(
        self, words: Float[Tensor, "b t m"], memory: EncodedSource
    ) -> Float[Tensor, "b t o"]:
        """Return the readout after each word: one call of the layers for the whole target."""
        summary = self._summary(memory)
        repeated = summary.unsqueeze(1).expand(-1, words.shape[1], -1)  # b t d
        read = torch.cat((words, repeated), dim=2)
        s, _ = self.layers(read, None, self._first(summary))
        return self.readout(s, words, repeated)

    def _summary(self, memory: EncodedSource) -> Float[Tensor, "b d"]:
        last = memory.last.hidden[-self.directions :].unbind(0)
        return self.summary(torch.cat(last, dim=1)).tanh()

    def _first(self, summary: Float[Tensor, "b d"]) -> RecurrentState:
        layers = len(self.start.maps) // self.start.parts
        return self.start((summary.expand(layers, *summary.shape),) * self.start.parts)
