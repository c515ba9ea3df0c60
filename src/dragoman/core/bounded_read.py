"""Reading a file whole without trusting it: regular files only, capped by the bytes read.

A size on the disk says nothing about /dev/zero, and opening a FIFO waits for somebody who writes.
"""

import errno
import os
import stat
from pathlib import Path

CHUNK = 1 << 20


def check_regular(path: Path) -> None:
    """Refuse what is not a regular file, where a library opens it by its name."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def check_fits_memory(path: Path) -> None:
    """Refuse a file that is larger than the memory of this machine, where that is known."""
    names = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" not in names:  # Windows
        return
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if path.stat().st_size > memory:
        raise OSError(errno.EFBIG, "larger than the memory of this machine", str(path))


def read_bounded(path: Path, most: int) -> bytes:
    """Return the content of a regular file; one of more than `most` bytes is an OSError."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))
        parts: list[bytes] = []
        left = most
        while part := stream.read(min(CHUNK, left + 1)):
            left -= len(part)
            if left < 0:
                raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))
            parts.append(part)
    return b"".join(parts)
