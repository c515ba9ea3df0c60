"""The optimizer of a model, with weight decay on its matrices and filters only."""

from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from dragoman.config.optimizer import (
    AdaGrad,
    Adam,
    AdamW,
    Momentum,
    Nesterov,
    OptimizerSettings,
    RmsProp,
    Sgd,
)
from dragoman.neural.layers.recurrent.cells import RecurrentCell

Groups = list[dict[str, Any]]


def build_optimizer(model: nn.Module, settings: OptimizerSettings) -> Optimizer:
    """Give every trained weight of a model to torch's fastest kernel of the method.

    The rate is set anew before each step. The mathematics stands in equations.py.
    """
    groups, rate = _groups(model, settings.weight_decay), settings.learning_rate
    match settings:
        case Sgd():
            return torch.optim.SGD(groups, rate, fused=True)
        case Momentum():
            return torch.optim.SGD(groups, rate, settings.momentum, fused=True)
        case Nesterov():
            return torch.optim.SGD(groups, rate, settings.momentum, nesterov=True, fused=True)
        case AdaGrad():
            return torch.optim.Adagrad(
                groups, rate, eps=settings.epsilon, fused=_on(model, "cpu", "cuda")
            )
        case RmsProp():  # has no fused kernel
            return torch.optim.RMSprop(
                groups, rate, settings.beta, settings.epsilon, foreach=_on(model, "cpu", "cuda")
            )
        case Adam():
            return torch.optim.Adam(groups, rate, settings.betas, settings.epsilon, fused=True)
        case AdamW():
            return torch.optim.AdamW(groups, rate, settings.betas, settings.epsilon, fused=True)


def _groups(model: nn.Module, decay: float) -> Groups:
    """Part the weights into matrices, which decay, and all others.

    Norms, biases, offsets and embeddings are not decayed: a rare word's vector would shrink to
    nothing between the few sentences that move it.
    """
    parts = [*model.modules()]
    embedded = {id(part.weight) for part in parts if isinstance(part, nn.Embedding)}
    linear = {id(part.weight) for part in parts if isinstance(part, nn.Linear | nn.Conv2d)}
    cells = [part for part in parts if isinstance(part, RecurrentCell)]
    looped = {id(w) for cell in cells for w in (cell.weight_ih, cell.weight_hh)}
    decayed = (linear | looped) - embedded
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for parameter in model.parameters():
        if parameter.requires_grad:
            (matrices if id(parameter) in decayed else others).append(parameter)
    groups = [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]


def _on(model: nn.Module, *devices: str) -> bool:
    """Say whether a model is on one of the devices that a kernel was written for."""
    return all(parameter.device.type in devices for parameter in model.parameters())
