import pytest
import torch
from torch import nn

from dragoman.neural.optim.equations import within_norm, within_value
from dragoman.neural.optim.gradient_clipping import clip_gradients


def weights(scale=1.0):
    torch.manual_seed(5)
    made = [nn.Parameter(torch.zeros(shape, dtype=torch.float64)) for shape in [(3, 4), (5,), ()]]
    for one in made:
        one.grad = scale * torch.randn_like(one)
    return made


def gradients(many):
    return [one.grad.clone() for one in many]


@pytest.mark.parametrize("scale", [0.01, 1.0, 1e4])
@pytest.mark.parametrize("norm", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("value", [0.0, 0.1, 2.0])
def test_clipping_is_the_equations_and_torch_s_utilities(scale, norm, value):
    made, theirs = weights(scale), weights(scale)
    whole = torch.cat([gradient.flatten() for gradient in gradients(made)]).norm().item()
    expected = gradients(made)
    if norm:
        expected = [within_norm(gradient, whole, norm) for gradient in expected]
        nn.utils.clip_grad_norm_(theirs, norm)
    if value:
        expected = [within_value(gradient, value) for gradient in expected]
        nn.utils.clip_grad_value_(theirs, value)
    assert clip_gradients(made, norm, value) == pytest.approx(whole)
    for one, other, wanted in zip(made, theirs, expected, strict=True):
        assert torch.equal(one.grad, other.grad)
        torch.testing.assert_close(one.grad, wanted)


def test_a_gradient_within_both_limits_is_left_alone():
    made = weights(1e-3)
    before = gradients(made)
    clip_gradients(made, 1.0, 1.0)
    assert all(map(torch.equal, before, gradients(made)))


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_a_norm_that_is_not_finite_is_told_whatever_is_cut(wrong):
    made = weights()
    made[1].grad[0] = wrong
    assert not torch.isfinite(torch.tensor(clip_gradients(made, 1.0, 0.1)))


def test_a_weight_without_a_gradient_is_passed_over():
    made = weights()
    made[0].grad = None
    clip_gradients(made, 0.5, 0.1)
    assert made[0].grad is None
    assert made[1].grad.abs().max() <= 0.1
