"""metrics.jsonl: the log that programs read, and its mirrors for people."""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dragoman.core.console import say
from dragoman.core.files import explain_write_error, write_atomic
from dragoman.core.progress import Bar
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.training.report import StepReport

WALL_CLOCK = frozenset({"seconds", "tokens_per_second"})
"""Fields that differ between two runs that are otherwise the same."""


class MetricsLog:
    """One JSON object a line, flushed as it is written; TensorBoard too, where it is installed.

    It remembers how many lines it has, and their SHA-256: a resume keeps exactly those, forgets
    what was written after the state it begins from, and any half-written line, and says if they are
    others by now.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows = 0
        self._digest = hashlib.sha256()
        self._board: Any = None

    def write(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Append one line."""
        line = _line({"kind": kind, "step": step, **values})
        with explain_write_error(self.path), self.path.open("a", encoding="utf-8") as stream:
            stream.write(line)
        self._rows += 1
        self._digest.update(line.encode())
        if self._board:
            self._mirror(kind, step, values)

    def state(self) -> dict[str, Any]:
        """Put the lines on the disk, and return how many there are."""
        if self._rows:
            with explain_write_error(self.path), self.path.open("rb+") as stream:
                os.fsync(stream.fileno())
        return {"rows": self._rows, "sha256": self._digest.hexdigest()}

    def restore(self, state: dict[str, Any]) -> None:
        """Keep the lines there were at a state, and no other."""
        wanted = state.get("rows", 0)
        kept = read_log(self.path)[:wanted]
        if len(kept) < wanted:
            say(f"{self.path}: {wanted - len(kept)} lines are missing.", style="yellow")
        lines = "".join(map(_line, kept))
        self._rows, self._digest = len(kept), hashlib.sha256(lines.encode())
        if len(kept) == wanted and state.get("sha256") not in (None, self._digest.hexdigest()):
            say(f"{self.path}: is damaged; its {wanted} lines are not as written.", style="yellow")
        write_atomic(self.path, lines)
        self._board = _tensorboard(self.path.parent, kept[-1]["step"] if kept else 0)

    def close(self) -> None:
        """Let the mirror go."""
        if self._board:
            with suppress(Exception):
                self._board.close()
        self._board = None

    def _mirror(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        try:
            figures = {
                f"{kind}/{name}": value
                for name, value in values.items()
                if isinstance(value, int | float)
            }
            self._board.write(step, figures)
        except Exception as error:
            _say_off(error)
            self._board = None


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _tensorboard(folder: Path, step: int) -> Any:
    try:
        from dragoman.engine.training.tensorboard import EventFile
    except Exception:  # not installed, or broken in any of many ways
        return None
    try:
        return EventFile(folder / "tensorboard", purge_step=step + 1)
    except Exception as error:
        _say_off(error)
        return None


def _say_off(error: Exception) -> None:
    """Say that a plot of the log is missing: it is not worth the training."""
    say(f"TensorBoard logging is off from here on ({error}).", style="yellow")


class TrainingLog:
    """Average the steps between two lines of the log."""

    def __init__(self, log: MetricsLog, every: int, bar: Bar, seen: str = "tokens") -> None:
        """Call what the speed is counted in by the name `seen`."""
        self.log, self.every, self.bar, self.seen = log, every, bar, seen
        self._nats = self._norm = self._seconds = 0.0
        self._tokens = self._targets = self._steps = self._skipped = 0

    def __call__(self, report: StepReport) -> None:
        """Add a step; write a line where one is due."""
        self._seconds += report.seconds
        if report.skipped:
            self._skipped += 1
        else:
            self._nats += report.nats
            self._norm += report.gradient_norm
            self._tokens += report.tokens
            self._targets += report.targets
            self._steps += 1
        self.bar.advance(note=self._note(report))
        if report.step % self.every == 0:
            if self._skipped:
                self.log.write("skipped", report.step, {"steps": self._skipped})
            if self._steps:
                self._write(report)
            self.restore({})

    def _write(self, report: StepReport) -> None:
        speed = self._targets / max(self._seconds, 1e-9)
        loss = self._nats / self._tokens
        values = {
            "loss": loss,
            "gradient_norm": self._norm / self._steps,
            "rate": report.rate,
            "tokens": self._targets,
            "epoch": report.position.epoch,
            "seconds": round(self._seconds, 3),
            "tokens_per_second": round(speed, 1),
        }
        self.log.write("train", report.step, values)

    def _note(self, report: StepReport) -> str:
        if not self._tokens:
            return "skipped"
        speed = self._targets / max(self._seconds, 1e-9)
        return f"loss {self._nats / self._tokens:.3f}, {speed:,.0f} {self.seen}/s"

    def state(self) -> dict[str, Any]:
        """Return the sums since the last line."""
        return {
            "nats": self._nats,
            "norm": self._norm,
            "seconds": self._seconds,
            "tokens": self._tokens,
            "targets": self._targets,
            "steps": self._steps,
            "skipped": self._skipped,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take the sums back; nothing means that a new line begins."""
        self._nats = state.get("nats", 0.0)
        self._norm = state.get("norm", 0.0)
        self._seconds = state.get("seconds", 0.0)
        self._tokens = state.get("tokens", 0)
        self._targets = state.get("targets", self._tokens)
        self._steps = state.get("steps", 0)
        self._skipped = state.get("skipped", 0)
