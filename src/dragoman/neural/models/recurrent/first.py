"""The decoder that only begins with the source (Sutskever et al. 2014).

The encoder's last states are all it ever hears of the source:

    s_0 = the encoder's last states, layer by layer;  s_i = f(y_{i-1}, s_{i-1});  p(y_i) from s_i
"""

from dataclasses import replace

from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.readout import Readout
from dragoman.neural.models.recurrent.bridge import LayerByLayer
from dragoman.neural.models.recurrent.decoder import (
    Decoder,
    DecoderState,
    EncodedSource,
    decoder_stack,
)


class FirstDecoder(Decoder):
    """Begin where the encoder ended."""

    def __init__(self, settings: RecurrentSettings) -> None:
        super().__init__()
        self.start = LayerByLayer(settings)
        self.layers = decoder_stack(settings, settings.word_width)
        straight = settings.readout == "linear" and settings.output_width == settings.width
        self.readout = (
            nn.Identity()  # a matrix before the output's matrix would say nothing new
            if straight
            else Readout((settings.width,), settings.output_width, settings.readout)
        )

    def begin(self, memory: EncodedSource) -> DecoderState:
        """Make ready to write."""
        return DecoderState(self.start(memory.last))

    def step(
        self, words: Float[Tensor, "n m"], state: DecoderState
    ) -> tuple[Float[Tensor, "n o"], DecoderState]:
        """Take one more word of each row; return the readout and the new state."""
        s, recurrent = self.layers.step(words, state.recurrent)
        return self.readout(s), replace(state, recurrent=recurrent)

    def forward(
        self, words: Float[Tensor, "b t m"], memory: EncodedSource
    ) -> Float[Tensor, "b t o"]:
        """Return the readout after each word: one call of the layers for the whole target."""
        s, _ = self.layers(words, None, self.start(memory.last))
        return self.readout(s)
