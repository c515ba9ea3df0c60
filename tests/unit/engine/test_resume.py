"""R2: a run that goes on after a crash has the same bits and log as one that never fell."""

import errno
import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from tests.power_cuts import PowerCutError

from dragoman import trainer
from dragoman.config.reading import read_recipe
from dragoman.core.errors import RunError
from dragoman.data.batching.stream import BatchStream
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.training import validation
from dragoman.tasks.translation import task as translation
from dragoman.tasks.translation.prepare import prepare
from dragoman.trainer import train

NETWORKS = {
    "with-a-fixed-context": "kind = 'recurrent', width = 16, context = 'first', cell = 'lstm'",
    "with-additive-attention": "kind = 'recurrent', width = 16, cell = 'gru', word_dropout = 0.1",
    "with-input-feeding": (
        "kind = 'recurrent', width = 16, context = 'general', input_feeding = true"
    ),
    "with-a-decoder-alone": "kind = 'decoder-only', width = 16, heads = 2, positions = 'rotary'",
    "with-a-modern-transformer": (
        "kind = 'transformer', width = 16, heads = 2, positions = 'alibi', "
        "normalization = 'rms', activation = 'swiglu', ffn_width = 24"
    ),
}


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch):
    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))


def whole(recipe, changes, tiny, tmp_path, result):
    """Return the result of a run that never fell."""
    if not changes:
        return tiny.result
    train(recipe, changes, folder=tmp_path / "whole")
    return result(tmp_path / "whole")


def fall_and_go_on(recipe, changes, steps, cut_power, folder):
    for step in steps:
        cut_power(step)
        with pytest.raises(PowerCutError):
            train(recipe, changes, folder=folder)
    train(recipe, changes, folder=folder)


@pytest.mark.parametrize(
    ("changes", "steps"),
    [
        pytest.param([], [3], id="before-the-first-state"),
        pytest.param([], [9], id="before-the-end-of-warm-up"),
        pytest.param([], [30, 33, 38], id="thrice"),
        pytest.param(
            ["training.accumulate=3"], [24], id="during-accumulation", marks=pytest.mark.slow
        ),
        pytest.param(
            ["training.ema_decay=0.95"], [31], id="with-an-average", marks=pytest.mark.slow
        ),
        pytest.param(
            ["tokenizer.dropout=0.3"],
            [24],
            id="with-other-pieces-each-time",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["augmentation.upper=0.2", "augmentation.typos=0.3", "tokenizer.dropout=0.1"],
            [24],
            id="with-changes-to-the-text",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["tokenizer.kind=words", "tokenizer.shared=true"],
            [24],
            id="with-words",
            marks=pytest.mark.slow,
        ),
        pytest.param(["model.dropout=0.3", "model.word_dropout=0.2"], [24], id="with-dropout"),
        pytest.param(
            [
                "model.initialization=dictionary",
                "model.positions=relative",
                "training.ema_decay=0.9",
            ],
            [3, 24],
            id="with-a-dictionary-to-begin-with",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["training.final=last"], [39], id="with-the-last-weights", marks=pytest.mark.slow
        ),
        pytest.param(
            ["training.final=averaged", "training.validate_every=6", "training.keep=2"],
            [22, 34],
            id="with-the-mean-of-the-best",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["training.patience=1", "training.best_metric=bleu", "training.validate_every=8"],
            [15],
            id="with-early-stopping",
        ),
        *(
            pytest.param(
                [f"optimizer={{kind = '{kind}', weight_decay = 0.01}}", "training.steps=18"],
                [12],
                id=f"with-{kind}",
                marks=() if kind == "momentum" else pytest.mark.slow,
            )
            for kind in ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam")
        ),
        pytest.param(
            [
                "schedule={kind = 'plateau', patience = 1, warmup_steps = 0}",
                "optimizer={kind = 'adam', learning_rate = 0.3}",
                "training.validate_every=3",
                "training.steps=20",
                "training.clip_value=0.01",
            ],
            [17],
            id="with-plateaus",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            [
                "schedule={kind = 'exponential', factor = 0.5, warmup_steps = 2}",
                "batches.max_tokens=700",
                "training.steps=20",
            ],
            [17],
            id="with-a-rate-that-follows-epochs",
        ),
        *(
            pytest.param([f"model={{{model}}}", "training.steps=18"], [12], id=name)
            for name, model in NETWORKS.items()
        ),
    ],
)
def test_a_fall_changes_nothing(tmp_path, recipe, tiny, cut_power, result, changes, steps):
    fall_and_go_on(recipe, changes, steps, cut_power, tmp_path / "fallen")
    assert result(tmp_path / "fallen") == whole(recipe, changes, tiny, tmp_path, result)


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_fall_at_the_edge_of_an_epoch_changes_nothing(
    tmp_path, recipe, cut_power, result, beyond
):
    changes = ["batches.max_tokens=512"]
    settings = read_recipe(recipe, changes)
    prepared = prepare(RunFolder(tmp_path / "prepared"), settings)
    epoch = len(BatchStream(prepared.store, settings.batches, settings.seed).plan(0))
    assert 4 < epoch < 50
    changes.append(f"training.checkpoint_every={epoch}")
    train(recipe, changes, folder=tmp_path / "whole")
    fall_and_go_on(recipe, changes, [epoch + beyond], cut_power, tmp_path / "fallen")
    assert result(tmp_path / "fallen") == result(tmp_path / "whole")


def signalled_validation(monkeypatch, at_step, number):
    """Send this process a signal in the middle of the validation of a step."""
    validate_now, judge = validation.Validation.validate_now, translation.score_translations

    def noted(self, step):
        def judging(*arguments, **named):
            if step == at_step:
                monkeypatch.setattr(translation, "score_translations", judge)
                monkeypatch.setattr(validation.Validation, "validate_now", validate_now)
                os.kill(os.getpid(), number)
            return judge(*arguments, **named)

        monkeypatch.setattr(translation, "score_translations", judging)
        return validate_now(self, step)

    monkeypatch.setattr(validation.Validation, "validate_now", noted)


@pytest.mark.parametrize(
    ("step", "changes"), [(20, []), (40, []), (20, ["training.ema_decay=0.9"])], ids=str
)
def test_a_signal_amid_a_validation_changes_nothing(
    tmp_path, recipe, tiny, result, monkeypatch, step, changes
):
    signalled_validation(monkeypatch, step, signal.SIGTERM)
    stopped = train(recipe, changes, folder=tmp_path / "stopped")
    assert (stopped.step, stopped.interrupted) == (step, 143)
    assert (tmp_path / f"stopped/state/step-{step}").is_dir()
    finished = train(recipe, changes, folder=tmp_path / "stopped")
    assert (finished.step, finished.interrupted) == (40, None)
    assert result(tmp_path / "stopped") == whole(recipe, changes, tiny, tmp_path, result)


def test_a_signal_amid_the_last_validation_that_no_cadence_asked_for_stores_the_steps(
    tmp_path, recipe, result, monkeypatch
):
    changes = ["training.validate_every=1000"]
    train(recipe, changes, folder=tmp_path / "whole")
    signalled_validation(monkeypatch, 40, signal.SIGINT)
    stopped = train(recipe, changes, folder=tmp_path / "stopped")
    assert (stopped.step, stopped.interrupted) == (40, 130)
    train(recipe, changes, folder=tmp_path / "stopped")
    assert result(tmp_path / "stopped") == result(tmp_path / "whole")


def test_a_fall_after_a_validation_made_up_for_does_not_log_it_twice(
    tmp_path, recipe, tiny, result, monkeypatch, cut_power
):
    signalled_validation(monkeypatch, 20, signal.SIGTERM)
    train(recipe, folder=tmp_path / "fallen")
    fall_and_go_on(recipe, [], [21], cut_power, tmp_path / "fallen")
    assert result(tmp_path / "fallen") == tiny.result


def test_a_fall_while_validating_changes_nothing(tmp_path, recipe, tiny, result, monkeypatch):
    judge, calls = translation.score_translations, iter(range(10))

    def falling(*arguments, **named):
        if next(calls) == 1:
            raise PowerCutError
        return judge(*arguments, **named)

    monkeypatch.setattr(translation, "score_translations", falling)
    with pytest.raises(PowerCutError):
        train(recipe, folder=tmp_path / "run")
    train(recipe, folder=tmp_path / "run")
    assert result(tmp_path / "run") == tiny.result


def test_the_same_seed_and_threads_give_the_same_bits(tmp_path, recipe, tiny, result):
    train(recipe, folder=tmp_path / "again")
    assert result(tmp_path / "again") == tiny.result
    train(recipe, ["seed=4"], folder=tmp_path / "other")
    assert result(tmp_path / "other")[0] != tiny.result[0]


def test_the_recipe_of_a_run_folder_alone_repeats_the_run(tmp_path, tiny, result):
    shutil.copy(tiny.run / "recipe.toml", tmp_path / "recipe.toml")
    train(tmp_path / "recipe.toml", folder=tmp_path / "again")
    assert result(tmp_path / "again") == tiny.result


def all_bytes(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(p.relative_to(folder)): (p.read_bytes(), p.stat().st_mtime_ns) for p in files}


def test_a_finished_run_says_so_and_stays_as_it_is(tiny, run, capsys):
    before = all_bytes(run)
    finished = train(tiny.recipe, folder=run)
    assert (finished.step, finished.interrupted) == (40, None)
    assert all_bytes(run) == before
    assert "this run is finished" in capsys.readouterr().err


def test_a_finished_run_with_a_damaged_model_is_given_its_weights_again(tiny, run, result, capsys):
    weights = bytearray((run / "model.safetensors").read_bytes())
    weights[-5] ^= 1
    (run / "model.safetensors").write_bytes(weights)
    train(tiny.recipe, folder=run)
    assert result(run) == tiny.result
    assert "damaged" in capsys.readouterr().err


def test_a_finished_run_may_be_given_more_steps(tmp_path, tiny, run, result):
    more = ["training.steps=60"]
    train(tiny.recipe, more, folder=run)
    train(tiny.recipe, more, folder=tmp_path / "whole")
    assert result(run)[1] == result(tmp_path / "whole")[1]


def test_a_finished_run_may_be_given_another_choice_of_weights(tmp_path, tiny, run, result):
    train(tiny.recipe, ["training.final=averaged"], folder=run)
    train(tiny.recipe, ["training.final=averaged"], folder=tmp_path / "whole")
    assert result(run) == result(tmp_path / "whole")


@pytest.mark.parametrize(
    "change",
    [
        "seed=9",
        "model.width=32",
        "optimizer.learning_rate=2",
        "tokenizer.vocab_size=331",
        "decoding.beam=3",
    ],
)
def test_another_recipe_is_refused_with_the_key_and_both_values(tiny, run, change):
    before = all_bytes(run)
    key, value = change.split("=")
    with pytest.raises(RunError, match=f"{key} was .*, now {float(value):g}") as refused:
        train(tiny.recipe, [change], folder=run)
    assert "--output" in str(refused.value)
    assert all_bytes(run) == before


def test_a_resume_keeps_the_threads_that_the_run_began_with(
    tmp_path, recipe, cut_power, tiny, result
):
    cut_power(30)
    with pytest.raises(PowerCutError):
        train(recipe, folder=tmp_path / "run")
    train(recipe, ["training.threads=0"], folder=tmp_path / "run")
    assert result(tmp_path / "run") == tiny.result
    assert read_recipe(tmp_path / "run/recipe.toml").training.threads == 1


def test_a_stale_lock_and_leftovers_are_no_hindrance(tmp_path, recipe, cut_power, tiny, result):
    folder = tmp_path / "run"
    cut_power(30)
    with pytest.raises(PowerCutError):
        train(recipe, folder=folder)
    (folder / ".lock").write_text("999999")
    for left in ("model.safetensors.77.tmp", "data/split.json.77.tmp", "best/step-9.tmp"):
        (folder / left).write_text("half")
    (folder / "state/step-99.tmp").mkdir()
    train(recipe, folder=folder)
    assert result(folder) == tiny.result
    assert [*folder.rglob("*.tmp")] == []


def test_a_mark_of_preparation_that_cannot_be_read_means_preparing_again(
    tmp_path, recipe, cut_power, tiny, result
):
    cut_power(30)
    with pytest.raises(PowerCutError):
        train(recipe, folder=tmp_path / "run")
    (tmp_path / "run/data/prepared.json").write_bytes(b"\xff{")
    train(recipe, folder=tmp_path / "run")
    assert result(tmp_path / "run") == tiny.result


def test_a_log_with_a_half_written_end_is_cut_back(tmp_path, recipe, cut_power, tiny, result):
    cut_power(30)
    with pytest.raises(PowerCutError):
        train(recipe, folder=tmp_path / "run")
    with (tmp_path / "run/metrics.jsonl").open("ab") as stream:
        stream.write(b'{"kind": "train", "step": 30, "lo')
    train(recipe, folder=tmp_path / "run")
    assert result(tmp_path / "run") == tiny.result


def test_a_disk_that_is_full_amid_a_line_of_the_log_is_told_and_made_up_for(
    tmp_path, recipe, tiny, result, monkeypatch
):
    opened, lines = Path.open, iter(range(1000))

    def full(self, mode="r", *arguments, **named):
        stream = opened(self, mode, *arguments, **named)
        if self.name == "metrics.jsonl" and mode == "a" and next(lines) == 6:
            stream.write('{"kind": "train", "st')
            stream.close()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return stream

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(RunError, match=r"metrics.jsonl: no space left on the device \(ENOSPC\)"):
        train(recipe, folder=tmp_path / "run")
    train(recipe, folder=tmp_path / "run")
    assert result(tmp_path / "run") == tiny.result


def test_a_log_that_has_lost_lines_is_spoken_of(tmp_path, recipe, cut_power, tiny, result, capsys):
    cut_power(30)
    with pytest.raises(PowerCutError):
        train(recipe, folder=tmp_path / "run")
    (tmp_path / "run/metrics.jsonl").unlink()
    train(recipe, folder=tmp_path / "run")
    assert result(tmp_path / "run")[0] == tiny.result[0]
    assert "metrics.jsonl: 6 lines are missing" in capsys.readouterr().err


def test_a_longer_run_that_falls_before_its_card_is_written_writes_it_next_time(
    run, tiny, monkeypatch
):
    changes = ["training.steps=44"]
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "draw_curves", fall)
        with pytest.raises(PowerCutError):
            train(run / "recipe.toml", changes, folder=run)
    train(run / "recipe.toml", changes, folder=run)
    assert "Trained for 44 steps" in (run / "card.md").read_text(encoding="utf-8")


def fall(*_):
    raise PowerCutError


@pytest.mark.parametrize("trouble", ["missing", "broken", "breaking"])
def test_tensorboard_does_not_matter(tmp_path, recipe, tiny, result, monkeypatch, trouble, capsys):
    from dragoman.engine.training import tensorboard as board

    class Breaking:
        def __init__(self, *arguments, **named):
            if trouble == "broken":
                raise RuntimeError("no board today")

        def write(self, *arguments):
            raise OSError("the board has gone")

        def close(self):
            raise OSError("still gone")

    if trouble == "missing":
        monkeypatch.delattr(board, "EventFile")
    else:
        monkeypatch.setattr(board, "EventFile", Breaking)
    train(recipe, folder=tmp_path / "run")
    assert result(tmp_path / "run") == tiny.result
    said = capsys.readouterr().err
    assert said.count("TensorBoard logging is off") == (trouble != "missing")
    assert ("the board has gone" in said) == (trouble == "breaking")


def test_tensorboard_reads_the_log_and_forgets_what_a_resume_takes_back(
    tmp_path, recipe, cut_power, tiny
):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    cut_power(30)
    with pytest.raises(PowerCutError):
        train(recipe, folder=tmp_path / "run")
    train(recipe, folder=tmp_path / "run")
    events = EventAccumulator(str(tmp_path / "run/tensorboard")).Reload()
    rows = [row for row in read_log(tiny.run / "metrics.jsonl") if row["kind"] == "train"]
    seen = [(one.step, pytest.approx(one.value)) for one in events.Scalars("train/loss")]
    assert seen == [(row["step"], row["loss"]) for row in rows]


def test_states_hold_plain_json_and_safetensors_only(tiny):
    for state in (tiny.run / "state").iterdir():
        progress = json.loads((state / "progress.json").read_text(), parse_constant=pytest.fail)
        assert {path.suffix for path in state.iterdir()} == {".json", ".safetensors"}
        assert progress["format"] == 1
