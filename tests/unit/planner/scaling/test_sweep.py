"""The sweep: sizes of a recipe trained at compute budgets in processes, killed and resumed."""

import json
import signal
import subprocess
import sys
import time

import pytest
from tests.conftest import write_recipe

from dragoman.config.reading import read_recipe
from dragoman.core.errors import ConfigError, DivergedError
from dragoman.core.lock import is_held
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import start
from dragoman.planner.batch_cost import BatchCost
from dragoman.planner.sizes import with_width
from dragoman.planner.sweep import trials
from dragoman.planner.sweep.sizes import default_widths, sized_recipes, with_corpus_seed
from dragoman.planner.sweep.sweep import SweepDesign, run_sweep
from dragoman.planner.sweep.trials import budget_recipe, loss_curve
from dragoman.tasks.open import open_task
from dragoman.trials.runner import ResumableRunner

BUDGETS = (4e7, 8e7)
SCRIPT = """
import sys
from pathlib import Path
from tests.unit.planner.scaling.test_sweep import swept
swept(Path(sys.argv[1]), Path(sys.argv[2]), at_once=int(sys.argv[3]))
"""


def swept(path, folder, *, at_once=1, shared=False, changes=(), widths=(8, 16)):
    sizes = sized_recipes(path, changes, widths, ())
    design = SweepDesign(read_recipe(path, changes), tuple(sizes), (3,), BUDGETS, shared)
    return run_sweep(ResumableRunner(folder, "scaling", at_once=at_once), design)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_recipe(tmp_path_factory.mktemp("tiny"), pairs=200)


@pytest.fixture(scope="module")
def whole(tiny, tmp_path_factory):
    """A sweep that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, swept(tiny, folder)


def test_every_size_is_trained_at_every_budget_and_close_to_it(whole):
    _, result = whole
    assert len(result.points) == 4
    assert len({point.parameters for point in result.points}) == 2
    for point in result.points:
        assert point.flops == pytest.approx(point.budget, rel=0.1)
        assert 0 < point.loss < 10
    losses = {(point.parameters, point.budget): point.loss for point in result.points}
    for size in {point.parameters for point in result.points}:
        assert losses[size, BUDGETS[1]] < losses[size, BUDGETS[0]]


@pytest.mark.slow
def test_a_sweep_that_is_killed_resumes_and_ends_as_one_never_interrupted(tiny, whole, tmp_path):
    _, expected = whole
    arguments = [sys.executable, "-c", SCRIPT, str(tiny), str(tmp_path), "2"]
    killed = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        begun = [*tmp_path.glob("work/*/tiny/state/step-*")]
        stored = [*tmp_path.glob("rows/*.json")]
        if begun and len(stored) >= 3:  # two sizes are counted, and one trial is trained
            break
        time.sleep(0.01)
    killed.kill()
    assert killed.wait() == -signal.SIGKILL
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("rows/*.json")}
    assert 2 < len(before) < 6
    while any(is_held(run) for run in tmp_path.glob("work/*/tiny")):  # trials follow their parent
        time.sleep(0.05)
    again = swept(tiny, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert again.points == expected.points


def test_a_trial_that_diverges_is_told_and_has_no_loss(tiny, tmp_path, monkeypatch):
    def diverge(place, recipe):
        raise DivergedError("step 1: the loss is nan")

    monkeypatch.setattr(trials, "train_in", diverge)
    result = swept(tiny, tmp_path)
    assert all(point.loss != point.loss for point in result.points)


@pytest.mark.slow
def test_one_training_is_read_at_all_budgets_where_its_schedule_allows_it(tiny, tmp_path):
    constant = ["schedule.kind=constant"]
    result = swept(tiny, tmp_path, shared=True, changes=constant, widths=(16,))
    assert len([*tmp_path.glob("rows/*.json")]) == 1 + 1
    assert len(result.points) == 2
    assert len({point.run for point in result.points}) == 1
    assert all(one.flops == pytest.approx(one.budget) for one in result.points)


@pytest.mark.parametrize("kind", ["cosine", "linear"])
def test_a_training_is_not_read_on_its_way_where_its_schedule_knows_the_end(tiny, tmp_path, kind):
    with pytest.raises(ConfigError, match=f"schedule.kind = '{kind}' ends with the last step"):
        swept(tiny, tmp_path, shared=True, changes=[f"schedule.kind={kind}"])


def test_a_budget_of_less_than_two_steps_is_refused(tiny, tmp_path):
    design = SweepDesign(
        read_recipe(tiny), tuple(sized_recipes(tiny, (), (8, 16), ())), (3,), (1e5,)
    )
    with pytest.raises(ConfigError, match="less than two steps of the size of"):
        run_sweep(ResumableRunner(tmp_path, "scaling"), design)


def test_flops_of_batches_are_those_of_their_matrix_products(tiny, tmp_path):
    """Counted by hand: 2 m n k for each product, three times for forward and backward."""
    changes = ["model.tied=none", "model.dropout=0.0"]
    recipe = read_recipe(tiny, changes)
    task = open_task(RunFolder(tmp_path), recipe, start(recipe.training), fresh=True)
    stream = task.train_batches()
    plan = stream.plan(0)
    places = sorted({place * len(plan) // 8 for place in range(8)})
    width, ffn, vocabulary = 16, 32, task.objective.model.output.weight.shape[0]
    flops, cost = 0, BatchCost(recipe, RunFolder(tmp_path), task.guesses)
    for place in places:
        batch = stream.batch(plan, place, 0)
        rows, source = batch.source.shape
        target = batch.target.shape[1] - 1  # START is read and never asked for
        cost.note(batch, task.objective.denominator(batch))
        dense = rows * source * (4 * width**2 + 2 * width * ffn)
        dense += rows * target * (6 * width**2 + 2 * width * ffn)
        dense += task.objective.targets(batch) * width * vocabulary
        dense += rows * source * 2 * width**2  # keys and values of cross-attention
        attention = rows * width * 2 * (source**2 + target**2 + target * source)
        flops += 3 * 2 * (dense + attention)
    assert cost.flops == pytest.approx(flops / len(places), rel=1e-9)


def test_another_width_keeps_the_proportions_of_the_model(tiny):
    recipe = read_recipe(tiny)
    wider = with_width(recipe, 64)
    assert (wider.model.width, wider.model.ffn_width, wider.model.heads) == (64, 128, 2)
    assert with_width(wider, 16) == recipe
    assert default_widths(read_recipe(tiny, ["model.width=64"])) == [16, 24, 32, 48, 64, 96]


def test_all_seeds_hold_out_the_same_text(tiny):
    recipe = read_recipe(tiny)
    other = with_corpus_seed(recipe).model_copy(update={"seed": 8})
    assert (other.seed, other.corpus.seed) == (8, 3)
    assert with_corpus_seed(other) == other


def test_sizes_are_widths_or_any_other_settings(tiny):
    found = sized_recipes(tiny, ["seed=9"], (8,), ("model.width=32 model.decoder_layers=2",))
    assert [(one.seed, one.model.width, one.model.decoder_layers) for one in found] == [
        (9, 8, 1),
        (9, 32, 2),
    ]
    with pytest.raises(ConfigError, match="two sizes are the same model"):
        sized_recipes(tiny, (), (8, 8), ())
    with pytest.raises(ConfigError, match="does not split into 2 equal heads"):
        sized_recipes(tiny, (), (9,), ())


def test_the_schedule_of_a_trial_ends_where_its_budget_does(tiny):
    recipe = read_recipe(tiny, ["schedule.warmup_steps=4"])
    short, long = (budget_recipe(recipe, steps, 1) for steps in (20, 4000))
    assert (short.schedule.warmup_steps, long.schedule.warmup_steps) == (2, 400)
    assert long.training.validate_every == long.training.steps == 4000
    assert long.training.final == "last"
    assert long.training.steps % long.training.log_every == 0
    assert budget_recipe(recipe, 640, 1, readings=8).schedule == recipe.schedule


def test_the_loss_curve_counts_all_tokens_until_each_validation():
    log = [
        {"kind": "train", "step": 5, "tokens": 10, "loss": 3.0},
        {"kind": "train", "step": 10, "tokens": 12, "loss": 2.0},
        {"kind": "validation", "step": 10, "loss": 2.5},
        {"kind": "train", "step": 15, "tokens": 9, "loss": 1.5},
        {"kind": "validation", "step": 15, "loss": 1.8},
    ]
    assert loss_curve(log) == [
        {"step": 10, "tokens": 22.0, "loss": 2.5},
        {"step": 15, "tokens": 31.0, "loss": 1.8},
    ]


def test_results_are_kept_by_all_that_determines_them(whole):
    folder, _ = whole
    rows = [json.loads(path.read_text("utf-8")) for path in folder.glob("rows/*.json")]
    assert {row["subject"] for row in rows} == {"scaling"}
    assert all(row["settings"]["recipe"]["name"] == "tiny" for row in rows)
