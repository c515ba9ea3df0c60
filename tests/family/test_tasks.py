"""One gauntlet for the runs of every task: they resume exactly, refuse other verbs, and reload."""

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from tests.golden.kinds import USES, copied

from dragoman.config.reading import read_recipe
from dragoman.engine.checkpoint.weights import read_weights, write_weights

STORED = Path(__file__).parents[1] / "golden" / "run-v2"
EVERY = pytest.mark.parametrize("name", USES)
MORE, CUT = 10, 8
"""Steps that are added to a run, and after how many of them the power is cut."""

VERBS = {
    "translate": ("translation",),
    "generate": ("language-model", "translation-decoder-only"),
    "score": ("language-model", "masked-lm", "translation-decoder-only"),
    "fill": ("masked-lm",),
    "classify": ("text-classification", "image-classification", "image-text"),
    "match": ("image-text",),
}
"""The tasks that each verb serves, and single runs: a decoder alone continues any text."""

ARGUMENTS = {"generate": ["one"], "fill": ["a ___"], "match": ["--text", "red", "."]}


@EVERY
def test_a_run_that_was_cut_off_ends_with_the_bits_of_an_uninterrupted_one(
    name, tmp_path, resumes_exactly
):
    steps = read_recipe(STORED / name / "recipe.toml").training.steps
    changes = [
        f"training.steps={steps + MORE}",
        *("training.log_every=1", "training.validate_every=5", "training.checkpoint_every=3"),
    ]
    folders = [copied(STORED / name, tmp_path / end / name) for end in ("whole", "cut")]
    resumes_exactly(None, changes, steps + CUT, folders)


@pytest.mark.parametrize("verb", VERBS)
@EVERY
def test_a_verb_of_another_task_is_refused_with_the_task_of_the_run(
    name, verb, dragoman, monkeypatch
):
    kind = read_recipe(STORED / name / "recipe.toml").task.kind
    if {kind, name} & {*VERBS[verb]}:
        return
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"red\n")))
    code, _, err = dragoman(verb, STORED / name, *ARGUMENTS.get(verb, []))
    assert code == 2
    assert f"task.kind = {kind!r}" in err


@EVERY
def test_weights_that_are_read_and_written_again_give_the_same(name, tmp_path):
    run = copied(STORED / name, tmp_path / name)
    before = USES[name].outputs(run)
    weights = read_weights(run / "model.safetensors")
    (run / "model.safetensors").unlink()
    write_weights(run / "model.safetensors", weights.tensors, weights.notes)
    assert USES[name].outputs(run) == before
