"""Predictions: what they hold, how they are stored, and how they compare with runs."""

import json

import pytest

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.core.errors import ConfigError, RunError
from dragoman.planner.budget.check import RunTimes, check_prediction, compared, run_times
from dragoman.planner.budget.law import LossLaw, read_law
from dragoman.planner.budget.machine import cpu_name
from dragoman.planner.budget.prediction import (
    as_json,
    predict,
    read_record,
    recipe_digest,
    write_record,
)
from dragoman.planner.measure import PROGRAM, Speed

RECIPE = read_recipe(find_recipe("grammar-gpt"))
SPEED = Speed(
    seconds=0.2, tokens=2000, steps_per_epoch=50, parameters=7000, flops=1e9, memory=2**20,
    validation=3.0, checkpoint=0.5, threads=2,
)  # fmt: skip


def test_a_prediction_multiplies_the_cost_of_a_step():
    found = predict(RECIPE, SPEED, 100)
    assert found.flops == 1e11
    assert found.flops_per_second == 5e9
    assert found.tokens == 200_000
    assert found.epochs == 2
    assert found.corpus_tokens == 100_000


def test_a_stored_prediction_names_recipe_machine_software_and_date(tmp_path):
    record = as_json(predict(RECIPE, SPEED))
    write_record(tmp_path / "p.json", record)
    found = read_record(tmp_path / "p.json")
    assert found["recipe_sha256"] == recipe_digest(RECIPE)
    assert found["machine"]["cpu"] == cpu_name() != ""
    assert found["machine"]["threads"] == 2
    assert found["software"]["torch"]
    assert found["date"].endswith("+00:00")
    assert found["seconds_per_step"] == 0.2
    assert found["process_memory_bytes"] == PROGRAM + 2**20


def test_a_stored_prediction_is_not_overwritten(tmp_path):
    (tmp_path / "p.json").write_text("{}")
    with pytest.raises(ConfigError, match="not overwritten"):
        write_record(tmp_path / "p.json", {})


def test_the_digest_knows_every_setting_but_not_the_threads():
    threads = RECIPE.training.model_copy(update={"threads": 7})
    assert recipe_digest(RECIPE) == recipe_digest(RECIPE.model_copy(update={"training": threads}))
    assert recipe_digest(RECIPE) != recipe_digest(lasting(RECIPE, 7))


LOG = [
    {"kind": "train", "step": 50, "seconds": 11.0},
    {"kind": "validation", "step": 50, "seconds": 4.0},
    {"kind": "train", "step": 100, "seconds": 10.0},
    {"kind": "validation", "step": 120, "seconds": 2.0},
]


def test_the_times_of_a_log_are_added_up():
    assert run_times(LOG) == RunTimes(100, 21.0, 2, 6.0)


def test_a_run_is_compared_by_its_own_steps_and_validations():
    record = {"seconds_per_step": 0.2, "seconds_per_validation": 3.0, "steps": 400}
    found = compared(record, run_times(LOG))
    rows = {name: (predicted, measured) for name, predicted, measured in found.rows}
    assert rows["seconds per step"] == (0.2, 0.21)
    assert rows["seconds per validation"] == (3.0, 3.0)
    assert rows["seconds of 100 steps and validations"] == (26.0, 27.0)


def run_of(recipe, folder):
    from dragoman.config.writing import recipe_to_toml

    folder.mkdir()
    (folder / "recipe.toml").write_text(recipe_to_toml(recipe))
    lines = "".join(json.dumps(row) + "\n" for row in LOG)
    (folder / "metrics.jsonl").write_text(lines)
    return folder


def test_a_run_of_the_predicted_recipe_has_no_differences(tmp_path):
    write_record(tmp_path / "p.json", as_json(predict(RECIPE, SPEED)))
    found = check_prediction(run_of(RECIPE, tmp_path / "run"), tmp_path / "p.json")
    assert (found.steps, found.differences) == (100, ())


def test_a_run_of_another_recipe_is_told_by_its_keys(tmp_path):
    write_record(tmp_path / "p.json", as_json(predict(RECIPE, SPEED)))
    model = RECIPE.model.model_copy(update={"width": 64})
    other = lasting(RECIPE.model_copy(update={"model": model}), 9)
    found = check_prediction(run_of(other, tmp_path / "run"), tmp_path / "p.json")
    assert found.differences == ("model.width",)


def test_a_folder_without_a_run_or_without_steps_is_refused(tmp_path):
    write_record(tmp_path / "p.json", as_json(predict(RECIPE, SPEED)))
    with pytest.raises(RunError, match="is no run folder"):
        check_prediction(tmp_path, tmp_path / "p.json")
    run = run_of(RECIPE, tmp_path / "run")
    (run / "metrics.jsonl").unlink()
    with pytest.raises(RunError, match="no logged steps"):
        check_prediction(run, tmp_path / "p.json")


LAW = {"e": 1.0, "a": 10.0, "alpha": 0.5, "b": 20.0, "beta": 0.25}


def law_file(path, parametric, version=1):
    record = {"format": "dragoman-scaling", "version": version, "parametric": parametric}
    path.write_text(json.dumps({**record, "points": [{"flops": 1e9}, {"flops": 1e12}]}))
    return path


def test_a_law_predicts_the_loss_and_says_how_far_it_is_extended(tmp_path):
    law = read_law(law_file(tmp_path / "scaling.json", LAW))
    assert law.loss(100, 16) == pytest.approx(1 + 10 / 10 + 20 / 2)
    assert law.orders_beyond(1e14) == pytest.approx(2)
    assert law.orders_beyond(1e10) == 0
    assert LossLaw(**LAW).orders_beyond(1e30) == 0


@pytest.mark.parametrize(
    ("parametric", "version", "told"),
    [
        (None, 1, "holds no parametric law"),
        ({"e": 1.0}, 1, "lacks one of"),
        ({**LAW, "b": "many"}, 1, "lacks one of"),
        (LAW, 2, "has version 2"),
    ],
)
def test_what_is_no_law_is_refused(tmp_path, parametric, version, told):
    with pytest.raises(ConfigError, match=told):
        read_law(law_file(tmp_path / "scaling.json", parametric, version))


@pytest.mark.parametrize("text", ["", "[]", "{}", "nan", '{"format": "other"}'])
def test_a_file_of_something_else_is_no_prediction(tmp_path, text):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(ConfigError, match="is no prediction"):
        read_record(tmp_path / "p.json")


def lasting(recipe, steps):
    """Return a recipe with another number of steps."""
    training = recipe.training.model_copy(update={"steps": steps})
    return recipe.model_copy(update={"training": training})
