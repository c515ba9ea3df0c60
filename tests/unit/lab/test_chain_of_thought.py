"""Chain of thought: equal tokens, unseen additions, and a verdict that can fall either way."""

import json

import pytest

from dragoman.data.corpus.generators.addition import Addition
from dragoman.lab.experiments.chain_of_thought import experiment as chain_of_thought
from dragoman.lab.experiments.chain_of_thought.data import Sums, draw_sums, filled, write_sums
from dragoman.lab.experiments.chain_of_thought.experiment import (
    DIRECT,
    EXPERIMENT,
    STEPS,
    WAYS,
    decide,
    tables,
)
from dragoman.lab.run import run_experiment


def make_results(direct, steps, seeds=(1, 2, 3)):
    """Make rows by hand: exact sums of two and three digits, four digits never right."""
    noise = {1: 0.0, 2: 1.0, 3: -1.5}
    return [
        {
            "name": name,
            "seed": seed,
            "parameters": 1000,
            "shown": 900 if name == DIRECT else 250,
            "trained_tokens": 9000,
            "written": 4.0,
            "digits": {"2": right + noise[seed], "3": right - noise[seed], "4": 0.0},
            "seen": right + noise[seed] * (1 if name == DIRECT else 0.5),
            "longer": 0.0,
            "seconds": 3.0,
            "sums": {"tested": 300},
        }
        for seed in seeds
        for name, right in ((DIRECT, direct), (STEPS, steps))
    ]


@pytest.mark.parametrize(
    ("direct", "steps", "verdict"),
    [
        (30.0, 90.0, "confirmed"),
        (90.0, 30.0, "refuted"),
        (60.0, 60.0, "undecided"),
        (3.0, 10.0, "undecided"),
    ],
)
def test_the_verdict_goes_by_the_lengths_that_were_learned(direct, steps, verdict):
    assert decide(make_results(direct, steps))[0].verdict == verdict


def test_one_seed_decides_nothing():
    (finding,) = decide(make_results(30.0, 90.0, seeds=(1,)))
    assert finding.verdict == "undecided"
    assert "one seed" in finding.because


def test_the_digits_never_seen_stand_apart():
    (table,) = tables(make_results(30.0, 90.0), "Rates: these.")
    assert table.header[4:8] == ("2 digits", "3 digits", "all of these", "4 digits (never seen)")
    assert [line[0] for line in table.rows] == [*WAYS]
    assert table.note.endswith("Rates: these.")
    assert table.rows[1][7] == "0.0 ± 0.0"


@pytest.mark.parametrize("seed", [1, 2])
def test_no_addition_stands_in_two_sets(seed):
    drawn = draw_sums(Sums(tokens=4000, valid=20, tested=30), seed)
    sets = [drawn.train, drawn.valid, *drawn.tests.values()]
    assert sum(map(len, sets)) == len({one for part in sets for one in part})
    assert sorted(drawn.tests) == [2, 3, 4]
    assert all(len(str(one.first)) == n for n, test in drawn.tests.items() for one in test)
    assert max(len(str(one.first)) for one in drawn.train) == 3


def test_both_ways_have_equally_many_characters_of_the_same_additions(tmp_path):
    sums = Sums(tokens=4000, valid=5, tested=5)
    drawn = draw_sums(sums, 1)
    texts = {}
    for name in WAYS:
        (tmp_path / name).mkdir()
        train, _ = write_sums(drawn, sums, tmp_path / name, steps=name == STEPS)
        texts[name] = train.read_text("utf-8")
    assert all(0.98 * 4000 < len(text) <= 4000 for text in texts.values())
    direct, steps = (texts[name].splitlines() for name in WAYS)
    assert len(direct) > 2.5 * len(steps)
    asked = [text.partition("=")[0] for text in steps]
    assert asked == [text.partition("=")[0] for text in direct[: len(steps)]]


def test_texts_are_taken_while_there_is_room():
    assert filled(["ab", "cd", "e"], 6) == ["ab", "cd"]
    assert filled(["ab", "cd", "e"], 8) == ["ab", "cd", "e"]
    assert filled(["abc"], 3) == []


def test_a_writer_that_knows_gets_everything_right():
    class Knowing:
        def generate(self, prompts, settings):
            questions = (prompt.removesuffix("=").split("+") for prompt in prompts)
            return [Addition(*map(int, one)).written(steps=True) for one in questions]

    sums = [Addition(12, 34), Addition(99, 99)]
    written = sum(len(one.written(steps=True)) for one in sums) / 2
    assert chain_of_thought.answer(Knowing(), sums) == (100.0, written)


def test_the_whole_experiment_runs_on_a_few_sums(tmp_path, monkeypatch):
    small = {"width": 8, "heads": 2, "layers": 1, "ffn_width": 16}
    monkeypatch.setattr(chain_of_thought, "MODEL", chain_of_thought.MODEL.model_copy(update=small))
    monkeypatch.setitem(chain_of_thought.STEPS_TAKEN, "quick", 3)
    monkeypatch.setitem(chain_of_thought.TESTED, "quick", 4)
    result = run_experiment(EXPERIMENT, "quick", tmp_path, seeds=(1,))
    assert [one["name"] for one in result.measurements] == [*WAYS]
    direct, steps = ((one["parameters"], one["trained_tokens"]) for one in result.measurements)
    assert steps[0] - direct[0] == 8  # the comma, which only steps have
    assert 0.85 < steps[1] / direct[1] < 1.15
    assert result.verdicts[0].verdict == "undecided"
    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["size"] == "quick"
    assert "4 digits (never seen)" in (tmp_path / "table.md").read_text("utf-8")
    assert (tmp_path / "picture.png").stat().st_size > 1000
