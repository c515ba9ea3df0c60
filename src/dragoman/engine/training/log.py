"""metrics.jsonl: the log that programs read, and its mirrors for people."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dragoman.core.console import Bar, console, say
from dragoman.core.files import write_atomic
from dragoman.engine.training.report import Report

WALL_CLOCK = frozenset({"seconds", "tokens_per_second"})
"""Fields that differ between two runs that are otherwise the same."""


class MetricsLog:
    """One JSON object a line, flushed as it is written; TensorBoard too, where it is installed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._board: Any = None

    def cut_back(self, step: int) -> None:
        """Forget what was logged after a step, and any half-written last line."""
        kept = [row for row in read_log(self.path) if row["step"] <= step]
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
        write_atomic(self.path, lines)
        self._board = _tensorboard(self.path.parent, step)

    def write(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Append one line."""
        row = {"kind": kind, "step": step, **values}
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        if self._board:
            for name, value in values.items():
                if isinstance(value, int | float):
                    self._board.add_scalar(f"{kind}/{name}", value, step)
            self._board.flush()


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the complete lines of a log."""
    if not path.is_file():
        return []
    rows = []
    for line in path.read_bytes().split(b"\n"):
        try:
            row = json.loads(line)
        except ValueError:  # cut off by a crash
            continue
        if isinstance(row, dict) and "step" in row and "kind" in row:
            rows.append(row)
    return rows


def _tensorboard(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"), purge_step=step + 1)


class TrainingLog:
    """Average the steps between two lines of the log."""

    def __init__(self, log: MetricsLog, every: int, bar: Bar) -> None:
        self.log, self.every, self.bar = log, every, bar
        self._nats = self._norm = self._seconds = 0.0
        self._tokens = self._steps = 0

    def __call__(self, report: Report) -> None:
        """Add a step; write a line where one is due."""
        self._nats += report.nats
        self._norm += report.gradient_norm
        self._seconds += report.seconds
        self._tokens += report.tokens
        self._steps += 1
        self.bar.advance(note=self._note(report))
        if report.step % self.every == 0:
            self._write(report)

    def _write(self, report: Report) -> None:
        speed = self._tokens / max(self._seconds, 1e-9)
        loss = self._nats / self._tokens
        values = {
            "loss": loss,
            "gradient_norm": self._norm / self._steps,
            "rate": report.rate,
            "tokens": self._tokens,
            "epoch": report.position.epoch,
            "seconds": round(self._seconds, 3),
            "tokens_per_second": round(speed, 1),
        }
        self.log.write("train", report.step, values)
        if not console.is_terminal:
            say(
                f"step {report.step}: loss {loss:.3f}, {speed:,.0f} tokens/s, "
                f"rate {report.rate:.2e}"
            )
        self.restore({})

    def _note(self, report: Report) -> str:
        speed = self._tokens / max(self._seconds, 1e-9)
        return f"loss {self._nats / self._tokens:.3f} · {speed:,.0f} tokens/s"

    def state(self) -> dict[str, Any]:
        """Return the sums since the last line."""
        return {
            "nats": self._nats,
            "norm": self._norm,
            "seconds": self._seconds,
            "tokens": self._tokens,
            "steps": self._steps,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take the sums back; nothing means that a new line begins."""
        self._nats = state.get("nats", 0.0)
        self._norm = state.get("norm", 0.0)
        self._seconds = state.get("seconds", 0.0)
        self._tokens = state.get("tokens", 0)
        self._steps = state.get("steps", 0)
