"""A run on a disk that is read-only: what need not write works, the rest is one clear line."""

import os
import shutil
import subprocess

import pytest
from tests.faults.folders import tree_of


@pytest.fixture(scope="module")
def read_only(tiny, tmp_path_factory):
    """Give a finished run on a read-only mount, or skip where we may not mount one."""
    folder = tmp_path_factory.mktemp("read-only")
    shutil.copytree(tiny.run, folder / "run", ignore=shutil.ignore_patterns(".lock"))
    bind = ["mount", "--bind", str(folder), str(folder)]
    if os.name != "posix" or subprocess.run(bind, capture_output=True).returncode:
        pytest.skip("only a user who may mount a file system can make one read-only")
    subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
    yield folder / "run"
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_run_that_cannot_be_written_translates_as_another(command, read_only, tiny, tmp_path):
    (tmp_path / "lines.txt").write_text("sun moon\nred sea\n", encoding="utf-8")
    outputs = []
    for run in (read_only, shutil.copytree(tiny.run, tmp_path / "run")):
        output = tmp_path / "output.txt"
        wishes = {"input": str(tmp_path / "lines.txt"), "output": str(output)}
        code, said = command(tmp_path, "translate", run, **wishes)
        assert code == 0, said
        outputs.append(output.read_text(encoding="utf-8"))
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 2


def test_scores_that_cannot_be_stored_are_printed_and_that_is_said(command, read_only, tmp_path):
    before = tree_of(read_only)
    code, said = command(tmp_path, "evaluate", read_only, output=str(tmp_path / "output.txt"))
    assert code == 0, said
    assert "BLEU" in (tmp_path / "output.txt").read_text(encoding="utf-8")
    assert said.count("The scores are printed, but not stored.") == 1
    assert f"{read_only}/translations: cannot be written (Read-only file system)" in said
    assert tree_of(read_only) == before


@pytest.mark.parametrize("steps", [40, 60])
def test_a_training_there_is_one_line(command, read_only, tmp_path, steps):
    arguments = (read_only / "recipe.toml", f"training.steps={steps}", "--output", read_only)
    code, said = command(tmp_path, "train", *arguments)
    assert code == 2
    assert said == (
        f"dragoman: {read_only}: cannot be written (Read-only file system). Choose a place that "
        "you may write to, and run the command again.\n"
    )


def test_it_is_listed_and_shown(command, read_only, tmp_path):
    for arguments in (("runs", read_only.parent), ("show", read_only / "recipe.toml")):
        code, said = command(tmp_path, *arguments, output=str(tmp_path / "output.txt"))
        assert code == 0, said
        assert "translation" in (tmp_path / "output.txt").read_text(encoding="utf-8")
