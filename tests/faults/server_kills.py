"""Kills of a server under load: the next one starts at the same port, and nothing is left."""

import os
import random
import signal
import time
from pathlib import Path

from tests.command import Command, Process
from tests.faults.campaign import Campaign, Tally
from tests.served import waited_for
from tests.serving import Client, command_line, port_of, workers_of
from tests.translated_runs import in_languages

GOLDEN = Path(__file__).parents[1] / "golden/run-v2/translation"
PATIENCE = 10.0
"""Seconds that a client waits for an answer; no kill may make it wait that long."""
CLIENTS = 4
SCRATCH = "dragoman-serve-*"


def run(trials: int, seed: int, folder: Path) -> Tally:
    """Kill a server with -9 while clients ask, with one worker and with two in turn."""
    in_languages(GOLDEN, folder / "translation", "en", "es")
    tally, command, port = Tally(), Command(), 0
    try:
        for number in range(trials):
            workers = 1 + (number + 1) % 2
            process = _start(command, folder, port, workers)
            port = port_of(process)
            failure = _killed(process, folder, port, random.Random(f"{seed} {number}"))
            tally.count(f"kill {number} of {seed}, {workers} workers", failure)
        last = _start(command, folder, port, 1)
        clients = _load(port, last)
        last.send(signal.SIGTERM)
        code = last.end(30)
        _stop(clients)
        left = [*folder.glob(SCRATCH)]
        if code != 0 or left:
            tally.failures.append(f"the last server ended with {code} and left {left}")
    finally:
        command.close()
    return tally


def _start(command: Command, folder: Path, port: int, workers: int) -> Process:
    """Start a server at a port, once it says that it listens; its log begins anew."""
    (folder / "errors.txt").unlink(missing_ok=True)
    options = ("--port", port, "--workers", workers)
    return command.start(
        folder, "serve", "translation", *options, environment={"TMPDIR": str(folder)}
    )


def _load(port: int, process: Process) -> list[Client]:
    """Let clients ask until some of them have been answered."""
    clients = [Client(port, patience=PATIENCE) for _ in range(CLIENTS)]
    process.wait_until(lambda: sum(len(one.statuses) for one in clients) >= CLIENTS)
    return clients


def _stop(clients: list[Client]) -> None:
    for client in clients:
        client.stop()


def _killed(process: Process, folder: Path, port: int, draw: random.Random) -> str | None:
    """Kill a server under load; say what is wrong with what it leaves."""
    clients = _load(port, process)
    if not process.runs():
        _stop(clients)
        return f"did not start again at port {port}: {process.said[-300:]!r}"
    workers = workers_of(process.pid)
    time.sleep(draw.uniform(0, 0.5))
    process.send(signal.SIGKILL)
    process.wait()
    ended = waited_for(lambda: not any(map(command_line, workers)), 5)
    _stop(clients)
    for orphan in filter(command_line, workers):
        os.kill(orphan, signal.SIGKILL)
    statuses = {status for one in clients for status in one.statuses}
    longest = max(one.longest for one in clients)
    scratch = [*folder.glob(SCRATCH)]
    if not ended:
        return "workers outlived their server"
    if len(scratch) != 1:
        return f"{len(scratch)} scratch folders instead of that of the killed server alone"
    if statuses != {200}:
        return f"statuses {sorted(statuses)}"
    if longest >= PATIENCE:
        return f"a client waited {longest:.1f} s"
    return "a traceback in the log" if "Traceback" in process.said else None


SERVER_KILLS = Campaign("kill -9 of a server under load, one and two workers", run, 10, 1)
