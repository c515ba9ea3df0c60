"""A run that is not there: only real runs are offered, and a failed training leaves none."""

from pathlib import Path

import pytest

import dragoman as public
from dragoman.core.errors import RunError


@pytest.fixture
def home(monkeypatch, tmp_path):
    """Go to a folder that has two runs and much else."""
    monkeypatch.chdir(tmp_path)
    for name in (".mypy_cache", "nowhen", "runs/nowhat"):
        Path(name).mkdir(parents=True)
    Path("nowhen/recipe.toml").touch()
    for name, content in (("norun", "model.safetensors"), ("runs/demo", "state/step-7/x")):
        file = Path(name) / content
        file.parent.mkdir(parents=True)
        file.touch()
        (Path(name) / "recipe.toml").touch()
    return tmp_path


@pytest.mark.parametrize("verb", ["translate", "evaluate", "serve", "classify", "score", "fill"])
def test_only_folders_that_hold_a_run_are_offered(dragoman, home, verb):
    for asked, hint in {
        "norum": "Did you mean 'norun'?",
        "xyz": "Runs: norun, runs/demo.",
        "demo": "Did you mean 'runs/demo'?",
        "runs/dmo": "Did you mean 'demo'?",
        "deep/er": "Runs: runs/demo.",
    }.items():
        code, out, err = dragoman(verb, asked, *(["x ___"] if verb in ("score", "fill") else []))
        assert (code, out) == (2, "")
        assert err == f"dragoman: {asked}: there is no such run folder. {hint}\n"


def test_of_many_runs_the_closest_few_are_offered(home):
    for number in range(30):
        run = Path(f"many/number-{number}")
        run.mkdir(parents=True)
        (run / "recipe.toml").touch()
        (run / "model.safetensors").touch()
    with pytest.raises(RunError) as told:
        public.load("many/xyz")
    assert str(told.value).count("number-") <= 5
    assert str(told.value).endswith(" more.")


def test_a_file_is_not_a_run_folder_and_a_folder_of_other_things_offers_nothing(home):
    with pytest.raises(RunError, match=r"^/etc/passwd: is a file, not a run folder\.$"):
        public.load("/etc/passwd")
    Path("runs/demo/recipe.toml").unlink()
    with pytest.raises(RunError, match=r"^/usr/nowhere: there is no such run folder\.$"):
        public.load("/usr/nowhere")


def test_a_training_that_fails_before_it_began_leaves_no_folder(dragoman, recipe, monkeypatch):
    monkeypatch.chdir(recipe.parent)
    missing = f"corpus.train={recipe.parent / 'none.tsv'}"
    assert dragoman("train", recipe, missing)[0] == 2
    assert not Path("runs").exists()
    (recipe.parent / "kept").mkdir()
    assert dragoman("train", recipe, missing, "--output", "kept")[0] == 2
    assert list(Path("kept").iterdir()) == []
    assert dragoman("train", recipe, "training.steps=2", "--output", "kept")[0] == 0
    assert Path("kept/model.safetensors").is_file()


def test_a_training_that_fails_leaves_what_was_in_its_folder(dragoman, recipe, monkeypatch):
    monkeypatch.chdir(recipe.parent)
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("keep me")
    assert dragoman("train", recipe, "corpus.train=none.tsv", "--output", "mine")[0] == 2
    assert Path("mine/notes.txt").read_text() == "keep me"
