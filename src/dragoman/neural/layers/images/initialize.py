"""The first weights of networks that look at images.

A unit that sums n inputs of variance 1 with weights of variance g²/n has variance g². A ReLU keeps
half of the square, so g² = 2 lets signals neither grow nor fade with depth (He et al. 2015); tanh
wants (5/3)², a sigmoid 1.
"""

import math
from typing import Literal

import torch
from torch import nn

Bend = Literal["relu", "tanh", "sigmoid"]

LAST = 0.25
"""Size of the first scores beside that of the features: the first guesses are almost even."""


@torch.no_grad()
def initialize_images(model: nn.Module, *last: nn.Linear, bend: Bend = "relu") -> None:
    """Draw the weights of all layers, small ones in the last of each head; biases 0, norms 1."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            nn.init.kaiming_normal_(module.weight, nonlinearity=bend)
            if module.bias is not None:
                module.bias.zero_()
        elif isinstance(module, nn.BatchNorm2d):
            module.reset_parameters()
    for layer in last:
        initialize_last(layer)


@torch.no_grad()
def initialize_last(layer: nn.Linear) -> None:
    """Draw the weights of the layer that gives the scores; biases 0."""
    layer.weight.normal_(std=LAST / math.sqrt(layer.in_features))
    layer.bias.zero_()
