"""`dragoman plan RECIPE`: predictions and proposals for a budget, without the clock."""

import json

import pytest
from tests.measured_speeds import FLOPS_PER_SECOND, made_up_measurements

from dragoman.planner import new as chooser
from dragoman.planner.measure import Speed


@pytest.fixture(autouse=True)
def sample(monkeypatch):
    return made_up_measurements(monkeypatch)


def test_the_first_word_may_be_a_recipe_and_the_whole_training_is_predicted(dragoman, sample):
    code, out, err = dragoman("plan", "english-hindi")
    assert (code, err) == (0, "")
    lines = dict(line.rsplit("  ", 1) for line in out.split("\n\n")[1].splitlines())
    rows = {name.strip(): value.strip() for name, value in lines.items()}
    assert rows["steps"] == "2,700"
    assert rows["FLOP/s reached"] == "50.0 GFLOP/s"
    assert rows["tokens"] == "432,000"
    assert rows["memory of the process"].endswith("MiB")
    assert "wall clock" in rows
    assert len(sample.measured) == 1
    assert "Proposed" not in out


def test_options_may_come_before_the_recipe_and_the_command_has_a_name(dragoman):
    first = dragoman("plan", "--time", "5m", "english-hindi")
    assert first[0] == 0
    assert dragoman("plan", "english-hindi", "--time", "5m") == first
    assert dragoman("plan", "budget", "english-hindi", "--time", "5m") == first


def test_a_time_gives_the_steps_that_fit_and_proposes_a_size(dragoman, sample):
    code, out, _ = dragoman("plan", "english-hindi", "--time", "10m", "--json")
    found = json.loads(out)
    assert code == 0
    assert 570 < found["wall_clock_seconds"] <= 600
    assert found["steps"] == found["recipe"]["training"]["steps"]
    assert found["flops_per_second"] == pytest.approx(FLOPS_PER_SECOND)
    assert len(found["sizes"]) >= 4
    assert found["proposal"] in found["sizes"]
    assert all(one["wall_clock_seconds"] <= 600 for one in found["sizes"])
    assert sum(one["measured"] for one in found["sizes"]) == len(sample.measured) >= 3
    assert found["proposal"]["measured"]


def test_the_proposal_can_be_typed_as_changes_of_the_recipe(dragoman):
    _, out, _ = dragoman("plan", "english-hindi", "--flops", "1e14")
    (line,) = [one for one in out.splitlines() if one.startswith("Proposed: ")]
    changes = line.removeprefix("Proposed: ").split()
    assert "Measured sizes" in out
    code, shown, _ = dragoman("show", "english-hindi", *changes)
    assert code == 0
    assert changes[-1].replace("training.steps=", "steps = ") in shown


def test_memory_alone_is_a_budget(dragoman):
    _, out, _ = dragoman("plan", "english-hindi", "--memory", "340M", "--json")
    found = json.loads(out)
    assert found["steps"] == 2700
    assert {one["fits_memory"] for one in found["sizes"]} == {True, False}
    assert found["proposal"]["fits_memory"]
    assert any("memory does not fit" in line for line in found["warnings"])


def test_other_sizes_are_measured_only_for_a_budget(dragoman):
    _, out, _ = dragoman("plan", "grammar-t5", "--time", "2m", "--json")
    assert json.loads(out)["sizes"]
    assert json.loads(dragoman("plan", "grammar-t5", "--json")[1])["sizes"] == []


def test_a_law_predicts_the_loss_of_each_size(dragoman, tmp_path):
    law = {"e": 1.0, "a": 30.0, "alpha": 0.3, "b": 40.0, "beta": 0.3}
    record = {"format": "dragoman-scaling", "version": 1, "parametric": law}
    (tmp_path / "scaling.json").write_text(json.dumps({**record, "points": [{"flops": 1e9}]}))
    typed = ("plan", "english-hindi", "--time", "5m", "--law", tmp_path / "scaling.json")
    found = json.loads(dragoman(*typed, "--json")[1])
    losses = [one["validation_loss"] for one in found["sizes"]]
    assert found["proposal"]["validation_loss"] == min(losses)
    assert found["orders_of_extrapolation"] > 3
    table = dragoman(*typed)[1]
    assert "validation loss by the law" in table
    assert "orders of magnitude" in table


def test_a_prediction_is_stored_before_the_run_and_checked_after_it(dragoman, tiny, tmp_path):
    stored = tmp_path / "prediction.json"
    code, _, _ = dragoman("plan", tiny.recipe, "--output", stored)
    assert code == 0
    code, out, _ = dragoman("plan", "check", tiny.run, stored, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["steps"], found["predicted_steps"], found["differences"]) == (40, 40, [])
    for row in found["rows"]:
        assert row["ratio"] == pytest.approx(row["measured"] / row["predicted"])
    table = dragoman("plan", "check", tiny.run, stored)[1]
    assert "measured/predicted" in table
    code, _, err = dragoman("plan", tiny.recipe, "--output", stored)
    assert (code, "exists already" in err) == (2, True)


def test_a_run_of_other_settings_is_told_so(dragoman, tiny, tmp_path):
    stored = tmp_path / "prediction.json"
    dragoman("plan", tiny.recipe, "model.ffn_width=64", "training.steps=90", "--output", stored)
    table = dragoman("plan", "check", tiny.run, stored)[1]
    assert "another recipe: model.ffn_width differ" in table
    assert "times of 40 steps; the prediction was for 90" in table


def test_a_corpus_is_planned_with_the_recipe_that_new_would_choose(
    dragoman, recipe, monkeypatch, sample
):
    speed = Speed(seconds=0.1, tokens=300, steps_per_epoch=20, parameters=9)
    monkeypatch.setattr(chooser, "measure", lambda recipe, seconds, corpus: speed)
    code, out, _ = dragoman("plan", recipe.with_name("corpus.tsv"), "--time", "5m", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["name"] == "corpus"
    assert found["recipe"]["model"]["positions"] == "relative"
    assert sample.measured[0].corpus.train[0].name == "corpus.tsv"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("luong", "--time", "5 parsecs"), "is not a time"),
        (("luong", "--memory", "4Q"), "is not a size of memory"),
        (("luong", "--flops", "10"), "too small for one step"),
        (("luong", "--memory", "2M"), "no size of this model fits the budget"),
        (("luong", "--time", "30m", "--flops", "1e15"), "give one of them"),
        (("gone.tsv", "--time", "30m"), "gone.tsv: there is no such file"),
        (("nothing",), "there is no recipe of this name"),
        (("luong", "bahdanau"), "Plan one recipe, or one corpus"),
        (("training.steps=3",), "no recipe that they are for"),
        (("luong", "--law", "gone.json"), "gone.json: there is no such file"),
        (("check", "gone", "gone.json"), "gone.json: there is no such file"),
    ],
)
def test_a_mistake_is_one_line(dragoman, typed, told):
    code, out, err = dragoman("plan", *typed)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_help_shows_both_ways(dragoman):
    code, out, _ = dragoman("plan", "--help")
    assert code == 0
    assert "RECIPE|COMMAND" in out
    assert all(name in out for name in ("budget", "check", "count", "english-hindi --time"))
    assert "--flops N" in dragoman("plan", "english-hindi", "--help")[1]
