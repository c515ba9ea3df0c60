"""The bench that experiments are measured on: what is done is kept, and not done again.

    rows/KEY.json   one finished unit: its settings, what was measured, seconds and software
    work/KEY/       a unit's own files while it is measured; taken away when its row is kept

The key is a checksum of the unit's settings, all of them, and of the subject's version: a row can
only be found again by a unit that would measure the same.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import torch

from dragoman.config.settings import Settings
from dragoman.core.console import say
from dragoman.core.errors import RunError
from dragoman.core.files import remove_leftovers, said_plainly, write_atomic
from dragoman.engine.runtime import software_versions
from dragoman.lab.experiment import Row, Size
from dragoman.planner.duration import written
from dragoman.trials.workers import TrialJob, do_all

Unit = TypeVar("Unit", bound=Settings)


class Bench:
    """Measures units, some at once if asked, and finds those that are measured already."""

    def __init__(
        self, folder: Path, subject: str, size: Size, seeds: Sequence[int], *, at_once: int = 1
    ) -> None:
        self._at_once = at_once
        self.folder, self.subject, self.size = folder, subject, size
        self.seeds = tuple(seeds)
        self.seconds = 0.0
        """Spent on measuring the units of the result, whenever that was."""
        self.versions: list[Row] = []
        """The software that measured them, each once."""
        self._rows, self._work = folder / "rows", folder / "work"
        with said_plainly(folder):
            self._rows.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder, self._rows)

    def measured(
        self,
        units: Sequence[Unit],
        measure: Callable[[Unit, Path], Row],
        *,
        version: int = 1,
        name: Callable[[Unit], str] = str,
    ) -> list[Row]:
        """Return a row for each unit, in order: its settings with what `measure` made of it.

        `measure` is given the unit and a folder of its own, which outlives a kill, so that a
        training in it can go on. Units may be measured at the same time, in other processes: what
        `measure` has to tell, it returns or writes. Raise `version` when the same settings would
        measure otherwise.
        """
        keys = [_key(self.subject, version, unit) for unit in units]
        missing = [
            number
            for number, key in enumerate(keys)
            if key not in keys[:number] and self._kept(key) is None
        ]
        if len(missing) < len(units):
            say(f"{len(units) - len(missing)} of {len(units)} are measured already")
        began = time.perf_counter()

        def begins(place: int, done: int) -> None:
            left = (time.perf_counter() - began) / done * (len(missing) - done) if done else 0.0
            told = f", about {written(left)} left" if done else ""
            say(f"{missing[place] + 1} of {len(units)}: {name(units[missing[place]])}{told}")

        works = [partial(self._measure, keys[each], units[each], measure) for each in missing]
        if self._at_once > 1:
            logs = [self._work / f"{keys[each]}.log" for each in missing]
            named = [name(units[each]) for each in missing]
            do_all([*map(TrialJob, named, works, logs)], self._at_once, begins)
        else:
            for place, work in enumerate(works):
                begins(place, place)
                work()
        return [self._row(key) for key in keys]

    def _row(self, key: str) -> Row:
        """Return a finished unit as a row, and note what it cost and what it was made with."""
        kept = self._kept(key)
        if kept is None:
            raise RunError(f"{self._rows / key}.json: is gone. Run the command again.")
        self.seconds += kept["seconds"]
        if kept["made_with"] not in self.versions:
            self.versions.append(kept["made_with"])
        return {**kept["settings"], **kept["measured"], "seconds": kept["seconds"]}

    def _measure(self, key: str, unit: Unit, measure: Callable[[Unit, Path], Row]) -> None:
        place = self._work / key
        with said_plainly(place):
            place.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        measured = measure(unit, place)
        kept = {
            "subject": self.subject,
            "settings": unit.model_dump(mode="json"),
            "measured": measured,
            "seconds": round(time.perf_counter() - began, 3),
            "made_with": _software(torch.get_num_threads()),
        }
        write_atomic(self._rows / f"{key}.json", json.dumps(kept, indent=1, ensure_ascii=False))
        shutil.rmtree(place, ignore_errors=True)

    def _kept(self, key: str) -> Row | None:
        """Find a finished unit; one that cannot be read is measured again."""
        try:
            found: Any = json.loads((self._rows / f"{key}.json").read_bytes())
        except (OSError, ValueError):
            return None
        names = ("settings", "measured", "seconds", "made_with")
        return found if isinstance(found, dict) and all(name in found for name in names) else None


@cache
def _software(threads: int) -> Row:
    return software_versions(threads).model_dump(mode="json")


def _key(subject: str, version: int, unit: Settings) -> str:
    told = {"subject": subject, "version": version, "settings": unit.model_dump(mode="json")}
    text = json.dumps(told, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
