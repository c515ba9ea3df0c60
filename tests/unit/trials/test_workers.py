"""Units measured at the same time, in processes of their own."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from dragoman.core.errors import DataError, RunError
from dragoman.core.lock import in_turn
from dragoman.engine.runtime import cores
from dragoman.engine.training.interruption import Interrupted
from dragoman.lab.runner import TrialRunner
from dragoman.trials import workers
from dragoman.trials.trial import Trial
from dragoman.trials.workers import can_fork, most_at_once

pytestmark = pytest.mark.skipif(not can_fork(), reason="processes are forked on Linux alone")


class SquareTrial(Trial):
    root: int


def measured(folder, measure, roots=(1, 2, 3), at_once=2):
    runner = TrialRunner(folder, "squares", "quick", (1,), at_once=at_once)
    return runner.run([SquareTrial(root=root) for root in roots], measure)


def square(trial, place):
    return {"square": trial.root**2, "process": os.getpid()}


def test_results_come_in_the_order_of_the_trials_each_from_a_process_of_its_own(tmp_path, capfd):
    def measure(trial, place):
        time.sleep(0.2 / trial.root)  # the first takes longest
        print("said by a unit")
        return square(trial, place)

    results = measured(tmp_path, measure)
    assert [result["square"] for result in results] == [1, 4, 9]
    assert len({result["process"] for result in results} | {os.getpid()}) == 4
    assert [*(tmp_path / "work").iterdir()] == []  # nor what was said
    assert "said by a unit" not in capfd.readouterr().out
    again = measured(tmp_path, measure)
    assert again == results


def test_two_are_at_work_at_once(tmp_path):
    def measure(trial, place):
        mine, other = (tmp_path / f"{root}.here" for root in (trial.root, 3 - trial.root))
        mine.touch()
        deadline = time.monotonic() + 20
        while not other.exists():
            assert time.monotonic() < deadline, "the other was never begun"
            time.sleep(0.01)
        return {}

    assert len(measured(tmp_path, measure, roots=(1, 2))) == 2


def test_each_has_its_share_of_the_cores(tmp_path):
    def measure(trial, place):
        return {"cores": cores(), "threads": torch.get_num_threads()}

    results = measured(tmp_path, measure, at_once=cores())
    assert {(result["cores"], result["threads"]) for result in results} == {(1, 1)}
    more = measured(tmp_path / "more", measure, at_once=cores() + 1)
    assert {result["threads"] for result in more} == {1}
    assert 1 <= most_at_once() <= cores()


def test_it_measures_what_one_after_the_other_would(tmp_path):
    def measure(trial, place):
        torch.manual_seed(trial.root)
        network = torch.nn.Linear(8, 8)
        for _ in range(3):
            network(torch.randn(4, 8)).square().sum().backward()
        return {"gradient": network.weight.grad.sum().item()}

    torch.set_num_threads(1)
    alone = measured(tmp_path / "alone", measure, at_once=1)  # backward has run here, too
    together = measured(tmp_path / "together", measure)
    assert [result["gradient"] for result in alone] == [result["gradient"] for result in together]


def test_an_error_the_user_can_mend_ends_all_and_keeps_its_words(tmp_path):
    def measure(trial, place):
        if trial.root == 2:
            raise DataError("words.txt, line 3: is empty.")
        return square(trial, place)

    with pytest.raises(RunError, match=r"^words.txt, line 3: is empty\.$"):
        measured(tmp_path, measure)


def test_a_full_disk_is_one_line_here_too(tmp_path):
    def measure(trial, place):
        raise OSError(errno.ENOSPC, "No space left on device", "model.safetensors")

    with pytest.raises(RunError, match=r"^model.safetensors: no space left on the device"):
        measured(tmp_path, measure)


def test_a_signal_right_after_the_fork_does_not_let_a_trial_go_on_as_its_parent(
    tmp_path, monkeypatch
):
    def fork():
        process = os.fork()
        if process == 0:
            os.kill(os.getpid(), signal.SIGTERM)
        return process

    monkeypatch.setattr(workers, "_fork", fork)
    came_back, parent = tmp_path / "came back", os.getpid()
    try:
        measured(tmp_path, square)
    except BaseException as raised:
        with came_back.open("a") as stream:
            stream.write(f"{os.getpid()} {type(raised).__name__}\n")
        if os.getpid() != parent:
            os._exit(1)  # a child that must not be here
    time.sleep(0.3)
    assert came_back.read_text() == f"{parent} Interrupted\n"


def test_the_end_of_a_reason_is_told_however_long_it_is(tmp_path):
    def measure(trial, place):
        raise DataError("x" * 1_000_000 + " the end")

    with pytest.raises(RunError, match="xxx the end$"):
        measured(tmp_path, measure)


def test_a_trial_that_is_asked_for_twice_is_measured_once(tmp_path):
    results = measured(tmp_path, square, roots=(2, 2, 3))
    assert [result["square"] for result in results] == [4, 4, 9]
    assert results[0]["process"] == results[1]["process"]


def test_a_process_of_somebody_else_that_ends_meanwhile_does_not_matter(tmp_path):
    stranger = subprocess.Popen([sys.executable, "-c", ""])
    assert len(measured(tmp_path, square)) == 3
    assert stranger.wait(20) == 0


def test_a_bug_keeps_its_traceback(tmp_path):
    def measure(trial, place):
        return {"square": trial.root / 0}

    with pytest.raises(RuntimeError, match=r"(?s)root=[12].*in measure.*ZeroDivisionError"):
        measured(tmp_path, measure)


def test_a_process_that_is_killed_is_told_and_the_rest_is_kept(tmp_path):
    def measure(trial, place):
        if trial.root == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return square(trial, place)

    with pytest.raises(RunError, match="ended by SIGKILL, perhaps for want of memory"):
        measured(tmp_path, measure, at_once=2)
    begun = measured(tmp_path, square)
    assert [result["square"] for result in begun] == [1, 4, 9]


def test_a_signal_that_a_trial_was_left_by_leaves_the_whole(tmp_path):
    def measure(trial, place):
        raise Interrupted(signal.SIGINT)

    with pytest.raises(Interrupted, match="SIGINT"):
        measured(tmp_path, measure)


COMMAND = """
import os, sys, time
from pathlib import Path
from dragoman.trials.trial import Trial
from dragoman.engine.training.interruption import Interrupted
from dragoman.lab.runner import TrialRunner

class SquareTrial(Trial):
    root: int

def measure(trial, place):
    (place / "begun").write_text(str(os.getpid()))
    try:
        time.sleep(60)
    except Interrupted:
        (place / "stored").touch()
        raise

try:
    TrialRunner(Path(sys.argv[1]), "s", "quick", (1,), at_once=2).run(
        [SquareTrial(root=1), SquareTrial(root=2)], measure)
except Interrupted as interrupted:
    sys.exit(interrupted.exit_code)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_processes_leave_with_their_parent_and_store_what_they_have(tmp_path, number):
    parent = subprocess.Popen([sys.executable, "-c", COMMAND, str(tmp_path)])
    begun = wait_for(tmp_path, "begun")
    parent.send_signal(number)
    assert parent.wait(20) == (128 + number if number == signal.SIGTERM else -number)
    wait_for(tmp_path, "stored")
    for file in begun:
        wait_until(lambda file=file: not Path("/proc", file.read_text()).exists())


def wait_for(folder, name):
    wait_until(lambda: len([*folder.glob(f"work/*/{name}")]) == 2)
    return [*folder.glob(f"work/*/{name}")]


def wait_until(true):
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_trials_share_is_made_by_one_while_the_others_wait(tmp_path):
    def measure(trial, place):
        with in_turn(tmp_path / "shared"):
            made = tmp_path / "shared/made"
            found = made.exists()
            time.sleep(0.2)
            made.write_text("x")
        return {"found": found}

    results = measured(tmp_path, measure)
    assert sorted(result["found"] for result in results) == [False, True, True]
