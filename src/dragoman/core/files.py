"""Writing files so that a crash at any moment leaves either the old or the new one, never half.

A file is written beside its place, flushed to the disk and moved over in one step; a folder is
filled under a temporary name and then renamed. A full disk is reported with the path, and what
was being written is taken away again.
"""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dragoman.core.console import say
from dragoman.core.errors import WriteError

TEMPORARY = ".tmp"
FULL = (errno.ENOSPC, errno.EDQUOT)


def write_atomic(path: Path, content: bytes | str, *, private: bool = False) -> None:
    """Replace a file's content in one step, safely on the disk before this returns.

    A private file can be read and written by its owner alone; another one that is there already
    may be read and written by the same people as before.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    beside = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    with explain_write_error(path), _taken_away_on_failure(beside):
        with beside.open("wb") as stream:
            if private:
                beside.chmod(0o600)
            elif path.is_file():
                beside.chmod(stat.S_IMODE(path.stat().st_mode))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, path)
        sync_folder(path.parent)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Fill a folder under a temporary name; it appears whole under its own name, or not at all."""
    beside = path.with_name(path.name + TEMPORARY)
    with explain_write_error(path), _taken_away_on_failure(beside):
        if beside.exists():
            shutil.rmtree(beside)
        beside.mkdir(parents=True)
        yield beside
        for file in sorted(one for one in beside.rglob("*") if one.is_file()):
            _sync_file(file)
        sync_folder(beside)
        os.rename(beside, path)
        sync_folder(path.parent)


def remove_leftovers(*folders: Path) -> None:
    """Take away what a crash left half written in any of these folders."""
    for path in [path for folder in folders for path in folder.glob(f"*{TEMPORARY}")]:
        _take_away(path)


def sha256(path: Path) -> str:
    """Return the checksum of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sync_folder(path: Path) -> None:
    """Make a rename inside a folder last through a power cut, where the system can.

    Where it cannot, the new file is there all the same, and whole: that is said and no error.
    """
    if os.name == "nt":  # Windows cannot open folders
        return
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        why = error.strerror or error
        say(f"{path}: written, but a power cut soon may undo it ({why}).", style="yellow")


def _sync_file(path: Path) -> None:
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def _take_away(path: Path) -> None:
    """Remove what is of no use; where that fails too, what failed before is told, and not this."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


@contextmanager
def _taken_away_on_failure(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        _take_away(path)
        raise


@contextmanager
def explain_write_error(path: Path) -> Iterator[None]:
    """Turn the failure to write a path into an error that a user can mend."""
    try:
        yield
    except OSError as error:
        raise _write_error(path, error) from error


@contextmanager
def explain_full_disk(path: Path) -> Iterator[None]:
    """Turn a full disk, met anywhere inside, into an error that a user can mend."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise _write_error(Path(error.filename or path), error) from error


def _write_error(path: Path, error: OSError) -> WriteError:
    """Say why a path cannot be written, and what to do."""
    if error.errno in FULL:
        return WriteError(
            f"{path}: no space left on the device (ENOSPC). "
            "Nothing that was stored before is lost; free some space and run the command again."
        )
    may_not = error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)
    what_next = "Choose a place that you may write to" if may_not else "Check the disk"
    why = error.strerror or error
    return WriteError(f"{path}: cannot be written ({why}). {what_next}, and run the command again.")
