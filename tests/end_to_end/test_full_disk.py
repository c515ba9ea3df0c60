"""R5: a full disk is one clear line; nothing stored is lost, and the run goes on with new room.

A small file system in memory is filled for real, where we may mount one.
"""

import os
import subprocess
from pathlib import Path

import pytest

from dragoman.engine.checkpoint.state import check_state, stored_states


@pytest.fixture
def small_disk(tmp_path):
    """Give a folder on a disk that can be filled, or skip where we may not mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    asked = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    if os.name != "posix" or subprocess.run(asked, capture_output=True).returncode:
        pytest.skip("only a user who may mount a file system can fill one")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path, left: int) -> Path:
    """Fill a disk but for so many bytes."""
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    (disk / "filling").write_bytes(bytes(max(0, free - left)))
    return disk / "filling"


def fall_and_go_on(command, recipe, disk, room, result, expected):
    home, run = recipe.parent, disk / "run"
    assert command(home, "train", recipe, "training.steps=20", "--output", run)[0] == 0
    filling = fill(disk, room)
    code, said = command(home, "train", recipe, "--output", run)
    told = [line for line in said.splitlines() if line.startswith("dragoman: ")]
    assert code == 2, said
    assert len(told) == 1, said
    assert str(run) in told[0]
    assert "no space" in told[0].lower()
    assert "Traceback" not in said
    states = stored_states(run / "state")
    assert states
    for state in states:
        check_state(state)
    assert not [path for path in run.rglob("*.tmp*") if "tensorboard" not in path.parts]
    filling.unlink()
    code, said = command(home, "train", recipe, "--output", run)
    assert code == 0, said
    assert result(run) == expected


@pytest.mark.parametrize("room", [0, 12_000, 100_000, 200_000])
def test_a_full_disk_loses_nothing(command, recipe, small_disk, result, tiny, room):
    fall_and_go_on(command, recipe, small_disk, room, result, tiny.result)


@pytest.mark.slow
@pytest.mark.parametrize("room", range(4096, 300_000, 32_768))
def test_a_disk_full_at_any_point_loses_nothing(command, recipe, small_disk, result, tiny, room):
    fall_and_go_on(command, recipe, small_disk, room, result, tiny.result)


@pytest.mark.parametrize("room", [0, 4096, 20_000])
def test_a_disk_full_during_preparation_is_said_and_made_up_for(
    command, recipe, small_disk, result, tiny, room
):
    filling = fill(small_disk, room)
    code, said = command(recipe.parent, "train", recipe, "--output", small_disk / "run")
    told = [line for line in said.splitlines() if line.startswith("dragoman: ")]
    assert code == 2, said
    assert len(told) == 1, said
    assert "no space left" in told[0].lower()
    filling.unlink()
    code, said = command(recipe.parent, "train", recipe, "--output", small_disk / "run")
    assert code == 0, said
    assert result(small_disk / "run") == tiny.result
