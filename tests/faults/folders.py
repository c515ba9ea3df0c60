"""What is in a folder, for comparing what two runs of a command left."""

import hashlib
import json
from pathlib import Path

from tests.conftest import WALL_CLOCK

Tree = dict[str, str]
"""Paths below a folder, with the digests of files; a folder's is empty."""
STDOUT = "stdout"
"""What stands for the path of what a command printed."""


def tree_of(folder: Path) -> Tree:
    """Return all files below a folder; of a log, all but the clocks counts."""
    return {
        str(path.relative_to(folder)): "" if path.is_dir() else digest(path)
        for path in sorted(folder.rglob("*"))
        if not _is_passing(path.relative_to(folder))
    }


def is_temporary(path: str) -> bool:
    """Say whether a file has a name that no finished file has."""
    return ".tmp" in path or path.startswith("temporary/")


def finished(tree: Tree) -> Tree:
    """Leave out temporary files, and what was printed."""
    return {path: tree[path] for path in tree if not is_temporary(path) and path != STDOUT}


def _is_passing(path: Path) -> bool:
    """Say whether a file is no result: a lock, TensorBoard's, or counted again where it lacks."""
    return not {"tensorboard", "cache", "doubles.json", ".lock", ".turn"}.isdisjoint(path.parts)


def digest(path: Path) -> str:
    """Return what stands for the content of a file."""
    data = path.read_bytes()
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in data.splitlines()]
        kept = [{key: row[key] for key in row if key not in WALL_CLOCK} for row in rows]
        data = json.dumps(kept).encode()
    return hashlib.sha256(data).hexdigest()[:16]
