"""R7: one process at a time in a run folder."""

import signal
import time

import pytest

from dragoman.core.errors import RunError
from dragoman.trainer import train

LONG = "training.steps=100000"


def test_the_second_process_is_refused_at_once_with_the_pid_of_the_first(command, recipe):
    home = recipe.parent
    first = command.start(home, "train", recipe, LONG, "--output", "run")
    first.wait_until(lambda: "step 20:" in first.said)

    began = time.monotonic()
    with pytest.raises(RunError, match=f"another process \\(pid {first.pid}\\)"):
        train(recipe, [LONG], folder=home / "run")
    assert time.monotonic() - began < 1.0

    second = command.start(home, "train", recipe, LONG, "--output", "run")
    assert second.wait(10.0) == 2
    told = [line for line in second.said.splitlines() if line.startswith("dragoman: ")]
    assert len(told) == 1
    assert f"pid {first.pid}" in told[0]

    first.send(signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL
    code, said = command(home, "train", recipe, LONG, "training.steps=20", "--output", "run")
    assert code == 0, said


def test_other_folders_are_free(command, recipe):
    home = recipe.parent
    first = command.start(home, "train", recipe, LONG, "--output", "one")
    first.wait_until(lambda: "step 20:" in first.said)
    train(recipe, ["training.steps=2"], folder=home / "two")
    first.send(signal.SIGTERM)
    assert first.wait(10.0) == 143
