"""Pictures that do not fit a network are refused with a word on which would."""

import pytest
import torch

from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)
from dragoman.core.errors import ConfigError
from dragoman.neural.models.images.alexnet import AlexNet
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.googlenet import GoogLeNet
from dragoman.neural.models.images.resnet import ResNet
from dragoman.neural.models.images.vgg import Vgg
from dragoman.neural.models.images.vit import Vit

SMALLEST = {
    "cnn": (Cnn, CnnSettings(channels=(2, 2, 2)), 8),
    "alexnet": (AlexNet, AlexNetSettings(), 67),
    "vgg": (Vgg, VggSettings(), 32),
    "googlenet": (GoogLeNet, GoogLeNetSettings(), 65),
    "small googlenet": (GoogLeNet, GoogLeNetSettings(stem="small"), 9),
    "resnet": (ResNet, ResNetSettings(stages=(1,), stem="pooled"), 2),
}


@pytest.mark.parametrize("name", SMALLEST)
def test_a_picture_that_is_too_small_is_refused_and_the_smallest_is_not(name):
    model, settings, size = SMALLEST[name]
    with torch.device("meta"):
        with pytest.raises(ConfigError, match=f"at least {size}×{size}"):
            model(settings, 3, size - 1, 10)
        network = model(settings, 3, size, 10)
        assert all(head.shape == (2, 10) for head in network.heads(torch.empty(2, 3, size, size)))


def test_patches_must_fill_the_picture():
    with pytest.raises(ConfigError, match="Use pictures of 32×32, or a patch that divides 30"):
        Vit(VitSettings(patch=4), 3, 30, 10)


@pytest.mark.parametrize("size", [1, 2, 3, 17])
def test_networks_that_step_take_pictures_of_any_size(size):
    strided = Cnn(CnnSettings(channels=(2, 3, 4), pooling="stride"), 1, size, 3)
    for network in (strided, ResNet(ResNetSettings(depth=8, width=2), 1, size, 3)):
        assert network.eval()(torch.randn(2, 1, size, size)).shape == (2, 3)
