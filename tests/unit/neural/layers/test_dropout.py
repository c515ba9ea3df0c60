import math

import pytest
import torch
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.neural.layers.dropout import LEVELS, Dropout, drop


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("shape", [(400_000,), (333, 7, 11)])
def test_the_share_of_dropped_elements_is_the_rate(rate, shape):
    torch.manual_seed(7)
    dropped = drop(torch.ones(shape), rate).eq(0)
    deviation = math.sqrt(rate * (1 - rate) / dropped.numel())
    assert abs(dropped.double().mean().item() - rate) < 4.5 * deviation


@pytest.mark.parametrize("lane", range(4))
def test_each_quarter_of_a_draw_has_the_rate(lane):
    torch.manual_seed(8)
    dropped = drop(torch.ones(400_000), 0.2).eq(0)[lane::4].double().mean().item()
    assert abs(dropped - 0.2) < 4.5 * math.sqrt(0.2 * 0.8 / 100_000)


def test_neighbors_are_dropped_independently():
    torch.manual_seed(9)
    dropped = drop(torch.ones(400_000), 0.5).eq(0).double()
    for apart in (1, 2, 3, 4):
        both = (dropped[apart:] * dropped[:-apart]).mean().item()
        assert abs(both - 0.25) < 0.005


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_the_mean_is_preserved(rate):
    torch.manual_seed(7)
    x = torch.rand(400_000, dtype=torch.float64) + 1
    assert drop(x, rate).mean().item() == pytest.approx(x.mean().item(), rel=0.01)


@given(st.floats(0.0, 0.99))
@cases(max_examples=30, deadline=None)
def test_kept_elements_are_scaled_by_the_rate_as_rounded(rate):
    kept = drop(torch.ones(64, dtype=torch.float64), rate)
    rounded = round(rate * LEVELS) / LEVELS
    torch.testing.assert_close(kept[kept != 0], torch.full_like(kept[kept != 0], 1 / (1 - rounded)))


def test_the_same_seed_drops_the_same_elements():
    x = torch.randn(50, 9)
    torch.manual_seed(3)
    first = drop(x, 0.4)
    torch.manual_seed(3)
    assert torch.equal(drop(x, 0.4), first)
    assert not torch.equal(drop(x, 0.4), first)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (5, 1, 7), (3, 0, 2)])
def test_any_shape_may_be_dropped(shape):
    assert drop(torch.ones(shape), 0.5).shape == shape


def test_a_view_with_odd_strides_may_be_dropped():
    x = torch.randn(6, 10).T[::3]
    result = drop(x, 0.5)
    kept = result != 0
    torch.testing.assert_close(result[kept], 2 * x[kept])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_gradient_is_the_mask_and_the_type_stays(dtype):
    x = torch.ones(40, 3, dtype=dtype, requires_grad=True)
    result = drop(x, 0.25)
    result.sum().backward()
    assert result.dtype == dtype
    assert torch.equal(x.grad, result.detach())  # x is one, so the result is the mask


def test_nothing_is_dropped_in_evaluation():
    x = torch.randn(4, 5)
    assert Dropout(0.5).eval()(x) is x


def test_a_rate_of_nothing_draws_nothing():
    x = torch.randn(4, 5)
    before = torch.get_rng_state()
    assert Dropout(0.0).train()(x) is x
    assert torch.equal(torch.get_rng_state(), before)


def test_training_drops():
    assert Dropout(0.5).train()(torch.ones(1000)).eq(0).any()
