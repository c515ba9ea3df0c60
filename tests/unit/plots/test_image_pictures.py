"""Rows of small pictures and points in a plane."""

import numpy as np
import pytest
from PIL import Image

from dragoman.core.errors import DataError
from dragoman.plots.images import Plane, Strip, StripBlock, draw_images, mosaic, signed_as_bytes

RED = np.tile(np.array([200, 10, 10], np.uint8), (4, 6, 6, 1))
GREY = np.full((4, 6, 6, 1), 90, np.uint8)
POINTS = Plane("codes", np.random.default_rng(1).normal(size=(20, 2)), ["वर्ग", "leaf"] * 10)


def colors(path):
    with Image.open(path) as picture:
        return picture.size, {color for _, color in picture.convert("RGB").getcolors(1 << 24)}


def test_every_picture_stands_at_its_place_with_white_between():
    images = np.arange(5, dtype=np.uint8)[:, None, None, None] * np.ones((1, 3, 4, 1), np.uint8)
    laid = mosaic(images, columns=2)
    assert laid.shape == (3 * 4 - 1, 2 * 5 - 1, 3)
    for place in range(5):
        down, across = 4 * (place // 2), 5 * (place % 2)
        assert (laid[down : down + 3, across : across + 4] == place).all()
    assert (laid[3] == 255).all()
    assert (laid[:, 4] == 255).all()
    assert (laid[8:, 5:] == 255).all()


def test_numbers_of_either_sign_become_bytes_around_grey():
    shown = signed_as_bytes(
        np.array([[-2.0, 0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0]])[:, None, :, None]
    )
    assert shown[0].ravel().tolist() == [0, 128, 191, 255]
    assert (shown[1] == 128).all()


def test_colors_come_out_as_they_went_in(tmp_path):
    draw_images(
        [StripBlock("rows", [Strip("red", RED), Strip("grey", GREY)])], [], tmp_path / "a.png", ""
    )
    _, found = colors(tmp_path / "a.png")
    assert {(200, 10, 10), (90, 90, 90)} <= found


def test_blocks_stand_one_below_the_other_and_planes_below_them(tmp_path):
    block = StripBlock("rows", [Strip("red", RED)])
    for name, blocks, planes in [
        ("one", [block], []),
        ("two", [block, block], []),
        ("points", [block], [POINTS]),
    ]:
        draw_images(blocks, planes, tmp_path / f"{name}.png", "शीर्षक")
    heights = {name: colors(tmp_path / f"{name}.png")[0][1] for name in ("one", "two", "points")}
    assert heights["one"] < heights["two"] < heights["points"]


def test_nothing_to_draw_is_said(tmp_path):
    with pytest.raises(DataError, match="nothing to plot"):
        draw_images([StripBlock("none", [])], [], tmp_path / "none.png", "None")
