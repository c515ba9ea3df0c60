"""Filters: networks that differ in one thing, pictures truly moved, verdicts that fall each way."""

import json
import math

import numpy as np
import pytest
import torch

from dragoman.config.images import ImageArrays, Shapes
from dragoman.config.vision import CnnSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.batching.pixels import Pixels
from dragoman.engine.build import build_image_model
from dragoman.lab.experiments.filters import experiment as filters
from dragoman.lab.experiments.filters.data import SHIFTS, moved, score_shifts
from dragoman.lab.experiments.filters.experiment import (
    EXPERIMENT,
    FilterScale,
    FilterTrial,
    counted,
    networks,
)
from dragoman.lab.experiments.filters.verdicts import (
    ALL_RANDOM,
    AVERAGE,
    AVERAGE_FIRST,
    MAX,
    MAX_FIRST,
    RANDOM,
    SOBEL,
    STRIDE,
    decide,
    decide_gains,
    lost,
)
from dragoman.lab.run import run_experiment
from dragoman.lab.spread import Spread
from dragoman.lab.student import t_975
from dragoman.neural.models.images.network import ImageNetwork
from dragoman.tasks.image_classification.classifier import ImageClassifier


def make_results(seeds=(1, 2, 3), accuracies=None, changes=None, majority=10.0):
    """Make rows by hand: 90 % right and 20 % changed by shifts unless told otherwise."""
    results = []
    for name in networks(1):
        for seed in seeds:
            right = (accuracies or {}).get(name, 90.0) + 0.1 * seed
            moves = (changes or {}).get(name, 20.0) + 0.1 * seed
            results.append(
                {
                    "name": name,
                    "seed": seed,
                    "accuracy": right,
                    "accuracies": [right, *(right - 2.0 * far for far in SHIFTS)],
                    "changed": [moves] * len(SHIFTS),
                    "majority": majority,
                    "multiplications": 100,
                    "parameters": 1000,
                    "trained": {SOBEL: 990, RANDOM: 990, ALL_RANDOM: 900}.get(name, 1000),
                }
            )
    return results


BETTER = {SOBEL: 85.0, RANDOM: 87.0, ALL_RANDOM: 80.0}


@pytest.mark.parametrize(
    ("results", "verdicts"),
    [  # learned filters, pooling, the largest, the order
        (make_results(), ["refuted"] * 4),
        (make_results(accuracies=BETTER), ["confirmed", "refuted", "refuted", "refuted"]),
        (make_results(accuracies={SOBEL: 85.0}), ["corrected", "refuted", "refuted", "refuted"]),
        (
            make_results(
                accuracies={SOBEL: 89.74, RANDOM: 89.74, ALL_RANDOM: 89.74}
            ),  # surely, but hardly
            ["corrected", "refuted", "refuted", "refuted"],
        ),
        (make_results(changes={STRIDE: 30.0}), ["refuted", "confirmed", "refuted", "refuted"]),
        (make_results(changes={MAX: 15.0}), ["refuted", "corrected", "corrected", "refuted"]),
        (
            make_results(changes={MAX: 15.0}, accuracies={AVERAGE: 88.0, AVERAGE_FIRST: 88.0}),
            ["refuted", "corrected", "confirmed", "refuted"],
        ),
        (
            make_results(accuracies={MAX_FIRST: 80.0, AVERAGE_FIRST: 80.0}),
            ["refuted", "refuted", "refuted", "confirmed"],
        ),
        (
            make_results(accuracies={MAX_FIRST: 80.0}),
            ["refuted", "refuted", "refuted", "corrected"],
        ),
        (make_results(majority=90.0), ["undecided"] * 4),
        (make_results(seeds=(1,), accuracies=BETTER), ["undecided"] * 4),
    ],
)
def test_the_verdicts_go_by_accuracy_and_by_changed_answers(results, verdicts):
    assert [one.verdict for one in decide(results)] == verdicts


def between(low, high):
    """Give the figure of three seeds whose interval has these ends."""
    deviation = (high - low) / 2 / t_975(2) * math.sqrt(3)
    return Spread((low + high) / 2, deviation, 3)


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ([(-1.7, -0.1), (-3.0, 0.8)], "corrected"),  # one surely fails, the other is open
        ([(-1.2, 0.3), (-0.3, 1.2)], "corrected"),
        ([(-1.7, -0.1), (-3.0, -0.8)], "refuted"),
        ([(-1.7, -0.1), (0.1, 2.0)], "corrected"),
        ([(0.1, 2.0), (-0.4, 2.0)], "undecided"),  # one is there, the other is open
        ([(-0.4, 2.0), (-0.4, 2.0)], "undecided"),
        ([(0.1, 2.0), (1.0, 2.0)], "confirmed"),
        ([(0.1, 0.4), (0.2, 0.3)], "corrected"),  # there, but hardly
    ],
)
def test_what_surely_fails_cannot_be_confirmed_any_more(gains, verdict):
    assert decide_gains([between(*ends) for ends in gains]) == verdict


def test_seeds_that_disagree_decide_nothing():
    results = make_results(accuracies=BETTER)
    for result in results:
        if result["name"] == SOBEL and result["seed"] == 2:
            result["accuracy"] = 95.0
    assert decide(results)[0].verdict == "undecided"


def test_what_shifts_cost_is_told_beside_what_they_change():
    results = make_results()
    assert lost(results, MAX) == pytest.approx([5.0] * 3)  # the mean of 2, 4, 6 and 8
    found = decide(results)
    assert "answers changed by shifts +0.0 [-0.1, +0.1]" in found[2].because
    assert "for 1.0 times the multiplications" in found[3].because


@pytest.mark.parametrize(("down", "right"), [(1, 0), (-2, 0), (0, 3), (0, -4), (2, -1)])
def test_a_moved_picture_shows_the_same_elsewhere_and_its_edge_goes_on(down, right):
    images = np.random.default_rng(0).integers(0, 256, (2, 9, 9, 3), dtype=np.uint8)
    found = moved(images, down, right)
    assert found.shape == images.shape
    for row in range(9):
        for column in range(9):
            source = min(max(row - down, 0), 8), min(max(column - right, 0), 8)
            np.testing.assert_array_equal(found[:, row, column], images[:, *source])


class _Blind(ImageNetwork):
    """Looks at the mean of a picture, wherever it is bright, or at its first row only."""

    def __init__(self, whole):
        super().__init__(1, 8)
        self.whole = whole

    def features(self, images):
        seen = images if self.whole else images[:, :, :1]
        return seen.mean(dim=(1, 2, 3)).unsqueeze(1)

    def forward(self, images):
        bright = self.features(images).squeeze(1)
        return torch.stack((-bright, bright), dim=1)


@pytest.mark.parametrize(
    ("whole", "accuracies", "changed"),
    [(True, [100.0, 100.0, 100.0], [0.0, 0.0]), (False, [0.0, 0.0, 25.0], [0.0, 25.0])],
)
def test_answers_that_change_are_counted(whole, accuracies, changed):
    images = np.zeros((4, 12, 12, 1), dtype=np.uint8)
    images[:, 4:8, 4:8] = 255  # four pixels upwards bring it to the first row, no other way does
    pixels = Pixels(12, (0.05,), (1.0,))
    classifier = ImageClassifier(
        _Blind(whole).eval(), pixels, ("dark", "bright"), torch.device("cpu")
    )
    found = score_shifts(classifier, ImageStore(images, np.array([1, 1, 1, 1])), (1, 4))
    assert found == {"accuracies": accuracies, "changed": changed}


@pytest.mark.parametrize(("channels", "size"), [(1, 28), (3, 32)])
def test_the_networks_have_equal_parameters_and_fixed_filters_are_not_trained(channels, size):
    made = networks(channels)
    counts = {
        name: counted(build_image_model(settings, channels, size, 10, 1))
        for name, settings in made.items()
    }
    assert len({one["parameters"] for one in counts.values()}) == 1
    fixed = 8 * channels * channels * 9
    further = 8 * channels * 32 * 9
    left = {SOBEL: fixed, RANDOM: fixed, ALL_RANDOM: fixed + further}
    for name, one in counts.items():
        assert one["parameters"] - one["trained"] == left.get(name, 0)
    # A convolution of a quarter of the places multiplies a quarter as often; the head is the same.
    head = 32 * (size // 4) ** 2 * 64 + 64 * 10
    after, before = (counts[name]["multiplications"] - head for name in (MAX, MAX_FIRST))
    assert after == 4 * before
    assert counts[AVERAGE]["multiplications"] == counts[MAX]["multiplications"]


def test_no_two_of_the_edge_filters_are_alike():
    for channels in (1, 3):
        model = build_image_model(networks(channels)[SOBEL], channels, 28, 10, 1)
        weight = model.stages[0][0].weight
        assert len(torch.unique(weight.flatten(1), dim=0)) == len(weight)


def test_all_settings_are_sound_and_every_network_has_the_same_batches(tmp_path):
    recipes = []
    for name, model in networks(1).items():
        assert CnnSettings.model_validate(model.model_dump()) == model
        trial = FilterTrial(
            name=name, rate=1e-3, model=model, corpus=Shapes(), steps=9, moved=5, seed=2
        )  # fmt: skip
        recipes.append(trial.recipe(tmp_path).model_dump(exclude={"model"}))
    assert all(one == recipes[0] for one in recipes)


def test_missing_pictures_are_told_with_the_command_that_gets_them(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "empty"))
    with pytest.raises(DataError, match="dragoman data get fashion-mnist"):
        run_experiment(EXPERIMENT, "quick", tmp_path / "lab")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filters")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(filters.SCALES, "quick", FilterScale(most=0, steps=2, moved=10))
        few = Shapes(images=40, held_out=20, size=8)
        patch.setattr(filters, "pictures", lambda name, most: few)
        return folder, run_experiment(EXPERIMENT, "quick", folder, seeds=(1,))


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_shapes(found):
    folder, result = found
    assert [one["name"] for one in result.measurements] == [*networks(3)]
    assert {finding.verdict for finding in result.verdicts} == {"undecided"}
    whole, right, changed = result.tables
    assert [line[0] for line in whole.rows] == [*networks(3), "majority baseline"]
    assert "(set beforehand): max 0.01" in whole.note
    assert right.header == ("network", "0", "1", "2", "3", "4")
    assert changed.header == ("network", "1", "2", "3", "4")
    told = json.loads((folder / "result.json").read_text("utf-8"))
    assert told["ledger"] == ["E40", "E48", "E49", "E50"]
    assert "## The test set" in (folder / "table.md").read_text("utf-8")
    assert (folder / "picture.png").stat().st_size > 1000


def test_the_pictures_are_those_of_the_catalogue():
    assert filters.pictures("cifar-10", 7) == ImageArrays(name="cifar-10", max_images=7)
