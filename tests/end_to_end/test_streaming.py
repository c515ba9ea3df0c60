"""A long file is translated a window at a time: memory stays flat, an interruption keeps all."""

import os
import signal
import subprocess
import sys
import time

import pytest

from dragoman.cli.translate_lines import WINDOW

COMMAND = [sys.executable, "-m", "dragoman", "translate"]
ONE_THREAD = os.environ | {"OMP_NUM_THREADS": "1"}


def write_lines(path, count):
    words = ("sun", "moon", "the sun and the moon", "", "stars")
    path.write_text("".join(f"{words[n % 5]}\n" for n in range(count)), encoding="utf-8")
    return path


def test_what_is_translated_when_one_stops_it_is_whole_and_right(tiny, tmp_path):
    source = write_lines(tmp_path / "long.txt", 40 * WINDOW)
    out = tmp_path / "out.txt"
    with source.open("rb") as given, out.open("wb") as stream:
        process = subprocess.Popen(
            [*COMMAND, str(tiny.run), "--beam", "1"],
            stdin=given,
            stdout=stream,
            stderr=subprocess.PIPE,
            env=ONE_THREAD,
        )
        until = time.monotonic() + 120
        while not out.stat().st_size and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[1].decode()
    assert process.returncode == 130, said
    kept = out.read_text(encoding="utf-8")
    lines = kept.split("\n")[:-1]
    assert kept.endswith("\n")
    assert len(lines) >= WINDOW
    assert len(lines) % WINDOW == 0
    assert lines == (lines[:5] * len(lines))[: len(lines)]  # the source repeats every five lines


@pytest.mark.slow
def test_ten_times_the_lines_take_no_more_memory(tiny, tmp_path):
    peaks = []
    for count in (2 * WINDOW, 20 * WINDOW):
        source = write_lines(tmp_path / f"{count}.txt", count)
        with (
            source.open("rb") as given,
            subprocess.Popen(
                [*COMMAND, str(tiny.run), "--beam", "1"],
                stdin=given,
                stdout=subprocess.PIPE,
                env=ONE_THREAD,
            ) as process,
        ):
            translated = sum(1 for _ in process.stdout)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        assert translated == count
        peaks.append(used.ru_maxrss)
    assert peaks[1] < 1.1 * peaks[0]
