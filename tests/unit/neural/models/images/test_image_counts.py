"""Weights and multiplications, to the last one: the papers' tables."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)
from dragoman.neural.models.images.alexnet import AlexNet
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.googlenet import WIDTHS, GoogLeNet
from dragoman.neural.models.images.resnet import ResNet
from dragoman.neural.models.images.vgg import Vgg
from dragoman.neural.models.images.vit import Vit
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes

PICTURES = {227: (3, 227), 224: (3, 224), 32: (3, 32)}


def weights(model):
    return sum(weight.numel() for weight in model.parameters())


def ghost(model, settings, size, classes, channels=3):
    with torch.device("meta"):
        return model(settings, channels, size, classes).eval()


def layers(settings, size, classes, channels=3, *, training=False):
    """Return the layers with parameters or multiplications, for one image."""
    sizes = Sizes(1, classes=classes, channels=channels, image_size=size)
    network = count_network(settings, sizes, training=training)
    return [(node.own, node) for _, node in network.leaves() if node.own.parameters]


def multiplications(settings, size, classes=1000, *, training=False):
    rows = layers(settings, size, classes, training=training)
    return sum(cost.multiplications for cost, _ in rows)


def filters(before, after, kernel, groups=1):
    """Return the weights and the biases of a convolution."""
    return before // groups * after * kernel**2 + after


VGG = {11: 132_863_336, 13: 133_047_848, 16: 138_357_544, 19: 143_667_240}


@pytest.mark.parametrize("depth", VGG)
def test_vgg_of_each_depth(depth):
    model = ghost(Vgg, VggSettings(depth=depth), 224, 1000)
    assert weights(model) == VGG[depth]
    rows = layers(VggSettings(depth=depth), 224, 1000)
    assert len(rows) == depth
    linear = sum(cost.parameters for cost, node in rows if node.kind == "linear")
    assert linear == 25_088 * 4096 + 4096 + 4096**2 + 4096 + 4096 * 1000 + 1000 == 123_642_856
    if depth == 16:
        assert sum(cost.multiplications for cost, _ in rows) == 15_470_264_320  # 15.5 G
        assert weights(model) - linear == 14_714_688


RESNETS = {
    20: 269_722,
    32: 464_154,
    44: 658_586,
    56: 853_018,
    110: 1_727_962,
    1202: 19_421_274,
    18: 11_689_512,
    34: 21_797_672,
    50: 25_557_032,
    101: 44_549_160,
    152: 60_192_808,
}


@pytest.mark.parametrize("depth", RESNETS)
def test_residual_networks_of_each_depth(depth):
    """In the small form the shortcuts have no weights (option A)."""
    size, classes = (32, 10) if depth not in (18, 34, 50, 101, 152) else (224, 1000)
    assert weights(ghost(ResNet, ResNetSettings(depth=depth), size, classes)) == RESNETS[depth]


@pytest.mark.parametrize("depth", [20, 44])
def test_a_small_residual_network_by_its_formula(depth):
    n, classes = (depth - 2) // 6, 10
    norms = 2 * (16 + 2 * n * (16 + 32 + 64))
    within = 9 * (2 * n * 16**2 + (2 * n - 1) * (32**2 + 64**2))
    between = 9 * (3 * 16 + 16 * 32 + 32 * 64)
    wanted = norms + within + between + 65 * classes
    assert weights(ghost(ResNet, ResNetSettings(depth=depth), 32, classes)) == wanted
    projected = ghost(ResNet, ResNetSettings(depth=depth, shortcut="projection"), 32, classes)
    assert weights(projected) == wanted + 16 * 32 + 2 * 32 + 32 * 64 + 2 * 64
    plain = ghost(ResNet, ResNetSettings(depth=depth, residual=False), 32, classes)
    assert weights(plain) == wanted


def inception_weights(before, w, *, bottleneck):
    """Return the weights of a module and how many maps it makes."""
    if not bottleneck:
        total = filters(before, w.one, 1) + filters(before, w.three, 3) + filters(before, w.five, 5)
        return total, w.one + w.three + w.five + before
    total = filters(before, w.one, 1)
    total += filters(before, w.narrow_three, 1) + filters(w.narrow_three, w.three, 3)
    total += filters(before, w.narrow_five, 1) + filters(w.narrow_five, w.five, 5)
    return total + filters(before, w.pooled, 1), w.one + w.three + w.five + w.pooled


@pytest.mark.parametrize(
    ("bottleneck", "auxiliary", "known"),
    [(True, False, 6_998_552), (True, True, 13_378_280), (False, False, 97_526_008)],
)
def test_googlenet_by_its_formula(bottleneck, auxiliary, known):
    total = filters(3, 64, 7) + filters(64, 64, 1) + filters(64, 192, 3)
    before, heads = 192, 0
    for name, widths in WIDTHS.items():
        module, before = inception_weights(before, widths, bottleneck=bottleneck)
        total += module
        if name in ("4a", "4d"):
            heads += filters(before, 128, 1) + 128 * 16 * 1024 + 1024 + 1025 * 1000
    total += (before + 1) * 1000 + (heads if auxiliary else 0)
    settings = GoogLeNetSettings(bottleneck=bottleneck, auxiliary=auxiliary)
    assert weights(ghost(GoogLeNet, settings, 224, 1000)) == total == known


def test_auxiliary_heads_work_in_training_only():
    in_use = multiplications(GoogLeNetSettings(), 224)
    assert in_use == 1_582_671_872
    learning = 16 * (512 + 528) * 128 + 2 * (128 * 16 * 1024 + 1024 * 1000)
    assert multiplications(GoogLeNetSettings(), 224, training=True) == in_use + learning


TOYS = {
    "cnn": (Cnn, CnnSettings(convolutions=2, first_filters="sobel"), 28, 1),
    "strided": (Cnn, CnnSettings(pooling="stride", kernel_size=5, batch_norm=False), 13, 3),
    "alexnet": (AlexNet, AlexNetSettings(groups=2), 227, 3),
    "vgg": (Vgg, VggSettings(depth=11, batch_norm=True), 64, 3),
    "googlenet": (GoogLeNet, GoogLeNetSettings(), 224, 3),
    "resnet": (ResNet, ResNetSettings(stages=(1, 2), block="bottleneck", stem="large"), 97, 3),
    "small resnet": (ResNet, ResNetSettings(depth=20), 32, 3),
    "vit": (Vit, VitSettings(), 32, 3),
}


@pytest.mark.parametrize("name", TOYS)
def test_torch_counts_as_many_multiplications(name):
    """Torch counts a multiplication and an addition as two operations."""
    family, settings, size, channels = TOYS[name]
    model = ghost(family, settings, size, 10, channels)
    picture = torch.empty(1, channels, size, size, device="meta")
    with FlopCounterMode(display=False) as counter:
        model(picture)
    sizes = Sizes(1, classes=10, channels=channels, image_size=size)
    total = count_network(settings, sizes, training=False).total
    assert total.forward == 2 * total.multiplications == counter.get_total_flops()
    assert total.parameters == weights(model)


def test_a_vision_transformer_by_its_formula():
    """The base form of the paper, with patches of 16: 86.6 M."""
    settings = VitSettings(patch=16, width=768, layers=12, heads=12, ffn_width=3072)
    d, f, words = 768, 3072, 14 * 14 + 1
    layer = 4 * (d * d + d) + d * f + f + f * d + d + 4 * d
    total = filters(3, d, 16) + d + words * d + 12 * layer + 2 * d + (d + 1) * 1000
    assert weights(ghost(Vit, settings, 224, 1000)) == total == 86_567_656
