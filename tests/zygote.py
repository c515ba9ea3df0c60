"""Start the command as real processes without importing torch for each: import once, then fork.

Reads one JSON request a line, answers with one JSON value a line:
    {"arguments": [...], "folder": ..., "errors": ..., "output": ..., "input": ..., "disk": {...}}
        starts `dragoman ARGUMENTS` there, with stderr in a file; answers the process id.
        With "disk" calls of the disk fail (`DiskFault` in command.py says how);
        with "memory" it may have no more than so many bytes of address space;
        "environment" holds further variables.
    {"wait": pid, "seconds": s}
        answers the exit code (negative for a signal, 1000 if it still runs) and the most memory
        that the process had, in bytes.
"""

import ctypes
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time

MODULES = (
    "dragoman.trainer",
    "dragoman.cli.main",
    "torch._dynamo",
    "dragoman.engine.training.tensorboard",
    "matplotlib.backends.backend_agg",
    "sacrebleu.metrics.bleu",
    "sacrebleu.metrics.chrf",
    *sys.argv[1:],
)


def warm_up() -> None:
    """Import all that the command may need."""
    for name in MODULES:
        importlib.import_module(name)

    from dragoman import trainer as recipe
    from dragoman.core.files import write_atomic

    # A picture takes a second, and is not the point here.
    recipe.draw_curves = lambda rows, path, title: write_atomic(path, b"a picture")


def arm(disk: dict) -> None:
    """Let calls of the disk fail from now on; the library was loaded with this process."""
    ctypes.CDLL(None).arm_disk(
        disk["below"].encode(),
        ctypes.c_long(disk["at"]),
        ctypes.c_long(2**62 if disk["stays"] else disk["at"]),
        disk["error"],
        int(disk["reads"]),
        disk["journal"].encode(),
    )


def prepare(request: dict) -> None:
    """Give this process what was wished for."""
    if request.get("memory"):
        resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
    if request.get("disk"):
        arm(request["disk"])


def start(request: dict) -> int:
    """Fork a process that runs the command."""
    pid = os.fork()
    if pid:
        return pid
    os.chdir(request["folder"])
    os.environ.update(request.get("environment", {}))
    tempfile.tempdir = None
    for place, handle, mode in (
        (request.get("input", os.devnull), 0, os.O_RDONLY),
        (request.get("output", os.devnull), 1, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (request["errors"], 2, os.O_WRONLY | os.O_CREAT | os.O_APPEND),
    ):
        os.dup2(os.open(place, mode, 0o644), handle)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    code = 1
    try:
        from dragoman.cli.main import main

        sys.stdin = os.fdopen(0, closefd=False)
        sys.argv = ["dragoman", *request["arguments"]]
        prepare(request)
        main()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def wait(pid: int, seconds: float) -> tuple[int, int]:
    """Wait for a process to end; return its exit code and the most memory that it had."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024
        time.sleep(0.01)
    return 1000, 0


if __name__ == "__main__":  # not in the workers of a server, which import this file again
    warm_up()
    for line in sys.stdin:
        asked = json.loads(line)
        answer = wait(asked["wait"], asked["seconds"]) if "wait" in asked else start(asked)
        print(json.dumps(answer), flush=True)
