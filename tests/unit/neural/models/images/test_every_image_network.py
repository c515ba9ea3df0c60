"""What every network that looks at pictures must do, whatever it is made of."""

import math
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)
from dragoman.engine.checkpoint.weights import load_weights, read_weights, weights_of, write_weights
from dragoman.neural.models.images.alexnet import AlexNet
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.googlenet import GoogLeNet
from dragoman.neural.models.images.resnet import ResNet
from dragoman.neural.models.images.vgg import Vgg
from dragoman.neural.models.images.vit import Vit

CLASSES, PICTURES = 4, 8


@dataclass(frozen=True)
class Row:
    model: type
    settings: object
    size: int
    channels: int = 3
    rate: float = 0.01

    def build(self, classes=CLASSES):
        torch.manual_seed(3)
        return self.model(self.settings, self.channels, self.size, classes)

    def pictures(self):
        draw = torch.Generator().manual_seed(4)
        return torch.randn(PICTURES, self.channels, self.size, self.size, generator=draw)


def cnn(size=9, channels=1, **changes):
    usual = {"channels": (6, 8), "hidden_width": 12, "dropout": 0.0}
    return Row(Cnn, CnnSettings(**{**usual, **changes}), size, channels)


def resnet(size=9, **changes):
    usual = {"stages": (1, 2), "width": 12}
    return Row(ResNet, ResNetSettings(**{**usual, **changes}), size)


def vgg(**changes):
    usual = {"depth": 11, "width": 4, "hidden_width": 16, "dropout": 0.0}
    return Row(Vgg, VggSettings(**{**usual, **changes}), 33, rate=0.003)


def googlenet(size=9, rate=0.003, **changes):
    usual = {"width": 8, "stem": "small", "dropout": 0.0, "auxiliary_dropout": 0.0}
    return Row(GoogLeNet, GoogLeNetSettings(**{**usual, **changes}), size, rate=rate)


def vit(**changes):
    usual = {"patch": 3, "width": 16, "layers": 2, "heads": 2, "ffn_width": 24}
    return Row(Vit, VitSettings(**{**usual, **changes}), 9)


def alexnet(**changes):
    usual = {"channels": (8, 12, 12, 12, 8), "hidden_width": 24, "dropout": 0.0}
    return Row(AlexNet, AlexNetSettings(**{**usual, **changes}), 68)


ROWS = {
    "cnn": cnn(),
    "cnn of pairs": cnn(convolutions=2, order="between", summary="max", channels=3),
    "cnn with strides": cnn(pooling="stride", hidden_width=0, batch_norm=False, size=7),
    "cnn that pools first": cnn(pooling="average", order="pooling-first", summary="average"),
    "cnn of edges": cnn(first_filters="sobel", activation="tanh"),
    "cnn of chance": cnn(first_filters="random", batch_norm=False),
    "alexnet": alexnet(),
    "alexnet of two towers": alexnet(groups=2),
    "vgg": vgg(),
    "vgg with norms": vgg(depth=13, batch_norm=True, width=2),
    "googlenet": googlenet(),
    "googlenet of naive modules": googlenet(bottleneck=False, batch_norm=True, rate=0.01),
    "googlenet with a large stem": googlenet(stem="large", size=40, auxiliary=False),
    "resnet": resnet(),
    "resnet of bottlenecks": resnet(block="bottleneck", stages=(1, 1), stem="pooled"),
    "resnet with padding": resnet(shortcut="padding", stem="large", size=21),
    "resnet from nothing": resnet(zero_init_residual=True),
    "plain counterpart": resnet(residual=False),
    "vit": vit(),
    "vit of means": vit(summary="mean", activation="relu"),
}
LABELS = torch.arange(PICTURES) % CLASSES


@pytest.fixture(params=ROWS.values(), ids=ROWS.keys())
def row(request):
    return request.param


def loss_of(model, pictures):
    return sum(F.cross_entropy(scores, LABELS) for scores in model.heads(pictures))


def test_it_keeps_the_contract(row):
    model, pictures = row.build(), row.pictures()
    model.eval()
    scores, features = model(pictures), model.features(pictures)
    assert model.settings is row.settings
    assert scores.shape == (PICTURES, CLASSES)
    assert features.shape == (PICTURES, model.feature_width)
    assert torch.equal(model.output(features), scores)
    assert [head.shape for head in model.heads(pictures)] == [scores.shape]
    assert torch.equal(model.heads(pictures)[0], scores)
    assert (model.channels, model.size, model.classes) == (row.channels, row.size, CLASSES)


def test_the_first_guesses_are_almost_even(row):
    with torch.no_grad():
        for scores in row.build().train().heads(row.pictures()):
            loss = F.cross_entropy(scores, LABELS).item()
            assert loss == pytest.approx(math.log(CLASSES), rel=0.15)


def test_it_learns_one_batch_by_heart(row):
    model, pictures = row.build(), row.pictures()
    optimizer = torch.optim.Adam(model.parameters(), lr=row.rate)
    for _ in range(80):
        heads = model.heads(pictures)
        loss = sum(F.cross_entropy(scores, LABELS) for scores in heads)
        if loss.item() < 0.1:
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert all(torch.equal(scores.argmax(1), LABELS) for scores in heads)


def moves_nothing(name):
    """A key's bias adds the same to all scores of a query."""
    return name.endswith("key.bias")


def test_every_weight_gets_a_gradient(row):
    model = row.build().double()
    if getattr(row.settings, "zero_init_residual", False):
        for block in model.modules():
            if hasattr(block, "last_norm"):
                torch.nn.init.ones_(block.last_norm.weight)
    loss_of(model, row.pictures().double()).backward()
    for name, weight in model.named_parameters():
        if moves_nothing(name):
            assert weight.grad.abs().max() < 1e-12, name
        else:
            assert weight.grad.ne(0).any(), name


def test_the_order_of_the_batch_changes_nothing(row):
    model, pictures = row.build().eval(), row.pictures()
    order = torch.randperm(PICTURES, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(model(pictures[order]), model(pictures)[order])
    torch.testing.assert_close(model(pictures[2:3]), model(pictures)[2:3])


def test_the_order_of_the_pixels_in_memory_changes_nothing(row):
    model, pictures = row.build().double(), row.pictures().double()
    plain = loss_of(model, pictures)
    plain.backward()
    slopes = [weight.grad.clone() for weight in model.parameters()]
    model.zero_grad()
    other = row.build().double().to(memory_format=torch.channels_last)
    last = loss_of(other, pictures.to(memory_format=torch.channels_last))
    last.backward()
    torch.testing.assert_close(last, plain)
    torch.testing.assert_close([weight.grad for weight in other.parameters()], slopes)


def test_a_stored_model_gives_the_same_bits(row, tmp_path):
    model, pictures = row.build(), row.pictures()
    model.train()(pictures)  # so that running statistics are not those of the beginning
    write_weights(tmp_path / "model.safetensors", weights_of(model), {})
    stored = read_weights(tmp_path / "model.safetensors").tensors
    torch.manual_seed(9)
    again = row.model(row.settings, row.channels, row.size, CLASSES)
    load_weights(again, stored, Path("model.safetensors"))
    assert torch.equal(again.eval()(pictures), model.eval()(pictures))


def test_it_runs_without_memory_on_the_meta_device(row):
    with torch.device("meta"):
        model = row.build()
        heads = model.heads(torch.empty(2, row.channels, row.size, row.size))
    assert all(scores.is_meta and scores.shape == (2, CLASSES) for scores in heads)


def test_all_pixels_matter(row):
    model = row.build().double().eval()
    for block in model.modules():
        if isinstance(block, torch.nn.ReLU):
            block.inplace = False
    pictures = row.pictures().double().requires_grad_()
    model(pictures).square().sum().backward()
    seen = pictures.grad.ne(0).any(0).any(0)
    assert seen.float().mean() > 0.75  # pooling and strides may pass over a border
