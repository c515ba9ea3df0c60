"""The bidirectional encoder as a tagger (token classification, Devlin et al. 2019, section 5.3).

tokens ─ embed ─ layers ─ states ─ dropout ─ labels head ─▶ scores of the label of each token
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.config.encoder import EncoderSettings
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.models.stack import initialize


class EncoderTagger(Encoder):
    """An encoder that scores labels at every token; without any of an encoder's other heads."""

    def __init__(
        self, settings: EncoderSettings, vocab_size: int, labels: int, *, padding: int = 0
    ) -> None:
        heads = {"lm_head": "none", "pooler": False, "next_sentence_head": False, "classes": 0}
        super().__init__(settings.model_copy(update=heads), vocab_size, padding=padding)
        self.labels_head = nn.Linear(settings.width, labels)
        initialize(self.labels_head, settings)

    def forward(
        self,
        tokens: Int[Tensor, "b n"],
        mask: Bool[Tensor, "b n"] | None = None,
        segments: Int[Tensor, "b n"] | None = None,
        documents: Int[Tensor, "b n"] | None = None,
    ) -> Float[Tensor, "b n c"]:
        """Return scores of the labels of each token."""
        states = self.states(tokens, mask, segments, documents)
        return self.labels_head(self.dropout(states))
