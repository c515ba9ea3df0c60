import pytest
import torch
from torch import nn

from dragoman.config.model import TransformerSettings
from dragoman.neural.models.transformer import Transformer
from dragoman.neural.optim.average import WeightAverage


def moved(layer, value):
    with torch.no_grad():
        for weight in layer.parameters():
            weight.fill_(value)


@pytest.mark.parametrize("decay", [0.1, 0.5, 0.999])
def test_it_is_the_equation_with_a_decay_that_grows(decay):
    layer = nn.Linear(2, 3).double()
    moved(layer, 4.0)
    average = WeightAverage(layer, decay)
    wanted = 4.0
    for number, value in enumerate([1.0, -2.0, 7.0, 0.5, 3.0], start=1):
        moved(layer, value)
        average.update(layer)
        now = min(decay, (1 + number) / (10 + number))
        wanted = now * wanted + (1 - now) * value
        for weight in average.weights.values():
            torch.testing.assert_close(weight, torch.full_like(weight, wanted))


def test_the_average_of_weights_that_stand_still_is_those_weights():
    layer = nn.Linear(2, 3)
    average = WeightAverage(layer, 0.9)
    for _ in range(20):
        average.update(layer)
    torch.testing.assert_close(average.weights["weight"], layer.weight.detach())


def test_following_leaves_the_model_alone_and_apart():
    layer = nn.Linear(2, 3)
    before = layer.weight.detach().clone()
    average = WeightAverage(layer, 0.9)
    average.weights["weight"].fill_(5.0)
    assert torch.equal(layer.weight, before)
    average.update(layer)
    assert torch.equal(layer.weight, before)


def test_a_swap_gives_the_model_the_average_and_a_second_one_puts_all_back():
    layer = nn.Linear(2, 3)
    average = WeightAverage(layer, 0.9)
    moved(layer, 1.0)
    average.update(layer)
    own = {name: weight.detach().clone() for name, weight in layer.named_parameters()}
    mean = {name: weight.clone() for name, weight in average.weights.items()}
    average.swap(layer)
    for name, weight in layer.named_parameters():
        assert torch.equal(weight, mean[name])
        assert torch.equal(average.weights[name], own[name])
    average.swap(layer)
    for name, weight in layer.named_parameters():
        assert torch.equal(weight, own[name])
        assert torch.equal(average.weights[name], mean[name])


def test_tied_weights_are_averaged_once_and_stay_tied():
    model = Transformer(TransformerSettings(width=16, ffn_width=24, tied="all"), 20, 20)
    average = WeightAverage(model, 0.5)
    assert len(average.weights) == len(list(model.parameters()))
    moved(model, 2.0)
    average.update(model)
    average.swap(model)
    assert model.output.weight is model.target_embedding.table.weight
    assert model.output.weight is model.source_embedding.table.weight
