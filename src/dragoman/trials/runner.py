"""A resumable runner of trials: what is done is stored, and not done again.

    rows/KEY.json   one finished trial: its settings, what was measured, seconds and software
    work/KEY/       a trial's own files while it runs; removed when its result is stored
    work/KEY.log    what its training says; removed likewise

The key is a checksum of the trial's settings, all of them, and of the study's version: a
result can only be found again by a trial that would measure the same.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import torch

from dragoman.config.former_keys import with_new_keys
from dragoman.core.bounded_read import read_bounded
from dragoman.core.console import say
from dragoman.core.duration import written
from dragoman.core.errors import RunError
from dragoman.core.files import explain_write_error, remove_leftovers, write_atomic
from dragoman.engine.runtime import software_versions
from dragoman.trials.trial import Trial
from dragoman.trials.workers import TrialJob, run_jobs

Measurement = dict[str, Any]
"""The result of one trial: plain JSON values by name."""

LARGEST_RESULT = 64 * 1024 * 1024

AnyTrial = TypeVar("AnyTrial", bound=Trial)


class ResumableRunner:
    """Runs trials, some at once if asked, and finds the results of those that are done."""

    def __init__(
        self, folder: Path, study: str, *, at_once: int = 1, verbose: bool = False
    ) -> None:
        """`verbose` says what each training says; trials are then run one after the other."""
        self._at_once, self._verbose = 1 if verbose else at_once, verbose
        self.folder, self.study = folder, study
        self.seconds = 0.0
        """Spent on the trials of the result, whenever that was."""
        self.versions: list[Measurement] = []
        """The software that measured them, each once."""
        self._results, self._work = folder / "rows", folder / "work"
        with explain_write_error(folder):
            self._results.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder, self._results)

    def run(
        self,
        trials: Sequence[AnyTrial],
        measure: Callable[[AnyTrial, Path], Measurement],
        *,
        version: int = 1,
    ) -> list[Measurement]:
        """Return the result of each trial, in order: its settings with what `measure` returned.

        `measure` is given the trial and a folder of its own, which outlives a kill, so that a
        training in it can be resumed. Trials may run at the same time, in other processes: what
        `measure` found, it returns or writes. Raise `version` when the same settings would
        measure otherwise.
        """
        keys = [_key(self.study, version, trial.model_dump(mode="json")) for trial in trials]
        if any(self._stored(key) is None for key in keys):
            former = self._former_keys(version)
            keys = [former.get(key, key) for key in keys]
        missing = [
            number
            for number, key in enumerate(keys)
            if key not in keys[:number] and self._stored(key) is None
        ]
        if len(missing) < len(trials):
            say(f"{len(trials) - len(missing)} of {len(trials)} are measured already")
        began = time.perf_counter()

        def report_start(place: int, done: int) -> None:
            left = (time.perf_counter() - began) / done * (len(missing) - done) if done else 0.0
            rest = f", about {written(left)} left" if done else ""
            say(f"{missing[place] + 1} of {len(trials)}: {trials[missing[place]].title}{rest}")

        works = [partial(self._measure, keys[each], trials[each], measure) for each in missing]
        logs = [self._work / f"{keys[each]}.log" for each in missing]
        if self._at_once > 1:
            titles = [trials[each].title for each in missing]
            run_jobs([*map(TrialJob, titles, works, logs)], self._at_once, report_start)
        else:
            for place, (work, log) in enumerate(zip(works, logs, strict=True)):
                report_start(place, place)
                self._run_here(work, log)
        return [self._result(key) for key in keys]

    def _run_here(self, work: Callable[[], None], log: Path) -> None:
        """Run a trial in this process; what is said meanwhile goes into a file, unless verbose."""
        if self._verbose:
            work()
            return
        with explain_write_error(log):
            log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8", buffering=1) as stream, redirect_stderr(stream):
            work()
        log.unlink(missing_ok=True)

    def _result(self, key: str) -> Measurement:
        """Return the result of a finished trial, and note its cost and its software."""
        stored = self._stored(key)
        if stored is None:
            raise RunError(f"{self._results / key}.json: is gone. Run the command again.")
        self.seconds += stored["seconds"]
        if stored["made_with"] not in self.versions:
            self.versions.append(stored["made_with"])
        settings = _with_new_names(stored["settings"])
        return {**settings, **stored["measured"], "seconds": stored["seconds"]}

    def _former_keys(self, version: int) -> dict[str, str]:
        """Return the keys of results stored before settings were renamed, by those of today."""
        found = {}
        for key in [path.stem for path in sorted(self._results.glob("*.json"))]:
            stored = self._stored(key)
            if stored and key == _key(self.study, version, stored["settings"]):
                found[_key(self.study, version, _with_new_names(stored["settings"]))] = key
        return found

    def _measure(
        self, key: str, trial: AnyTrial, measure: Callable[[AnyTrial, Path], Measurement]
    ) -> None:
        place = self._work / key
        with explain_write_error(place):
            place.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        measured = measure(trial, place)
        stored = {
            "subject": self.study,
            "settings": trial.model_dump(mode="json"),
            "measured": measured,
            "seconds": round(time.perf_counter() - began, 3),
            "made_with": _software(torch.get_num_threads()),
        }
        write_atomic(
            self._results / f"{key}.json", json.dumps(stored, indent=1, ensure_ascii=False)
        )
        shutil.rmtree(place, ignore_errors=True)

    def _stored(self, key: str) -> Measurement | None:
        """Find the result of a finished trial; one that cannot be read is measured again."""
        try:
            stored = read_bounded(self._results / f"{key}.json", LARGEST_RESULT)
            found: Any = json.loads(stored)
        except (OSError, ValueError, RecursionError):
            return None
        names = ("settings", "measured", "seconds", "made_with")
        return found if isinstance(found, dict) and all(name in found for name in names) else None


@cache
def _software(threads: int) -> Measurement:
    return software_versions(threads).model_dump(mode="json")


def _key(study: str, version: int, settings: Measurement) -> str:
    tree = {"subject": study, "version": version, "settings": settings}
    text = json.dumps(tree, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def _with_new_names(settings: Measurement) -> Measurement:
    """Return the settings of a trial with the names of today; some hold a network or a recipe."""
    new, _ = with_new_keys(settings)
    if "network" in new:
        new["network"] = with_new_keys({"model": new["network"]})[0]["model"]
    return {
        name: _with_new_names(value) if name in ("pretraining", "recipe") else value
        for name, value in new.items()
    }
