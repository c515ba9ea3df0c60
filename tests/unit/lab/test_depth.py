"""Depth: networks that differ in depth and skips alone, and verdicts that can fall each way."""

import json
from pathlib import Path

import pytest
import torch

from dragoman.config.images import Shapes
from dragoman.config.vision import ResNetSettings
from dragoman.core.errors import DataError
from dragoman.engine.build import build_image_model
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.lab.experiments.depth import experiment as depth
from dragoman.lab.experiments.depth.experiment import (
    EXPERIMENT,
    SCALES,
    DepthScale,
    DepthTrial,
    beginning,
    networks,
)
from dragoman.lab.experiments.depth.signals import begin_as_identities, look
from dragoman.lab.experiments.depth.verdicts import Depths, decide, ratio
from dragoman.lab.run import run_experiment
from dragoman.neural.models.images.resnet import ResNet

NAMES = Depths(20, 56)
TINY = DepthScale(
    depths=(8, 14),
    width=2,
    corpus=Shapes(images=40, held_out=20, size=8),
    together=20,
    steps=2,
    tuning=1,
    tested=20,
)


def make_results(seeds=(1, 2, 3), majority=90.0, losses=None, **errors):
    """Make rows by hand, with errors of training and test by name; 30 % and 35 % unless told."""
    select = {
        "plain": NAMES.plain,
        "deep": NAMES.deep_plain,
        "kept": NAMES.identities,
        "residual": NAMES.residual,
        "deep_residual": NAMES.deep_residual,
    }
    results = []
    for short, name in select.items():
        training, test = errors.get(short, (30.0, 35.0))
        loss = (losses or {}).get(short, 1.0)
        inside = {"gradients": [3.0, 1.0, 0.5], "signals": [0.6, 0.6], "change": 0.5}
        for seed in seeds:
            wobble = 0.1 * seed * (1 + len(short) % 2)
            results.append(
                {
                    "name": name,
                    "seed": seed,
                    "model": {"depth": 56 if "deep" in short or short == "kept" else 20},
                    "training_error": training + wobble,
                    "test_error": test + wobble,
                    "majority": majority,
                    "steps_at": [10, 20, 30],
                    "curve": [2 * loss, loss + 0.001 * seed, loss],
                    "before": inside,
                    "after": inside,
                }
            )
    return results


WORSE, BETTER = (50.0, 52.0), (20.0, 25.0)


@pytest.mark.parametrize(
    ("results", "degraded", "first_weights", "easier", "deeper"),
    [
        (make_results(), "refuted", "undecided", "refuted", "refuted"),
        (make_results(deep=WORSE), "confirmed", "confirmed", "confirmed", "refuted"),
        (make_results(deep=WORSE, kept=WORSE), "confirmed", "refuted", "confirmed", "refuted"),
        (make_results(deep=WORSE, kept=(40.0, 45.0)), "confirmed", "corrected", "confirmed",
         "refuted"),
        (make_results(deep=(20.0, 45.0)), "corrected", "undecided", "refuted", "refuted"),
        (make_results(deep=WORSE, deep_residual=(40.0, 45.0)), "confirmed", "confirmed",
         "corrected", "refuted"),
        (make_results(deep=WORSE, deep_residual=WORSE), "confirmed", "confirmed", "refuted",
         "refuted"),
        (make_results(deep=WORSE, deep_residual=BETTER), "confirmed", "confirmed", "confirmed",
         "confirmed"),
        (make_results(deep_residual=(20.0, 40.0)), "refuted", "undecided", "confirmed",
         "corrected"),
        (make_results(majority=30.0, deep=WORSE), *["undecided"] * 4),
        (make_results(seeds=(1,), deep=WORSE, deep_residual=BETTER), *["undecided"] * 4),
    ],
)  # fmt: skip
def test_the_verdicts_go_by_both_errors_and_by_other_first_weights(
    results, degraded, first_weights, easier, deeper
):
    found = [one.verdict for one in decide(results)]
    assert found[:4] == [degraded, first_weights, easier, deeper]


@pytest.mark.parametrize(
    ("losses", "verdict"),
    [
        ({}, "refuted"),
        ({"residual": 0.5, "deep_residual": 0.5}, "confirmed"),
        ({"deep_residual": 0.5}, "corrected"),
        ({"residual": 2.0, "deep_residual": 2.0}, "refuted"),
    ],
)
def test_who_has_the_lower_loss_all_along_converges_faster(losses, verdict):
    found = decide(make_results(losses=losses))[4]
    assert found.verdict == verdict
    if verdict == "confirmed":
        assert "comes to the other's last loss after 33 % of the steps" in found.because
    slow = losses.get("residual", 0) > 1
    assert ("after more steps than there were" in found.because) == slow


def test_gradients_are_told_and_called_healthy_or_not():
    results = make_results(deep=WORSE)
    assert ratio(results[0], "before") == 6.0
    for result in results:
        if result["name"] == NAMES.deep_plain:
            result["before"] = {**result["before"], "gradients": [1000.0, 1.0, 0.5]}
    told = decide(results)[1].because
    assert "plain 20: gradients at the first layer 6 times those at the last (healthy)" in told
    assert "plain 56: gradients at the first layer 2e+03 times those at the last (not" in told


def test_the_networks_differ_in_depth_and_skips_alone():
    made = networks(SCALES["full"])
    assert [*made] == [
        NAMES.plain, NAMES.deep_plain, NAMES.identities, NAMES.residual, NAMES.deep_residual,
    ]  # fmt: skip
    with torch.device("meta"):
        counts = {
            name: sum(weight.numel() for weight in ResNet(one[0], 3, 32, 10).parameters())
            for name, one in made.items()
        }
    assert counts[NAMES.plain] == counts[NAMES.residual]
    assert len({counts[name] for name in counts if "56" in name}) == 1
    trials = [
        DepthTrial(
            name=name, rate=0.1, model=model, drawn=drawn, corpus=Shapes(),
            together=8, steps=9, tested=5, seed=2,
        )
        for name, (model, drawn) in made.items()
    ]  # fmt: skip
    recipes = [one.recipe(Path("here")).model_dump(exclude={"model", "start"}) for one in trials]
    assert all(one == recipes[0] for one in recipes)


def test_missing_pictures_are_told_with_the_command_that_gets_them(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "empty"))
    with pytest.raises(DataError, match="dragoman data get cifar-10"):
        run_experiment(EXPERIMENT, "quick", tmp_path / "lab")


def plain(layers, width=4):
    settings = ResNetSettings(depth=layers, width=width, stem="pooled", residual=False)
    model = build_image_model(settings, 3, 16, 5, 3)
    assert isinstance(model, ResNet)
    return model


def pictures(count=32):
    random = torch.Generator().manual_seed(5)
    return torch.randn(count, 3, 16, 16, generator=random), torch.arange(count) % 5


@torch.no_grad()
def test_layers_that_begin_as_identities_hand_on_nearly_what_they_get():
    drawn, begun = plain(44), plain(44)
    begin_as_identities(begun, 1)
    images, classes = pictures()
    with torch.enable_grad():
        before, after = (look(one, images, classes) for one in (drawn, begun))
    kept = [one for stage in begun.stages for one in [*stage][1:]]
    assert len(kept) == 18
    x = torch.relu(torch.randn(64, 4, 8, 8, generator=torch.Generator().manual_seed(1)))
    handed = x
    for block in [*begun.stages[0].train()][1:]:
        handed = block(handed)
    assert torch.dist(handed, x) < 0.05 * x.norm()
    assert after["change"] < before["change"] / 2
    assert ratio({"before": after}, "before") < ratio({"before": before}, "before") / 10


def test_looking_changes_nothing_and_sees_every_layer():
    model = plain(14)
    images, classes = pictures()
    stored = {name: one.clone() for name, one in model.state_dict().items()}
    seen = look(model, images, classes)
    assert len(seen["gradients"]) == 13  # all layers but the last, which is linear
    assert len(seen["signals"]) == 7  # the stem and six blocks
    for name, one in model.state_dict().items():
        assert torch.equal(one, stored[name])
    assert all(weight.grad is None for weight in model.parameters())
    # The first gradient, by another way.
    model.train()
    torch.nn.functional.cross_entropy(model(images), classes).backward()
    assert seen["gradients"][0] == pytest.approx(model.stem[0].weight.grad.norm().item(), rel=1e-4)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("depth")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(depth.SCALES, "quick", TINY)
        patch.setattr(depth, "RATES", (0.05,))
        return folder, run_experiment(EXPERIMENT, "quick", folder)


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_shapes(found):
    folder, result = found
    assert [one["name"] for one in result.measurements] == [*networks(TINY)]
    verdicts = [finding.verdict for finding in result.verdicts]
    assert verdicts == ["undecided"] * 5
    errors, inside = result.tables
    assert [line[0] for line in errors.rows] == [*networks(TINY), "majority baseline"]
    assert {one["rate"] for one in result.measurements} == {
        0.05
    }  # what was looked for, not what is usual
    assert len(inside.rows) == 10
    told = json.loads((folder / "result.json").read_text("utf-8"))
    assert told["ledger"] == ["E73", "E74", "E141", "E77", "D16"]
    assert (folder / "picture.png").stat().st_size > 1000


def test_a_run_begins_with_the_weights_that_were_looked_at(tmp_path):
    model, drawn = networks(TINY)[Depths(8, 14).identities]
    trial = DepthTrial(
        name="kept", rate=1e-9, model=model, drawn=drawn, corpus=TINY.corpus,
        together=20, steps=1, tested=5, seed=4,
    )  # fmt: skip
    stored = read_weights(trial.train(tmp_path) / "model.safetensors").tensors
    begun = beginning(trial, 3, 8, 8)
    for name, weight in begun.named_parameters():
        torch.testing.assert_close(stored[name], weight, rtol=0, atol=1e-6)
