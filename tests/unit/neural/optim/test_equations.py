"""The equations are torch's steps: every method, several settings, a rate that changes."""

import pytest
import torch
from torch import nn

from dragoman.config.optimizer import AdaGrad, Adam, AdamW, Momentum, Nesterov, RmsProp, Sgd
from dragoman.neural.optim.equations import looking_ahead, no_memory, rolling, update_weights
from dragoman.neural.optim.optimizer import build_optimizer

EXACT = {"rtol": 1e-12, "atol": 1e-14}
METHODS = [
    Sgd(),
    Sgd(weight_decay=0.1),
    Momentum(),
    Momentum(momentum=0.5, weight_decay=0.1),
    Nesterov(),
    Nesterov(momentum=0.6, weight_decay=0.1),
    AdaGrad(),
    AdaGrad(epsilon=0.1, weight_decay=0.1),
    RmsProp(),
    RmsProp(beta=0.7, epsilon=0.01, weight_decay=0.1),
    Adam(),
    Adam(betas=(0.8, 0.95), epsilon=1e-3, weight_decay=0.1),
    Adam(betas=(0.0, 0.9)),
    AdamW(),
    AdamW(betas=(0.8, 0.95), epsilon=1e-3, weight_decay=0.3),
    AdamW(betas=(0.5, 0.0), weight_decay=0.0),
]


def wild_gradient(weight, step):
    """Return one with a number that is always zero, one that wakes late, and huge and tiny ones."""
    gradient = torch.randn_like(weight) * 10.0 ** torch.randint_like(weight, -4, 4)
    flat = gradient.view(-1)
    flat[0] = 0.0
    if step < 5:
        flat[1] = 0.0
    return gradient


@pytest.mark.parametrize("settings", METHODS, ids=str)
def test_every_step_is_torch_s_step_whatever_the_rate(settings):
    torch.manual_seed(0)
    layer = nn.Linear(3, 4).double()
    optimizer = build_optimizer(layer, settings)
    bare = settings.model_copy(update={"weight_decay": 0.0})  # a bias is not decayed
    own = {"weight": settings, "bias": bare}
    mine = {name: weight.detach().clone() for name, weight in layer.named_parameters()}
    memory = {name: no_memory(weight) for name, weight in mine.items()}
    for step in range(1, 16):
        rate = 0.05 / step if step % 3 else 0.1
        for group in optimizer.param_groups:
            group["lr"] = rate
        for name, weight in layer.named_parameters():
            weight.grad = wild_gradient(weight.detach(), step)
            mine[name], memory[name] = update_weights(
                mine[name], weight.grad, memory[name], own[name], rate
            )
        optimizer.step()
        for name, weight in layer.named_parameters():
            torch.testing.assert_close(weight.detach(), mine[name], **EXACT)


def valley(weights):
    """Return the gradient of ½ Σ λ θ², steep in one direction and flat in another."""
    return torch.tensor([1.0, 4.0, 10.0], dtype=torch.float64) * weights


def torch_path(optimizer, weights, rates):
    path = []
    for rate in rates:
        optimizer.param_groups[0]["lr"] = rate
        weights.grad = valley(weights.detach())
        optimizer.step()
        path.append(weights.detach().clone())
    return torch.stack(path)


def start():
    return torch.tensor([3.0, -2.0, 1.0], dtype=torch.float64)


def rolled(rates, share):
    weights, velocity, path = start(), torch.zeros(3, dtype=torch.float64), []
    for rate in rates:
        weights, velocity = rolling(weights, velocity, valley(weights), rate, share)
        path.append(weights)
    return torch.stack(path)


def looked_ahead(rates, share):
    """Return the places where the gradients are taken."""
    weights, velocity, path = start(), torch.zeros(3, dtype=torch.float64), []
    for rate in rates:
        weights, velocity = looking_ahead(weights, velocity, valley, rate, share)
        path.append(weights + share * velocity)
    return torch.stack(path)


@pytest.mark.parametrize(("book", "ahead"), [(rolled, False), (looked_ahead, True)])
@pytest.mark.parametrize(("rate", "share"), [(0.05, 0.9), (0.1, 0.5), (0.01, 0.99)])
def test_torch_s_momentum_is_the_textbook_s_while_the_rate_stays(book, ahead, rate, share):
    weights = nn.Parameter(start())
    optimizer = torch.optim.SGD([weights], rate, share, nesterov=ahead)
    path = torch_path(optimizer, weights, [rate] * 20)
    torch.testing.assert_close(path, book([rate] * 20, share), **EXACT)


@pytest.mark.parametrize(("book", "ahead"), [(rolled, False), (looked_ahead, True)])
def test_after_a_change_of_the_rate_torch_s_momentum_heeds_it_at_once(book, ahead):
    rates = [0.05] * 4 + [1e-6]
    weights = nn.Parameter(start())
    optimizer = torch.optim.SGD([weights], 0.05, 0.9, nesterov=ahead)
    path, theirs = torch_path(optimizer, weights, rates), book(rates, 0.9)
    torch.testing.assert_close(path[:3], theirs[:3], **EXACT)
    assert (path[4] - path[3]).norm() < 1e-3
    assert (theirs[4] - theirs[3]).norm() > 0.1  # it rolls on at the old rate
