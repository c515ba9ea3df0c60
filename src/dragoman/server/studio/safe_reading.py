"""Safe reading of folders that may hold anything: no links, no pipes, nothing endless."""

import json
import os
import stat
from pathlib import Path
from typing import Any

LARGEST = 16 << 20
"""Bytes of a file that is read whole."""


def folders_in(folder: Path | None) -> dict[str, Path]:
    """Return the folders inside one, by name; links are not followed, hidden ones passed over."""
    if folder is None:
        return {}
    try:
        with os.scandir(folder) as entries:
            names = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return {}
    return {name: folder / name for name in sorted(names) if _fit_to_be_named(name)}


def file_facts(path: Path) -> os.stat_result | None:
    """Return what the system knows of a plain file; of anything else, nothing."""
    try:
        facts = os.lstat(path)
    except (OSError, ValueError):
        return None
    return facts if stat.S_ISREG(facts.st_mode) else None


def read_file(path: Path, begin: int = 0, most: int = LARGEST) -> bytes:
    """Return a plain file from a place on, or nothing where there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except (OSError, ValueError):
        return b""
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return b""
        stream.seek(begin)
        return stream.read(most)


def read_text(path: Path, most: int = 1 << 20) -> str:
    """Return a plain file as text; what is not UTF-8 is replaced."""
    return read_file(path, most=most).decode("utf-8", "replace")


def read_json(path: Path) -> Any:
    """Return the values of a JSON file; None where there is none or it is damaged."""
    return parsed(read_file(path))


def parsed(content: bytes) -> Any:
    """Return the values that JSON stands for, numbers that are none as None."""
    try:
        return json.loads(content, parse_constant=lambda _: None, parse_float=_finite)
    except (ValueError, RecursionError):
        return None


def plain(value: Any) -> Any:
    """Return a value that is no list and no table, fit to be sent; None for all else."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value if value is None or isinstance(value, bool | int | float) else None


def _finite(text: str) -> float | None:
    number = float(text)
    return number if abs(number) < float("inf") else None


def _fit_to_be_named(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return not name.startswith(".") and name.isprintable()
