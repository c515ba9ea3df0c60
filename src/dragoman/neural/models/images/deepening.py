"""Deeper networks that begin by saying exactly what a shallower one says.

Whatever a shallow network can do, a deeper one can do too: its further layers need only hand on
what they are given. So a deeper network that does worse on its own training data was not lacking
in strength; it was not found by the search (He et al. 2016).

    residual   relu(x + 0 · F(x)) = x     where the last norm of the branch F has gain 0
    plain      relu(δ ⋆ x) = x            where δ is 1 in the middle of the filter and 0 elsewhere

Both need x ≥ 0, and a ReLU has just seen to that. A plain layer must learn to be δ, a residual one
to be nothing.
"""

import torch
from torch import nn

from dragoman.config.vision import CnnSettings, ResNetSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.resnet import ResNet, blocks_of


@torch.no_grad()
def deepened_resnet(model: ResNet, more: int) -> ResNet:
    """Return a residual network with more blocks in every stage that gives the same scores."""
    if not model.settings.residual:
        raise ConfigError(
            "a plain network with batch norms cannot be deepened by identities, as a norm follows "
            "its batch. Use one with model.residual = true, or a cnn without batch norm."
        )
    deeper = ResNet(_more_blocks(model.settings, more), model.channels, model.size, model.classes)
    deeper.to(next(model.parameters()).device, next(model.parameters()).dtype)
    deeper.stem.load_state_dict(model.stem.state_dict())
    for new, old in zip(deeper.stages, model.stages, strict=True):
        blocks, known = blocks_of(new), blocks_of(old)
        for block, like in zip(blocks, known, strict=False):
            block.load_state_dict(like.state_dict())
        for block in blocks[len(known) :]:
            block.last_norm.weight.zero_()
    deeper.output.load_state_dict(model.output.state_dict())
    return deeper.train(model.training)


@torch.no_grad()
def deepened_cnn(model: Cnn, more: int) -> Cnn:
    """Return a plain network with more convolutions in every stage that gives the same scores."""
    settings = model.settings
    if settings.batch_norm or settings.activation != "relu":
        raise ConfigError(
            "a plain network can be deepened by identities only without norms and with ReLUs. "
            "Set model.batch_norm = false and model.activation = 'relu'."
        )
    deeper = Cnn(_more_convolutions(settings, more), model.channels, model.size, model.classes)
    deeper.to(next(model.parameters()).device, next(model.parameters()).dtype)
    for new, old in zip(deeper.stages, model.stages, strict=True):
        known, layers = _with_weights(old), _with_weights(new)
        for layer, like in zip(layers, known, strict=False):
            layer.load_state_dict(like.state_dict())
        for layer in layers[len(known) :]:
            for name, weight in layer.named_parameters():
                nn.init.dirac_(weight) if name == "weight" else weight.zero_()
    deeper.hidden.load_state_dict(model.hidden.state_dict())
    deeper.output.load_state_dict(model.output.state_dict())
    return deeper.train(model.training)


def _with_weights(stage: nn.Module) -> list[nn.Module]:
    """Return the convolutions of a stage, whether they learn or not."""
    return [layer for layer in stage.children() if layer.state_dict()]


def _more_blocks(settings: ResNetSettings, more: int) -> ResNetSettings:
    """Return settings with more blocks in every stage; a form of its own must be told in full."""
    form = settings.form
    told = {
        "stages": tuple(blocks + more for blocks in form.stages),
        "width": form.width,
        "block": form.block,
        "stem": form.stem,
        "shortcut": form.shortcut,
    }
    return settings.model_copy(update=told)


def _more_convolutions(settings: CnnSettings, more: int) -> CnnSettings:
    return settings.model_copy(update={"convolutions": settings.convolutions + more})
