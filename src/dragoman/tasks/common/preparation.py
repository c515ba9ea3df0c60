"""Preparing the data of a run once: a resume finds them in its folder."""

import json
from collections.abc import Callable
from pathlib import Path

from dragoman.config.reading import stored_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.checksums import (
    CHECKSUMS,
    files_of,
    note_checksums,
    read_checked,
    read_checksums,
)
from dragoman.core.errors import CheckpointError, ConfigError
from dragoman.core.files import write_atomic
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.state import stored_states

MARK = "prepared.json"
PREPARED = ("task", "corpus", "tokenizer", "seed", "start")
"""The parts of a recipe that decide what the data look like."""


def prepare_once(folder: RunFolder, recipe: Recipe, prepare_it: Callable[[], None]) -> None:
    """Prepare a recipe's data, unless the folder holds it already."""
    mark = folder.data / MARK
    if not _is_prepared(mark, recipe):
        folder.data.mkdir(parents=True, exist_ok=True)
        if not stored_states(folder.states):  # else a corpus that has changed must not go unnoticed
            (folder.data / CHECKSUMS).unlink(missing_ok=True)
        prepare_it()
        wanted = json.dumps(recipe.model_dump(mode="json", include=set(PREPARED)))
        note_checksums(folder.data, dict.fromkeys(files_of(folder.data)) | {MARK: wanted})
        write_atomic(mark, wanted)


def add_checksums(folder: RunFolder) -> None:
    """Note the digests of a run that was stored by an earlier version."""
    if (folder.data / MARK).is_file() and not (folder.data / CHECKSUMS).exists():
        note_checksums(folder.data, dict.fromkeys(files_of(folder.data)))
    known = read_checksums(folder.path)
    own = [path.name for path in (folder.recipe, folder.tokenizer) if path.is_file()]
    if new := [name for name in own if name not in known]:
        note_checksums(folder.path, dict.fromkeys(new))


def _is_prepared(mark: Path, recipe: Recipe) -> bool:
    """Say whether the folder holds this recipe's data; keys that came later have their default."""
    try:
        stored = json.loads(read_checked(mark))
        tree = {"name": recipe.name, "model": recipe.model.model_dump(mode="json"), **stored}
        before = stored_recipe(tree, mark.name)
    except (OSError, ValueError, TypeError, ConfigError, CheckpointError):
        return False
    return all(getattr(before, part) == getattr(recipe, part) for part in PREPARED)
