"""`dragoman` as real processes, forked from one that has imported torch already."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

RUNNING = 1000
"""What stands for the exit code of a process that has not ended."""


KILL = 0
"""An error of `DiskFault` that is none: the process is killed instead."""


@dataclass(frozen=True)
class DiskFault:
    """Which calls of the disk fail, in C and below Python too (tests/faults/failing_disk.c)."""

    below: str
    """Only calls for files in this folder count; an absolute path."""
    journal: str
    """The file that each call is written to; a line each, ending in FAILS where it failed."""
    at: int = 0
    """The number of the call that fails, from 1; none with 0."""
    error: int = KILL
    """What it fails with, an `errno`; with KILL the process ends as with `kill -9`, and of what is
    being written half reaches the disk."""
    stays: bool = False
    """Whether all calls after it fail too."""
    reads: bool = False
    """Whether calls that only read count."""


class Process:
    """One run of the command."""

    def __init__(self, starter: "Command", pid: int, errors: Path) -> None:
        self.starter, self.pid, self.errors = starter, pid, errors
        self.peak = 0
        """The most memory that it had, in bytes, once it has ended."""

    @property
    def said(self) -> str:
        """All that it and its forerunners wrote for people."""
        return self.errors.read_text(encoding="utf-8")

    def wait(self, seconds: float = 120.0) -> int:
        """Return its exit code."""
        code, self.peak = self.starter.ask({"wait": self.pid, "seconds": seconds})
        assert code != RUNNING, f"still running after {seconds} s: {self.said[-1000:]}"
        return code

    def end(self, seconds: float) -> int | None:
        """Return its exit code, or None where it had to be killed after so many seconds."""
        code, self.peak = self.starter.ask({"wait": self.pid, "seconds": seconds})
        if code != RUNNING:
            return code
        self.send(signal.SIGKILL)
        self.wait()
        return None

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

    def __init__(self, *modules: str) -> None:
        """Have modules imported once, beside those of a training."""
        self.built = tempfile.TemporaryDirectory()
        self.failing_disk = _failing_disk(Path(self.built.name))
        self.zygote = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("zygote.py")), *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | self.failing_disk | {"OMP_NUM_THREADS": "1"},
        )

    def ask(self, request: dict) -> Any:
        """Put one question to the process that forks."""
        self.zygote.stdin.write(json.dumps(request) + "\n")
        self.zygote.stdin.flush()
        return json.loads(self.zygote.stdout.readline())

    def close(self) -> None:
        """End the process that forks."""
        self.zygote.stdin.close()
        self.zygote.wait()
        self.zygote.stdout.close()
        self.built.cleanup()

    def start(
        self, folder: Path, *arguments: object, disk: DiskFault | None = None, **wishes: Any
    ) -> Process:
        """Start the command in a folder; the zygote says what may be wished for."""
        if disk and not self.failing_disk:
            reason = "a disk that fails needs a C compiler: there is no cc here"
            pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
        errors = folder / "errors.txt"
        errors.touch()
        request = {
            "folder": str(folder),
            "arguments": [str(argument) for argument in arguments],
            "errors": str(errors),
            "disk": disk and asdict(disk),
            **wishes,
        }
        return Process(self, self.ask(request), errors)

    def __call__(self, folder: Path, *arguments: object, **wishes: Any) -> tuple[int, str]:
        """Run the command to its end; return its exit code and what it said."""
        (folder / "errors.txt").unlink(missing_ok=True)
        process = self.start(folder, *arguments, **wishes)
        return process.wait(), process.said


def _failing_disk(folder: Path) -> dict[str, str]:
    """Build the library by which disk calls can fail; return how a process is told to load it."""
    compiler = shutil.which("cc")
    if compiler is None:
        return {}
    library, source = folder / "failing_disk.so", Path(__file__).parent / "faults/failing_disk.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}
