"""Norms of maps against torch: local response over channels, batch norm over places."""

import pytest
import torch
from tests.oracles import scramble
from torch import nn
from torch.nn import functional as F

from dragoman.neural.layers.images.batch_norm import examples, map_norm_written_out
from dragoman.neural.layers.images.local_response import LocalResponse, local_response_written_out
from dragoman.neural.layers.norms import RunningStatistics


def some(*shape, seed=0):
    drawn = torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * 3 + 1
    return drawn.double().requires_grad_()


def compared(one, other, x, *weights):
    for ours, theirs in zip(tried(one, x, *weights), tried(other, x, *weights), strict=True):
        torch.testing.assert_close(ours, theirs)


def tried(way, x, *weights):
    y = way(x)
    weighed = (y * some(*y.shape, seed=5).detach()).sum()
    return y, *torch.autograd.grad(weighed, (x, *weights))


@pytest.mark.parametrize("maps", [1, 3, 4, 5, 9])
@pytest.mark.parametrize("channels", [1, 4, 7])
def test_torch_hushes_maps_as_the_equation_has_it(maps, channels):
    numbers = {"alpha": 0.05, "beta": 0.6, "k": 1.5}
    compared(
        lambda x: local_response_written_out(x, maps, **numbers),
        LocalResponse(maps, **numbers),
        some(2, channels, 3, 4),
    )


def test_the_paper_s_numbers_are_the_defaults():
    x = some(2, 8, 3, 3).detach() * 20
    wanted = F.local_response_norm(x, 5, alpha=5e-4, beta=0.75, k=2.0)
    torch.testing.assert_close(LocalResponse()(x), wanted)
    torch.testing.assert_close(local_response_written_out(x), wanted)


def test_a_map_with_loud_neighbors_is_hushed_and_no_mean_is_taken_away():
    x = torch.ones(1, 9, 1, 1)
    loud = x.clone()
    loud[0, 4] = 500.0
    ratio = (LocalResponse()(loud) / LocalResponse()(x)).flatten()
    assert ratio[[2, 3, 5, 6]].lt(0.5).all()
    assert torch.equal(ratio[[0, 1, 7, 8]], torch.ones(4))
    assert LocalResponse()(x).gt(0).all()


def test_slopes_of_hushing_are_those_of_small_differences():
    assert torch.autograd.gradcheck(
        lambda x: local_response_written_out(x, alpha=0.1), (some(1, 6, 2, 2),)
    )


def test_torch_norms_batches_of_maps_as_the_equation_has_it():
    """E33, E34."""
    torch.manual_seed(1)
    norm = scramble(nn.BatchNorm2d(5)).double().train()
    compared(
        norm,
        lambda x: map_norm_written_out(x, norm.weight, norm.bias, norm.eps),
        some(3, 5, 4, 2),
        norm.weight,
        norm.bias,
    )


def test_running_statistics_of_maps_follow_as_torch_has_them():
    torch.manual_seed(1)
    norm = scramble(nn.BatchNorm2d(4)).double().train()
    running = RunningStatistics(norm.running_mean.clone(), norm.running_var.clone())
    for seed in range(3):
        batch = some(2, 4, 3, 5, seed=seed).detach()
        norm(batch)
        running = running.after(examples(batch), norm.momentum)
    torch.testing.assert_close(running.mean, norm.running_mean)
    torch.testing.assert_close(running.variance, norm.running_var)
    norm.eval()
    compared(
        norm,
        lambda x: map_norm_written_out(x, norm.weight, norm.bias, norm.eps, running),
        some(2, 4, 2, 3, seed=9),
        norm.weight,
        norm.bias,
    )


def test_each_channel_of_a_normed_batch_has_mean_zero_and_deviation_one():
    x = some(4, 3, 5, 5).detach()
    one, nothing = torch.ones(3).double(), torch.zeros(3).double()
    rows = examples(map_norm_written_out(x, one, nothing, 0.0))
    torch.testing.assert_close(rows.mean(0), nothing, atol=1e-12, rtol=0)
    torch.testing.assert_close(rows.std(0, unbiased=False), one)
