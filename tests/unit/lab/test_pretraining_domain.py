"""The domain of pretraining: equal texts, tensors that really came over, and the verdict."""

import pytest
import torch

from dragoman.config.encoder import EncoderSettings
from dragoman.core.errors import DataError, RunError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.weights import read_weights, write_weights
from dragoman.lab.experiments.pretraining_domain.data import (
    BOTH,
    FAR,
    NEAR,
    some_words,
    write_kinds,
)
from dragoman.lab.experiments.pretraining_domain.experiment import (
    ARMS,
    EXPERIMENT,
    RATES,
    SIZES,
    DomainSizes,
    PretrainingDomainTrial,
    PretrainingRuns,
    came_over,
    pretrainings,
)
from dragoman.lab.experiments.pretraining_domain.verdicts import RANDOM, decide
from dragoman.lab.run import run_experiment

NETWORK = EncoderSettings(width=8, heads=2, ffn_width=8, layers=1, norm="pre", dropout=0.0)
FEW = DomainSizes(
    sentences=300,
    pretraining_steps=2,
    tokens=256,
    steps=2,
    examples=40,
    valid=10,
    tested=12,
    network=NETWORK,
)
NOISE = {1: 0.0, 2: 0.006, 3: -0.004}


def make_results(near, far, random, seeds=(1, 2, 3), noise=1.0):
    """Make rows by hand, with a little noise of its own for each arm."""
    shares = {NEAR: near, FAR: far, RANDOM: random}
    return [
        {
            "name": arm,
            "seed": seed,
            "tested": 600,
            "test_accuracy": share + noise * NOISE[seed] * (1 + number / 3),
            "test_majority": 0.5,
            "tensors_pretrained": 0 if arm == RANDOM else 20,
            "encoder_tensors": 20,
            "share_pretrained": 0.0 if arm == RANDOM else 1.0,
        }
        for number, (arm, share) in enumerate(shares.items())
        for seed in seeds
    ]


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ((0.80, 0.74, 0.70), "confirmed"),
        ((0.80, 0.70, 0.70), "confirmed"),
        ((0.70, 0.80, 0.70), "refuted"),
        ((0.80, 0.80, 0.70), "corrected"),
        ((0.70, 0.70, 0.70), "undecided"),
        ((0.70, 0.70, 0.80), "undecided"),
        ((0.50, 0.45, 0.44), "undecided"),
    ],
)
def test_the_verdict_holds_the_kinds_of_text_against_each_other_and_a_random_start(shares, verdict):
    found = decide(make_results(*shares))
    assert found.verdict == verdict
    assert "20 of the encoder's 20 tensors" in found.because


def test_one_seed_and_texts_that_may_differ_decide_nothing():
    assert decide(make_results(0.9, 0.6, 0.5, seeds=(1,))).verdict == "undecided"
    assert decide(make_results(0.80, 0.79, 0.60, noise=30.0)).verdict == "undecided"


def test_lines_are_taken_until_there_are_so_many_words():
    assert some_words(["a b c", "d e f", "g"], 5) == ["a b c", "d e"]
    with pytest.raises(DataError, match="3 words of the 4"):
        some_words(["a b c"], 4)


def test_both_kinds_have_as_many_words_and_are_written_once(tmp_path):
    gathered, files = write_kinds(FEW.plan(1), tmp_path)
    lines = {name: path.read_text("utf-8").splitlines() for name, path in files.items()}
    counts = {name: sum(len(line.split()) for line in part) for name, part in lines.items()}
    assert counts[NEAR] == counts[FAR]
    assert lines[BOTH] == [*lines[NEAR], *lines[FAR]]
    assert not set(lines[NEAR]) & set(lines[FAR])
    asked = {line.split("\t")[0] for line in gathered.test("verb").read_text("utf-8").splitlines()}
    assert not asked & set(lines[BOTH])
    before = files[FAR].stat().st_mtime_ns
    assert write_kinds(FEW.plan(1), tmp_path)[1][FAR].stat().st_mtime_ns == before


def test_the_arms_differ_by_their_text_alone(tmp_path):
    files = {name: tmp_path / name for name in (NEAR, FAR, BOTH)}
    near, far, random = pretrainings(SIZES["full"], 1)
    assert (near.name, far.name, random.name) == ARMS == tuple(RATES)
    one, other = (start.recipe(tmp_path, files) for start in (near, far))
    assert one.model_dump(exclude={"corpus"}) == other.model_dump(exclude={"corpus"})
    assert one.start is not None
    assert near.blank() == far.blank() == random
    assert len({start.folder(tmp_path) for start in (near, far, random)}) == 3
    assert near.blank() != pretrainings(SIZES["full"], 2)[0].blank()  # each seed draws its own


@pytest.mark.slow
def test_tensors_that_did_not_come_over_are_an_error(tmp_path):
    runs = PretrainingRuns(tmp_path / "pretrained", FEW)
    start, _, blank = pretrainings(FEW, 1)
    base, drawn = runs.run(start), runs.run(blank)
    trial = PretrainingDomainTrial(
        name=NEAR, pretraining=start, plan=FEW.plan(1), rate=1.0, steps=1, seed=1
    )
    recipe = trial.recipe(base, runs.texts(1)[0])
    came = came_over(recipe, base, drawn, tmp_path / "one")
    assert came["tensors_pretrained"] == came["encoder_tensors"]
    assert came["share_pretrained"] == 1.0
    stored = read_weights(RunFolder(base).model)
    fresh = read_weights(RunFolder(drawn).model).tensors
    write_weights(RunFolder(base).model, fresh, stored.notes)
    with pytest.raises(RunError, match="none of its tensors differs"):
        came_over(recipe, base, drawn, tmp_path / "two")
    other = {name: torch.zeros_like(tensor) for name, tensor in fresh.items()}
    elsewhere = RunFolder(tmp_path / "elsewhere")
    elsewhere.path.mkdir()
    write_weights(elsewhere.model, other, stored.notes)
    with pytest.raises(RunError, match="tensors came over"):
        came_over(recipe, elsewhere.path, drawn, tmp_path / "three")


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_texts(tmp_path, monkeypatch):
    monkeypatch.setitem(SIZES, "quick", FEW)
    result = run_experiment(EXPERIMENT, "quick", tmp_path / "lab", seeds=(1,))
    assert [one["name"] for one in result.measurements] == [*ARMS]
    whole = result.measurements[0]["encoder_tensors"]
    assert [one["tensors_pretrained"] for one in result.measurements] == [whole, whole, 0]
    read = [one["tokens_read"] for one in result.summary["pretraining"][:2]]
    assert max(read) / min(read) < 1.2
    assert result.verdicts[0].verdict == "undecided"
    assert (tmp_path / "lab/picture.png").is_file()
