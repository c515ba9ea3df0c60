"""R10: runs of every kind, stored before much was renamed, still load, work and train on."""

import json
from pathlib import Path

import pytest
from tests.golden.kinds import MORE, USES, copied, train_on, written_by

from dragoman import trainer
from dragoman.config.reading import read_recipe
from dragoman.engine.checkpoint.state import check_state
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.language_model.adapted_models import load_language_models
from dragoman.trainer import train

STORED = Path(__file__).with_name("run-v2")
EVERY = pytest.mark.parametrize("name", USES)
CLOSE = 1e-3


@pytest.fixture(autouse=True)
def _no_curves(monkeypatch):
    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))


@pytest.fixture
def old(name, tmp_path):
    """Give a copy of a stored run, to be changed at will; what it may have started from is gone."""
    return copied(STORED / name, tmp_path / name)


def expected(name):
    return json.loads((STORED / name / "expected.json").read_text(encoding="utf-8"))


def leaves(value):
    """Yield the texts and numbers of plain values, in their order."""
    if isinstance(value, dict):
        value = value.items()
    if isinstance(value, str | int | float):
        yield value
    else:
        for one in value:
            yield from leaves(one)


def check_alike(found, wanted):
    """Texts are the same to the letter, numbers nearly."""
    found, wanted = [*leaves(found)], [*leaves(wanted)]
    assert [one for one in found if isinstance(one, str)] == [
        one for one in wanted if isinstance(one, str)
    ]
    numbers = [one for one in wanted if not isinstance(one, str)]
    assert [one for one in found if not isinstance(one, str)] == pytest.approx(numbers, abs=CLOSE)


def test_every_kind_of_task_is_among_them():
    assert {path.name for path in STORED.iterdir()} == set(USES)
    kinds = {read_recipe(STORED / name / "recipe.toml").task.kind for name in USES}
    assert len(kinds) == 8


@EVERY
def test_its_recipe_reads(name):
    recipe = read_recipe(STORED / name / "recipe.toml")
    assert (recipe.name, recipe.seed, recipe.training.threads) == (name, 3, 1)
    assert recipe.made_with is not None


@EVERY
def test_it_gives_what_it_gave(name):
    check_alike(USES[name].outputs(STORED / name), expected(name)["outputs"])


@EVERY
def test_it_is_judged_as_it_was(name, old):
    check_alike(USES[name].figures(old), expected(name)["figures"])


@EVERY
def test_its_state_is_whole(name):
    (state,) = (STORED / name / "state").iterdir()
    check_state(state)
    assert "step" in read_weights(STORED / name / "model.safetensors").notes


@EVERY
def test_it_is_known_to_be_finished(name, old, capsys):
    steps = read_recipe(old / "recipe.toml").training.steps
    assert train(old / "recipe.toml", folder=old).step == steps
    assert "this run is finished" in capsys.readouterr().err


@EVERY
def test_it_trains_on_as_it_did(name, old, capsys):
    steps = read_recipe(old / "recipe.toml").training.steps
    log = (old / "metrics.jsonl").read_text().splitlines()
    data = {path: path.stat().st_mtime_ns for path in (old / "data").iterdir()}
    losses = train_on(old)
    assert f"resuming from step {steps}" in capsys.readouterr().err
    assert [*losses] == [*range(steps + 1, steps + MORE + 1)]
    assert [*losses.values()] == pytest.approx(expected(name)["losses"], rel=CLOSE)
    assert (old / "metrics.jsonl").read_text().splitlines()[: len(log)] == log
    assert (old / "data/checksums.json").is_file()
    assert {path: path.stat().st_mtime_ns for path in data} == data


def test_an_adapter_is_put_on_the_run_it_started_from():
    runs = ("language", "language-lora")
    writers = load_language_models({name: STORED / name for name in runs})
    for name in runs:
        check_alike(written_by(writers[name]), expected(name)["outputs"])
    shared, own = (next(writers[name].model.parameters()).data_ptr() for name in runs)
    assert shared == own


def test_they_are_small_and_name_no_machine():
    files = [path for path in STORED.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_500_000
    for path in files:
        content = path.read_bytes()
        assert not any(
            place in content for place in (b"/home", b"/root", b"/tmp", b"/Users", b"/work")
        ), path
