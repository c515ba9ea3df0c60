"""Batch norm and the covariate shift: the network, the meter, and verdicts of every kind."""

import pytest
import torch
from torch import nn

from dragoman.lab.experiment import Result
from dragoman.lab.experiments.normalization.experiment import (
    NAMES,
    NONE,
    NORM,
    SHIFTED,
    NormTrial,
    decide,
    draw,
    measure_trial,
    table,
)
from dragoman.lab.experiments.normalization.network import (
    ShiftAgain,
    ShiftMeter,
    build_cnn,
    measuring,
)

NOISE = (0.0, 0.004, -0.005)


def make_results(norm=0.8, none=1.5, shifted=1.2, shift=0.2):
    losses = {NORM: norm, NONE: none, SHIFTED: shifted}
    shifts = {NORM: 0.0, NONE: 0.1, SHIFTED: shift}
    return [
        {
            "name": name,
            "seed": seed,
            "parameters": 1000,
            "mean_loss": losses[name] + NOISE[seed] * (1 + len(name) / 9),
            "last_loss": 0.1,
            "shift": shifts[name] + NOISE[seed] * (1 + len(name) / 9),
            "accuracy": 0.5,
            "curve": [2.0, 1.0],
        }
        for name in NAMES
        for seed in range(3)
    ]


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, "corrected"),  # faster, with the shift as well: it is not the reason
        ({"shifted": 1.9}, "confirmed"),  # with the shift back, the gain is gone
        ({"norm": 1.9}, "refuted"),
        ({"norm": 1.5}, "undecided"),
        ({"shifted": 1.5}, "undecided"),
        ({"shift": 0.0}, "undecided"),  # the shift was not put back, so nothing is shown
    ],
)
def test_batch_norm_must_be_faster_and_the_shift_must_be_the_reason(changed, verdict):
    assert decide(make_results(**changed)).verdict == verdict


def test_a_shift_comes_back_in_training_alone():
    layer, x = ShiftAgain(3, 0.5), torch.randn(4, 3, 5, 5)
    torch.manual_seed(1)
    first, second = layer(x), layer(x)
    assert not torch.equal(first, second)
    moved = (first - x).flatten(2).std(dim=(0, 2))
    assert (moved <= 0.5 * x.std() + 1e-3).all()
    assert torch.equal(layer.eval()(x), x)


def test_every_batch_norm_is_followed_by_a_shift_and_nothing_else_differs():
    plain, shifted = (build_cnn(True, strength, 12, 8) for strength in (0.0, 0.3))
    kinds = [sum(isinstance(one, ShiftAgain) for one in m.modules()) for m in (plain, shifted)]
    assert kinds == [0, 6]
    sizes = [sum(w.numel() for w in model.parameters()) for model in (plain, shifted)]
    assert sizes[0] == sizes[1]
    assert not any(
        isinstance(one, nn.BatchNorm2d) for one in build_cnn(False, 0.0, 12, 8).modules()
    )


def test_the_meter_measures_means_in_deviations():
    meter, layer = ShiftMeter(), nn.ReLU()
    x = torch.randn(64, 2, 8, 8)
    for mean in (0.0, 1.0, 1.0):
        meter.note(layer, x + mean)
    assert meter.shift == pytest.approx(0.5, rel=0.05)
    assert ShiftMeter().shift == 0.0


def test_the_meter_looks_only_while_it_is_asked_to():
    model, meter = build_cnn(False, 0.0, 12, 8).train(), ShiftMeter()
    images = torch.randn(4, 3, 12, 12)
    with measuring(model, meter):
        model(images)
        model(2 * images)
    moved = meter.shift
    model(5 * images)
    assert meter.shift == moved > 0


def test_a_few_steps_give_every_figure():
    trial = NormTrial(name=SHIFTED, seed=1, batch_norm=True, strength=0.25, steps=12, tested=50)
    found = measure_trial(trial)
    assert len(found["curve"]) == 2
    assert found["shift"] > 0
    assert 0 <= found["accuracy"] <= 1


def test_the_table_and_the_picture_show_every_network(tmp_path):
    results = make_results()
    assert [line[0] for line in table(results).rows] == [*NAMES]
    draw(Result(results, [], []), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
