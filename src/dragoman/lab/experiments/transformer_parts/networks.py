"""Small networks that label places, built from the product's layers with one part left out."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.encoder import EncoderSettings
from dragoman.lab.experiments.transformer_parts.data import NOTHING, LabeledTokens, LabelTask
from dragoman.neural.layers.attention import Attention, parameter_free_attention
from dragoman.neural.layers.blocks import Residual
from dragoman.neural.layers.feed_forward import FeedForward
from dragoman.neural.layers.positions import LearnedPositions, NoPositions
from dragoman.neural.models.stack import Parts, initialize
from dragoman.neural.objectives.cross_entropy import Loss


class AttentionAlone(nn.Module):
    """A Transformer layer without its feed-forward."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.around_attention = Residual(width, "pre", 0.0)

    def forward(self, x: Tensor, mask: None) -> Tensor:
        """Return the next states."""
        return self.around_attention(x, lambda y: self.attention(y, y, mask))


class FixedAttention(nn.Module):
    """A Transformer layer whose attention has nothing to learn: softmax(xxᵀ) x."""

    def __init__(self, width: int, inner_width: int) -> None:
        super().__init__()
        self.around_attention = Residual(width, "none", 0.0)
        self.feed_forward = FeedForward(width, inner_width)
        self.around_feed_forward = Residual(width, "pre", 0.0)

    def forward(self, x: Tensor, mask: None) -> Tensor:
        """Return the next states; everything is seen."""
        x = self.around_attention(x, parameter_free_attention)
        return self.around_feed_forward(x, self.feed_forward)


class Labeler(nn.Module):
    """Embeddings, layers, and scores of the labels of each place."""

    def __init__(
        self,
        task: LabelTask,
        width: int,
        layers: list[nn.Module],
        *,
        positions: bool = True,
        fixed_embeddings: bool = False,
    ) -> None:
        super().__init__()
        self.shape = (task.labels, task.classes)
        self.table = nn.Embedding(task.entries, width)
        self.positions = LearnedPositions(width, task.length) if positions else NoPositions()
        self.layers = nn.ModuleList(layers)
        self.last_norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, task.labels * task.classes)
        initialize(self, EncoderSettings(width=width, heads=1))
        self.table.weight.requires_grad_(not fixed_embeddings)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return scores: b n -> b n l c."""
        x = self.positions(self.table(tokens))
        for layer in self.layers:
            x = layer(x, None)
        return self.output(self.last_norm(x)).unflatten(2, self.shape)

    def attention(self) -> Attention:
        """Return the attention of the first layer."""
        return next(part for part in self.modules() if isinstance(part, Attention))


class LabelObjective:
    """Ask for the labels of each place that has any."""

    def __init__(self, model: Labeler) -> None:
        self.model = model
        self.progress = 0.0

    def denominator(self, batch: LabeledTokens) -> int:
        """Return how many labels are asked for."""
        return int(batch.labels.ne(NOTHING).sum())

    def targets(self, batch: LabeledTokens) -> int:
        """Return what counts for the speed."""
        return batch.tokens.numel()

    def loss(self, batch: LabeledTokens, device: torch.device) -> Loss:
        """Return the summed cross entropy."""
        scores = self.model(batch.tokens.to(device)).flatten(0, 2)
        labels = batch.labels.flatten().to(device)
        nats = F.cross_entropy(scores, labels, ignore_index=NOTHING, reduction="sum")
        return Loss(nats, nats.detach(), self.denominator(batch))


def full_layers(width: int, heads: int, inner_width: int, count: int) -> list[nn.Module]:
    """Return the product's own layers, with their feed-forward."""
    chosen = EncoderSettings(
        width=width, heads=heads, ffn_width=inner_width, norm="pre", dropout=0.0, positions="none"
    )
    parts = Parts(chosen, heads, inner_width, causal=False)
    return [parts.encoder_layer() for _ in range(count)]
