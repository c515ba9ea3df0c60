from io import BytesIO

import pytest
from matplotlib.image import imread

from dragoman.core.errors import DataError
from dragoman.plots.reliability import draw_reliability


def point(said, came, count=10):
    return {"count": count, "said": said, "came": came, "low": came - 0.1, "high": came + 0.1}


def pixels(path):
    return imread(BytesIO(path.read_bytes()))


def test_a_curve_is_drawn_for_each_set(tmp_path):
    one, two = tmp_path / "one.png", tmp_path / "two.png"
    line = [point(0.2, 0.3), point(0.8, 0.7, 40)]
    draw_reliability({"test": line}, one, "tiny", "stated")
    draw_reliability({"test": line, "संग्रह": [point(0.5, 0.1)]}, two, "tiny", "stated")
    assert pixels(one).std() > 0.01
    assert one.read_bytes() != two.read_bytes()


def test_other_outcomes_give_another_picture(tmp_path):
    one, two = tmp_path / "one.png", tmp_path / "two.png"
    draw_reliability({"test": [point(0.2, 0.3)]}, one, "tiny", "stated")
    draw_reliability({"test": [point(0.2, 0.9)]}, two, "tiny", "stated")
    assert (pixels(one).shape != pixels(two).shape) or (pixels(one) != pixels(two)).any()


def test_nothing_to_draw_is_told(tmp_path):
    with pytest.raises(DataError, match="nothing to plot"):
        draw_reliability({"test": []}, tmp_path / "no.png", "tiny", "stated")
    assert not (tmp_path / "no.png").exists()
