"""Residual networks: parity with transformers' own, skips, and blocks that begin as nothing."""

import pytest
import torch
from tests.oracles import copy, scramble
from transformers import ResNetConfig, ResNetForImageClassification, ResNetModel

from dragoman.config.vision import ResNetSettings
from dragoman.neural.models.images.resnet import PaddedShortcut, ResNet, blocks_of

SHAPES = {
    "basic": {"stages": (2, 1, 2), "width": 4, "block": "basic", "stem": "large"},
    "bottleneck": {"stages": (1, 2), "width": 3, "block": "bottleneck", "stem": "large"},
    "four": {"stages": (1, 1, 1, 1), "width": 2, "block": "bottleneck", "stem": "large"},
}
CLASSES = 5


def network(size=33, classes=CLASSES, **settings):
    torch.manual_seed(3)
    model = ResNet(ResNetSettings(**settings), 3, size, classes)
    for layer in model.modules():
        if isinstance(layer, torch.nn.BatchNorm2d):
            layer.running_mean.normal_()
            layer.running_var.uniform_(0.5, 2)
    return scramble(model).double()


def pictures(size=33, seed=4):
    drawn = torch.randn(4, 3, size, size, generator=torch.Generator().manual_seed(seed))
    return drawn.double().requires_grad_()


def config(settings):
    outside = 4 if settings.form.block == "bottleneck" else 1
    return ResNetConfig(
        embedding_size=settings.form.width,
        hidden_sizes=[outside * settings.form.width << n for n in range(len(settings.form.stages))],
        depths=list(settings.form.stages),
        layer_type=settings.form.block,
        downsample_in_bottleneck=False,  # so that the 3×3 convolution takes the step, as ours
        num_labels=CLASSES,
    )


def layers_in_order(ours, theirs):
    """Yield pairs of layers that must have the same weights."""
    embedder = theirs.embedder.embedder
    yield from zip(ours.stem, (embedder.convolution, embedder.normalization), strict=False)
    for stage, other_stage in zip(ours.stages, theirs.encoder.stages, strict=True):
        for block, other in zip(stage, other_stage.layers, strict=True):
            mine = [layer for layer in block.branch if list(layer.parameters())]
            his = [part for one in other.layer for part in (one.convolution, one.normalization)]
            yield from zip(mine, his, strict=True)
            if len(list(other.shortcut.children())) > 0:
                shortcut = (other.shortcut.convolution, other.shortcut.normalization)
                yield from zip(block.shortcut, shortcut, strict=True)


@torch.no_grad()
def give_weights(ours, theirs):
    for mine, other in layers_in_order(ours, theirs):
        copy(mine, other)
        if isinstance(mine, torch.nn.BatchNorm2d):
            other.running_mean.copy_(mine.running_mean)
            other.running_var.copy_(mine.running_var)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_transformers_with_our_weights_gives_our_scores_and_our_slopes(shape, training):
    ours = network(**SHAPES[shape]).train(training)
    theirs = ResNetForImageClassification(config(ours.settings)).double().train(training)
    give_weights(ours, theirs.resnet)
    copy(ours.output, theirs.classifier[1])
    x = pictures()
    found, wanted = ours(x), theirs(x).logits
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(
        torch.autograd.grad(found.sin().sum(), x), torch.autograd.grad(wanted.sin().sum(), x)
    )
    found, wanted = ours(x), theirs(x).logits
    found.sin().sum().backward()
    wanted.sin().sum().backward()
    for mine, other in layers_in_order(ours, theirs.resnet):
        torch.testing.assert_close(mine.weight.grad, other.weight.grad)
    torch.testing.assert_close(ours.output.weight.grad, theirs.classifier[1].weight.grad)


@torch.no_grad()
def test_the_features_are_what_transformers_pools():
    ours = network(**SHAPES["bottleneck"]).eval()
    theirs = ResNetModel(config(ours.settings)).double().eval()
    give_weights(ours, theirs)
    wanted = theirs(pictures()).pooler_output.flatten(1)
    torch.testing.assert_close(ours.features(pictures()), wanted)
    assert ours.feature_width == wanted.shape[1] == 24


@torch.no_grad()
def test_one_differing_weight_is_noticed():
    ours = network(**SHAPES["basic"]).eval()
    theirs = ResNetForImageClassification(config(ours.settings)).double().eval()
    give_weights(ours, theirs.resnet)
    copy(ours.output, theirs.classifier[1])
    ours.stages[2][1].branch[0].weight[0, 0, 1, 1] += 1.0
    assert (ours(pictures()) - theirs(pictures()).logits).abs().max() > 1e-6


@torch.no_grad()
def test_a_shortcut_without_weights_takes_every_second_place_and_adds_empty_channels():
    x = torch.randn(2, 3, 5, 4)
    found = PaddedShortcut(4, 2)(x)
    assert found.shape == (2, 7, 3, 2)
    assert torch.equal(found[:, :3], x[:, :, ::2, ::2])
    assert not found[:, 3:].any()


@torch.no_grad()
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("block", ["basic", "bottleneck"])
def test_blocks_that_begin_as_nothing_hand_on_what_they_are_given(block, training):
    """E76."""
    model = ResNet(
        ResNetSettings(stages=(3,), width=4, block=block, zero_init_residual=True), 3, 8, 5
    )
    model.train(training)
    before = model.stages[0][0](model.stem(torch.randn(3, 3, 8, 8)))
    assert before.gt(0).any()
    for part in model.stages[0][1:]:
        assert torch.equal(part(before), before)


@torch.no_grad()
def test_a_plain_network_is_the_branch_alone():
    torch.manual_seed(1)
    plain = ResNet(ResNetSettings(stages=(2, 1), width=4, residual=False), 3, 8, 5)
    skipping = ResNet(ResNetSettings(stages=(2, 1), width=4, shortcut="padding"), 3, 8, 5)
    skipping.load_state_dict(plain.state_dict())
    x = torch.randn(2, 4, 8, 8)
    one, other = blocks_of(plain)[0], blocks_of(skipping)[0]
    assert torch.equal(one(x), one.branch(x).relu())
    torch.testing.assert_close(other(x), (other.branch(x) + x).relu())


@torch.no_grad()
def test_dropout_is_on_what_the_last_layer_reads():
    model = ResNet(ResNetSettings(stages=(1,), width=32, dropout=0.5), 3, 8, 5).train()
    features = model.features(torch.randn(4, 3, 8, 8))
    assert 0.2 < features.eq(0).float().mean() < 0.8
