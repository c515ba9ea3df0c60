"""The scratch folder of a server: clients' translated files, for as long as it runs.

A server that is killed cannot remove its folder, so the next one sweeps it away. A folder is known
to be abandoned by its lock: the system lets go of it when a server ends, however it ends. The lock
file gets its name only once it is locked, so a folder that is just being made is never taken for
one that was left. Where the system has no such locks, as on Windows, nothing is swept.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dragoman.core.console import say

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "dragoman-serve-"
LOCK = "serving.lock"
"""Not the lock of run folders: a run that somebody keeps among temporary files is no scratch."""

CAREFUL = os.O_NOFOLLOW | os.O_NONBLOCK if hasattr(os, "O_NOFOLLOW") else 0
"""Flags against links and pipes under the name of a lock."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder that only this user can read, and remove it in the end."""
    sweep_scratch_folders(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = _lock(folder)
    try:
        yield folder
    finally:
        _remove(folder)
        if lock is not None:
            os.close(lock)


def sweep_scratch_folders(place: Path) -> None:
    """Remove the scratch folders that killed servers of this user have left."""
    swept = 0
    for folder in place.glob(f"{PREFIX}*") if fcntl is not None else ():
        lock = _lock_of_abandoned(folder)
        if lock is not None:
            _remove(folder)
            os.close(lock)  # only now, so that no other server sweeps it at the same time
            swept += not folder.exists()
    if swept:
        noun = "folder" if swept == 1 else "folders"
        say(f"removed {swept} scratch {noun} of a server that was killed")


def _lock(folder: Path) -> int | None:
    if fcntl is None:
        return None
    unnamed = folder / f"{LOCK}.new"
    lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    unnamed.rename(folder / LOCK)
    return lock


def _lock_of_abandoned(folder: Path) -> int | None:
    """Return the lock of a folder that a server of this user has left, taken; else None."""
    try:
        if not _is_own_folder(folder.lstat()):
            return None
        lock = os.open(folder / LOCK, os.O_RDWR | CAREFUL)
    except OSError:  # gone meanwhile, or not made by a server
        return None
    try:
        if stat.S_ISREG(os.fstat(lock).st_mode):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
    except OSError:  # its server lives
        pass
    os.close(lock)
    return None


def _remove(folder: Path) -> None:
    """Remove a folder, its lock last: if this is cut off, another server can sweep the rest."""
    for inside in folder.glob("*"):
        if inside.name != LOCK:
            shutil.rmtree(inside, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def _is_own_folder(found: os.stat_result) -> bool:
    private = stat.S_IMODE(found.st_mode) == 0o700
    return stat.S_ISDIR(found.st_mode) and private and found.st_uid == os.geteuid()
