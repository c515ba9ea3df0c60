"""CLIP through the one recipe and the one loop, on coloured patterns that their names describe."""

import json
import math
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from dragoman.config.reading import read_recipe
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.batching.caption_sets import load_caption_sets
from dragoman.data.formats.captioned import Caption
from dragoman.engine import recipe as engine
from dragoman.engine.checkpoint.rows import read_log
from dragoman.engine.inference.draw_matches import RIGHT
from dragoman.engine.inference.evaluate_matches import (
    KINDS,
    Unseen,
    evaluate_matches,
    images_to_test,
    judge_matches,
    worded,
)
from dragoman.engine.inference.matcher import Matcher, image_files
from dragoman.engine.recipe import train
from dragoman.engine.training import log

COLOURS = {
    "red": (230, 20, 20),
    "green": (20, 200, 20),
    "blue": (20, 20, 230),
    "black": (0, 0, 0),
    "yellow": (240, 230, 0),
    "pink": (250, 120, 200),
}
HINDI = dict(zip(COLOURS, ("laal", "haraa", "niilaa", "kaalaa", "piilaa", "gulaabii"), strict=True))
SIDE = 8
RECIPE = """
name = "matcher"
seed = 3

[task]
kind = "image-text"
stretch = 0.05

[corpus]
kind = "captions"
train = "table.tsv"
size = 8
held_out = 0.2

[tokenizer]
kind = "words"

[batches]
longest = 8

[images]
together = 12

[model]
kind = "clip"
width = 16

[model.image]
kind = "patches"
patch = 4
width = 16
heads = 2
layers = 1
inner_width = 16

[model.text]
width = 16
heads = 2
layers = 1
inner_width = 16
longest = 8
dropout = 0.0

[objective]
label_smoothing = 0.0

[optimiser]
rate = 0.005

[schedule]
warmup = 5

[training]
steps = 150
threads = 1
device = "cpu"
log_every = 5
validate_every = 75
checkpoint_every = 40
judge = "recall_at_10"
"""


def pattern(kind):
    place = np.indices((SIDE, SIDE))
    return {
        "square": (place >= 2).all(axis=0) & (place < 6).all(axis=0),
        "stripes": place[0] % 4 < 2,
        "columns": place[1] % 4 < 2,
        "top": place[0] < 4,
        "left": place[1] < 4,
        "cross": (place[0] == place[1]) | (place.sum(axis=0) == SIDE - 1),
    }[kind]


KINDS_OF_PATTERN = ("square", "stripes", "columns", "top", "left", "cross")


def write_corpus(folder):
    lines = ["image\tcaption\tkeywords\tlanguage\n"]
    (folder / "drawn").mkdir(parents=True)
    for colour, paint in COLOURS.items():
        for kind in KINDS_OF_PATTERN:
            image = np.full((SIDE, SIDE, 3), 255, dtype=np.uint8)
            image[pattern(kind)] = paint
            name = f"drawn/{colour}-{kind}.png"
            Image.fromarray(image).save(folder / name)
            lines.append(f"{name}\t{colour} {kind}\t{colour}|{kind}\ten\n")
            lines.append(f"{name}\t{HINDI[colour]} {kind}\t{HINDI[colour]}\thi\n")
    (folder / "table.tsv").write_text("".join(lines), encoding="utf-8")
    (folder / "matcher.toml").write_text(RECIPE, encoding="utf-8")
    return folder / "matcher.toml"


@pytest.fixture(autouse=True, scope="module")
def _no_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Train once; do not change the folder."""
    folder = tmp_path_factory.mktemp("matcher")
    recipe = write_corpus(folder)
    torch.set_num_threads(1)
    train(recipe, folder=folder / "run")
    return SimpleNamespace(recipe=recipe, run=folder / "run", folder=folder)


@pytest.fixture
def run(trained, tmp_path):
    """Give a copy of the run, to be changed at will."""
    return Path(shutil.copytree(trained.run, tmp_path / "run"))


def test_the_loss_falls_below_that_of_guessing(trained):
    rows = read_log(trained.run / "metrics.jsonl")
    training = [row["loss"] for row in rows if row["kind"] == "train"]
    assert training[-1] < 0.7 * math.log(12)
    (*_, last) = [row for row in rows if row["kind"] == "validation"]
    assert {"recall_at_1", "recall_at_10", "chance_at_10"} <= last.keys()
    assert last["samples"][0].keys() == {"source", "output", "reference"}


def test_unseen_images_are_found_more_often_than_by_chance(trained):
    tested = images_to_test(trained.run)["test"]
    found = judge_matches(Matcher.load(trained.run), tested, "test")
    assert [(one.language, one.kind) for one in found.matches] == [
        (language, kind) for language in ("en", "hi") for kind in KINDS
    ]
    names = [one for one in found.matches if one.kind == "name"]
    ranks = [way.median_rank for one in names for way in (one.to_image, one.to_text)]
    assert max(ranks) < names[0].to_image.chance_median
    alone = found.matches[0]
    assert alone.words == 1.0
    assert alone.to_text.candidates < alone.to_text.questions  # equal keywords count once


class PowerCutError(Exception):
    pass


def test_an_interrupted_run_goes_on_bit_for_bit(trained, tmp_path, result, monkeypatch):
    whole = log.TrainingLog.__call__

    def falling(self, report):
        if report.step == 97:
            monkeypatch.setattr(log.TrainingLog, "__call__", whole)
            raise PowerCutError
        whole(self, report)

    monkeypatch.setattr(log.TrainingLog, "__call__", falling)
    with pytest.raises(PowerCutError):
        train(trained.recipe, folder=tmp_path / "fallen")
    train(trained.recipe, folder=tmp_path / "fallen")
    assert result(tmp_path / "fallen") == result(trained.run)


@pytest.mark.parametrize(
    "image",
    [
        "{kind = 'resnet', depth = 8, width = 4}",
        "{kind = 'vit', patch = 4, width = 8, layers = 1, heads = 2, inner_width = 8}",
    ],
)
def test_other_towers_are_trained_and_loaded_alike(image, trained, tmp_path):
    changes = [f"model.image={image}", "training.steps=3", "training.final='last'"]
    train(trained.recipe, changes, folder=tmp_path / "run")
    files = image_files([trained.folder / "drawn"])[:4]
    ((best, *_),) = Matcher.load(tmp_path / "run").find_images(["red"], files)
    assert 0.25 <= best.probability <= 1


def test_what_is_held_out_is_never_trained_on(trained):
    sets = load_caption_sets(trained.run / "data")
    names = [{one.image for one in part.said} for part in (sets.train, sets.valid, sets.test)]
    assert [len(part) for part in names] == [22, 7, 7]
    assert len(set.union(*names)) == 36
    assert all(len(one.captions) == 2 for one in sets.train.said)


def test_evaluation_is_stored_and_told_on_the_card(run, dragoman):
    code, out, _ = dragoman("evaluate", run)
    assert code == 0
    assert "text → image" in out
    assert out.count("name and keywords") == 4
    (stored,) = json.loads((run / "scores.json").read_text()).values()
    assert stored["images"] == 7
    assert stored["matches"][0]["to_image"]["chance"]["1"] > 0
    card = (run / "card.md").read_text()
    assert "matches images and texts, trained on 22 images" in card
    assert "| test | en | one keyword | 1.0 | text → image |" in card
    assert "nats per pair" in card
    code, out, _ = dragoman("evaluate", run, "--json")
    assert json.loads(out)[0]["matches"][0]["kind"] == "one keyword"


def test_evaluation_draws_what_is_found_and_frames_what_is_right(run):
    evaluate_matches(run)
    with Image.open(run / "matches.png") as drawn:
        colours = {colour for _, colour in drawn.convert("RGB").getcolors(1 << 24)}
    assert RIGHT in colours  # some caption finds its picture among the nearest


def test_a_table_of_ones_own_can_be_tested_on(run, trained):
    (found,) = evaluate_matches(run, [trained.folder / "table.tsv"])
    assert (found.name, found.images) == ("table", 36)
    assert found.matches[2].to_image.recall[10] > 0.5


def test_texts_find_pictures_in_folders(trained, dragoman):
    code, out, _ = dragoman(
        *("match", trained.run, "--text", "red stripes", "--text", "niilaa"),
        trained.folder / "drawn",
    )
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert len(rows) == 20  # ten for each
    assert {row[0] for row in rows} == {"red stripes", "niilaa"}
    assert any("red" in Path(row[1]).name for row in rows[:5])
    shares = [float(row[2]) for row in rows[:10]]
    assert shares == sorted(shares, reverse=True)


def test_a_picture_finds_the_texts_of_classes(trained, dragoman):
    """What it was never trained to sort, it sorts (zero-shot)."""
    prompts = [part for colour in COLOURS for part in ("--text", colour)]
    right = 0
    for colour in COLOURS:
        image = trained.folder / "drawn" / f"{colour}-stripes.png"
        code, out, _ = dragoman("match", trained.run, "--image", image, *prompts, "--top", 1)
        assert code == 0
        right += out.split("\t")[1] == colour
    assert right >= 3


def test_json_and_probabilities_of_all_candidates(trained, dragoman):
    image = trained.folder / "drawn/red-top.png"
    asked = ("--image", image, "--text", "red", "--text", "blue", "--text", "top", "--json")
    code, out, _ = dragoman("match", trained.run, *asked)
    (row,) = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert row["asked"] == str(image)
    assert sum(one["probability"] for one in row["matches"]) == pytest.approx(1)
    assert {one["candidate"] for one in row["matches"]} == {"red", "blue", "top"}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--text", "red"], "Give either pictures"),
        (["--text", "red", "--image", "a.png", "b.png"], "Give either pictures"),
        (["--text", " ", "a.png"], "there is no text"),
        (["--text", "red", "nowhere.png"], "there is no such file"),
    ],
)
def test_what_cannot_be_matched_is_one_line(arguments, word, trained, dragoman):
    code, _, err = dragoman("match", trained.run, *arguments)
    assert code == 2
    assert word in err
    assert len(err.splitlines()) == 1


def test_a_folder_without_pictures_is_refused(tmp_path):
    with pytest.raises(DataError, match="holds no pictures"):
        image_files([tmp_path])


def test_a_translator_matches_nothing(dragoman):
    golden = Path(__file__).parents[2] / "golden" / "run-v1"
    code, _, err = dragoman("match", golden, "--text", "a", "b.png")
    assert code == 2
    assert "cannot match images and texts. Use it with `dragoman translate`" in err


def test_captions_longer_than_the_table_are_refused(trained, tmp_path):
    with pytest.raises(ConfigError, match=r"batches.longest = 9 is more than model.text.longest"):
        train(trained.recipe, ["batches.longest=9"], folder=tmp_path / "run")


def test_a_recipe_can_start_from_such_a_run(trained, tmp_path):
    start = f"start={{from = '{trained.run}'}}"
    train(trained.recipe, [start, "training.steps=2", "corpus.seed=9"], folder=tmp_path / "run")
    rows = read_log(tmp_path / "run" / "metrics.jsonl")
    assert rows[-1]["loss"] < math.log(7)
    assert read_recipe(tmp_path / "run" / "recipe.toml").start is not None
    before, after = (Matcher.load(run).pixels for run in (trained.run, tmp_path / "run"))
    assert before == after


def test_each_kind_of_caption_has_its_detail():
    caption = Caption("red heart", ("love", "heart", "emotion", "a", "b", "c"), "en")
    alone, several, name, both = (worded(caption, kind, 4) for kind in KINDS)
    assert alone in caption.keywords
    assert len(several.split(", ")) == 4
    assert name == "red heart"
    assert both == f"red heart, {several}"
    assert worded(Caption("red heart"), KINDS[0], 1) == ""


def test_images_of_which_a_language_says_nothing_are_not_asked_for(trained):
    tested = images_to_test(trained.run)["test"]
    said = list(tested.said)
    said[0] = type(said[0])(said[0].image, (said[0].captions[0],))
    found = judge_matches(Matcher.load(trained.run), Unseen(tested.images, said), "x", ("name",))
    english, hindi = found.matches
    assert (english.to_text.questions, hindi.to_text.questions) == (7, 6)
    assert hindi.to_image.candidates == 7
