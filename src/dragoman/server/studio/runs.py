"""The runs of a folder, trained or in training, as their own files tell of them.

Whatever else lies in the folder is passed over, and a run that is damaged is shown as such.
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
from dragoman.server.studio.corpus_report import found_in, notes_of, without_folders
from dragoman.server.studio.headline import headline
from dragoman.server.studio.log_file import LogFile, Row, last_rows
from dragoman.server.studio.safe_reading import file_facts, folders_in, read_json, read_text

MOST_RUNS = 500
"""Runs that are listed: those that changed last."""

LOGS_KEPT = 16
"""Logs that are kept in memory, so that only what is new is read."""

Told = dict[str, Any]


class Runs:
    """The runs below one folder, found anew each time they are asked for."""

    def __init__(self, folder: Path | None, served: Callable[[], Collection[Path]]) -> None:
        """Learn of the folders that are served from a function, for they may change."""
        self._folder, self._served = folder, served
        self._logs: OrderedDict[str, LogFile] = OrderedDict()
        self._kept: dict[tuple[Path, str], tuple[tuple[int, ...], Any]] = {}
        self._turn = Lock()

    def found(self) -> dict[str, RunFolder]:
        """Return the run folders there are, by name."""
        folders = {name: RunFolder(path) for name, path in folders_in(self._folder).items()}
        return {name: one for name, one in folders.items() if file_facts(one.recipe)}

    def listed(self) -> list[Told]:
        """Tell of every run, the one that changed last first."""
        with self._turn:
            served = self._served()
            told = [self._told(name, one, served) for name, one in self.found().items()]
        return sorted(told, key=lambda one: -one["updated"])[:MOST_RUNS]

    def shown(self, name: str, after: int) -> Told | None:
        """Tell all of one run, its log from a line on; None where there is no such run."""
        with self._turn:
            folder = self.found().get(name)
            if folder is None:
                return None
            log = self._log(name, folder)
            rows, following, restarted = log.since(after)
            return {
                **self._told(name, folder, self._served()),
                "rows": rows,
                "next": following,
                "restarted": restarted,
                "samples": log.samples,
                "card": without_folders(read_text(folder.card)),
                **found_in(folder),
                "notes": notes_of(folder),
                "recipe": without_folders(read_text(folder.recipe)),
            }

    def _told(self, name: str, folder: RunFolder, served: Collection[Path]) -> Told:
        recipe: Recipe | None = self._once(folder.recipe, "recipe", _read_recipe)
        rows: list[Row] = self._once(folder.metrics, "rows", last_rows) or []
        scores = self._once(folder.scores, "scores", read_json)
        changed = [facts.st_mtime for path in _telling(folder) if (facts := file_facts(path))]
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
        while len(self._logs) > LOGS_KEPT:
            self._logs.popitem(last=False)
        log.read_on()
        return log

    def _once(self, path: Path, what: str, read: Callable[[Path], Any]) -> Any:
        """Read a file anew only if it has changed."""
        facts = file_facts(path)
        if facts is None:
            self._kept.pop((path, what), None)
            return None
        mark = (facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_size)
        kept = self._kept.get((path, what))
        if kept is None or kept[0] != mark:
            kept = mark, read(path)
            self._kept[path, what] = kept
        return kept[1]


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
    """Say whether patience ended a run before its last step; then its card was written last."""
    card, log = file_facts(folder.card), file_facts(folder.metrics)
    if not recipe.training.patience or card is None or log is None:
        return False
    return card.st_mtime >= log.st_mtime


def _telling(folder: RunFolder) -> tuple[Path, ...]:
    return folder.recipe, folder.metrics, folder.scores, folder.card
