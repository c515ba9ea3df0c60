"""The optimiser of a model, with weight decay on its matrices only."""

from torch import nn
from torch.optim import AdamW as TorchAdamW
from torch.optim import Optimizer

from dragoman.config.training import AdamW


def build_optimiser(model: nn.Module, settings: AdamW) -> Optimizer:
    """Give every trained weight of a model to AdamW's fused kernel.

    Norms, biases, offsets and embeddings are not decayed: a rare word's vector would shrink to
    nothing between the few sentences that move it.
    """
    embedded = {id(m.weight) for m in model.modules() if isinstance(m, nn.Embedding)}
    linear = {id(m.weight) for m in model.modules() if isinstance(m, nn.Linear)} - embedded
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for parameter in model.parameters():
        if parameter.requires_grad:
            (matrices if id(parameter) in linear else others).append(parameter)
    groups = [
        {"params": matrices, "weight_decay": settings.decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return TorchAdamW(
        [group for group in groups if group["params"]],
        lr=settings.rate,
        betas=settings.betas,
        eps=settings.epsilon,
        fused=True,
    )
