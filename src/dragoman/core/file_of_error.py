"""The file that an OSError was met with: one of reading or writing an open file names none."""

import io
from collections.abc import Iterable
from pathlib import Path
from tempfile import gettempdir
from traceback import walk_tb
from typing import Any

STANDARD = 2
"""The highest handle of the standard streams."""


def file_of_error(error: OSError) -> str:
    """Return the file's name, or that of the innermost file in use where the error was raised.

    What is in use is looked for in the variables of the frames that the error came through: open
    files, then paths.
    """
    if error.filename:
        return str(error.filename)
    frames = reversed([frame for frame, _ in walk_tb(error.__traceback__)])
    return next(filter(None, (_in_use(frame.f_locals.values()) for frame in frames)), "")


def _in_use(values: Iterable[Any]) -> str:
    opened = [getattr(one, "name", "") for one in values if isinstance(one, io.IOBase)]
    for one in (*opened, *(value for value in values if isinstance(value, Path))):
        if isinstance(one, str | Path) and Path(one).exists():
            return str(one)
        if isinstance(one, int) and one > STANDARD:  # a file without a name has its handle's
            return f"a temporary file in {gettempdir()}"
    return ""
