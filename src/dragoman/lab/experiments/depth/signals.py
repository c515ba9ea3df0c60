"""What goes forward and back through a deep network, and other first weights for its layers.

A plain layer hands on what it is given if its filter is δ (1 in the middle, 0 elsewhere) and its
norm undoes itself. What a norm and a ReLU have made of a normal x has the mean and the deviation

    E relu(x) = 1/√(2π)        D relu(x) = √(1/2 − 1/(2π))

so a norm with these as bias and gain gives back about what came in, whatever the batch. A network
of many layers that begins in this way says at first nearly what a shallow one says. With drawn
filters, norms keep the signals alike on the way forward, but let gradients grow on the way back: by
√(π/(π − 1)), about 1.2, at each layer of a wide plain network (Yang et al. 2019).
"""

import copy
import math
from statistics import fmean

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.lab.results import Measurement
from dragoman.neural.models.images.resnet import ResNet, blocks_of

MEAN = 1 / math.sqrt(2 * math.pi)
DEVIATION = math.sqrt(0.5 - 0.5 / math.pi)


@torch.no_grad()
def begin_as_identities(model: ResNet, drawn: int) -> None:
    """Let all blocks of a plain network but the first few of each stage hand on what they get."""
    for stage in model.stages:
        for block in blocks_of(stage)[drawn:]:
            for layer in block.branch:
                if isinstance(layer, nn.Conv2d):
                    nn.init.dirac_(layer.weight)
                elif isinstance(layer, nn.BatchNorm2d):
                    nn.init.constant_(layer.weight, DEVIATION)
                    nn.init.constant_(layer.bias, MEAN)


def look(model: ResNet, images: Tensor, classes: Tensor) -> Measurement:
    """Send one batch through a copy of a network as in training, and the gradient back.

    `gradients` are the norms at the weights of each convolution; `signals` the deviations of what
    the stem and each block give; `change` is how far blocks that keep the shape are from handing
    on what they get: the size of the difference beside that of what they got, on average.
    """
    seen = copy.deepcopy(model).train()
    signals: list[float] = []
    changes: list[float] = []

    def note(_: nn.Module, given: tuple[Tensor, ...], made: Tensor) -> None:
        before, after = given[0].detach(), made.detach()
        signals.append(after.std().item())
        if before.shape == after.shape:
            changes.append((torch.dist(after, before) / before.norm()).item())

    for part in (seen.stem, *blocks_of(seen)):
        part.register_forward_hook(note)
    weights = [one.weight for one in seen.modules() if isinstance(one, nn.Conv2d)]
    gradients = torch.autograd.grad(F.cross_entropy(seen(images), classes), weights)
    return {
        "gradients": [one.norm().item() for one in gradients],
        "signals": signals,
        "change": fmean(changes),
    }
