"""CLIP through the one recipe and the one loop, on coloured patterns that their names describe."""

import json
import math
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from PIL import Image
from tests.toy_pictures import COLORS, write_corpus

from dragoman import trainer
from dragoman.config.reading import read_recipe
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.batching.caption_sets import load_caption_sets
from dragoman.data.formats.captioned import Caption
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.tasks.image_text import plot as draw_matches
from dragoman.tasks.image_text.evaluate import (
    KINDS,
    HeldOutImages,
    caption_text,
    evaluate_matches,
    images_to_test,
    score_matches,
)
from dragoman.tasks.image_text.matcher import Matcher, image_files
from dragoman.tasks.image_text.plot import RIGHT
from dragoman.trainer import train


@pytest.fixture(autouse=True, scope="module")
def _no_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
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
    assert len({sample["source"] for sample in last["samples"]}) == len(last["samples"]) > 1


def test_unseen_images_are_found_more_often_than_by_chance(trained):
    tested = images_to_test(trained.run)["test"]
    found = score_matches(Matcher.load(trained.run), tested, "test")
    assert [(one.language, one.kind) for one in found.matches] == [
        (language, kind) for language in ("en", "hi") for kind in KINDS
    ]
    names = [one for one in found.matches if one.kind == "name"]
    ranks = [way.median_rank for one in names for way in (one.to_image, one.to_text)]
    assert max(ranks) < names[0].to_image.chance_median
    alone = found.matches[0]
    assert alone.words == 1.0
    assert alone.to_text.candidates < alone.to_text.questions  # equal keywords count once


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
    assert out.count("name and keywords") == 8  # four rows, and four that say what they add
    assert re.search(r"recall@10.*\n.*\d+\.\d \[\d+, \d+\] \(\d+\.\d\)", out)
    assert "one keyword → name" in out
    (stored,) = json.loads((run / "scores.json").read_text()).values()
    assert stored["images"] == 7
    assert stored["matches"][0]["to_image"]["chance"]["1"] > 0
    card = (run / "card.md").read_text()
    assert "matches images and texts, trained on 22 images" in card
    assert "| test | en | one keyword | 1.0 | text → image |" in card
    assert "nats per pair" in card
    code, out, _ = dragoman("evaluate", run, "--json")
    assert json.loads(out)[0]["matches"][0]["kind"] == "one keyword"


def framed(run, nearest, monkeypatch):
    """Count the pixels of frames around right answers, with so many shown for each caption."""
    monkeypatch.setattr(draw_matches, "NEAREST", nearest)
    evaluate_matches(run)
    with Image.open(run / "matches.png") as drawn:
        counts = {color: count for count, color in drawn.convert("RGB").getcolors(1 << 24)}
    return counts.get(RIGHT, 0)


def test_evaluation_draws_what_is_found_and_frames_what_is_right(run, monkeypatch):
    matcher, tested = Matcher.load(run), images_to_test(run)["test"]
    asked = draw_matches._spread(tested.said)
    nearest = (matcher.read([text for _, text in asked]) @ matcher.see(tested.images).T).argmax(1)
    hits = [found == example for found, (example, _) in zip(nearest.tolist(), asked, strict=True)]
    assert 0 < sum(hits) < len(hits)
    every = framed(run, len(tested), monkeypatch)  # all are shown, so the right one is, too
    assert framed(run, 1, monkeypatch) * len(hits) == every * sum(hits)


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
    assert sum("blue" in Path(row[1]).name for row in rows[10:16]) >= 4  # one by chance
    shares = [float(row[2]) for row in rows[:10]]
    assert shares == sorted(shares, reverse=True)


def test_a_picture_finds_the_texts_of_classes(trained, dragoman):
    prompts = [part for color in COLORS for part in ("--text", color)]
    right = 0
    for color in COLORS:
        image = trained.folder / "drawn" / f"{color}-stripes.png"
        code, out, _ = dragoman("match", trained.run, "--image", image, *prompts, "--top", 1)
        assert code == 0
        right += out.split("\t")[1] == color
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
        (["--text", "red"], "Give either images"),
        (["--text", "red", "--image", "a.png", "b.png"], "Give either images"),
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
    golden = Path(__file__).parents[3] / "golden" / "run-v1"
    code, _, err = dragoman("match", golden, "--text", "a", "b.png")
    assert code == 2
    assert "cannot match images and texts. Use it with `dragoman translate`" in err


def test_captions_longer_than_the_table_are_refused(trained, tmp_path):
    with pytest.raises(
        ConfigError, match=r"batches.max_length = 9 is more than model.text.max_positions"
    ):
        train(trained.recipe, ["batches.max_length=9"], folder=tmp_path / "run")


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
    alone, several, name, both = (caption_text(caption, kind, 4) for kind in KINDS)
    assert alone in caption.keywords
    assert len(several.split(", ")) == 4
    assert name == "red heart"
    assert both == f"red heart, {several}"
    assert caption_text(Caption("red heart"), KINDS[0], 1) == ""


def test_images_of_which_a_language_says_nothing_are_not_asked_for(trained):
    tested = images_to_test(trained.run)["test"]
    said = list(tested.said)
    said[0] = type(said[0])(said[0].image, (said[0].captions[0],))
    found = score_matches(
        Matcher.load(trained.run), HeldOutImages(tested.images, said), "x", ("name",)
    )
    english, hindi = found.matches
    assert (english.to_text.questions, hindi.to_text.questions) == (7, 6)
    assert hindi.to_image.candidates == 7
