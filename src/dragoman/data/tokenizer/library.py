"""Libraries in Rust and C++ that cut text, kept from bringing the program down.

A panic of Rust is no `Exception`, and its hook writes to the standard error by itself, as some
errors in C++ do. What they write there while they work is held back, and dropped if they fail: the
error that is raised says it.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from dragoman.core.errors import DataError

STANDARD_ERROR = 2
PANIC = "PanicException"
_one_at_a_time = RLock()  # the standard error is one for all threads


def _renew_lock() -> None:
    """Give a forked process a lock of its own: no other thread is left there to release it."""
    global _one_at_a_time  # noqa: PLW0603 - a lock that is held for ever cannot be released
    _one_at_a_time = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


@contextmanager
def explain_panics() -> Iterator[None]:
    """Turn a panic of the library, which is no `Exception`, into a DataError."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != PANIC:
            raise
        raise DataError(
            f"the tokenizer cannot work with this: {error}. "
            "Take it from its model again, or train it anew."
        ) from error


@contextmanager
def hold_back_errors() -> Iterator[None]:
    """Hold back what is written to the standard error, and drop it if anything is raised."""
    with _one_at_a_time:
        try:
            before = os.dup(STANDARD_ERROR)
        except OSError:  # there is none
            yield
            return
        held = _memory_file()
        try:
            os.dup2(held, STANDARD_ERROR)
            try:
                yield
            finally:
                os.dup2(before, STANDARD_ERROR)
            if size := os.fstat(held).st_size:
                os.write(STANDARD_ERROR, os.pread(held, size, 0))
        finally:
            os.close(held)
            os.close(before)


def _memory_file() -> int:
    """Return a file that nobody else sees."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("standard-error")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
