"""Panels of experiments: lines and bars, side by side."""

import pytest
from PIL import Image

from dragoman.core.errors import DataError
from dragoman.plots.lab import Bars, Panel, PlotLine, draw_panels

SIGNS = Bars("accuracy", ["frozen", "all"], [[0.7, 0.72], [0.9, 0.91]], 0.69, "always positive")
LAGS = Panel(
    "by lag", [PlotLine("LSTM", [1, 2, 4, 64], [[1], [1], [0.9], [0.5]])], "lag", 0.0, True
)


def pixels(path):
    with Image.open(path) as picture:
        return picture.size, picture.convert("RGB").tobytes()


def test_bars_stand_side_by_side_and_no_higher(tmp_path):
    draw_panels([SIGNS], tmp_path / "one.png", "Signs")
    draw_panels([SIGNS, SIGNS], tmp_path / "two.png", "Signs")
    (one, _), (two, _) = pixels(tmp_path / "one.png"), pixels(tmp_path / "two.png")
    assert two[0] > one[0] * 1.5
    assert two[1] == one[1]


def test_bars_and_lines_share_a_picture(tmp_path):
    draw_panels([SIGNS, LAGS], tmp_path / "both.png", "Signs and lags")
    draw_panels([SIGNS, SIGNS], tmp_path / "bars.png", "Signs and lags")
    assert pixels(tmp_path / "both.png")[1] != pixels(tmp_path / "bars.png")[1]


def test_the_baseline_is_drawn(tmp_path):
    bare = Bars(SIGNS.title, SIGNS.labels, SIGNS.values)
    draw_panels([SIGNS], tmp_path / "with.png", "Signs")
    draw_panels([bare], tmp_path / "without.png", "Signs")
    assert pixels(tmp_path / "with.png")[1] != pixels(tmp_path / "without.png")[1]


def test_nothing_to_draw_is_said(tmp_path):
    with pytest.raises(DataError, match="nothing to plot"):
        draw_panels([Bars("none", [], [])], tmp_path / "none.png", "None")
