"""Warnings are errors here: a missing glyph or a layout that does not fit would fail a test."""

import math
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from dragoman.core.errors import DataError
from dragoman.plots import lettering
from dragoman.plots.attention import draw_attention
from dragoman.plots.curves import draw_curves


@pytest.fixture
def path(tmp_path):
    return tmp_path / "picture.png"


def size_of(path):
    """Check that a file is a PNG from end to end, and not a blank one; return its size."""
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        picture.load()
        assert len(picture.convert("L").getcolors(maxcolors=256)) > 10
        return picture.size


def weights(heads, target, source):
    return np.random.default_rng(3).dirichlet(np.ones(source), (heads, target))


def run(steps, every=50):
    rows = []
    for step in range(every, steps + 1, every):
        loss = 2 + 5 * math.exp(-step / 1000)
        rows.append({"kind": "train", "step": step, "loss": loss, "rate": 1e-3 / step})
        if step % 500 == 0:
            scores = {"bleu": step / 200, "chrf": step / 100}
            rows.append({"kind": "validation", "step": step, "loss": loss + 0.2, **scores})
    return rows


@pytest.mark.parametrize("steps", [50, 400, 5000])
def test_the_curves_of_a_run_become_a_picture(path, steps):
    draw_curves(run(steps), path, "reverse-tiny")
    width, height = size_of(path)
    assert 900 < width < 1500
    assert 500 < height < 1500


def test_a_run_without_validation_has_fewer_panels(path):
    draw_curves(run(5000), path, "whole")
    _, whole = size_of(path)
    draw_curves([row for row in run(5000) if row["kind"] == "train"], path, "training alone")
    _, part = size_of(path)
    assert part < whole


def test_numbers_that_are_not_finite_are_left_out(path):
    lost = {"kind": "train", "step": 5050, "loss": math.nan, "rate": math.inf}
    draw_curves(run(5000), path, "with")
    clean = path.read_bytes()
    draw_curves([*run(5000), lost], path, "with")
    assert path.read_bytes() == clean


@pytest.mark.parametrize("rows", [[], [{"kind": "train", "step": 1.0}], [{"kind": "end"}]])
def test_a_run_with_nothing_to_draw_is_refused(path, rows):
    with pytest.raises(DataError, match="nothing to plot"):
        draw_curves(rows, path, "empty")
    assert not path.exists()


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_attention_becomes_a_picture_with_every_head(path, heads):
    source, target = ["▁the", "▁cat", "s", "</s>"], ["▁die", "▁Katze", "n", "</s>", "x"]
    draw_attention(weights(heads, 5, 4), source, target, path, "Layer 2")
    width, height = size_of(path)
    assert 300 < width < 2000
    assert 300 < height < 1500


@pytest.mark.parametrize(
    "tokens",
    [
        ["▁मैं", "▁कल", "▁दिल्ली", "▁जाऊँगा", "।"],
        ["😀", "👩‍👩‍👧", "🇮🇳", "❤️", "ok"],
        ["שלום", "مرحبا", "\u202eabc\u202c", "عالم", "!"],
        ["日本語", "한국어", "ไทย", "தமிழ்", "\U0010ffff"],
        ["", " ", "\n", "\x00", "\t"],
        ["$x^2$", "$", "\\frac", "a_b", "<unk>"],
        ["x" * 300, "e\u0301\u0302\u0303", "\ufffd", "\u200b", "Ġword"],
    ],
)
def test_any_script_can_be_drawn(path, tokens):
    draw_attention(weights(2, 5, 5), tokens, tokens, path, " ".join(tokens[:2]))
    draw_curves(run(400), path.with_name("curves.png"), " ".join(tokens))
    size_of(path)


def test_sixty_tokens_are_labeled_and_three_hundred_thinned(path):
    sixty, many = [f"token{i}" for i in range(60)], [f"token{i}" for i in range(300)]
    draw_attention(weights(1, 60, 60), sixty, sixty, path, "Sixty")
    width, height = size_of(path)
    draw_attention(weights(1, 300, 300), many, many, path, "Three hundred")
    wider, higher = size_of(path)
    assert max(wider / width, higher / height) < 1.2
    assert width > 60 * 15  # dots per label


def test_a_long_title_is_folded_and_not_drawn_out(path):
    draw_attention(weights(1, 3, 3), list("abc"), list("abc"), path, "many words and more " * 40)
    assert size_of(path)[0] < 1100


def test_weights_that_do_not_fit_the_tokens_are_refused(path):
    with pytest.raises(DataError, match=r"\(1, 2, 3\) do not fit 3 target and 2 source"):
        draw_attention(weights(1, 2, 3), ["a", "b"], ["a", "b", "c"], path, "wrong")
    with pytest.raises(DataError, match="do not fit"):
        draw_attention(np.zeros((1, 0, 0)), [], [], path, "empty")


def test_devanagari_without_a_font_is_written_in_latin_letters_and_the_note_says_so(monkeypatch):
    monkeypatch.setattr(lettering, "STAND_INS", ())
    found = lettering.letter(["▁दिल्ली", "plain"])
    assert found.labels == ("▁dillī", "plain")
    assert "Latin letters" in found.note
    assert found.families == ("DejaVu Sans",)


@pytest.mark.parametrize("joins", [True, False])
def test_a_font_with_the_letters_is_used_where_letters_are_joined(monkeypatch, joins):
    base = lettering._characters("DejaVu Sans")
    fonts = {"DejaVu Sans": base, "Mangal": frozenset(range(0x900, 0x980))}
    monkeypatch.setattr(lettering, "_characters", lambda name: fonts.get(name, frozenset()))
    monkeypatch.setattr(lettering, "_joins_letters", lambda: joins)
    found = lettering.letter(["घर"])
    assert found.labels == (("घर",) if joins else ("ghara",))
    assert found.families == (("DejaVu Sans", "Mangal") if joins else ("DejaVu Sans",))


def test_other_letters_without_a_font_become_boxes_and_the_note_says_so(monkeypatch):
    monkeypatch.setattr(lettering, "STAND_INS", ())
    found = lettering.letter(["日本", "a\ufe0fb"])
    assert found.labels[0] == "□□"
    assert "without a font" in found.note


def test_nothing_is_noted_where_nothing_is_missing():
    assert lettering.letter(["Grüße", "▁word", "□"]).note == ""


def test_pictures_leave_the_global_state_alone_and_load_their_library_late(tmp_path):
    code = (
        "import sys, dragoman.plots.curves, dragoman.plots.attention as a\n"
        "early = {'matplotlib', 'numpy', 'torch'} & set(sys.modules)\n"
        "import numpy as np, pathlib\n"
        "a.draw_attention(np.ones((1, 1, 1)), ['a'], ['b'], pathlib.Path('x.png'), 't')\n"
        "sys.exit(bool(early) or 'matplotlib.pyplot' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, cwd=tmp_path)


def test_the_accuracy_of_a_classifier_has_a_panel_of_its_own(tmp_path):
    from matplotlib.image import imread

    rows = [{"kind": "validation", "step": n, "loss": 1 / n, "perplexity": 2.0} for n in (1, 2)]
    judged = [{**row, "accuracy": 0.5, "macro_f1": 0.4} for row in rows]
    draw_curves(rows, tmp_path / "plain.png", "plain")
    draw_curves(judged, tmp_path / "judged.png", "judged")
    heights = [imread(tmp_path / f"{name}.png").shape[0] for name in ("plain", "judged")]
    assert heights[1] > heights[0] + 100
