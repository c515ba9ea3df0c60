import errno
import os
import stat

import pytest

from dragoman.core import files
from dragoman.core.errors import RunError, WriteError
from dragoman.core.files import new_folder, remove_leftovers, sha256, write_atomic


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "file.txt"
    write_atomic(path, "first")
    write_atomic(path, b"second")
    assert path.read_bytes() == b"second"
    write_atomic(path, "नमस्ते\n")
    assert path.read_bytes().decode("utf-8") == "नमस्ते\n"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "file.txt"
    path.write_text("mine")
    path.chmod(mode)
    write_atomic(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "no space left on the device (ENOSPC)"),
        (errno.EDQUOT, "no space left on the device (ENOSPC)"),
        (errno.EACCES, "cannot be written (Permission denied)"),
        (errno.EIO, "cannot be written (Input/output error)"),
    ],
)
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, call, number, words):
    path = tmp_path / "file.txt"
    write_atomic(path, "old")

    def fail(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.os, call, fail)
    with pytest.raises(RunError) as failed:
        write_atomic(path, "new")
    assert str(failed.value).startswith(f"{path}: {words}")
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_a_folder_that_cannot_be_flushed_is_told_and_the_file_is_there(
    tmp_path, monkeypatch, capsys
):
    def fail_for_folders(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(files.os, "fsync", fail_for_folders)
    write_atomic(tmp_path / "file.txt", "new")
    assert (tmp_path / "file.txt").read_text() == "new"
    said = "written, but a power cut soon may undo it (Input/output error)"
    assert capsys.readouterr().err.replace("\n", " ").count(said) == 1


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EROFS, "Choose a place that you may write to, and run the command again."),
        (errno.EIO, "Check the disk, and run the command again."),
    ],
)
def test_an_error_of_writing_says_what_next(tmp_path, number, words):
    with pytest.raises(WriteError) as failed, files.explain_write_error(tmp_path):
        raise OSError(number, os.strerror(number))
    assert str(failed.value) == f"{tmp_path}: cannot be written ({os.strerror(number)}). {words}"


def test_what_cannot_be_taken_away_hides_no_error(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(files.os, "replace", fail)
    monkeypatch.setattr(files.Path, "unlink", fail)
    with pytest.raises(WriteError, match=r"file\.txt: cannot be written"):
        write_atomic(tmp_path / "file.txt", "new")


def test_a_file_where_nobody_may_write_is_told(tmp_path):
    with pytest.raises(RunError, match="cannot be written"):
        write_atomic(tmp_path / "missing" / "file.txt", "x")


def test_an_interruption_takes_the_half_written_file_away(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "file.txt", "x")
    assert [*tmp_path.iterdir()] == []


def test_a_folder_appears_whole(tmp_path):
    with new_folder(tmp_path / "deep" / "folder") as beside:
        (beside / "a").write_text("1")
        assert not (tmp_path / "deep" / "folder").exists()
    assert (tmp_path / "deep/folder/a").read_text() == "1"
    assert [*(tmp_path / "deep").iterdir()] == [tmp_path / "deep/folder"]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space"), KeyError("x"), SystemExit(1)])
def test_a_folder_that_fails_does_not_appear(tmp_path, error):
    expected = RunError if isinstance(error, OSError) else type(error)

    def fail(folder):
        (folder / "a").write_text("1")
        raise error

    with pytest.raises(expected), new_folder(tmp_path / "folder") as beside:
        fail(beside)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_a_folder_whose_last_step_fails_does_not_appear(tmp_path, monkeypatch, call):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, call, fail)
    with pytest.raises(RunError, match="ENOSPC"), new_folder(tmp_path / "folder") as beside:
        (beside / "a").write_text("1")
    assert [*tmp_path.iterdir()] == []


def test_what_an_earlier_crash_left_of_a_folder_is_taken_away(tmp_path):
    (tmp_path / "folder.tmp").mkdir()
    (tmp_path / "folder.tmp" / "old").write_text("half")
    with new_folder(tmp_path / "folder") as beside:
        (beside / "a").write_text("1")
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["a"]


def test_leftovers_are_files_and_folders_with_our_ending_only(tmp_path):
    (tmp_path / "a.1.tmp").write_text("half")
    (tmp_path / "b.tmp").mkdir()
    (tmp_path / "b.tmp" / "x").write_text("half")
    (tmp_path / "kept.txt").write_text("whole")
    remove_leftovers(tmp_path, tmp_path / "missing")
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_a_written_file_may_be_read_by_others_as_the_user_s_mask_says(tmp_path):
    write_atomic(tmp_path / "file.txt", "x")
    (tmp_path / "plain.txt").write_text("x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("file.txt", "plain.txt")]
    assert modes[0] == modes[1]


def test_a_checksum_is_that_of_the_content(tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    assert sha256(tmp_path / "file").startswith("ba7816bf")
