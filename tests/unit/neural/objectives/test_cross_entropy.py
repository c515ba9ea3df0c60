import math

import pytest
import torch
from torch.nn import functional as F

from dragoman.neural.objectives import cross_entropy as module
from dragoman.neural.objectives.cross_entropy import cross_entropy, cross_entropy_written_out

PADDING, WORDS, WIDTH = 0, 11, 6
SMOOTHINGS = pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])


def problem(rows=4, length=5, dtype=torch.float64):
    """States, a projection and labels, the last row shorter than the others."""
    drawn = torch.Generator().manual_seed(2)
    states = torch.randn(rows, length, WIDTH, generator=drawn, dtype=dtype, requires_grad=True)
    weight = torch.randn(WORDS, WIDTH, generator=drawn, dtype=dtype, requires_grad=True)
    labels = torch.randint(1, WORDS, (rows, length), generator=drawn)
    labels[-1, 2:] = PADDING
    return states, weight, labels


def fused(states, weight, labels, smoothing):
    return cross_entropy(states, weight, labels, padding=PADDING, smoothing=smoothing).smoothed


def written_out(states, weight, labels, smoothing):
    counted = labels.ne(PADDING)
    return cross_entropy_written_out(states[counted], weight, labels[counted], smoothing)[0]


def by_torch(states, weight, labels, smoothing):
    return F.cross_entropy(
        (states @ weight.T).flatten(0, 1),
        labels.flatten(),
        ignore_index=PADDING,
        label_smoothing=smoothing,
        reduction="sum",
    )


def with_gradients(way, smoothing, factor=1.0):
    states, weight, labels = problem()
    loss = way(states, weight, labels, smoothing)
    (factor * loss).backward()
    return loss, states.grad, weight.grad


@SMOOTHINGS
@pytest.mark.parametrize("chunk", [1, WORDS, 2 * WORDS, 5 * WORDS + 3, 1 << 20])
def test_three_ways_give_one_loss_and_the_same_gradients(monkeypatch, smoothing, chunk):
    monkeypatch.setattr(module, "CHUNK_SCORES", chunk)
    wanted = with_gradients(by_torch, smoothing)
    torch.testing.assert_close(with_gradients(fused, smoothing), wanted)
    torch.testing.assert_close(with_gradients(written_out, smoothing), wanted)


@SMOOTHINGS
def test_a_factor_before_the_backward_pass_scales_the_gradients(smoothing):
    _, states, weight = with_gradients(fused, smoothing, factor=0.3)
    _, wanted_states, wanted_weight = with_gradients(by_torch, smoothing, factor=0.3)
    torch.testing.assert_close((states, weight), (wanted_states, wanted_weight))


@SMOOTHINGS
def test_the_gradient_is_the_slope(monkeypatch, smoothing):
    monkeypatch.setattr(module, "CHUNK_SCORES", 3 * WORDS)
    states, weight, labels = problem(2, 3)
    assert torch.autograd.gradcheck(lambda s, w: fused(s, w, labels, smoothing), (states, weight))


@pytest.mark.parametrize("wanted", ["states", "weight"])
def test_one_gradient_may_be_wanted_without_the_other(wanted):
    states, weight, labels = problem()
    kept = states if wanted == "states" else weight
    (weight if wanted == "states" else states).requires_grad_(False)
    fused(states, weight, labels, 0.1).backward()
    _, d_states, d_weight = with_gradients(by_torch, 0.1)
    torch.testing.assert_close(kept.grad, d_states if wanted == "states" else d_weight)


def test_the_nats_are_the_loss_without_smoothing():
    states, weight, labels = problem()
    loss = cross_entropy(states, weight, labels, padding=PADDING, smoothing=0.3)
    torch.testing.assert_close(loss.nats, by_torch(states, weight, labels, 0.0).detach())
    assert not loss.nats.requires_grad
    assert loss.positions == 17


def test_even_scores_cost_the_logarithm_of_the_vocabulary():
    _, weight, labels = problem()
    loss = cross_entropy(torch.zeros(4, 5, WIDTH).double(), weight, labels, padding=PADDING)
    assert loss.nats.item() / loss.positions == pytest.approx(math.log(WORDS))


def test_padding_is_not_counted_and_gets_no_gradient():
    states, weight, labels = problem()
    loss = cross_entropy(states, weight, labels, padding=PADDING, smoothing=0.1)
    loss.smoothed.backward()
    assert loss.positions == labels.ne(PADDING).sum()
    assert not states.grad[-1, 2:].any()
    moved = states.detach().clone()
    moved[-1, 2:] = 1e3
    assert fused(moved, weight, labels, 0.1) == loss.smoothed


def test_a_batch_of_nothing_but_padding_costs_nothing():
    states, weight, labels = problem()
    loss = cross_entropy(states, weight, labels.fill_(PADDING), padding=PADDING, smoothing=0.1)
    loss.smoothed.backward()
    assert (loss.smoothed.item(), loss.nats.item(), loss.positions) == (0.0, 0.0, 0)
    assert not states.grad.any()
    assert not weight.grad.any()


@pytest.mark.parametrize("cut", [1, 3])
def test_accumulation_over_unequal_parts_equals_one_big_batch(cut):
    states, weight, labels = problem()
    tokens = labels.ne(PADDING).sum()
    for part in (slice(0, cut), slice(cut, None)):
        (fused(states[part], weight, labels[part], 0.1) / tokens).backward()
    _, d_states, d_weight = with_gradients(fused, 0.1, factor=1 / tokens)
    torch.testing.assert_close((states.grad, weight.grad), (d_states, d_weight))


def test_large_scores_do_not_overflow():
    states, weight, labels = problem(dtype=torch.float32)
    huge = (states * 1e4).detach().requires_grad_()
    loss = cross_entropy(huge, weight, labels, padding=PADDING, smoothing=0.1)
    loss.smoothed.backward()
    assert loss.smoothed.isfinite()
    assert huge.grad.isfinite().all()


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_without_gradients_the_loss_is_the_same_and_no_gradient_is_made(monkeypatch, mode):
    states, weight, labels = problem()
    wanted = fused(states, weight, labels, 0.1)
    made = []
    monkeypatch.setattr(torch, "zeros_like", lambda *_, **__: made.append(1))
    with mode():
        found = cross_entropy(states, weight, labels, padding=PADDING, smoothing=0.1)
    assert torch.equal(found.smoothed, wanted.detach())
    assert not found.smoothed.requires_grad
    assert not made


def test_states_of_fewer_digits_are_scored_in_the_type_of_the_weights():
    states, weight, labels = problem(dtype=torch.float32)
    short = states.detach().bfloat16().requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        loss = fused(short, weight, labels, 0.1)
    loss.backward()
    torch.testing.assert_close(loss, by_torch(short.float(), weight, labels, 0.1))
    assert short.grad.dtype == torch.bfloat16


def test_a_bias_of_the_output_is_part_of_the_scores():
    torch.manual_seed(2)
    states, weight = torch.randn(2, 3, 5, dtype=torch.float64), torch.randn(7, 5).double()
    bias = torch.randn(7).double()
    for each in (states, weight, bias):
        each.requires_grad_()
    labels = torch.tensor([[1, 2, 6], [3, 0, 0]])
    found = cross_entropy(states, weight, labels, padding=0, smoothing=0.1, bias=bias).smoothed
    scores = F.linear(states, weight, bias).flatten(0, 1)
    wanted = F.cross_entropy(
        scores, labels.flatten(), ignore_index=0, label_smoothing=0.1, reduction="sum"
    )
    torch.testing.assert_close(found, wanted)
    inputs = (states, weight, bias)
    torch.testing.assert_close(
        torch.autograd.grad(found, inputs), torch.autograd.grad(wanted, inputs)
    )


@pytest.mark.parametrize("frozen", ["states", "weight"])
def test_what_is_frozen_gets_no_slope_and_the_other_keeps_its_own(frozen):
    torch.manual_seed(1)
    labels = torch.tensor([[1, 2, 0], [3, 4, 5]])
    slopes = {}
    for name in (None, frozen):
        torch.manual_seed(2)
        states, weight = torch.randn(2, 3, 4), torch.randn(7, 4)
        states.requires_grad_(name != "states")
        weight.requires_grad_(name != "weight")
        cross_entropy(states, weight, labels, padding=0, smoothing=0.1).smoothed.backward()
        slopes[name] = {"states": states.grad, "weight": weight.grad}
    other = "weight" if frozen == "states" else "states"
    assert slopes[frozen][frozen] is None
    assert torch.equal(slopes[frozen][other], slopes[None][other])
