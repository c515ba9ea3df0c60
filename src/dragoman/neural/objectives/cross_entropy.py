"""Cross entropy of the next token, with label smoothing (Szegedy et al. 2016, section 7).

For scores z of one position, its right token y, smoothing ε and v entries:

    loss     = logsumexp(z) - (1 - ε) z_y - (ε / v) Σ z
    dloss/dz = softmax(z) - (1 - ε) 1_y - ε / v

A whole batch of scores is large (positions times vocabulary), so the projection to the vocabulary
is part of the objective: it runs in chunks that fit the processor's cache, each chunk's gradient
taken while its scores are still there. The written-out form is the reference; a test keeps the two
equal.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

CHUNK_SCORES = 1 << 22
"""Scores per chunk: 16 MiB in float32. The products of chunks half as large are 5 % slower, those
of larger ones no faster."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Sums over the positions that count."""

    smoothed: Float[Tensor, ""]
    """What training makes small."""
    nats: Float[Tensor, ""]
    """Cross entropy without smoothing, for reports."""
    positions: int


def cross_entropy_written_out(
    states: Float[Tensor, "n d"],
    weight: Float[Tensor, "v d"],
    labels: Int[Tensor, " n"],
    smoothing: float,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Return the smoothed and the plain sum, as the equations have them."""
    log_p = F.linear(states, weight).log_softmax(dim=-1)  # n v
    right = log_p.gather(1, labels[:, None]).squeeze(1)  # n
    smoothed = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
    return smoothed.sum(), -right.sum()


class _ProjectedCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any, states: Tensor, weight: Tensor, labels: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        for_states, for_weight = context.needs_input_grad[:2]  # a frozen output needs no slope
        vocab_size = weight.shape[0]
        rows = _rows_together(len(states), vocab_size)
        room = states.new_empty(rows, vocab_size)  # one for all chunks: fresh memory is slow
        smoothed, nats = states.new_zeros(()), states.new_zeros(())
        d_states = torch.empty_like(states) if for_states else None
        d_weight = torch.zeros_like(weight) if for_weight else None
        for start in range(0, len(states), rows):
            part = states[start : start + rows]
            right = labels[start : start + rows, None]
            scores = torch.mm(part, weight.T, out=room[: len(part)])  # n v
            highest = scores.amax(dim=-1, keepdim=True)
            picked = scores.gather(1, right)
            mean = scores.mean(dim=-1, keepdim=True) if smoothing else picked
            scores.sub_(highest).exp_()
            partition = scores.sum(dim=-1, keepdim=True)
            total = partition.log() + highest
            loss = (total - picked).sum()
            nats += loss
            smoothed += (1 - smoothing) * loss
            if smoothing:
                smoothed += smoothing * (total - mean).sum()
            if d_states is None and d_weight is None:
                continue
            slope = scores.div_(partition)  # the softmax, in place of the scores
            if smoothing:
                slope -= smoothing / vocab_size
            slope.scatter_add_(1, right, torch.full_like(picked, smoothing - 1))
            if d_states is not None:
                torch.mm(slope, weight, out=d_states[start : start + rows])
            if d_weight is not None:
                d_weight.addmm_(slope.T, part)
        context.save_for_backward(d_states, d_weight)
        context.mark_non_differentiable(nats)
        return smoothed, nats

    @staticmethod
    @once_differentiable
    def backward(
        context: Any, grad: Tensor, _: Tensor
    ) -> tuple[Tensor | None, Tensor | None, None, None]:
        d_states, d_weight = context.saved_tensors
        states = None if d_states is None else d_states * grad
        weight = None if d_weight is None else d_weight * grad
        return states, weight, None, None


def _rows_together(positions: int, vocab_size: int) -> int:
    """Return how many positions a chunk has, so that all chunks are about equal."""
    chunks = -(-positions * vocab_size // CHUNK_SCORES)
    return max(1, -(-positions // max(1, chunks)))


def cross_entropy(
    states: Float[Tensor, "b t d"],
    weight: Float[Tensor, "v d"],
    labels: Int[Tensor, "b t"],
    *,
    padding: int,
    smoothing: float = 0.0,
    bias: Float[Tensor, " v"] | None = None,
) -> Loss:
    """Sum the loss over every position whose label is not padding, each counted once."""
    counted = labels.ne(padding)
    if counted.all():  # choosing all would copy them, and their gradient
        kept_states, kept_labels = states.flatten(0, 1), labels.flatten()  # n d, n
    else:
        kept_states, kept_labels = states[counted], labels[counted]
    kept_states = kept_states.to(weight.dtype)
    if bias is not None:  # W z + b is [W b] on z with a one after it
        kept_states = torch.cat((kept_states, kept_states.new_ones(len(kept_states), 1)), dim=1)
        weight = torch.cat((weight, bias[:, None]), dim=1)
    if not torch.is_grad_enabled():
        weight = weight.detach()  # or the function would still be asked for its gradient
    with torch.autocast(states.device.type, enabled=False):
        projected: Any = _ProjectedCrossEntropy
        smoothed, nats = projected.apply(kept_states, weight, kept_labels, smoothing)
    return Loss(smoothed=smoothed, nats=nats.detach(), positions=len(kept_labels))
