"""`dragoman data make shapes`."""

import sys

import numpy as np
from PIL import Image

from dragoman.data.corpus.generators.shapes import draw_shapes


def test_a_folder_is_a_class_and_the_files_are_the_drawn_pictures(dragoman, tmp_path):
    code, _, _ = dragoman(
        "data", "make", "shapes", "--output", tmp_path / "s", "--number", 12, "--size", 16
    )
    assert code == 0
    drawn = draw_shapes(12, 16, 1)
    files = {path.stem: path for path in (tmp_path / "s").glob("*/*.png")}
    for place, (image, shape) in enumerate(zip(drawn.images, drawn.classes, strict=True), 1):
        path = files[f"{place:02}"]
        assert path.parent.name == shape
        with Image.open(path) as picture:
            assert (np.asarray(picture) == image).all()
    assert len(files) == 12


def test_captions_stand_in_a_table_beside_the_pictures(dragoman, tmp_path):
    options = ["--number", 5, "--size", 16, "--captions", "both", "--detail", 2, "--pairs", 1]
    code, _, _ = dragoman("data", "make", "shapes", "--output", tmp_path / "s", *options)
    assert code == 0
    lines = (tmp_path / "s" / "captions.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    drawn = draw_shapes(5, 16, 1, pairs=1.0)
    assert [row[1] for row in rows] == [*drawn.captions("en", 2), *drawn.captions("hi", 2)]
    assert [row[2] for row in rows] == ["en"] * 5 + ["hi"] * 5
    assert all((tmp_path / "s" / row[0]).is_file() for row in rows)


def test_what_cannot_be_written_is_one_line(dragoman, tmp_path, monkeypatch):
    code, _, told = dragoman("data", "make", "shapes", "--output", tmp_path)
    assert code == 2
    assert "exists already" in told
    code, _, told = dragoman("data", "make", "shapes", "--output", tmp_path / "s", "--pairs", 0.5)
    assert code == 2
    assert "has no one class" in told
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    code, _, told = dragoman("data", "make", "shapes", "--output", tmp_path / "s", "--number", 1)
    assert code == 2
    assert "pip install 'dragoman[vision]'" in told
