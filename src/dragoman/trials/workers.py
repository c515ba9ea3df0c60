"""A pool of worker processes: jobs run at the same time, each on cores of its own.

A process is forked for each job, so that it needs no way back into the program, and its answer is
what it writes into files; only why it failed comes through a pipe, which a full disk does not stop.
It dies with its parent, and a signal reaches it through its parent; a training in it stores its
state before it leaves. Where a system cannot fork safely, jobs are done one after the other.
"""

import ctypes
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from dragoman.core.errors import DragomanError, RunError
from dragoman.core.files import explain_full_disk
from dragoman.engine.runtime import cores, memory
from dragoman.engine.training.interruption import Interrupted, listen

USER_ERROR, BUG = 2, 70
"""How a process leaves after an error that the user can mend, and after another."""

PR_SET_PDEATHSIG = 1
SIGNALS = (signal.SIGINT, signal.SIGTERM)

PIPE = 16_384
"""Bytes that fit into a pipe on any Linux."""

GIB_EACH = 2


@dataclass(frozen=True)
class TrialJob:
    """A trial to run, and the file that takes what is said meanwhile."""

    name: str
    work: Callable[[], None]
    log: Path
    """Gone when all went well."""


def most_at_once() -> int:
    """Return how many jobs suit this machine: one to a core, and to every two GiB of memory."""
    return min(cores(), int(memory() // GIB_EACH)) or 1 if can_fork() else 1


def can_fork() -> bool:
    """Whether a process with torch in it can be forked, and be given cores of its own."""
    return sys.platform.startswith("linux")


def run_jobs(
    jobs: Sequence[TrialJob], at_once: int, report_start: Callable[[int, int], None]
) -> None:
    """Run every job, so many at once; report a job's number at its start, and how many are done."""
    workers = _WorkerPool(_shares(at_once))
    with listen():
        try:
            for number, job in enumerate(jobs):
                while not workers.free:
                    workers.wait()
                report_start(number, workers.done)
                workers.start(job)
            while workers.running:
                workers.wait()
        except BaseException:
            workers.stop()
            raise


def _shares(at_once: int) -> list[set[int]]:
    """Deal this process' cores out."""
    mine = sorted(os.sched_getaffinity(0))
    return [set(mine[place::at_once]) or {mine[place % len(mine)]} for place in range(at_once)]


@dataclass(frozen=True)
class _Worker:
    """A process that runs a job."""

    job: TrialJob
    share: set[int]
    """Its cores."""
    reason: int
    """Where to read why it failed."""


@dataclass
class _WorkerPool:
    """The worker processes, and the cores that wait for one."""

    free: list[set[int]]
    running: dict[int, _Worker] = field(default_factory=dict)
    done: int = 0

    def start(self, job: TrialJob) -> None:
        share = self.free.pop()
        reason, pipe = os.pipe()
        job.log.parent.mkdir(parents=True, exist_ok=True)
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        # No signal may reach the child before it has begun, or it would go on as its parent does.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        process = _fork()
        if process == 0:
            _run_child(job, share, parent, pipe)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(pipe)
        self.running[process] = _Worker(job, share, reason)

    def wait(self) -> None:
        """Wait for one of them to finish; if it failed, so has all."""
        process, status = os.wait()
        if process not in self.running:  # a child that somebody else began
            return
        ended = self.running.pop(process)
        self.free.append(ended.share)
        with os.fdopen(ended.reason, encoding="utf-8", errors="replace") as stream:
            reason = stream.read()
        code = os.waitstatus_to_exitcode(status)
        if code:
            raise _failure(ended.job, code, reason)
        self.done += 1
        ended.job.log.unlink(missing_ok=True)

    def stop(self) -> None:
        """Ask the others to leave, and wait until they have."""
        for process in self.running:
            os.kill(process, signal.SIGTERM)
        for process, stopped in self.running.items():
            os.waitpid(process, 0)
            os.close(stopped.reason)


def _fork() -> int:
    """Fork without Python's warning of threads: the child of this process goes on with none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _run_child(job: TrialJob, share: set[int], parent: int, pipe: int) -> None:
    """Do a job as a process of its own, which ends here; why it failed goes into a pipe."""
    code = BUG
    try:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:  # it died before it could be followed
                os._exit(128 + signal.SIGTERM)
            _redirect_output(job.log)
            os.sched_setaffinity(0, share)
            torch.set_num_threads(len(share))
            with explain_full_disk(job.log.parent):
                job.work()
            code = 0
        except Interrupted as interrupted:
            code = interrupted.exit_code
        except DragomanError as error:
            _report(pipe, str(error))
            code = USER_ERROR
        except BaseException:  # noqa: BLE001 - reported by the parent
            _report(pipe, traceback.format_exc())
        finally:
            os._exit(code)
    finally:  # a signal that came right there
        os._exit(BUG)


def _report(pipe: int, reason: str) -> None:
    """Write as much of a reason as a pipe takes without anybody reading it: the end of it."""
    os.write(pipe, reason.encode("utf-8", errors="replace")[-PIPE:])


def _redirect_output(log: Path) -> None:
    """Send what this process says, and what libraries in it say, into a file."""
    sys.stdout = sys.stderr = log.open("w", encoding="utf-8", buffering=1)
    for standard in (1, 2):
        os.dup2(sys.stderr.fileno(), standard)


def _failure(job: TrialJob, code: int, reason: str) -> BaseException:
    """Say what became of a process that failed, as what it raised would have."""
    if code > 128:
        return Interrupted(code - 128)
    if code < 0:
        return RunError(
            f"{job.name}: its process was ended by {signal.Signals(-code).name}, perhaps for want "
            "of memory. Run the command again, with --jobs 1 if it happens again."
        )
    return RunError(reason) if code == USER_ERROR else RuntimeError(f"{job.name}\n{reason}")
