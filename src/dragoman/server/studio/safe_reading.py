"""Safe reading of files in folders that may hold anything: no links, pipes or huge files."""

import json
import os
import stat
from pathlib import Path
from typing import Any

MAX_BYTES = 16 << 20
"""Bytes that are read of a file at most."""


def folders_in(folder: Path | None) -> dict[str, Path]:
    """Return the folders in a folder, by name, without links and hidden ones."""
    if folder is None:
        return {}
    try:
        with os.scandir(folder) as entries:
            names = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return {}
    return {name: folder / name for name in sorted(names) if _is_safe_name(name)}


def file_stat(path: Path) -> os.stat_result | None:
    """Return the status of a regular file; None for anything else."""
    try:
        facts = os.lstat(path)
    except (OSError, ValueError):
        return None
    return facts if stat.S_ISREG(facts.st_mode) else None


def read_file(path: Path, begin: int = 0, most: int = MAX_BYTES) -> bytes:
    """Read a regular file from an offset on; empty where there is none."""
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
    """Read a regular file as text; invalid UTF-8 is replaced."""
    return read_file(path, most=most).decode("utf-8", "replace")


def read_json(path: Path) -> Any:
    """Read a JSON file; None where there is none or it is invalid."""
    return parse_json(read_file(path))


def parse_json(content: bytes) -> Any:
    """Parse JSON; numbers that are not finite become None."""
    try:
        return json.loads(content, parse_constant=lambda _: None, parse_float=_finite)
    except (ValueError, RecursionError):
        return None


def plain(value: Any) -> Any:
    """Return a scalar that can be sent as JSON; None for anything else."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value if value is None or isinstance(value, bool | int | float) else None


def _finite(text: str) -> float | None:
    number = float(text)
    return number if abs(number) < float("inf") else None


def _is_safe_name(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return not name.startswith(".") and name.isprintable()
