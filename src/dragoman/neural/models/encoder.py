"""The bidirectional encoder (BERT, Devlin et al. 2019; RoBERTa, Liu et al. 2019).

tokens ─ embed ─ layers ─ states ─┬─ words head ─ output ─▶ scores of the word that stands there
                                  └─ pooler, on the first state ─┬─ does the second text follow?
                                                                 └─ which class has the text?
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.config.encoder import EncoderSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.norms import build_norm
from dragoman.neural.layers.packing_mask import places_in, same_document
from dragoman.neural.layers.summed_embedding import SummedEmbedding
from dragoman.neural.layers.words_head import WordsHead
from dragoman.neural.models.stack import (
    Parts,
    build_last_norm,
    build_positions,
    initialize,
    run,
    set_epsilon,
)


class Encoder(nn.Module):
    """One stack of layers in which every token sees all others, and what is asked of its states."""

    output: nn.Linear
    """From states that are ready for words to scores; only where there is a words head."""

    def __init__(self, settings: EncoderSettings, vocab_size: int, *, padding: int = 0) -> None:
        super().__init__()
        self.settings = settings
        self.padding = padding
        self.checkpointing = False
        width, kind = settings.width, settings.normalization
        self.embedding = SummedEmbedding(
            nn.Embedding(vocab_size, width),
            build_positions(settings),
            settings.segments,
            build_norm(kind, width) if settings.embedding_norm else nn.Identity(),
            scaled=settings.scale_embeddings,
            dropout=settings.dropout,
            word_dropout=settings.word_dropout,
        )
        parts = Parts(settings, settings.heads, settings.ffn_width, causal=False)
        self.layers = nn.ModuleList(parts.encoder_layer() for _ in range(settings.layers))
        self.last_norm = build_last_norm(settings)
        self.pooler = nn.Linear(width, width) if settings.pooler else None
        self.follows_head = nn.Linear(width, 2) if settings.next_sentence_head else None
        self.classes_head = nn.Linear(width, settings.classes) if settings.classes else None
        self.words_head: WordsHead | None = None
        if settings.lm_head != "none":
            self.words_head = WordsHead(width, settings.activation, kind)
            self.output = nn.Linear(width, vocab_size, bias=settings.output_bias)
        self.dropout = Dropout(settings.dropout)
        set_epsilon(self, settings.norm_epsilon)
        initialize(self, settings)
        if self.words_head is not None and settings.tied:
            self.output.weight = self.embedding.table.weight

    def forward(
        self,
        tokens: Int[Tensor, "b n"],
        mask: Bool[Tensor, "b n"] | None = None,
        segments: Int[Tensor, "b n"] | None = None,
        documents: Int[Tensor, "b n"] | None = None,
    ) -> Float[Tensor, "b n v"]:
        """Return scores of the word that stands at each position."""
        return self.words(self.states(tokens, mask, segments, documents))

    def states(
        self,
        tokens: Int[Tensor, "b n"],
        mask: Bool[Tensor, "b n"] | None = None,
        segments: Int[Tensor, "b n"] | None = None,
        documents: Int[Tensor, "b n"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Return the last states of tokens that see all that the mask allows, or all but padding.

        Where a row holds several documents, a token sees those of its own only, and each document
        is read as if it stood alone. Offsets between tokens stay what they are, so only positions
        that are added to the embeddings must be told where a document begins.
        """
        seen = tokens.ne(self.padding) if mask is None else mask  # b n
        visible = seen.unsqueeze(1) if documents is None else same_document(documents, seen)
        places = None if documents is None else places_in(documents)
        x = self.embedding(tokens, places, segments)
        for layer in self.layers:
            x = run(layer, x, visible, again=self.checkpointing and self.training)
        return self.last_norm(x)

    def words(self, states: Float[Tensor, "b n d"]) -> Float[Tensor, "b n v"]:
        """Return scores of the word that stands at each position."""
        ready = self.word_states(states)
        return self.output(ready)

    def word_states(self, states: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        """Return what `output` makes scores of; training asks for a few positions only."""
        return _there(self.words_head, "lm_head = 'bert'")(states)

    def pooled(self, states: Float[Tensor, "b n d"]) -> Float[Tensor, "b d"]:
        """Return the state of each text as a whole, made of that of its first token."""
        return torch.tanh(_there(self.pooler, "pooler = true")(states[:, 0]))

    def follows(self, pooled: Float[Tensor, "b d"]) -> Float[Tensor, "b 2"]:
        """Return scores of two answers: the second segment is from elsewhere, or it follows."""
        return _there(self.follows_head, "next_sentence_head = true")(pooled)

    def classify(
        self,
        tokens: Int[Tensor, "b n"],
        mask: Bool[Tensor, "b n"] | None = None,
        segments: Int[Tensor, "b n"] | None = None,
    ) -> Float[Tensor, "b c"]:
        """Return scores of the classes of each text."""
        head = _there(self.classes_head, "classes to their number")
        return head(self.dropout(self.pooled(self.states(tokens, mask, segments))))


def _there(part: nn.Module | None, key: str) -> nn.Module:
    if part is None:
        raise ConfigError(
            f"this encoder was made without the part it is asked for. Set model.{key}."
        )
    return part
