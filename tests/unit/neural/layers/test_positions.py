import copy
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.neural.layers.positions import LearnedPositions, SinusoidalPositions, sinusoids

WIDTH = 16
LAYOUTS = ["interleaved", "halves"]


def zeros(length, dtype=torch.float32):
    return torch.zeros(1, length, WIDTH, dtype=dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@given(first=st.integers(0, 400), second=st.integers(0, 400), offset=st.integers(0, 99))
def test_the_likeness_of_two_positions_depends_on_their_distance_only(
    layout, first, second, offset
):
    table = sinusoids(500, WIDTH, layout)
    here = table[first] @ table[first + offset]
    there = table[second] @ table[second + offset]
    torch.testing.assert_close(here, there, atol=1e-9, rtol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("offset", [1, 7, 60])
def test_a_shift_is_a_rotation_of_each_pair(layout, offset):
    table = sinusoids(100, WIDTH, layout)
    pairs = table.unflatten(1, (-1, 2) if layout == "interleaved" else (2, -1))
    sines, cosines = pairs.unbind(-1 if layout == "interleaved" else 1)
    angle = offset / 10000.0 ** (torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
    turned = sines * angle.cos() + cosines * angle.sin()
    torch.testing.assert_close(turned[:-offset], sines[offset:], atol=1e-9, rtol=0)


def test_the_layouts_hold_the_same_waves_in_another_order():
    interleaved, halves = (sinusoids(30, WIDTH, layout) for layout in LAYOUTS)
    assert torch.equal(torch.cat((interleaved[:, 0::2], interleaved[:, 1::2]), 1), halves)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_position_zero_has_sines_of_nothing_and_cosines_of_one(layout):
    first = sinusoids(1, WIDTH, layout)[0]
    wanted = [0.0, 1.0] * 8 if layout == "interleaved" else [0.0] * 8 + [1.0] * 8
    assert first.tolist() == wanted


def test_the_first_wave_has_a_period_of_two_pi_and_the_last_a_slow_one():
    table = sinusoids(50, WIDTH, "interleaved")
    assert table[11, 0].item() == pytest.approx(math.sin(11))
    assert table[11, -2].item() == pytest.approx(math.sin(11 / 10000 ** (14 / 16)))


@pytest.mark.parametrize("kind", ["interleaved", "halves", "learned"])
def test_each_row_may_stand_elsewhere(kind):
    if kind == "learned":
        positions = LearnedPositions(WIDTH, 20)
    else:
        positions = SinusoidalPositions(WIDTH, kind)
    whole = positions(zeros(12))
    places = torch.tensor([[3, 4, 5], [9, 0, 11]])
    shown = positions(zeros(3).expand(2, -1, -1), places)
    assert torch.equal(shown, whole[0, places])


def test_late_positions_are_exact():
    late = SinusoidalPositions(WIDTH, "interleaved")(zeros(1), torch.tensor([[9_999]]))[0, 0, 0]
    assert late.item() == pytest.approx(math.sin(9_999), abs=1e-7)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_table_grows_when_it_is_asked_for_more(layout):
    positions = SinusoidalPositions(WIDTH, layout)
    short = positions(zeros(10))
    long = positions(zeros(700))
    assert len(positions.waves.table) >= 700
    assert torch.equal(long[:, :10], short)
    assert torch.equal(positions(zeros(10)), short)


def test_positions_are_added_to_what_is_there():
    positions = SinusoidalPositions(WIDTH, "interleaved")
    x = torch.randn(3, 5, WIDTH)
    assert torch.equal(positions(x), x + positions(zeros(5)))


@pytest.mark.parametrize("kind", ["interleaved", "halves", "learned"])
def test_one_position_at_a_time_equals_all_at_once(kind):
    if kind == "learned":
        positions = LearnedPositions(WIDTH, 300)
    else:
        positions = SinusoidalPositions(WIDTH, kind)
    x = torch.randn(2, 300, WIDTH)
    steps = [positions(x[:, place : place + 1], torch.tensor([[place]])) for place in range(300)]
    assert torch.equal(torch.cat(steps, 1), positions(x))


def test_fewer_digits_in_between_do_not_blur_the_waves():
    positions = SinusoidalPositions(WIDTH, "interleaved")
    before = positions(zeros(20))
    positions.bfloat16()(zeros(20, torch.bfloat16))
    assert torch.equal(positions.float()(zeros(20)), before)
    doubled = positions.double()(zeros(20, torch.float64))
    assert torch.equal(doubled[0], sinusoids(20, WIDTH, "interleaved"))


def test_a_table_made_on_the_meta_device_is_made_again_on_the_real_one():
    with torch.device("meta"):
        positions = SinusoidalPositions(WIDTH, "halves")
        assert positions(zeros(4)).is_meta
    positions.to_empty(device="cpu")
    assert torch.equal(positions(zeros(4))[0], sinusoids(4, WIDTH, "halves").float())


def test_a_table_made_while_translating_serves_training_and_copies():
    positions = SinusoidalPositions(WIDTH, "halves")
    with torch.inference_mode():
        positions(zeros(4))
    x = torch.randn(2, 4, WIDTH, requires_grad=True)
    copy.deepcopy(positions)(x).sum().backward()
    assert torch.equal(x.grad, torch.ones_like(x))


def test_waves_are_not_stored_with_the_weights():
    positions = SinusoidalPositions(WIDTH, "halves")
    positions(zeros(4))
    assert not positions.state_dict()


def test_a_sequence_longer_than_the_learned_positions_is_refused():
    positions = LearnedPositions(WIDTH, 8)
    positions(zeros(8))
    with pytest.raises(DataError) as error:
        positions(zeros(3), torch.tensor([[6, 7, 8]]))
    assert str(error.value) == (
        "a sequence of 9 tokens is longer than the 8 positions that were learned. "
        "Raise model.max_positions or use sinusoidal positions."
    )
