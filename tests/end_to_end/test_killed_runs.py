"""R1: a training may be killed at any moment; the same command goes on as if nothing had been."""

import os
import signal
import subprocess
import sys
import time

import pytest
from tests.faults.kills import VARIANTS, die_everywhere, kill_often


@pytest.mark.parametrize("variant", ["plain", "everything"])
def test_a_run_killed_thrice_ends_as_one_never_interrupted(command, recipe, variant):
    kill_often(command, recipe, VARIANTS[variant], kills=3, seed=variant)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_run_killed_fifteen_times_ends_as_one_never_interrupted(command, recipe, variant):
    kill_often(command, recipe, VARIANTS[variant], kills=15, seed=variant + "!")


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


def test_a_run_that_dies_at_some_call_to_the_disk_goes_on_exactly(command, recipe):
    assert die_everywhere(command, recipe, every=60) > 200


@pytest.mark.slow
def test_a_run_that_dies_at_any_call_to_the_disk_goes_on_exactly(command, recipe):
    assert die_everywhere(command, recipe, every=1) > 200
