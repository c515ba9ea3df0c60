"""The tower of a CLIP that reads texts: one vector for each.

START text END ─ embed ─ layers ─ norm ─ state of END, or the mean ─ output ─▶ vector

A row may be filled up with anything after its first END, which no text holds inside: some
vocabularies fill up with END itself.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.config.clip import TextTowerSettings
from dragoman.neural.layers.summed_embedding import SummedEmbedding
from dragoman.neural.models.stack import (
    Parts,
    build_last_norm,
    build_positions,
    initialize,
    run,
    set_epsilon,
)


class TextTower(nn.Module):
    """A stack of layers over the tokens of a text, and what stands for the whole of it."""

    def __init__(self, settings: TextTowerSettings, vocab_size: int, width: int, end: int) -> None:
        super().__init__()
        self.settings = settings
        self.end = end
        self.checkpointing = False
        self.embedding = SummedEmbedding(
            nn.Embedding(vocab_size, settings.width),
            build_positions(settings),
            0,
            nn.Identity(),
            scaled=settings.scale_embeddings,
            dropout=settings.dropout,
            word_dropout=settings.word_dropout,
        )
        parts = Parts(settings, settings.heads, settings.ffn_width, causal=settings.causal)
        layer = parts.causal_layer if settings.causal else parts.encoder_layer
        self.layers = nn.ModuleList(layer() for _ in range(settings.layers))
        self.last_norm = build_last_norm(settings)
        self.output = nn.Linear(settings.width, width, bias=False)
        set_epsilon(self, settings.norm_epsilon)
        initialize(self, settings)

    def forward(self, tokens: Int[Tensor, "b n"]) -> Float[Tensor, "b w"]:
        """Return the vector of each text, of whatever length."""
        return self.output(self.pooled(tokens))

    def pooled(self, tokens: Int[Tensor, "b n"]) -> Float[Tensor, "b d"]:
        """Return the state that stands for each text."""
        ends = tokens.eq(self.end).int().argmax(dim=1)  # the first, where there are several
        seen = torch.arange(tokens.shape[1], device=tokens.device) <= ends.unsqueeze(1)  # b n
        states = self._states(tokens, seen)
        if self.settings.pooling == "mean":
            kept = seen.unsqueeze(2).to(states.dtype)
            return (states * kept).sum(dim=1) / kept.sum(dim=1)
        return states[torch.arange(len(tokens), device=tokens.device), ends]

    def _states(
        self, tokens: Int[Tensor, "b n"], seen: Bool[Tensor, "b n"]
    ) -> Float[Tensor, "b n d"]:
        """Return the last state of each token; a causal stack needs no mask, for END is last."""
        mask = () if self.settings.causal else (seen.unsqueeze(1),)
        x = self.embedding(tokens)
        for layer in self.layers:
            x = run(layer, x, *mask, again=self.checkpointing and self.training)
        return self.last_norm(x)
