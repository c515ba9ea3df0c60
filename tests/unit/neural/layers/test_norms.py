import pytest
import torch
from tests.oracles import scramble
from torch import nn

from dragoman.neural.layers.norms import (
    RMS_EPSILON,
    RunningStatistics,
    batch_norm_written_out,
    build_norm,
    layer_norm_written_out,
    rms_norm_written_out,
)

WIDTH = 12


def shaken(layer):
    torch.manual_seed(1)
    return scramble(layer).double()


def some(*shape, seed=0):
    drawn = torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * 3 + 1
    return drawn.double().requires_grad_()


def compared(fused, written_out, layer, x):
    """Hold two ways equal: what they give, and the slopes of x and of every weight."""
    results = []
    for way in (fused, written_out):
        layer.zero_grad()
        x.grad = None
        y = way(x)
        (y * some(*y.shape, seed=5).detach()).sum().backward()
        results.append((y, x.grad, *(weight.grad.clone() for weight in layer.parameters())))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


def test_torch_norms_layers_as_the_equation_has_it():
    norm = shaken(build_norm("layer", WIDTH))
    compared(
        norm,
        lambda x: layer_norm_written_out(x, norm.weight, norm.bias, norm.eps),
        norm,
        some(2, 5, WIDTH),
    )


def test_torch_norms_by_the_mean_square_as_the_equation_has_it():
    norm = shaken(build_norm("rms", WIDTH))
    compared(
        norm,
        lambda x: rms_norm_written_out(x, norm.weight, RMS_EPSILON),
        norm,
        some(2, 5, WIDTH),
    )


def test_torch_norms_batches_as_the_equation_has_it():
    norm = shaken(nn.BatchNorm1d(WIDTH)).train()
    compared(
        norm,
        lambda x: batch_norm_written_out(x, norm.weight, norm.bias, norm.eps),
        norm,
        some(9, WIDTH),
    )


def test_running_statistics_follow_the_batches_as_torch_has_them():
    norm = shaken(nn.BatchNorm1d(WIDTH)).train()
    running = RunningStatistics(norm.running_mean.clone(), norm.running_var.clone())
    for seed in range(3):
        batch = some(7, WIDTH, seed=seed).detach()
        norm(batch)
        running = running.after(batch, norm.momentum)
    torch.testing.assert_close(running.mean, norm.running_mean)
    torch.testing.assert_close(running.variance, norm.running_var)
    norm.eval()
    compared(
        norm,
        lambda x: batch_norm_written_out(x, norm.weight, norm.bias, norm.eps, running),
        norm,
        some(4, WIDTH, seed=9),
    )


def test_in_evaluation_the_rest_of_a_batch_does_not_matter_and_in_training_it_does():
    norm = shaken(nn.BatchNorm1d(WIDTH))
    batch = some(6, WIDTH).detach()
    norm.train()
    assert not torch.allclose(norm(batch)[:3], norm(batch[:3]))
    norm.eval()
    torch.testing.assert_close(norm(batch)[:3], norm(batch[:3]))


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_a_norm_forgets_the_size_of_what_it_norms(kind):
    norm = build_norm(kind, WIDTH).double()
    x = some(2, 3, WIDTH)
    torch.testing.assert_close(norm(1000 * x), norm(x), atol=1e-4, rtol=1e-4)


def test_layer_norm_forgets_a_shift_and_rms_norm_does_not():
    x = some(2, 3, WIDTH)
    layer, rms = build_norm("layer", WIDTH).double(), build_norm("rms", WIDTH).double()
    torch.testing.assert_close(layer(x + 7), layer(x))
    assert not torch.allclose(rms(x + 7), rms(x))
