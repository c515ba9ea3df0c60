"""The parts of a Transformer: the tasks, and verdicts that can fall every way."""

import pytest
import torch

from dragoman.lab.experiment import Result
from dragoman.lab.experiments.transformer_parts.data import NOTHING, LabelTask
from dragoman.lab.experiments.transformer_parts.experiment import (
    SETTINGS,
    build,
    draw,
    measure_trial,
    parted,
    table,
)
from dragoman.lab.experiments.transformer_parts.verdicts import (
    ALONE,
    FITTED,
    FIXED,
    FULL,
    LEARNED,
    ONE,
    TWO,
    decide,
)

NOISE = (0.0, 0.004, -0.005)


def make_results(**changed):
    usual = {FULL: 0.9, ALONE: 0.9, TWO: 0.9, ONE: 0.9, LEARNED: 0.9, FIXED: 0.9, FITTED: 0.9}
    return [
        {
            "name": name,
            "seed": seed,
            "task": "a task",
            "parameters": 1000,
            "rate": 0.01,
            "loss": 0.1,
            "accuracy": changed.get(name, accuracy) + NOISE[seed] * (1 + len(name) / 9),
            "parted": changed.get("parted", 0.9) + NOISE[seed],
            "before": [0.9, 0.1],
            "marked": [0.1, 0.8],
        }
        for name, accuracy in usual.items()
        for seed in range(3)
    ]


def verdicts(**changed):
    return {one.hypothesis.ids[0]: one.verdict for one in decide(make_results(**changed))}


@pytest.mark.parametrize(
    ("alone", "verdict"), [(0.5, "confirmed"), (1.3, "refuted"), (0.9, "undecided")]
)
def test_the_feed_forward_is_held_against_attention_alone(alone, verdict):
    assert verdicts(**{ALONE: alone})["D5"] == verdict


@pytest.mark.parametrize(
    ("one", "apart", "verdict"),
    [
        (0.5, 0.9, "confirmed"),
        (0.5, 0.1, "corrected"),
        (0.9, 0.1, "refuted"),
        (1.3, 0.9, "refuted"),
        (0.9, 0.9, "undecided"),
        (0.5, 0.5, "undecided"),
    ],
)
def test_heads_must_part_the_rules_and_be_better_for_it(one, apart, verdict):
    assert verdicts(**{ONE: one, "parted": apart})["D8"] == verdict


@pytest.mark.parametrize(
    ("fixed", "verdict"), [(0.5, "confirmed"), (1.3, "refuted"), (0.9, "undecided")]
)
def test_learned_attention_is_held_against_fixed(fixed, verdict):
    assert verdicts(**{FIXED: fixed})["B43"] == verdict


def test_a_sense_follows_from_two_words_and_from_nothing_else():
    batch = LabelTask("senses", 5, 9, 1).draw(3, 200)
    seen = {}
    for row, labels in zip(batch.tokens.tolist(), batch.labels[..., 0].tolist(), strict=True):
        assert labels[0] == NOTHING
        for pair, label in zip(zip(row, row[1:], strict=False), labels[1:], strict=True):
            assert seen.setdefault(pair, label) == label
    assert len(seen) == 25


def test_two_rules_ask_for_the_word_before_and_for_the_marked_one():
    task = LabelTask("two rules", 7, 6, 1)
    batch = task.draw(0, 50)
    assert task.entries == 14
    for row, labels, place in zip(batch.tokens, batch.labels, batch.marked, strict=True):
        assert (row >= 7).nonzero().flatten().tolist() == [int(place)]
        assert labels[1:, 0].tolist() == (row[:-1] % 7).tolist()
        assert set(labels[:, 1].tolist()) == {int(row[place]) - 7}


def test_half_of_the_texts_have_the_partner():
    task = LabelTask("context", 9, 6, 2)
    batch = task.draw(0, 1000)
    partner = {}
    for row, label in zip(batch.tokens.tolist(), batch.labels[:, 0, 0].tolist(), strict=True):
        others = partner.setdefault(row[0], set(range(9)))
        others &= set(row[1:]) if label else set(range(9)) - set(row[1:])
    assert all(len(others) == 1 for others in partner.values())
    assert 420 < batch.labels[:, 0, 0].sum() < 580
    assert (batch.labels[:, 1:] == NOTHING).all()


def test_batches_differ_and_come_again():
    task = LabelTask("senses", 9, 6, 2)
    assert torch.equal(task.draw(1, 4).tokens, task.draw(1, 4).tokens)
    assert not torch.equal(task.draw(1, 4).tokens, task.draw(2, 4).tokens)


@pytest.mark.parametrize(("first", "second"), [(FULL, ALONE), (TWO, ONE), (LEARNED, FIXED)])
def test_networks_that_are_compared_are_equally_large(first, second):
    counts = []
    for name in (first, second):
        trial = SETTINGS[name]
        task = LabelTask(trial.task, trial.words, trial.length, 1)
        counts.append(sum(one.numel() for one in build(trial, task).parameters()))
    assert abs(counts[0] / counts[1] - 1) < 0.02


def test_heads_are_parted_where_each_has_its_own_rule():
    assert parted([0.9, 0.1], [0.0, 0.8]) == pytest.approx(0.7)
    assert parted([0.1, 0.9], [0.8, 0.0]) == pytest.approx(0.7)
    assert parted([0.5, 0.5], [0.5, 0.5]) == 0.0
    assert parted([0.9], [0.1]) == 0.0


def test_a_few_steps_give_every_figure():
    for name in (TWO, LEARNED):
        found = measure_trial(SETTINGS[name].model_copy(update={"steps": 2, "seed": 1}))
        assert 0 <= found["accuracy"] <= 1
        assert ("parted" in found) == (name == TWO)


def test_the_table_and_the_picture_show_every_network(tmp_path):
    results = make_results()
    assert [line[0] for line in table(results).rows] == [*SETTINGS]
    draw(Result(results, [], []), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
