import pytest
import torch
from torch import nn

from dragoman.config.model import TransformerSettings
from dragoman.config.optimizer import AdaGrad, Adam, AdamW, Momentum, Nesterov, RmsProp, Sgd
from dragoman.neural.models.transformer import Transformer
from dragoman.neural.optim.optimizer import build_optimizer

SETTINGS = AdamW(learning_rate=0.01, betas=(0.8, 0.95), epsilon=1e-6, weight_decay=0.1)


def adamw(weights, gradients, settings, decayed):
    """AdamW as the paper has it (Loshchilov & Hutter 2019, algorithm 2)."""
    first, second = settings.betas
    m = v = torch.zeros_like(weights)
    for step, gradient in enumerate(gradients, start=1):
        m = first * m + (1 - first) * gradient
        v = second * v + (1 - second) * gradient**2
        unbiased = (m / (1 - first**step)) / ((v / (1 - second**step)).sqrt() + settings.epsilon)
        decay = settings.weight_decay * weights if decayed else 0.0
        weights = weights - settings.learning_rate * (unbiased + decay)
    return weights


def test_every_step_is_the_step_of_the_paper():
    torch.manual_seed(0)
    layer = nn.Linear(3, 4).double()
    optimizer = build_optimizer(layer, SETTINGS)
    first = {name: weight.detach().clone() for name, weight in layer.named_parameters()}
    history = {name: [] for name in first}
    for _ in range(12):
        for name, weight in layer.named_parameters():
            weight.grad = torch.randn_like(weight)
            history[name].append(weight.grad.clone())
        optimizer.step()
        for name, weight in layer.named_parameters():
            wanted = adamw(first[name], history[name], SETTINGS, decayed=name == "weight")
            torch.testing.assert_close(weight.detach(), wanted)


def groups(model, settings=SETTINGS):
    decays = {}
    for group in build_optimizer(model, settings).param_groups:
        for parameter in group["params"]:
            assert id(parameter) not in decays, "a weight stands in two groups"
            decays[id(parameter)] = group["weight_decay"]
    return decays


METHODS = [Sgd, Momentum, Nesterov, AdaGrad, RmsProp, Adam, AdamW]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_decays_matrices_only_and_runs_in_a_kernel_of_its_own(method):
    layer = nn.Linear(3, 4)
    optimizer = build_optimizer(layer, method(weight_decay=0.25))
    assert [group["weight_decay"] for group in optimizer.param_groups] == [0.25, 0.0]
    kernel = "foreach" if method is RmsProp else "fused"
    assert all(group[kernel] for group in optimizer.param_groups)
    before = [weight.detach().clone() for weight in layer.parameters()]
    layer(torch.ones(2, 3)).pow(2).sum().backward()
    optimizer.step()
    moved = zip(before, layer.parameters(), strict=True)
    assert not any(torch.equal(old, new) for old, new in moved)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_s_own_rate_teaches_a_small_layer_something(method):
    torch.manual_seed(2)
    layer, inputs = nn.Linear(5, 1), 0.5 * torch.randn(64, 5)
    goal = inputs @ torch.tensor([[0.5], [-0.3], [0.2], [0.1], [-0.4]])
    optimizer = build_optimizer(layer, method())

    def loss():
        return (layer(inputs) - goal).pow(2).mean() / 2

    first = loss().item()
    for _ in range(60):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    assert loss().item() < 0.9 * first


def test_a_method_without_a_name_is_the_adamw_of_before():
    assert AdamW() == AdamW(
        kind="adamw", learning_rate=1e-3, betas=(0.9, 0.98), epsilon=1e-9, weight_decay=0.01
    )


@pytest.mark.parametrize("tied", ["all", "target", "none"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_matrices_are_decayed_and_embeddings_norms_and_biases_are_not(tied, positions):
    settings = TransformerSettings(
        width=16, ffn_width=24, tied=tied, positions=positions, max_positions=9
    )
    model = Transformer(settings, 20, 20)
    decays = groups(model)
    assert decays.keys() == {id(parameter) for parameter in model.parameters()}
    for name, parameter in model.named_parameters():
        bare = "embedding" in name or "norm" in name or name.endswith("bias")
        assert decays[id(parameter)] == (0.0 if bare else SETTINGS.weight_decay), name


@pytest.mark.parametrize("tied", ["all", "target"])
def test_a_tied_output_is_an_embedding(tied):
    settings = TransformerSettings(width=16, ffn_width=24, tied=tied)
    model = Transformer(settings, 20, 20)
    assert groups(model)[id(model.output.weight)] == 0.0


def test_an_output_of_its_own_is_a_matrix():
    settings = TransformerSettings(width=16, ffn_width=24, tied="none")
    model = Transformer(settings, 20, 20)
    assert groups(model)[id(model.output.weight)] == SETTINGS.weight_decay


def test_frozen_weights_are_left_out():
    layer = nn.Linear(3, 4)
    layer.weight.requires_grad_(False)
    assert groups(layer).keys() == {id(layer.bias)}
