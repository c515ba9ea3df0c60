"""What is known of each method, and what its common misprints do instead."""

import math

import pytest
import torch

from dragoman.config.optimizer import AdaGrad, Adam, RmsProp, Sgd
from dragoman.config.schedule import Exponential, InverseSqrt, Linear
from dragoman.neural.optim.equations import (
    adagrad,
    adam,
    looking_ahead,
    no_memory,
    rmsprop,
    rolling,
    sgd,
)
from dragoman.neural.optim.schedule import rate_share


def one(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def descend(weights, curvature, rate, steps):
    """Take steps of gradient descent on ½ Σ λ θ²."""
    memory = no_memory(weights)
    for _ in range(steps):
        weights, memory = sgd(weights, curvature * weights, memory, Sgd(), rate)
    return weights


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.19])
def test_descent_on_a_quadratic_has_a_closed_form(rate):
    curvature, begun = one(1.0, 4.0, 10.0), one(1.0, -2.0, 3.0)
    expected = (1 - rate * curvature) ** 25 * begun
    torch.testing.assert_close(descend(begun, curvature, rate, 25), expected)


def test_descent_diverges_from_a_rate_of_two_over_the_steepest_curvature_on():
    curvature, begun = one(1.0, 4.0, 10.0), one(1.0, 1.0, 1.0)
    limit = 2 / 10.0
    assert descend(begun, curvature, 0.95 * limit, 400).norm() < 1e-6
    assert descend(begun, curvature, limit, 400).norm() == pytest.approx(1.0)
    assert descend(begun, curvature, 1.05 * limit, 400).norm() > 1e6


def test_the_gradient_of_one_example_is_on_average_that_of_all():
    slopes = torch.arange(1.0, 11.0)
    weight = torch.zeros(1, requires_grad=True)

    def gradient(loss):
        return torch.autograd.grad(loss, weight)[0].item()

    whole = gradient((slopes * weight).mean())
    each = [gradient(slope * weight) for slope in slopes]
    divided = [gradient(slope * weight / len(slopes)) for slope in slopes]
    assert whole == pytest.approx(5.5)
    assert sum(each) / len(each) == pytest.approx(5.5)
    assert sum(divided) / len(divided) == pytest.approx(0.55)  # misprint: N times too small


def test_the_variance_of_a_batch_s_gradient_is_that_of_one_example_over_its_size():
    slopes = torch.arange(1.0, 11.0)
    pairs = (slopes[:, None] + slopes) / 2  # every batch of two
    assert pairs.mean() == slopes.mean()
    assert pairs.var(unbiased=False).item() == pytest.approx(slopes.var(unbiased=False) / 2)


def sums(rates):
    return sum(rates), sum(rate**2 for rate in rates)


def test_only_rates_like_one_over_the_step_go_far_enough_and_settle():
    """Robbins & Monro: the rates must sum to infinity, and their squares must not."""
    short, long = range(1, 10_001), range(1, 20_001)

    def growth(rate):
        (first, first_squares), (second, second_squares) = (
            sums([rate(step) for step in steps]) for steps in (short, long)
        )
        return second - first, second_squares - first_squares

    far, noise = growth(lambda step: 1 / step)
    assert far == pytest.approx(math.log(2), abs=1e-3)  # for every doubling, without end
    assert noise < 1e-4
    assert sums([1 / step for step in long])[1] < math.pi**2 / 6

    root = InverseSqrt(warmup_steps=1)
    far, noise = growth(lambda step: rate_share(step, 20_000, root))
    assert far > 50
    assert noise == pytest.approx(math.log(2), abs=1e-3)  # never settles

    tail = Linear(warmup_steps=0, decay_steps=100, min_ratio=0.01)
    far, noise = growth(lambda step: rate_share(step, 20_000, tail))
    assert far == pytest.approx(10_000 * 0.01)
    assert noise == pytest.approx(10_000 * 0.01**2)  # grows by as much with every such stretch

    falling = Exponential(warmup_steps=0, factor=0.99, every=1)
    far, noise = growth(lambda step: rate_share(step, 20_000, falling))
    assert far < 1e-12  # stops short: no more than 1 / (1 - 0.99) in all
    assert noise < 1e-12


def test_on_a_noisy_target_one_over_the_step_finds_the_mean_and_a_constant_rate_trembles():
    torch.manual_seed(1)
    targets = 3 + torch.randn(1500, dtype=torch.float64)
    falling = constant = one(0.0)
    memory, tail = no_memory(falling), []
    for step, target in enumerate(targets, start=1):
        falling, _ = sgd(falling, falling - target, memory, Sgd(), 1 / step)
        constant, _ = sgd(constant, constant - target, memory, Sgd(), 0.5)
        tail.append(constant.item())
    assert falling.item() == pytest.approx(targets.mean().item())
    spread = torch.tensor(tail[100:]).var().item()
    assert spread == pytest.approx(0.5 / (2 - 0.5), rel=0.2)  # ε / (2 - ε) of the noise


def test_momentum_with_its_share_twice_is_momentum_with_a_smaller_rate():
    rate, share, curvature = 0.05, 0.6, one(1.0, 4.0, 10.0)
    printed, velocity = one(3.0, -2.0, 1.0), one(0.0, 0.0, 0.0)
    right, rolled = printed, velocity
    for _ in range(12):
        velocity = share * velocity - rate * curvature * printed
        printed = printed + share * velocity
        right, rolled = rolling(right, rolled, curvature * right, share * rate, share)
        torch.testing.assert_close(printed, right)


def test_nesterov_must_look_ahead_from_the_weights_and_not_from_the_last_look():
    rate, share, begun = 0.1, 0.5, one(4.0)
    right, velocity = begun, one(0.0)
    printed, looked, drift = begun, begun, one(0.0)
    for _ in range(400):
        right, velocity = looking_ahead(right, velocity, lambda place: place, rate, share)
        looked = looked + share * drift
        drift = share * drift - rate * looked
        printed = printed + drift
    assert right.abs().item() < 1e-8
    assert looked.abs().item() < 1e-8  # what was looked at arrives, the weights do not
    assert printed.item() == pytest.approx(begun.item() * (1 - 1 / share))
    assert printed.abs().item() == pytest.approx(4.0)


def test_nesterov_is_faster_than_momentum_and_momentum_than_neither_in_a_narrow_valley():
    curvature, begun, zero = one(1.0, 100.0), one(1.0, 1.0), one(0.0, 0.0)
    rate, share = 0.01, 0.9
    plain, rolled, ahead = begun, (begun, zero), (begun, zero)
    for _ in range(150):
        plain = plain - rate * curvature * plain
        rolled = rolling(*rolled, curvature * rolled[0], rate, share)
        ahead = looking_ahead(*ahead, lambda place: curvature * place, rate, share)
    left = [weights.norm().item() for weights in (ahead[0], rolled[0], plain)]
    assert left == sorted(left)
    assert left[2] > 100 * left[1]


def test_adagrad_s_steps_shrink_as_one_over_the_root_and_never_end():
    weights, settings = one(0.0), AdaGrad()
    memory = no_memory(weights)
    for step in range(1, 101):
        before = weights
        weights, memory = adagrad(weights, one(-7.0), memory, settings, 0.1)
        assert (weights - before).item() == pytest.approx(0.1 / math.sqrt(step))


def test_adagrad_s_epsilon_outside_the_root_is_another_one_inside():
    gradient = one(0.0, 1e-3, 1.0)
    after, _ = adagrad(
        one(0.0, 0.0, 0.0), gradient, no_memory(gradient), AdaGrad(epsilon=0.01), 1.0
    )
    inside = gradient / (0.01 + gradient**2).sqrt()
    assert -after[1].item() == pytest.approx(1e-3 / 0.011)
    assert inside[1].item() == pytest.approx(1e-3 / math.sqrt(0.010001))
    assert after[0] == inside[0] == 0.0


def test_rmsprop_needs_its_epsilon_where_a_gradient_is_zero():
    gradient = one(0.0, 2.0)
    after, memory = rmsprop(one(1.0, 1.0), gradient, no_memory(gradient), RmsProp(), 0.1)
    assert after[0] == 1.0
    assert (gradient / memory.second.sqrt()).isnan().tolist() == [True, False]  # misprint: none


def test_a_running_mean_weighs_the_past_by_powers_that_sum_to_less_than_one():
    beta, gradients = 0.7, [2.0, 5.0, 3.0]
    weights, memory = one(0.0), no_memory(one(0.0))
    for gradient in gradients:
        weights, memory = rmsprop(weights, one(gradient), memory, RmsProp(beta=beta), 0.1)
    shares = [beta**2 * (1 - beta), beta * (1 - beta), 1 - beta]
    expected = sum(share * gradient**2 for share, gradient in zip(shares, gradients, strict=True))
    assert memory.second.item() == pytest.approx(expected)
    assert sum(shares) == pytest.approx(1 - beta**3)


def test_adam_takes_steps_of_one_under_a_constant_gradient_and_its_misprint_does_not():
    settings = Adam(betas=(0.9, 0.999))
    weights, memory = one(0.0), no_memory(one(0.0))
    right, printed = [], []
    for _ in range(300):
        before = weights
        weights, memory = adam(weights, one(-0.3), memory, settings, 1.0)
        right.append((weights - before).item())
        first, second = memory.first / (1 - 0.9), memory.second / (1 - 0.999)  # without the power
        printed.append((-first / second.sqrt()).item())
    assert right == pytest.approx([1.0] * len(right), abs=1e-6)
    assert printed[:3] == pytest.approx([1.0, 1.34, 1.57], abs=0.005)
    assert max(printed) == printed[11] == pytest.approx(2.08, abs=0.005)

    def closed_form(step):
        return (1 - 0.9**step) / 0.1 / math.sqrt((1 - 0.999**step) / 0.001)

    assert printed == pytest.approx([closed_form(step) for step in range(1, 301)])
    assert closed_form(100_000) == pytest.approx(0.316, abs=0.001)
