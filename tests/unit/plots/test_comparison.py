"""Warnings are errors here: a missing glyph or a layout that does not fit would fail a test."""

import math
import subprocess
import sys

import pytest
from PIL import Image

from dragoman.core.errors import DataError
from dragoman.plots.comparison import Contestant, draw_comparison, mean_curve

BUCKETS = ["≤ 5", "6–10", "11–15"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "picture.png"


def contestants(names, seeds=2, looks=4, tests=("unseen", "combinations")):
    return [
        Contestant(
            name,
            [
                [
                    {
                        "minutes": (1 + 0.01 * seed) * look,
                        "tokens": 1e5 * look,
                        "bleu": 0.0,
                        "chrf": 60 * (1 - math.exp(-look / (1 + number))) + seed,
                    }
                    for look in range(1, looks + 1)
                ]
                for seed in range(seeds)
            ],
            {test: [50.0 + number + seed for seed in range(seeds)] for test in tests},
            {bucket: 60.0 - 2 * place for place, bucket in enumerate(BUCKETS)},
        )
        for number, name in enumerate(names)
    ]


def size_of(path):
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        picture.load()
        assert len(picture.convert("L").getcolors(maxcolors=256)) > 10
        return picture.size


def colors_of(path):
    with Image.open(path) as picture:
        return {color for _, color in picture.convert("RGB").getcolors(maxcolors=2**24)}


@pytest.mark.parametrize("over", ["minutes", "tokens"])
@pytest.mark.parametrize("count", [1, 3, 14])
def test_any_number_of_recipes_becomes_a_picture(path, count, over):
    names = [f"recipe-{number}" for number in range(count)]
    draw_comparison(contestants(names), path, "Each run: 10 min of steps.", over=over)
    width, height = size_of(path)
    assert 1200 < width < 2200
    assert 900 < height < 2200


@pytest.mark.parametrize(
    "made",
    [
        contestants(["one"], seeds=1, looks=1, tests=("test",)),
        contestants(["a", "b"], looks=0),
        contestants(["$x$", "हिन्दी", "a_name.with-all"]),
    ],
    ids=["a single point", "no validation", "odd names"],
)
def test_little_or_odd_input_is_drawn_too(path, made):
    draw_comparison(made, path, "subtitle", over="minutes")
    size_of(path)


def test_each_recipe_has_a_color_of_its_own(path):
    draw_comparison(contestants(["a", "b", "c"]), path, "", over="minutes")
    for color in ((0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00), (0x00, 0x9E, 0x73)):
        assert color in colors_of(path)
    draw_comparison(contestants(["a"]), path, "", over="minutes")
    assert (0xD5, 0x5E, 0x00) not in colors_of(path)


def test_runs_of_unequal_length_are_averaged_as_far_as_all_go(path):
    one, two = contestants(["a"], seeds=1, looks=4) + contestants(["a"], seeds=1, looks=2)
    uneven = Contestant("a", [*one.curves, *two.curves], one.final, one.by_length)
    draw_comparison([uneven], path, "", over="minutes")
    size_of(path)


def test_a_mean_goes_as_far_as_all_runs_go():
    assert mean_curve([[(1, 10), (2, 20), (3, 90)], [(3, 20), (4, 40)]]) == [(2, 15), (3, 30)]
    assert mean_curve([[(1, 10)], []]) == []


def test_nothing_to_draw_is_said(path):
    with pytest.raises(DataError, match="nothing to plot"):
        draw_comparison([], path, "", over="minutes")


def test_the_picture_needs_no_torch():
    code = "import sys, dragoman.plots.comparison; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
