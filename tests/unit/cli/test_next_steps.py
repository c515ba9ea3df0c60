"""A verb ends with the command to type next, for people and not for programs."""

import re

import pytest

from dragoman.cli import next_steps
from dragoman.cli.evaluate import evaluate
from dragoman.config.recipe import Recipe
from dragoman.config.sections import members_of

TASKS = {
    member.model_fields["kind"].default: member
    for member in members_of(Recipe.model_fields["task"])
}


@pytest.mark.parametrize("kind", TASKS)
def test_every_task_has_a_use_by_one_of_its_own_verbs(dragoman, kind):
    use = next_steps.USES[kind]
    verbs = [verb for verb in TASKS[kind].verbs if verb != "evaluate"]
    assert use.split(" ")[:1] == (verbs[:1] or [""])
    for option in re.findall(r"--[a-z]+", use):
        assert option in dragoman(use.split()[0], "--help")[1]


@pytest.mark.parametrize("use", next_steps.USES.values())
def test_a_training_is_followed_by_its_evaluation_and_its_use(monkeypatch, capsys, use):
    monkeypatch.setattr(next_steps, "_use", lambda run: use)
    next_steps.say_next_after_training("runs/x")
    lines = capsys.readouterr().err.splitlines()
    wanted = ["evaluate runs/x", *([use.format(run="runs/x")] if use else [])]
    assert lines == [f"next:  dragoman {command}" for command in wanted]


def test_a_hint_that_cannot_be_made_is_no_reason_to_fail(tmp_path, capsys):
    next_steps.say_next_after_training(tmp_path)
    assert capsys.readouterr().err.splitlines() == [f"next:  dragoman evaluate {tmp_path}"]


def test_an_evaluation_is_followed_by_translating_and_serving_but_not_in_json(
    run, capsys, tmp_path
):
    (tmp_path / "few.tsv").write_text("sun moon\tmoon sun\n")
    evaluate(run, [tmp_path / "few.tsv"], beam=1)
    assert capsys.readouterr().err.splitlines() == [
        f"next:  dragoman translate {run} < FILE",
        f"next:  dragoman serve {run}",
    ]
    evaluate(run, [tmp_path / "few.tsv"], beam=1, as_json=True)
    assert capsys.readouterr().err == ""


def test_a_warm_up_that_outlasts_the_training_is_told_with_both_keys(dragoman, recipe, tmp_path):
    for steps, never in ((2, ", nor reaches its highest"), (3, "")):
        settings = [f"training.steps={steps}", "schedule.warmup_steps=3"]
        code, _, err = dragoman("train", recipe, *settings, "--output", tmp_path / f"{steps}")
        assert code == 0
        assert (
            f"schedule.warmup_steps = 3 is not less than training.steps = {steps}, so the learning "
            f"rate never falls{never}. Lower the first or raise the second.\n"
        ) in err
    settings = ["training.steps=2", "schedule.warmup_steps=1"]
    assert "warmup_steps" not in dragoman("train", recipe, *settings)[2]
