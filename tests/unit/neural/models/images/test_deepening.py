"""Deeper networks that say exactly what the shallower one says, and can go on learning."""

import pytest
import torch
from tests.oracles import scramble
from torch.nn import functional as F

from dragoman.config.vision import CnnSettings, ResNetSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.deepening import deepened_cnn, deepened_resnet
from dragoman.neural.models.images.resnet import ResNet, blocks_of

RESNETS = {
    "small": {"depth": 8, "width": 4},
    "projected": {"stages": (1, 2), "width": 4, "stem": "pooled"},
    "bottlenecks": {"stages": (1, 1), "width": 2, "block": "bottleneck", "stem": "large"},
}
CNNS = {
    "plain": {},
    "pairs": {"convolutions": 2, "order": "between", "kernel_size": 5},
    "pooling first": {"order": "pooling-first", "summary": "average"},
    "strides": {"pooling": "stride", "first_filters": "sobel"},
}


def resnet(name, **changes):
    torch.manual_seed(3)
    return scramble(ResNet(ResNetSettings(**RESNETS[name], **changes), 3, 12, 5))


def cnn(name, **changes):
    torch.manual_seed(3)
    usual = {"channels": (4, 6), "hidden_width": 8, "batch_norm": False, "dropout": 0.0}
    return scramble(Cnn(CnnSettings(**{**usual, **CNNS[name], **changes}), 3, 12, 5))


def pictures():
    return torch.randn(6, 3, 12, 12, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", RESNETS)
@torch.no_grad()
def test_a_deepened_residual_network_gives_the_same_bits(name, training):
    shallow = resnet(name).train(training)
    deeper = deepened_resnet(shallow, 3)
    assert len(blocks_of(deeper)) == len(blocks_of(shallow)) + 3 * len(shallow.stages)
    assert deeper.training == training
    assert torch.equal(deeper(pictures()), shallow(pictures()))


@pytest.mark.parametrize("name", CNNS)
@torch.no_grad()
def test_a_deepened_plain_network_gives_the_same_bits(name):
    shallow = cnn(name)
    deeper = deepened_cnn(shallow, 4)
    assert deeper.settings.convolutions == shallow.settings.convolutions + 4
    assert len(list(deeper.parameters())) > len(list(shallow.parameters()))
    assert torch.equal(deeper(pictures()), shallow(pictures()))


@pytest.mark.parametrize(
    "deeper", [deepened_resnet(resnet("small"), 1), deepened_cnn(cnn("plain"), 1)]
)
def test_it_goes_on_learning_in_the_new_layers(deeper):
    labels = torch.arange(6) % 5
    optimizer = torch.optim.Adam(deeper.parameters(), lr=0.01)
    before = {name: weight.detach().clone() for name, weight in deeper.named_parameters()}
    first = F.cross_entropy(deeper(pictures()), labels).item()
    for _ in range(15):
        loss = F.cross_entropy(deeper(pictures()), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < first
    assert all(not torch.equal(weight, before[name]) for name, weight in deeper.named_parameters())


@torch.no_grad()
def test_nothing_more_is_the_same_network():
    shallow = resnet("projected")
    deeper = deepened_resnet(shallow, 0)
    assert deeper.state_dict().keys() == shallow.state_dict().keys()
    assert torch.equal(deeper.eval()(pictures()), shallow.eval()(pictures()))


@torch.no_grad()
def test_the_shallow_network_is_left_alone():
    shallow = cnn("plain")
    before = {name: weight.clone() for name, weight in shallow.state_dict().items()}
    for weight in deepened_cnn(shallow, 2).parameters():
        weight.add_(1)
    assert all(torch.equal(weight, before[name]) for name, weight in shallow.state_dict().items())


def test_networks_that_cannot_be_deepened_exactly_are_refused():
    with pytest.raises(ConfigError, match="follows its batch"):
        deepened_resnet(resnet("small", residual=False), 1)
    with pytest.raises(ConfigError, match=r"model.batch_norm = false"):
        deepened_cnn(cnn("plain", batch_norm=True), 1)
    with pytest.raises(ConfigError, match="activation"):
        deepened_cnn(cnn("plain", activation="tanh"), 1)
