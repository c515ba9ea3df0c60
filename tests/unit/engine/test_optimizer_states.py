"""What an optimizer remembers comes back to the bit, whichever it is and however little it is."""

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from dragoman.config.optimizer import AdaGrad, Adam, AdamW, Momentum, Nesterov, RmsProp, Sgd
from dragoman.engine.checkpoint.state import Progress, TrainerParts, load_state, save_state
from dragoman.neural.optim.optimizer import build_optimizer

REMEMBERED = {
    Sgd: set(),
    Momentum: {"momentum_buffer"},
    Nesterov: {"momentum_buffer"},
    AdaGrad: {"step", "sum"},
    RmsProp: {"step", "square_avg"},
    Adam: {"step", "exp_avg", "exp_avg_sq"},
    AdamW: {"step", "exp_avg", "exp_avg_sq"},
}


def new(method):
    torch.manual_seed(3)
    layer = nn.Linear(3, 4)
    return TrainerParts(layer, build_optimizer(layer, method(weight_decay=0.1)), None)


def take_steps(trained, steps):
    for step in steps:
        draw = torch.Generator().manual_seed(step)
        for weight in trained.model.parameters():
            weight.grad = torch.randn(weight.shape, generator=draw)
        for group in trained.optimizer.param_groups:
            group["lr"] = 0.1 / step
        trained.optimizer.step()


def weights(trained):
    return [weight.detach() for weight in trained.model.parameters()]


@pytest.mark.parametrize("method", REMEMBERED)
@pytest.mark.parametrize("stop", [0, 1, 7])
def test_a_stored_optimizer_goes_on_as_if_it_had_never_stopped(tmp_path, method, stop):
    whole, stopped, resumed = (new(method) for _ in range(3))
    take_steps(whole, range(1, 15))
    take_steps(stopped, range(1, stop + 1))
    path = save_state(tmp_path, stopped, Progress(step=stop))
    assert load_state(path, resumed).step == stop
    take_steps(resumed, range(stop + 1, 15))
    assert all(map(torch.equal, weights(whole), weights(resumed)))


@pytest.mark.parametrize("method", REMEMBERED)
def test_what_is_stored_is_what_the_method_remembers(tmp_path, method):
    trained = new(method)
    take_steps(trained, [1, 2])
    path = save_state(tmp_path, trained, Progress(step=2))
    stored = load_file(path / "optimizer.safetensors")
    assert set(stored) == {f"{number}.{key}" for number in (0, 1) for key in REMEMBERED[method]}


def test_a_memory_that_is_still_empty_is_left_out(tmp_path):
    trained, resumed = new(Momentum), new(Momentum)
    take_steps(trained, [1])
    trained.optimizer.state[trained.model.bias]["momentum_buffer"] = None
    path = save_state(tmp_path, trained, Progress(step=1))
    assert set(load_file(path / "optimizer.safetensors")) == {"0.momentum_buffer"}
    load_state(path, resumed)
    assert all(map(torch.equal, weights(trained), weights(resumed)))
