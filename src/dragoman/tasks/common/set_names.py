"""Names of test sets that users give as files: none is stored over another set of a run.

A set is called like its first file. Where that name is taken, by a set of the run's own or by
another file, the folder of the file comes before it, and where that is taken too, a digest of the
path after it. The same file again, by its path or its content, keeps its name.
"""

import hashlib
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from dragoman.core.bounded_read import read_bounded
from dragoman.core.checksums import LARGEST
from dragoman.core.files import sha256
from dragoman.engine.checkpoint.folder import RunFolder

FILES = "files"
"""The key of scores.json that says which files a set came from; the run's own sets have none."""

SETTINGS = ","
"""Stands in the name of a set before the decoding settings that were changed for it, if any."""


def origin_of(files: Sequence[Path]) -> dict[str, list[dict[str, str]]]:
    """Return where a set came from, as it is stored: path and SHA-256 of each file, if any."""
    found = [{"path": os.path.abspath(path), "sha256": content_digest(path)} for path in files]
    return {FILES: found} if found else {}


def content_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of the files of a folder."""
    if not path.is_dir():
        return sha256(path)
    whole = hashlib.sha256()
    for file in sorted(one for one in path.rglob("*") if one.is_file()):
        whole.update(f"{sha256(file)}  {file.relative_to(path).as_posix()}\n".encode())
    return whole.hexdigest()


def name_of_files(
    folder: RunFolder, files: Sequence[Path], own: Collection[str] = ("test",), ending: str = ""
) -> str:
    """Return the name under which a set of files is stored; `own` are the run's own sets.

    `ending` tells apart what is tested on one file in several ways.
    """
    first = Path(os.path.abspath(files[0]))
    stem = first.name if first.is_dir() else first.name.split(".")[0] or "file"
    stem = stem.replace(SETTINGS, "-")
    paths = "\n".join(os.path.abspath(path) for path in files)
    digest = hashlib.sha256(paths.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    names = [stem, f"{first.parent.name.replace(SETTINGS, '-')}-{stem}"]
    others = {name.casefold() for name in own} | _names_of_others(folder, files)
    free = [name for name in names if f"{name}{ending}".casefold() not in others]
    return f"{free[0] if free else f'{stem}-{digest}'}{ending}"


def _names_of_others(folder: RunFolder, files: Sequence[Path]) -> set[str]:
    """Return the names that are stored for other files, or nobody knows for which."""
    try:
        stored = json.loads(read_bounded(folder.scores, LARGEST))
    except (OSError, ValueError, RecursionError):
        return set()  # what is wrong with it is told when the scores are stored
    entries = stored.items() if isinstance(stored, dict) else ()
    mine = origin_of(files)[FILES] if entries else []
    return {
        name.partition(SETTINGS)[0].casefold()
        for name, entry in entries
        if not _is_same(entry, mine)
    }


def _is_same(entry: Any, mine: list[dict[str, str]]) -> bool:
    """Say whether an entry is of the same files: all at the same place, or of the same content."""
    theirs = entry.get(FILES) if isinstance(entry, dict) else None
    if not isinstance(theirs, list) or not all(isinstance(one, dict) for one in theirs):
        return False
    return any(
        [one.get(key) for one in theirs] == [one[key] for one in mine] for key in ("path", "sha256")
    )
