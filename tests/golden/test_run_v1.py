"""R10: a run folder of format 1, stored when it was new, still loads, translates and trains on."""

import json
import shutil
from pathlib import Path

import pytest

from dragoman.config.reading import read_recipe
from dragoman.engine.checkpoint.state import check_state
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import evaluate
from dragoman.trainer import train

STORED = Path(__file__).with_name("run-v1")
EXPECTED = json.loads((STORED / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def old(tmp_path):
    """Give a copy of the stored run, with its own place where the paths of its maker stood."""
    folder = Path(shutil.copytree(STORED, tmp_path / "run-v1"))
    for name in ("prepared.json", "split.json"):
        path = folder / "data" / name
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("@FOLDER@", str(folder)), encoding="utf-8")
    return folder


def test_its_recipe_reads():
    recipe = read_recipe(STORED / "recipe.toml")
    assert (recipe.name, recipe.model.width) == ("run-v1", 8)
    assert recipe.made_with is not None


def test_it_translates_as_it_did():
    translator = BareTranslator.load(STORED)
    sources = [*EXPECTED["beam"]]
    found = [best[0] for best in translator.candidates(sources)]
    assert [one.text for one in found] == [*EXPECTED["beam"].values()]
    scores = [one.log_probability for one in found]
    assert scores == pytest.approx(EXPECTED["scores"], abs=1e-3)


def test_its_state_is_whole():
    check_state(STORED / "state" / "step-900")
    assert read_weights(STORED / "model.safetensors").notes["step"] == "600"


def test_it_is_judged(old):
    (judged,) = evaluate(old, beam=1, bootstrap=0)
    assert judged.sentences == 20
    assert judged.scores["bleu"].value > 5


def test_it_is_known_to_be_finished(old, capsys):
    assert train(old / "recipe.toml", folder=old).step == 900
    assert "this run is finished" in capsys.readouterr().err


def test_it_trains_on(old, capsys):
    before = (old / "metrics.jsonl").read_text().splitlines()
    train(old / "recipe.toml", ["training.steps=910", "training.log_every=5"], folder=old)
    said = capsys.readouterr().err
    assert "resuming from step 900" in said
    assert "reading the corpus" not in said
    after = (old / "metrics.jsonl").read_text().splitlines()
    assert after[: len(before)] == before
    rows = [json.loads(line) for line in after[len(before) :]]
    assert [row["step"] for row in rows if row["kind"] == "train"] == [905, 910]
    assert all(row["loss"] < 1.0 for row in rows if row["kind"] == "train")


def test_it_is_small_and_names_no_machine():
    files = [path for path in STORED.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 300_000
    for path in files:
        if path.suffix in (".json", ".toml", ".md", ".txt"):
            text = path.read_text(encoding="utf-8")
            assert not any(place in text for place in ("/home", "/root", "/tmp", "/Users", "/work"))
