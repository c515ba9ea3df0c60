"""Right context: judged at the word, networks of equal size, a verdict that can fall each way."""

import json

import pytest
import torch

from dragoman.lab.experiments.right_context import experiment as right_context
from dragoman.lab.experiments.right_context.experiment import (
    ASIDES,
    BOTH,
    END,
    EXPERIMENT,
    GRU,
    MODELS,
    ONE,
    RNN,
    RightContextSampling,
    RightContextTrial,
    decide,
    draw_sentences,
)
from dragoman.lab.run import run_experiment
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier

FEW = RightContextSampling(train=80, valid=10, tested=6)
GUESSING, SOLVED, BETTER = 50.0, 99.0, 70.0


def make_results(one=GUESSING, both=SOLVED, *, seeds=(1, 2, 3), gru=None):
    """Make rows by hand; with `gru`, that is what the GRU has reading both ways."""
    results = []
    for cell in (RNN, GRU):
        second = both if gru is None or cell == RNN else gru
        for how, value in ((ONE, one), (BOTH, second), (END, SOLVED)):
            results += [
                {
                    "name": f"{cell}, {how}",
                    "seed": seed,
                    "accuracy": value + 0.1 * seed * (1 if how == ONE else 2),
                    "majority": 50.0,
                    "sentences": {"tested": 100},
                }
                for seed in seeds
            ]
    return results


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        (make_results(), "confirmed"),
        (make_results(one=BETTER), "corrected"),
        (make_results(both=GUESSING), "refuted"),
        (make_results(one=SOLVED), "refuted"),
        (make_results(gru=GUESSING), "undecided"),
        (make_results(seeds=(1,)), "undecided"),
    ],
)
def test_the_verdict_goes_by_the_gain_and_by_whether_one_way_only_guesses(results, verdict):
    assert decide(results).verdict == verdict


def test_the_networks_have_equal_parameters():
    counts = [
        sum(weight.numel() for weight in RecurrentClassifier(one, 400, 2).parameters())
        for one in MODELS.values()
    ]
    assert max(counts) / min(counts) < 1.03


@pytest.mark.parametrize("name", list(MODELS))
def test_only_who_reads_on_is_moved_by_the_last_word(name):
    torch.manual_seed(1)
    network = RecurrentClassifier(MODELS[name], 30, 2).eval()
    tokens = torch.tensor([[2, 9, 10, 11, 12, 3]])
    other = tokens.clone()
    other[0, 4] = 20
    alike = torch.equal(network(tokens), network(other))
    assert alike == name.endswith(ONE)
    other = tokens.clone()
    other[0, 1] = 20
    assert not torch.equal(network(tokens), network(other))  # the word itself is always seen


def test_padding_changes_nothing_at_the_first_word():
    torch.manual_seed(1)
    network = RecurrentClassifier(MODELS[f"{GRU}, {BOTH}"], 30, 2).eval()
    tokens = torch.tensor([[2, 9, 10, 3]])
    longer = torch.tensor([[2, 9, 10, 3, 0, 0]])
    torch.testing.assert_close(network(tokens), network(longer))


def test_no_sentence_of_the_test_is_trained_on(tmp_path):
    asked = draw_sentences(RightContextSampling(train=900, valid=50, tested=100), 1, tmp_path)
    lines = {
        name: (tmp_path / f"{name}.tsv").read_text("utf-8").splitlines()
        for name in ("train", "valid", "test")
    }
    assert {name: len(part) for name, part in lines.items()} == {
        "train": 900,
        "valid": 50,
        "test": 500,
    }
    every = [line for part in lines.values() for line in part]
    assert len(every) == len(set(every))
    assert [len(part) for part in asked] == [100] * len(ASIDES)
    for part in asked:
        assert sum(row.label == "person" for row in part) == 50  # so that one answer is no help


def test_every_network_has_the_same_batches(tmp_path):
    recipes = [
        RightContextTrial(name=name, model=model, rate=1e-3, sentences=FEW, steps=9, seed=2).recipe(
            tmp_path
        )
        for name, model in MODELS.items()
    ]
    first, *others = [recipe.model_dump(exclude={"model"}) for recipe in recipes]
    assert all(other == first for other in others)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("right-context")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(right_context.SENTENCES, "quick", FEW)
        patch.setitem(right_context.STEPS, "quick", 2)
        return folder, run_experiment(EXPERIMENT, "quick", folder, seeds=(1,))


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_sentences(found):
    folder, result = found
    assert [one["name"] for one in result.measurements] == list(MODELS)
    assert result.verdicts[0].verdict == "undecided"
    (table,) = result.tables
    assert [line[0] for line in table.rows] == [*MODELS, "one tag always"]
    assert json.loads((folder / "result.json").read_text("utf-8"))["ledger"] == ["E109", "E110"]
    assert "## Right tags of the first word" in (folder / "table.md").read_text("utf-8")
    assert (folder / "picture.png").stat().st_size > 1000
