"""The decoder that looks at the source after each word (Luong et al. 2015).

    s_i  = f(y_{i-1}, s_{i-1})
    α_ij = softmax_j(s_iᵀ h_j) or softmax_j(s_iᵀ W h_j);  c_i = Σ_j α_ij h_j
    s̃_i  = tanh(W_c [s_i; c_i]), by the readout;  p(y_i) from s̃_i

It begins where the encoder ended, layer by layer. No step waits for what an earlier one has seen,
so the layers run over the whole target and then look all at once.
"""

from dataclasses import replace

from jaxtyping import Float
from torch import Tensor

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.alignment import ProductAlignment
from dragoman.neural.layers.readout import Readout
from dragoman.neural.models.recurrent.bridge import LayerByLayer
from dragoman.neural.models.recurrent.decoder import (
    Decoder,
    DecoderState,
    EncodedSource,
    SourceKeys,
    attend_to_source,
    decoder_stack,
)


class ProductDecoder(Decoder):
    """Remember, look, and then speak."""

    def __init__(self, settings: RecurrentSettings) -> None:
        super().__init__()
        width, read = settings.width, settings.memory_width
        self.start = LayerByLayer(settings)
        self.source_attention = ProductAlignment(width, read, matrix=settings.context == "general")
        self.layers = decoder_stack(settings, settings.word_width)
        self.readout = Readout((width, read), settings.output_width, settings.readout)

    def begin(self, memory: EncodedSource) -> DecoderState:
        """Make ready to write; what attention needs of the source is computed here."""
        keys = self.source_attention.project_keys(memory.outputs)
        source = SourceKeys(keys, memory.outputs, memory.mask)
        return DecoderState(self.start(memory.last), source=source)

    def step(
        self, words: Float[Tensor, "n m"], state: DecoderState
    ) -> tuple[Float[Tensor, "n o"], DecoderState]:
        """Take one more word of each row; return the readout and the new state."""
        s, recurrent = self.layers.step(words, state.recurrent)
        context, weights = attend_to_source(self.source_attention, s, state)
        return self.readout(s, context), replace(state, recurrent=recurrent, weights=weights)

    def forward(
        self, words: Float[Tensor, "b t m"], memory: EncodedSource
    ) -> Float[Tensor, "b t o"]:
        """Return the readout after each word; nothing is left to a loop."""
        s, _ = self.layers(words, None, self.start(memory.last))
        keys = self.source_attention.project_keys(memory.outputs)
        context, weights = self.source_attention(s, keys, memory.outputs, memory.mask)
        self.tell(weights)
        return self.readout(s, context)

    def tell(self, weights: Float[Tensor, "b t s"]) -> None:
        """Show where a pass has looked."""
        self.source_attention.tell(weights)
