"""In context: tasks that no text showed, frozen weights, and a verdict that can fall every way."""

import json

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.everyday_tasks import draw_everyday
from dragoman.data.corpus.generators.in_context import (
    FRAMES,
    FewShotPrompt,
    RuleTask,
    draw_prompts,
)
from dragoman.lab.experiments.in_context import experiment as in_context
from dragoman.lab.experiments.in_context.data import (
    EVERYDAY,
    LETTERS,
    MOST,
    MOVED,
    OTHER,
    RIGHT,
    SHOTS,
    SHOWN,
    Documents,
    PromptSet,
    answer_all,
    ask_of_everyday,
    ask_of_letters,
    exchange_examples,
    guess,
    read_word,
    write_documents,
)
from dragoman.lab.experiments.in_context.experiment import EXPERIMENT, find_weights, tables
from dragoman.lab.experiments.in_context.verdicts import SMOLLM2, TRAINED, accuracies, decide
from dragoman.lab.run import run_experiment

NOISE = {1: 0.0, 2: 2.0, 3: -1.5}


def make_results(
    none, most, wrong, *, shown=90.0, seeds=(1, 2, 3), after="same", noise=1.0, control=OTHER
):
    """Make rows by hand: two families, of which the second is always ten points better."""
    results = []
    for seed in seeds:
        cells = []
        for family, better in (("sums", 0.0), ("spelling", 10.0)):
            slope = (most - none + noise * NOISE[seed]) / MOST
            asked = [(RIGHT, shots, none + slope * shots) for shots in SHOTS]
            for kind, shots, accuracy in [*asked, (control, MOST, wrong), (SHOWN, MOST, shown)]:
                cell = {"family": family, "kind": kind, "shots": shots, "asked": 100, "guess": 9.0}
                cells.append({**cell, "accuracy": accuracy + better})
        results.append(
            {
                "name": TRAINED if control == OTHER else SMOLLM2,
                "seed": seed,
                "parameters": 1000,
                "seconds": 2.0,
                "weights_before": "same",
                "weights_after": after,
                "cells": cells,
            }
        )
    return results


@pytest.mark.parametrize("control", [OTHER, MOVED])
@pytest.mark.parametrize(
    ("none", "most", "wrong", "verdict"),
    [
        (10.0, 60.0, 15.0, "confirmed"),
        (10.0, 60.0, 59.0, "corrected"),
        (10.0, 60.0, 75.0, "corrected"),
        (60.0, 10.0, 10.0, "refuted"),
        (40.0, 40.0, 40.0, "refuted"),
        (10.0, 12.0, 12.0, "undecided"),
    ],
)
def test_the_verdict_goes_by_the_examples_and_by_their_answers(none, most, wrong, verdict, control):
    assert decide(make_results(none, most, wrong, control=control))[0].verdict == verdict


def test_each_model_has_its_control_and_its_number_of_seeds():
    (trained,) = decide(make_results(10.0, 60.0, 15.0))
    (published,) = decide(make_results(10.0, 60.0, 15.0, control=MOVED))
    assert "With examples of another task 20.0" in trained.because
    assert "With moved answers 20.0" in published.because
    assert trained.hypothesis.power.seeds < published.hypothesis.power.seeds


def test_wide_intervals_decide_nothing():
    assert decide(make_results(40.0, 45.0, 45.0, noise=3.0))[0].verdict == "undecided"
    assert decide(make_results(20.0, 60.0, 40.0, noise=6.0))[0].verdict == "undecided"


def test_a_model_that_has_learned_nothing_is_not_judged():
    assert decide(make_results(0.0, 0.0, 0.0, shown=1.0, noise=0.0))[0].verdict == "undecided"
    assert decide(make_results(0.0, 0.0, 0.0, noise=0.0))[0].verdict == "refuted"


def test_changed_weights_and_a_single_seed_decide_nothing():
    (finding,) = decide(make_results(10.0, 60.0, 15.0, after="other"))
    assert (finding.verdict, "Some weights changed" in finding.because) == ("undecided", True)
    assert decide(make_results(10.0, 60.0, 15.0, seeds=(1,)))[0].verdict == "undecided"


def test_accuracies_are_those_of_a_family_or_the_mean_of_all():
    results = make_results(10.0, 60.0, 15.0)
    assert accuracies(results, TRAINED, MOST, family="spelling") == [70.0, 72.0, 68.5]
    assert accuracies(results, TRAINED, MOST) == [65.0, 67.0, 63.5]
    assert accuracies(results, TRAINED, MOST, OTHER) == [20.0] * 3
    (table,) = tables(results)
    assert [line[0] for line in table.rows] == ["sums", "spelling", "mean"]
    assert table.header[-3:] == ("8, other", "8, shown", "guess")


def test_no_rule_that_is_held_out_is_shown_under_another_name():
    assert not RuleTask("arrange", "0123").held_out
    assert not RuleTask("arrange", "3210").held_out
    for prompt in draw_prompts(200, shots=0, seed=1, family="arrange"):
        question = prompt.text.removesuffix(" ->")
        assert prompt.answer not in (question, question[::-1])


def test_documents_to_train_and_to_validate_on_are_different(tmp_path):
    paths = write_documents(Documents(train=30, valid=10), tmp_path, 1)
    train, valid = (path.read_text("utf-8").splitlines() for path in paths)
    assert (len(train), len(valid)) == (30, 10)
    assert not set(train) & set(valid)
    assert all(text.count("->") == MOST + 1 for text in train)


def test_moved_answers_are_the_same_ones_at_other_questions():
    for asked in (*ask_of_everyday("sums", 6, 1), *ask_of_everyday("translation", 6, 1)):
        if asked.kind != MOVED:
            continue
        right = draw_everyday(asked.family, 6, shots=MOST, seed=1)
        for one, other in zip(asked.prompts, right, strict=True):
            mine, theirs = (p.text.split(asked.written.between) for p in (one, other))
            assert (mine[-1], one.answer) == (theirs[-1], other.answer)
            wrong, true = (
                [x.split(asked.written.mark) for x in each[:-1]] for each in (mine, theirs)
            )
            assert [question for question, _ in wrong] == [question for question, _ in true]
            answers = [answer for _, answer in true]
            assert sorted(answer for _, answer in wrong) == sorted(answers)
            if max(map(answers.count, answers)) <= MOST // 2:
                assert all(a != b for (_, a), (_, b) in zip(wrong, true, strict=True))


def test_examples_of_another_task_are_answered_by_its_rule():
    right = draw_prompts(20, shots=MOST, seed=1, family="before")
    for one, other, following in zip(
        exchange_examples(right), right, [*right[1:], *right[:1]], strict=True
    ):
        *examples, question = one.text.split(" ; ")
        assert (question, one.answer) == (other.text.split(" ; ")[-1], other.answer)
        assert examples == following.text.split(" ; ")[:-1]
        letters = {example.split(" -> ")[1][:3] for example in examples}
        assert letters == {following.answer[:3]}  # two letters and a space: one rule for all


def test_every_family_is_asked_after_each_number_of_examples():
    asked = ask_of_letters(2, 1)
    assert {(one.family, one.shots) for one in asked if one.kind == RIGHT} == {
        (family, shots) for family in FRAMES for shots in SHOTS
    }
    for kind in (OTHER, SHOWN):
        assert sum(one.kind == kind for one in asked) == len(FRAMES)
    for family in EVERYDAY:
        kinds = [(one.kind, one.shots) for one in ask_of_everyday(family, 2, 1)]
        assert kinds == [*((RIGHT, shots) for shots in SHOTS), (MOVED, MOST)]


@pytest.mark.parametrize(
    ("text", "word"),
    [("13\n", "13"), (" Snake, of course", "snake"), ("7+2=9", "7"), (" ", ""), (" cœur.", "cœur")],
)
def test_the_first_word_or_number_is_the_answer(text, word):
    assert read_word(text) == word


def test_a_guess_repeats_the_question_or_gives_the_commonest_answer():
    copied = [
        FewShotPrompt("a b ->", "a b", "copy", 0),
        FewShotPrompt("c d ->", "d c", "reverse", 0),
    ]
    assert guess(PromptSet("copy", RIGHT, 0, copied, LETTERS)) == 50.0
    same = [FewShotPrompt(f"{n}+1=", "9", "sums", 0) for n in range(4)]
    assert guess(PromptSet("sums", RIGHT, 0, same, EVERYDAY["sums"])) == 100.0


def test_a_writer_that_knows_gets_everything_right():
    prompts = draw_prompts(5, shots=2, seed=1, family="arrange")

    class Knowing:
        def generate(self, texts, settings, *, stop):
            assert stop == (" ; ",)
            known = {prompt.text: f" {prompt.answer} " for prompt in prompts}
            return [known[text] for text in texts]

    (cell,) = answer_all(Knowing(), [PromptSet("arrange", RIGHT, 2, prompts, LETTERS)])
    assert (cell["accuracy"], cell["asked"]) == (100.0, 5)


def test_missing_weights_are_one_line_that_says_what_gets_them(tmp_path, monkeypatch):
    monkeypatch.setattr(in_context, "present", lambda entry: [])
    with pytest.raises(DataError, match="dragoman data get smollm2"):
        find_weights()
    with pytest.raises(DataError, match="--models trained"):
        run_experiment(EXPERIMENT, "quick", tmp_path, options={"models": "both"})


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_texts(tmp_path, monkeypatch):
    small = {"width": 8, "heads": 2, "layers": 1, "ffn_width": 16}
    monkeypatch.setattr(in_context, "MODEL", in_context.MODEL.model_copy(update=small))
    monkeypatch.setitem(in_context.DOCUMENTS, "quick", Documents(train=40, valid=4))
    monkeypatch.setitem(in_context.STEPS, "quick", 2)
    monkeypatch.setitem(in_context.QUESTIONS, "quick", {TRAINED: 2, SMOLLM2: 1})
    result = run_experiment(EXPERIMENT, "quick", tmp_path, seeds=(1,))
    (one,) = result.measurements
    assert one["weights_before"] == one["weights_after"]
    assert len(one["cells"]) == len(FRAMES) * (len(SHOTS) + 2)
    assert result.verdicts[0].verdict == "undecided"
    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["ledger"] == ["D46"]
    assert "8, other" in (tmp_path / "table.md").read_text("utf-8")
    assert (tmp_path / "picture.png").stat().st_size > 1000
