"""What `import dragoman` offers, tried on a stored run of every kind of task."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.toy_tags import NETWORKS, write_marker

import dragoman

STORED = Path(__file__).with_name("run-v2")
CLASSES = {
    "translation": dragoman.Translator,
    "translation-recurrent": dragoman.Translator,
    "translation-decoder-only": dragoman.Translator,
    "language": dragoman.LanguageModel,
    "masked": dragoman.MaskedLanguageModel,
    "classification": dragoman.Classifier,
    "images": dragoman.ImageClassifier,
    "autoencoding": dragoman.Reconstructor,
    "image-text": dragoman.Matcher,
}
SCRIPT = """
from pathlib import Path

import dragoman

RUNS = Path(__file__).parent


def main() -> None:
    translator = dragoman.Translator.load(RUNS / "translation")
    translations: list[str] = translator.translate(["a b", "b a"])
    assert len(translations) == 2
    writer = dragoman.LanguageModel.load(str(RUNS / "language"))
    assert writer.score(["a"])[0].total < 0
    filler = dragoman.MaskedLanguageModel.load(RUNS / "masked")
    assert filler.fill("a ___")
    classifier = dragoman.Classifier.load(RUNS / "classification")
    assert classifier.classify(["good"])[0].label in classifier.classes
    tagger = dragoman.Tagger.load(RUNS / "tagging")
    (tagged,) = tagger.tag([["a", "cat"]])
    labels: tuple[str, ...] = tagged.labels
    assert len(labels) == 2 and set(labels) <= set(tagger.labels)
    assert dragoman.ImageClassifier.load(RUNS / "images").classes
    assert dragoman.Matcher.load(RUNS / "image-text").pixels.size
    assert dragoman.Reconstructor.load(RUNS / "autoencoding").pixels.size
    loaded = dragoman.load(RUNS / "translation")
    assert isinstance(loaded, dragoman.Translator)
    tokenizers = dragoman.TokenizerPair.load(RUNS / "translation" / "tokenizer.json")
    tokenizer: dragoman.Tokenizer = tokenizers.source
    assert tokenizer.decode(tokenizer.encode("a b"))
    (found,) = dragoman.evaluate(str(RUNS / "language"))
    assert found.name == "test"
    try:
        dragoman.train(RUNS / "nothing.toml", ["training.steps=1"])
    except dragoman.ConfigError as error:
        assert isinstance(error, dragoman.DragomanError)
    except (dragoman.DataError, dragoman.RunError, dragoman.CheckpointError):
        raise
    recipe: type[dragoman.Recipe] = dragoman.Recipe
    assert recipe.__name__ == "Recipe" and issubclass(dragoman.DivergedError, Exception)


main()
"""


@pytest.fixture(scope="module")
def tagger(tmp_path_factory):
    """Train a tagger for a moment: there was none when the runs were stored."""
    folder = tmp_path_factory.mktemp("tagger")
    changes = [*NETWORKS["bi-lstm"], "training.steps=1"]
    return dragoman.train(write_marker(folder), changes, folder=folder / "run").folder


def test_a_tagger_is_loaded_and_evaluated_by_its_run_alone(tagger):
    assert type(dragoman.load(tagger)) is dragoman.Tagger
    (found,) = dragoman.evaluate(tagger)
    assert found.name == "test"


@pytest.mark.parametrize("name", CLASSES)
def test_a_run_is_loaded_as_what_its_task_makes_of_it(name):
    assert type(dragoman.load(STORED / name)) is CLASSES[name]


def test_a_network_that_is_only_there_to_be_fine_tuned_says_so():
    with pytest.raises(dragoman.RunError, match="there to be fine-tuned"):
        dragoman.load(STORED / "spans")


@pytest.mark.parametrize("name", ["language", "classification", "images", "masked", "spans"])
def test_any_task_is_evaluated_by_its_run_alone(name, tmp_path):
    run = shutil.copytree(STORED / name, tmp_path / name)
    (found,) = dragoman.evaluate(str(run))
    assert found.name == "test"
    assert (run / "scores.json").is_file()
    with pytest.raises(dragoman.ConfigError, match="translates nothing"):
        dragoman.evaluate(run, beam=4)


@pytest.fixture
def script(tmp_path, tagger):
    """Lay a user's script beside copies of the runs that it names."""
    shutil.copytree(tagger, tmp_path / "tagging")
    for name in CLASSES:
        shutil.copytree(STORED / name, tmp_path / name)
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def test_a_user_s_script_runs(script):
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, cwd=script.parent
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_user_s_script_passes_strict_type_checking(script):
    options = ["--strict", "--cache-dir", str(script.parent / "cache"), "--follow-imports=silent"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=script.parent,
    )
    assert done.returncode == 0, done.stdout
