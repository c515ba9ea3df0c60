"""R6: SIGINT and SIGTERM store the step and leave, within ten seconds, with the right exit code."""

import random
import signal
import subprocess
import sys
import time

import pytest

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def signal_often(command, recipe, result, expected, signals, seed):
    """Send signals at random moments; let the run go on each time; compare those that finish."""
    home, moments = recipe.parent, random.Random(seed)
    sent = folder = 0
    while sent < signals:
        process = command.start(home, "train", recipe, "--output", f"run-{folder}")
        enough = len(process.said) + moments.uniform(50, 1000)
        process.wait_until(lambda process=process, enough=enough: len(process.said) >= enough)
        time.sleep(moments.uniform(0.0, 0.1))
        number = moments.choice([*CODES])
        process.send(number)
        code = process.wait(10.0)
        if code == 0:  # it had come to its end
            assert result(home / f"run-{folder}") == expected
            folder += 1
        else:
            assert code == CODES[number], process.said
            told = process.said.splitlines()[-1]
            if told == f"dragoman: stopped by {number.name}.":  # trained, and on its way out
                assert "finished at step" in process.said
                assert result(home / f"run-{folder}") == expected
                folder += 1
            else:
                assert told.startswith(f"stopped by {number.name}")
            sent += 1
    assert "Traceback" not in process.said
    code, said = command(home, "train", recipe, "--output", f"run-{folder}")
    assert code == 0, said
    assert result(home / f"run-{folder}") == expected


def test_three_signals_at_random_moments_change_nothing(command, recipe, tiny, result):
    signal_often(command, recipe, result, tiny.result, 3, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_twenty_signals_at_random_moments_change_nothing(command, recipe, tiny, result, seed):
    signal_often(command, recipe, result, tiny.result, 20, seed)


@pytest.mark.parametrize("number", CODES)
def test_a_signal_during_preparation_ends_it_and_a_later_run_prepares_again(
    command, recipe, tiny, result, number
):
    home = recipe.parent
    process = command.start(home, "train", recipe, "--output", "run")
    process.wait_until(lambda: "reading the corpus" in process.said)
    process.send(number)
    assert process.wait(10.0) == CODES[number]
    told = process.said.splitlines()[-1]
    assert told == f"stopped by {number.name}; run the same command to resume."
    code, said = command(home, "train", recipe, "--output", "run")
    assert code == 0, said
    assert result(home / "run") == tiny.result


@pytest.mark.parametrize("number", CODES)
def test_a_signal_before_a_verb_has_begun_is_one_line_and_its_exit_code(tmp_path, number):
    waiting = "import time, sys; from dragoman.cli import main as m; "
    waiting += "m.app = lambda: (print('ready', flush=True), time.sleep(60)); m.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", waiting], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    _, said = process.communicate(timeout=10)
    assert said == f"dragoman: stopped by {number.name}.\n"
    assert process.returncode == CODES[number]


def test_a_second_signal_ends_the_process_at_once(command, recipe):
    process = command.start(recipe.parent, "train", recipe, "training.steps=100000")
    process.wait_until(lambda: "step 20:" in process.said)
    process.send(signal.SIGSTOP)
    process.send(signal.SIGTERM)
    process.send(signal.SIGCONT)
    assert process.wait(10.0) in (143, -signal.SIGTERM)
