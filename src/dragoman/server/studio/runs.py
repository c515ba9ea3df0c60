"""The runs of a folder, trained or in training, read from their own files.

Other files in the folder are ignored, and a run that is damaged is shown as such.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection
from pathlib import Path
from threading import Lock
from typing import Any

from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.errors import DragomanError
from dragoman.core.lock import is_held
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.server.studio.corpus_report import corpus_findings, preparation_notes, without_folders
from dragoman.server.studio.headline import headline
from dragoman.server.studio.log_file import LogFile, Row, tail_rows
from dragoman.server.studio.safe_reading import file_stat, folders_in, read_json, read_text

MAX_RUNS = 500
"""Runs that are listed: those that changed last."""

MAX_LOGS = 16
"""Logs in memory, so that only what is new is read."""

JsonObject = dict[str, Any]


class RunIndex:
    """The runs of one folder, listed anew each time."""

    def __init__(self, folder: Path | None, served: Callable[[], Collection[Path]]) -> None:
        """`served` returns the folders of the models that are served."""
        self._folder, self._served = folder, served
        self._logs: OrderedDict[str, LogFile] = OrderedDict()
        self._cache: dict[tuple[Path, str], tuple[tuple[int, ...], Any]] = {}
        self._lock = Lock()

    def folders(self) -> dict[str, RunFolder]:
        """Return the run folders, by name."""
        folders = {name: RunFolder(path) for name, path in folders_in(self._folder).items()}
        return {name: one for name, one in folders.items() if file_stat(one.recipe)}

    def summaries(self) -> list[JsonObject]:
        """Return a summary of every run, the one that changed last first."""
        with self._lock:
            served = self._served()
            found = [self._summary(name, one, served) for name, one in self.folders().items()]
        return sorted(found, key=lambda one: -one["updated"])[:MAX_RUNS]

    def describe(self, name: str, after: int) -> JsonObject | None:
        """Return all of one run, its log from a line on; None where there is no such run."""
        with self._lock:
            folder = self.folders().get(name)
            if folder is None:
                return None
            log = self._log(name, folder)
            rows, following, restarted = log.since(after)
            return {
                **self._summary(name, folder, self._served()),
                "rows": rows,
                "next": following,
                "restarted": restarted,
                "samples": log.samples,
                "card": without_folders(read_text(folder.card)),
                **corpus_findings(folder),
                "notes": preparation_notes(folder),
                "recipe": without_folders(read_text(folder.recipe)),
            }

    def _summary(self, name: str, folder: RunFolder, served: Collection[Path]) -> JsonObject:
        recipe: Recipe | None = self._read_cached(folder.recipe, "recipe", _read_recipe)
        rows: list[Row] = self._read_cached(folder.metrics, "rows", tail_rows) or []
        scores = self._read_cached(folder.scores, "scores", read_json)
        changed = [stat.st_mtime for path in _source_files(folder) if (stat := file_stat(path))]
        return {
            "name": name,
            "kind": recipe.task.kind if recipe else "",
            "state": _state(folder, recipe, rows),
            "step": rows[-1]["step"] if rows else 0,
            "steps": recipe.training.steps if recipe else 0,
            "updated": max(changed, default=0.0),
            "score": headline(recipe, scores, rows) if recipe else None,
            "served": folder.path.resolve() in served,
        }

    def _log(self, name: str, folder: RunFolder) -> LogFile:
        log = self._logs.pop(name, None) or LogFile(folder.metrics)
        self._logs[name] = log
        while len(self._logs) > MAX_LOGS:
            self._logs.popitem(last=False)
        log.read_on()
        return log

    def _read_cached(self, path: Path, what: str, read: Callable[[Path], Any]) -> Any:
        """Read a file, again only if it has changed."""
        stat = file_stat(path)
        if stat is None:
            self._cache.pop((path, what), None)
            return None
        stamp = (stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size)
        cached = self._cache.get((path, what))
        if cached is None or cached[0] != stamp:
            cached = stamp, read(path)
            self._cache[path, what] = cached
        return cached[1]


def _read_recipe(path: Path) -> Recipe | None:
    try:
        return read_recipe(path)
    except (DragomanError, OSError):
        return None


def _state(folder: RunFolder, recipe: Recipe | None, rows: list[Row]) -> str:
    if recipe is None:
        return "damaged"
    if is_held(folder.path):
        return "training"
    if not rows:
        return "finished" if recipe.corpus.kind == "imported" else "new"
    if rows[-1]["step"] >= recipe.training.steps or _stopped_early(folder, recipe):
        return "finished"
    return "stopped"


def _stopped_early(folder: RunFolder, recipe: Recipe) -> bool:
    """Say whether early stopping ended a run; then its card was written last."""
    card, log = file_stat(folder.card), file_stat(folder.metrics)
    if not recipe.training.patience or card is None or log is None:
        return False
    return card.st_mtime >= log.st_mtime


def _source_files(folder: RunFolder) -> tuple[Path, ...]:
    return folder.recipe, folder.metrics, folder.scores, folder.card
