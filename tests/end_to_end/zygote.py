"""Start the command as real processes without importing torch for each: import once, then fork.

Reads one JSON request a line, answers with one number a line:
    {"arguments": [...], "folder": ..., "errors": ..., "output": ..., "input": ..., "die_at": k}
        starts `dragoman ARGUMENTS` there, with stderr in a file; answers the process id.
        With "die_at" the process ends at the k-th call that touches the disk.
    {"wait": pid, "seconds": s}
        answers the exit code (negative for a signal), or 1000 if it still runs.
"""

import builtins
import importlib
import io
import json
import os
import shutil
import signal
import sys
import time

for name in (
    "dragoman.trainer",
    "dragoman.cli.main",
    "torch._dynamo",
    "torch.utils.tensorboard",
    "matplotlib.backends.backend_agg",
    "sacrebleu.metrics.bleu",
    "sacrebleu.metrics.chrf",
):
    importlib.import_module(name)

from dragoman import trainer as recipe  # noqa: E402
from dragoman.core.files import write_atomic  # noqa: E402

# A picture takes a second, and is not the point here.
recipe.draw_curves = lambda rows, path, title: write_atomic(path, b"a picture")


class Death:
    """End the process, as `kill -9` would, just before the disk is touched for the k-th time.

    What is being written reaches the disk by half.
    """

    def __init__(self, number: int) -> None:
        self.left = number

    def is_near(self) -> bool:
        """Count one call."""
        self.left -= 1
        return self.left == 0

    def watched(self, function):
        """Return the function, deadly at the k-th call."""

        def call(*arguments, **named):
            if self.is_near():
                os._exit(9)
            return function(*arguments, **named)

        return call

    def watched_open(self, function):
        """Return `open`, with what it writes watched."""

        def call(file, mode="r", *arguments, **named):
            stream = function(file, mode, *arguments, **named)
            if any(letter in mode for letter in "wa+") and not str(file).endswith(".lock"):
                stream.write = self.watched_write(stream)
            return stream

        return call

    def watched_write(self, stream):
        """Return a stream's `write`, deadly half way."""
        write = stream.write

        def call(data):
            if self.is_near():
                write(data[: len(data) // 2])
                stream.flush()
                os._exit(9)
            return write(data)

        return call

    def lie_in_wait(self) -> None:
        """Watch all that the program does to the disk."""
        from dragoman.engine.checkpoint import state

        places = [(os, name) for name in ("fsync", "replace", "rename", "mkdir", "unlink", "rmdir")]
        for module, name in [*places, (shutil, "rmtree"), (state, "save_file")]:
            setattr(module, name, self.watched(getattr(module, name)))
        io.open = builtins.open = self.watched_open(io.open)


def start(request: dict) -> int:
    """Fork a process that runs the command."""
    pid = os.fork()
    if pid:
        return pid
    os.chdir(request["folder"])
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
        if request.get("die_at"):
            Death(request["die_at"]).lie_in_wait()
        main()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def wait(pid: int, seconds: float) -> int:
    """Wait for a process to end."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    return 1000


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        answer = wait(asked["wait"], asked["seconds"]) if "wait" in asked else start(asked)
        print(answer, flush=True)
