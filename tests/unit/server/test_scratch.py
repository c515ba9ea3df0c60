"""The files of a killed server do not stay: the next one sweeps its folder, and no other."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from dragoman.server.scratch import LOCK, PREFIX, scratch_folder, sweep_scratch_folders

HOLD = """
import os, sys
from pathlib import Path
from dragoman.server.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "files").mkdir()
    (folder / "files" / "letter.txt").write_text("Dear")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def start(place: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start a process that holds a scratch folder with a client's file."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env=os.environ | {"TMPDIR": str(place)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    return holder, Path(holder.stdout.readline().strip())


def end(holder: subprocess.Popen[str], *, kill: bool) -> None:
    if kill:
        holder.kill()
    holder.communicate()


def abandoned(place: Path, name: str = "one") -> Path:
    """Make a folder as a killed server leaves it."""
    folder = place / f"{PREFIX}{name}"
    folder.mkdir(mode=0o700)
    (folder / LOCK).touch()
    (folder / "files").mkdir()
    (folder / "files" / "letter.txt").write_text("Dear")
    return folder


def test_a_server_removes_its_folder_when_it_ends(place):
    with scratch_folder() as folder:
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
    assert [*place.iterdir()] == []


def test_the_folder_of_a_killed_server_is_swept_and_that_of_a_living_one_is_not(place, capsys):
    (dead, left), (alive, held) = start(place), start(place)
    end(dead, kill=True)
    sweep_scratch_folders(place)
    assert not left.exists()
    assert (held / "files" / "letter.txt").read_text() == "Dear"
    assert capsys.readouterr().err.splitlines() == [
        "removed 1 scratch folder of a server that was killed"
    ]
    end(alive, kill=False)
    assert [*place.iterdir()] == []


def test_what_is_no_folder_of_a_server_stays(place, capsys):
    outside = place / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (place / f"{PREFIX}file").touch()
    (place / f"{PREFIX}empty").mkdir(mode=0o700)  # one that is just being made
    (place / f"{PREFIX}link").symlink_to(abandoned(place, "target"))
    open_to_all = abandoned(place, "open")
    open_to_all.chmod(0o755)
    run = place / "dragoman-demo"
    run.mkdir(mode=0o700)
    (run / ".lock").touch()
    for name, make in {
        "locklink": lambda lock: lock.symlink_to(outside / "kept"),
        "pipe": os.mkfifo,
    }.items():
        folder = place / f"{PREFIX}{name}"
        folder.mkdir(mode=0o700)
        make(folder / LOCK)
    before = {*place.iterdir()} - {place / f"{PREFIX}target"}
    sweep_scratch_folders(place)
    assert {*place.iterdir()} == before
    assert "removed 1 scratch folder" in capsys.readouterr().err


def test_links_inside_a_folder_are_removed_and_what_they_point_at_is_not(place):
    outside = place / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    folder = abandoned(place)
    (folder / "link").symlink_to(outside)
    (folder / "files" / "link").symlink_to(outside / "kept")
    sweep_scratch_folders(place)
    assert {*place.rglob("*")} == {outside, outside / "kept"}


def test_a_folder_of_another_user_stays(place, monkeypatch):
    folder = abandoned(place)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    sweep_scratch_folders(place)
    assert folder.exists()


def test_many_servers_that_start_at_once_sweep_what_was_left_and_nothing_of_each_other(place):
    for number in range(20):
        abandoned(place, f"left{number}")
    together, done, lost = threading.Barrier(8), threading.Barrier(8), []

    def serve() -> None:
        together.wait()
        with scratch_folder() as folder:
            (folder / "files").mkdir()
            done.wait()
            sweep_scratch_folders(place)
            done.wait()
            lost.append(not (folder / "files").is_dir())

    threads = [threading.Thread(target=serve) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == [False] * 8
    assert [*place.iterdir()] == []


def test_without_locks_nothing_is_swept(place, monkeypatch):
    folder = abandoned(place)
    monkeypatch.setattr("dragoman.server.scratch.fcntl", None)
    with scratch_folder() as own:
        assert own.is_dir()
    assert [*place.iterdir()] == [folder]
