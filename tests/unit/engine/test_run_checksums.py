"""What surrounds the weights of a run: damage to it is told by every verb, before it does harm."""

import shutil
from pathlib import Path

import pytest

from dragoman.core.errors import CheckpointError, DragomanError
from dragoman.engine.checkpoint import folder as run_folder
from dragoman.engine.checkpoint.load import load_run
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.trainer import train

GOLDEN = Path(__file__).parents[2] / "golden"


def change(path: Path) -> None:
    """Change one byte into another that the file could have as well."""
    content = bytearray(path.read_bytes())
    place = len(content) // 2
    while not chr(content[place]).isalpha() and path.suffix != ".bin":
        place += 1
    content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("verb", ["translate", "evaluate", "export", "serve", "train"])
@pytest.mark.parametrize("name", ["tokenizer.json", "recipe.toml"])
def test_every_verb_refuses_a_changed_tokenizer_or_recipe(
    tiny, run, tmp_path, dragoman, verb, name
):
    change(run / name)
    arguments = {
        "export": [run, tmp_path / "out"],
        "train": [tiny.recipe, "training.steps=41", "--output", run],
        "serve": [run, "--port", 0],
    }.get(verb, [run])
    code, _, said = dragoman(verb, *arguments)
    assert code == 2
    assert f"dragoman: {run / name}: does not fit its SHA-256" in said


@pytest.mark.parametrize(
    "name",
    ["train.tokens.bin", "train.starts.bin", "train.source_lengths.bin", "train.target_lengths.bin",
     "train.json", "valid.source.txt", "valid.target.txt", "split.json"],
)  # fmt: skip
def test_a_training_refuses_to_go_on_with_changed_data(tiny, run, name):
    change(run / "data" / name)
    with pytest.raises(DragomanError, match=name):
        train(tiny.recipe, ["training.steps=41"], folder=run)


def test_an_evaluation_refuses_a_changed_test_set(run, dragoman):
    change(run / "data/test-test.target.txt")
    code, _, said = dragoman("evaluate", run)
    assert code == 2
    assert "test-test.target.txt: does not fit its SHA-256" in said


def test_a_recipe_that_was_changed_on_purpose_is_taken_without_its_checksums(run):
    text = (run / "recipe.toml").read_text()
    (run / "recipe.toml").write_text(text.replace("beam = 2", "beam = 3"))
    with pytest.raises(CheckpointError, match="if you changed it on purpose"):
        BareTranslator.load(run)
    (run / "checksums.json").unlink()
    assert load_run(run).recipe.decoding.beam == 3


def test_a_run_of_an_earlier_version_opens_and_says_so_once(capsys):
    run_folder._say_unchecked.cache_clear()
    for _ in range(2):
        assert BareTranslator.load(GOLDEN / "run-v1").translate("sun moon")
    assert capsys.readouterr().err.count("run-v1: has no checksums.json") == 1


def test_training_adds_the_checksums_that_an_earlier_version_did_not_note(tiny, run, result):
    for path in run.rglob("checksums.json"):
        path.unlink()
    train(tiny.recipe, folder=run)
    assert result(run) == tiny.result
    for name in ("tokenizer.json", "recipe.toml", "data/train.tokens.bin"):
        kept = shutil.copyfile(run / name, run / "kept")
        change(run / name)
        with pytest.raises(CheckpointError, match=Path(name).name):
            train(tiny.recipe, ["training.steps=41"], folder=run)
        shutil.copyfile(kept, run / name)


def test_data_that_must_be_prepared_again_must_come_out_the_same(tiny, run):
    (run / "data/prepared.json").unlink()
    corpus = tiny.recipe.parent / "corpus.tsv"
    whole = corpus.read_text()
    try:
        corpus.write_text(whole.replace("sun", "son"))
        with pytest.raises(CheckpointError, match="does not fit its SHA-256"):
            train(tiny.recipe, ["training.steps=41"], folder=run)
    finally:
        corpus.write_text(whole)


def test_a_log_that_was_changed_is_told_on_resuming(tiny, run, capsys):
    log = run / "metrics.jsonl"
    log.write_text(log.read_text().replace('"epoch": 0', '"epoch": 7', 1))
    train(tiny.recipe, ["training.steps=41"], folder=run)
    assert f"{log}: is damaged" in capsys.readouterr().err
