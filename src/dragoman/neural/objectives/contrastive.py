"""The symmetric contrastive loss of CLIP (Radford et al. 2021, figure 3).

Of b images and b texts the first belongs to the first. With scores z = scale · I Tᵀ:

    loss = ½ Σᵢ (logsumexp(zᵢ·) - zᵢᵢ)   which of the texts belongs to each image
         + ½ Σᵢ (logsumexp(z·ᵢ) - zᵢᵢ)   which of the images belongs to each text

This is cross entropy both ways; torch's fused one is what runs, and a test keeps them equal. Who
guesses has ln b nats.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from dragoman.neural.objectives.cross_entropy import Loss


def contrastive_written_out(scores: Float[Tensor, "b b"]) -> Float[Tensor, ""]:
    """Return the sum over the pairs, as the equation has it."""
    right = scores.diagonal()
    for_images = scores.logsumexp(dim=1) - right
    for_texts = scores.logsumexp(dim=0) - right
    return (for_images + for_texts).sum() / 2


def contrastive(scores: Float[Tensor, "b b"], smoothing: float = 0.0) -> Loss:
    """Sum the loss over the pairs of a batch, each counted once."""
    right = torch.arange(len(scores), device=scores.device)

    def both_ways(scores: Tensor, smoothing: float) -> Tensor:
        for_images = F.cross_entropy(scores, right, reduction="sum", label_smoothing=smoothing)
        for_texts = F.cross_entropy(scores.T, right, reduction="sum", label_smoothing=smoothing)
        return (for_images + for_texts) / 2

    nats = both_ways(scores.detach(), 0.0)
    smoothed = both_ways(scores, smoothing) if scores.requires_grad else nats
    return Loss(smoothed=smoothed, nats=nats, positions=len(scores))
