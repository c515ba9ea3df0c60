"""One process at a time in a folder: the others are refused, or wait for their turn."""

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from dragoman.core.errors import RunError
from dragoman.core.files import explain_write_error

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
"""The file in a folder that says who holds it."""

TRIES, BETWEEN = 10, 0.02
"""How often, and with how many seconds between, a folder is asked for: `is_held` only looks, but
for that moment it is in the way."""


@contextmanager
def only_process(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; the system lets go even after `kill -9`."""
    path = folder / LOCK
    if path.exists() and not path.is_file():
        raise RunError(f"{path}: is not a regular file. Remove it, and run the command again.")
    with ExitStack() as stack:
        with explain_write_error(folder):
            stream = path.open("a+", encoding="ascii")
            stack.callback(_close, stream)
            _take(stream.fileno(), folder, path)
            stream.seek(0)
            stream.truncate()
            stream.write(str(os.getpid()))
            stream.flush()
        yield


def _close(stream: TextIO) -> None:
    """Let go of a lock; a disk that fails then hides no error that was there before."""
    with contextlib.suppress(OSError):
        stream.close()


def is_held(folder: Path) -> bool:
    """Say whether a process works in a folder, without keeping others out of it.

    Where the system has no such locks, as on Windows, nobody is known to.
    """
    if fcntl is None:
        return False
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    finally:
        os.close(handle)  # which lets go
    return False


@contextmanager
def in_turn(folder: Path) -> Iterator[None]:
    """Wait until no other process makes what belongs into a folder, then hold it for this one."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / ".turn", os.O_WRONLY | os.O_CREAT, 0o666)
    try:
        if fcntl is not None:  # on Windows processes do not share the making of a folder
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        with contextlib.suppress(OSError):  # nothing was written that could be lost
            os.close(handle)


def _take(handle: int, folder: Path, path: Path) -> None:
    if fcntl is None:
        _take_on_windows(handle, folder)
        return
    for _ in range(TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(BETWEEN)
    owner = path.read_text(encoding="ascii").strip() or "unknown"
    raise RunError(
        f"{folder}: another process (pid {owner}) is working in this folder. "
        "Wait for it, stop it, or give this run another folder."
    )


def _take_on_windows(handle: int, folder: Path) -> None:
    import msvcrt

    with contextlib.suppress(AttributeError):
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            raise RunError(f"{folder}: another process is working in this folder.") from None
