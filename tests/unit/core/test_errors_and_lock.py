import errno
import os
import threading
from io import StringIO
from pathlib import Path

import pytest

from dragoman.core import errors
from dragoman.core.errors import DragomanError, RunError, nearest
from dragoman.core.lock import is_held, only_process


def test_every_error_of_ours_is_one_family_that_its_docstring_draws():
    ours = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)]
    assert all(issubclass(error, DragomanError) for error in ours)
    assert all(error.__name__ in errors.__doc__ for error in ours)
    assert len(ours) == 9


def test_the_nearest_name_is_offered_or_all_are():
    assert nearest("widht", ["width", "heads"]) == "Did you mean 'width'?"
    assert nearest("xyz", ["width", "heads"]) == "Known: heads, width."
    assert nearest("bert", ["grammar-bert", "grammar-gpt"]) == "Did you mean 'grammar-bert'?"


def test_of_many_names_only_the_closest_are_listed_and_where_all_of_them_stand():
    known = [f"{letter}{letter}" for letter in "abcdefghijklmnopqrstuvwx"]
    said = nearest("bqqq", known, listed="Runs", most=2, see="`dragoman runs` lists them.")
    assert said == "Did you mean 'qq'?"
    said = nearest("bxxzzzzz", known, listed="Runs", most=2, see="`dragoman runs` lists them.")
    assert said == "Runs: xx, bb and 22 more. `dragoman runs` lists them."


def test_a_folder_is_held_by_one_at_a_time(tmp_path):
    with (
        only_process(tmp_path),
        pytest.raises(RunError, match=f"pid {os.getpid()}"),
        only_process(tmp_path),
    ):
        pass
    with only_process(tmp_path):
        assert (tmp_path / ".lock").read_text() == str(os.getpid())


def test_a_lock_file_alone_holds_nothing(tmp_path):
    (tmp_path / ".lock").write_text("1")
    with only_process(tmp_path):
        assert (tmp_path / ".lock").read_text() == str(os.getpid())


def test_a_lock_is_let_go_after_a_failure(tmp_path):
    with pytest.raises(KeyError), only_process(tmp_path):
        raise KeyError
    with only_process(tmp_path):
        pass


def test_a_lock_that_cannot_be_closed_hides_no_earlier_error(tmp_path, monkeypatch):
    class Full(StringIO):
        def fileno(self):
            return handle

        def close(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    handle = os.open(tmp_path / ".lock", os.O_RDWR | os.O_CREAT)
    monkeypatch.setattr(Path, "open", lambda *_, **__: Full())
    with pytest.raises(KeyError), only_process(tmp_path):
        raise KeyError
    os.close(handle)


def test_whether_a_folder_is_held_can_be_asked(tmp_path):
    assert not is_held(tmp_path)
    assert not (tmp_path / ".lock").exists()
    with only_process(tmp_path):
        assert is_held(tmp_path)
    assert not is_held(tmp_path)
    (tmp_path / ".lock").unlink()
    os.mkfifo(tmp_path / ".lock")
    assert not is_held(tmp_path)
    assert not is_held(tmp_path / "nowhere")


def test_who_asks_is_never_taken_for_one_who_holds(tmp_path):
    stopped = threading.Event()

    def ask():
        while not stopped.is_set():
            is_held(tmp_path)

    asking = threading.Thread(target=ask)
    asking.start()
    held = 0
    try:
        for _ in range(100):
            with only_process(tmp_path):
                held += is_held(tmp_path)
    finally:
        stopped.set()
        asking.join()
    assert held == 100


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_pipe_or_a_device_in_the_place_of_the_lock_is_named(tmp_path, make):
    make(tmp_path / ".lock")
    with pytest.raises(RunError, match=r"\.lock: is not a regular file"), only_process(tmp_path):
        pass
