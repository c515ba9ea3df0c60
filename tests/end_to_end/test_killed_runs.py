"""R1: a training may be killed at any moment; the same command goes on as if nothing had been."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

VARIANTS = {
    "plain": [],
    "average": ["training.ema_decay=0.9"],
    "accumulated": ["training.accumulate=2", "batches.max_tokens=64"],
    "dropout": ["tokenizer.dropout=0.2"],
    "averaged": ["training.final=averaged", "training.keep=2", "training.validate_every=24"],
    "everything": [
        "training.ema_decay=0.9",
        "training.accumulate=2",
        "tokenizer.dropout=0.2",
        "training.final=averaged",
    ],
}


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*.tmp*") if "tensorboard" not in path.parts]


def kill_often(command, recipe, result, changes, kills, seed):
    """Kill runs at random moments until there were enough; compare each one that finishes."""
    home, moments = recipe.parent, random.Random(seed)
    code, said = command(home, "train", recipe, *changes, "--output", "whole")
    assert code == 0, said
    expected, killed, folder = result(home / "whole"), 0, 0
    while killed < kills:
        process = command.start(home, "train", recipe, *changes, "--output", f"killed-{folder}")
        enough = len(process.said) + moments.uniform(0.0, 0.6 * len(said))
        process.wait_until(lambda process=process, enough=enough: len(process.said) >= enough)
        time.sleep(moments.uniform(0.0, 0.1))
        ended = not process.runs()
        process.send(signal.SIGKILL)
        code = process.wait()
        assert code in (0, -signal.SIGKILL), process.said
        if ended:
            assert code == 0, process.said
            assert result(home / f"killed-{folder}") == expected
            folder += 1
        else:
            killed += 1
    code, said = command(home, "train", recipe, *changes, "--output", f"killed-{folder}")
    assert code == 0, said
    assert result(home / f"killed-{folder}") == expected
    assert leftovers(home) == []


@pytest.mark.parametrize("variant", ["plain", "everything"])
def test_a_run_killed_thrice_ends_as_one_never_interrupted(command, recipe, result, variant):
    kill_often(command, recipe, result, VARIANTS[variant], kills=3, seed=variant)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_run_killed_fifteen_times_ends_as_one_never_interrupted(command, recipe, result, variant):
    kill_often(command, recipe, result, VARIANTS[variant], kills=15, seed=variant + "!")


@pytest.mark.slow
def test_the_installed_command_survives_a_kill_too(recipe, result, tiny):
    arguments = [sys.executable, "-m", "dragoman", "train", str(recipe), "--output", "run"]
    home = recipe.parent
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(arguments, cwd=home, env=environment, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (home / "run/state/step-14").exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    again = subprocess.run(arguments, cwd=home, env=environment, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert "resuming from step" in again.stderr
    assert result(home / "run") == tiny.result


SHORT = ["training.steps=8", "training.checkpoint_every=4", "training.validate_every=4"]


def die_everywhere(command, recipe, result, every):
    home = recipe.parent
    assert command(home, "train", recipe, *SHORT, "--output", "whole")[0] == 0
    expected, number = result(home / "whole"), 1
    while True:
        folder = f"died-{number}"
        code = command.start(
            home, "train", recipe, *SHORT, "--output", folder, die_at=number
        ).wait()
        if code == 0:
            return number
        assert code == 9
        code, said = command(home, "train", recipe, *SHORT, "--output", folder)
        assert code == 0, f"died at call {number}: {said}"
        assert result(home / folder) == expected, f"died at call {number}"
        assert leftovers(home / folder) == [], f"died at call {number}"
        number += every


def test_a_run_that_dies_at_some_call_to_the_disk_goes_on_exactly(command, recipe, result):
    assert die_everywhere(command, recipe, result, every=24) > 60


@pytest.mark.slow
def test_a_run_that_dies_at_any_call_to_the_disk_goes_on_exactly(command, recipe, result):
    assert die_everywhere(command, recipe, result, every=1) > 60
