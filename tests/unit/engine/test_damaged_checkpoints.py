"""R4: damage on the disk is noticed, spoken of and gone round; it never becomes other numbers."""

import random
import shutil
from pathlib import Path

import pytest

from dragoman import trainer
from dragoman.core.errors import CheckpointError
from dragoman.engine.checkpoint import weights
from dragoman.engine.checkpoint.state import check_state, newest_state, stored_states
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.trainer import train


def flip(path: Path, draw: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def truncate(path: Path, draw: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: draw.randrange(len(content))])


def damage_often(run, capsys, how, times, seed):
    older, newest = stored_states(run / "state")
    kept = run / "kept"
    shutil.copytree(newest, kept)
    draw = random.Random(seed)
    for _ in range(times):
        for file in sorted(newest.iterdir()):
            how(file, draw)
            assert newest_state(run / "state") == older
            told = capsys.readouterr().err
            assert str(newest) in told
            assert "Going back to the state before it." in told
            shutil.copy(kept / file.name, file)
    assert newest_state(run / "state") == newest


@pytest.mark.parametrize("how", [flip, truncate])
def test_a_damaged_file_of_the_newest_state_means_the_one_before(run, capsys, how):
    damage_often(run, capsys, how, times=12, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("how", [flip, truncate])
def test_a_file_damaged_anywhere_means_the_state_before(run, capsys, how):
    damage_often(run, capsys, how, times=250, seed=2)


@pytest.mark.parametrize("name", ["manifest.json", "progress.json", "optimizer.safetensors"])
def test_a_missing_or_additional_file_means_the_state_before(run, name):
    older, newest = stored_states(run / "state")
    (newest / name).rename(newest / "other")
    assert newest_state(run / "state") == older
    (newest / "other").rename(newest / name)
    (newest / "stranger").write_text("who is this?")
    assert newest_state(run / "state") == older


@pytest.mark.parametrize("manifest", ["null", "[]", "{}", '{"a": 1}', "[" * 10_000, "", "\x00"])
def test_a_manifest_of_another_shape_is_damage(run, manifest):
    older, newest = stored_states(run / "state")
    (newest / "manifest.json").write_text(manifest)
    assert newest_state(run / "state") == older


def test_when_every_state_is_damaged_the_error_says_so(tiny, run):
    (run / "card.md").unlink()  # a finished run would not look at its states
    for state in stored_states(run / "state"):
        truncate(state / "model.safetensors", random.Random(3))
    with pytest.raises(CheckpointError, match="every stored state is damaged. Remove"):
        train(tiny.recipe, folder=run)


def test_training_goes_on_exactly_from_the_state_before_and_mends_the_newest(
    tiny, run, result, monkeypatch, capsys
):
    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: None)
    (run / "card.md").unlink()
    newest = stored_states(run / "state")[-1]
    flip(newest / "optimizer.safetensors", random.Random(4))
    train(tiny.recipe, folder=run)
    assert f"{newest}: damaged (optimizer.safetensors)" in capsys.readouterr().err
    assert result(run) == tiny.result
    check_state(newest)


def test_without_one_of_the_best_weights_a_run_ends_only_by_its_last(tiny, run, monkeypatch):
    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: None)
    best = sorted((run / "best").iterdir())
    assert len(best) == 2
    truncate(best[0], random.Random(5))
    with pytest.raises(CheckpointError, match=rf"{best[0].name}: .*training.final=last"):
        train(tiny.recipe, ["training.final=averaged"], folder=run)
    train(tiny.recipe, ["training.final=last"], folder=run)
    assert read_weights(run / "model.safetensors").notes["chosen"] == "last"


def test_weights_in_the_place_of_others_are_refused(run):
    first, other = sorted((run / "best").iterdir())
    first.rename(other)
    with pytest.raises(CheckpointError, match=rf"{other.name}: holds .* written as {first.name}"):
        read_weights(other)


def test_a_file_that_memory_does_not_hold_is_named(run, monkeypatch):
    def fail(*_, **__):
        raise MemoryError("Cannot allocate memory (os error 12)")

    monkeypatch.setattr(weights, "safe_open", fail)
    with pytest.raises(CheckpointError, match=r"model\.safetensors: cannot be read .*allocate"):
        read_weights(run / "model.safetensors")


def test_weights_that_somebody_chose_are_used_with_a_word(run, capsys):
    chosen = min((run / "best").iterdir())
    shutil.copy(chosen, run / "model.safetensors")
    assert BareTranslator.load(run)
    assert f"model.safetensors: holds the weights that were written as {chosen.name}" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("how", [flip, truncate])
def test_a_damaged_model_is_never_used(run, how):
    model, draw = run / "model.safetensors", random.Random(6)
    whole = model.read_bytes()
    for _ in range(60):
        how(model, draw)
        with pytest.raises(CheckpointError, match="model.safetensors"):
            BareTranslator.load(run)
        model.write_bytes(whole)
    assert BareTranslator.load(run).translate("sun moon")


@pytest.mark.slow
def test_no_bit_of_the_model_s_header_can_change_unnoticed(run):
    model = run / "model.safetensors"
    whole = model.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    for place in range(header):
        for bit in (1, 2, 4, 8, 16, 32, 64, 128):
            changed = bytearray(whole)
            changed[place] ^= bit
            model.write_bytes(changed)
            with pytest.raises(CheckpointError):
                read_weights(model)


def test_the_same_weights_are_the_same_file(run, tmp_path):
    from dragoman.engine.checkpoint.weights import write_weights

    stored = read_weights(run / "model.safetensors")
    notes = {key: stored.notes[key] for key in reversed(stored.notes) if key != "format"}
    write_weights(tmp_path / "model.safetensors", stored.tensors, notes)
    assert (tmp_path / "model.safetensors").read_bytes() == (run / "model.safetensors").read_bytes()


def test_the_files_can_be_read_by_safetensors_alone(run):
    from safetensors.torch import load_file

    ours = read_weights(run / "model.safetensors").tensors
    theirs = load_file(run / "model.safetensors")
    assert ours.keys() == theirs.keys()
    assert all((ours[name] == theirs[name]).all() for name in ours)
