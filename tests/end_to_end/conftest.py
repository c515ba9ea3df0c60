"""Real processes of the command, started quickly."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


class Process:
    """One run of the command."""

    def __init__(self, starter: "Command", pid: int, errors: Path) -> None:
        self.starter, self.pid, self.errors = starter, pid, errors

    @property
    def said(self) -> str:
        """All that it and its forerunners wrote for people."""
        return self.errors.read_text(encoding="utf-8")

    def wait(self, seconds: float = 120.0) -> int:
        """Return its exit code."""
        code = self.starter.ask({"wait": self.pid, "seconds": seconds})
        assert code != 1000, f"still running after {seconds} s: {self.said[-1000:]}"
        return code

    def wait_until(self, true: Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait until something is so, or the process has ended."""
        until = time.monotonic() + seconds
        while not true() and self.runs():
            assert time.monotonic() < until, self.said
            time.sleep(0.005)

    def runs(self) -> bool:
        """Say whether it has not ended yet."""
        stat = Path(f"/proc/{self.pid}/stat").read_text()
        return stat.rsplit(")", 1)[1].split()[0] != "Z"

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)


class Command:
    """Starts `dragoman` with arguments."""

    def __init__(self) -> None:
        self.zygote = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("zygote.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )

    def ask(self, request: dict) -> int:
        """Put one question to the process that forks."""
        self.zygote.stdin.write(json.dumps(request) + "\n")
        self.zygote.stdin.flush()
        return int(self.zygote.stdout.readline())

    def start(self, folder: Path, *arguments: object, die_at: int = 0, **places: str) -> Process:
        """Start the command in a folder."""
        errors = folder / "errors.txt"
        errors.touch()
        request = {
            "folder": str(folder),
            "arguments": [str(argument) for argument in arguments],
            "errors": str(errors),
            "die_at": die_at,
            **places,
        }
        return Process(self, self.ask(request), errors)

    def __call__(self, folder: Path, *arguments: object, **places: str) -> tuple[int, str]:
        """Run the command to its end; return its exit code and what it said."""
        (folder / "errors.txt").unlink(missing_ok=True)
        process = self.start(folder, *arguments, **places)
        return process.wait(), process.said


@pytest.fixture(scope="session")
def command() -> Iterator[Command]:
    """Give the command as real processes."""
    command = Command()
    yield command
    command.zygote.stdin.close()
    command.zygote.wait()
    command.zygote.stdout.close()
