"""What people are told: lines that part between words, and how far a long job is."""

import io
from itertools import pairwise

import pytest
from rich.console import Console

from dragoman.core import console as module
from dragoman.core import progress
from dragoman.core.console import progress_bar, say


@pytest.fixture
def clock(monkeypatch):
    """Give the seconds that have passed, to be moved on."""
    passed = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: passed[0])
    return passed


@pytest.fixture
def terminal(monkeypatch):
    """Give a terminal of forty columns that remembers what is shown."""
    shown = Console(file=io.StringIO(), force_terminal=True, width=40, emoji=False, highlight=False)
    monkeypatch.setattr(module, "console", shown)
    return shown


def test_a_line_is_parted_between_words_in_a_terminal_and_not_at_all_in_a_pipe(terminal, capsys):
    text = "several words that are together longer than the forty columns of a terminal"
    say(text)
    lines = [line.rstrip() for line in terminal.file.getvalue().splitlines()]
    assert len(lines) == 2
    assert " ".join(lines) == text
    module.console = Console(stderr=True, highlight=False, emoji=False)
    say(f"{text} :cat: [bold]")
    assert capsys.readouterr().err == f"{text} :cat: [bold]\n"


def test_a_pipe_is_told_total_share_and_both_times_now_and_then(clock, capsys):
    with progress_bar("training", 1000, 200) as bar:
        for _ in range(800):
            clock[0] += 1.0
            bar.advance(note="loss 2.000")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "training: 210 of 1,000 (21%), loss 2.000, 10 s elapsed, about 13 min left"
    done = [int(line.split()[1].replace(",", "")) - 200 for line in lines]
    assert done[:4] == [10, 30, 70, 130]
    assert all(after - before <= progress.LONGEST for before, after in pairwise(done))
    assert len(lines) < 20


def test_a_pipe_of_unknown_length_is_counted_and_a_short_job_says_nothing(clock, capsys):
    with progress_bar("translating", 0) as bar:
        bar.advance(3)
        clock[0] += 12.0
        bar.advance(2000)
    with progress_bar("encoding", 10) as bar:
        bar.advance(10)
    assert capsys.readouterr().err == "translating: 2,003 done, 12 s elapsed\n"


def test_a_bar_names_both_times_and_a_count_has_no_end(terminal):
    terminal.width = 100
    for total in (10, 0):
        with progress_bar("training", total) as bar:
            bar.advance(3, note="loss 1.0")
    bars = terminal.file.getvalue()
    assert "3/10" in bars
    assert "elapsed" in bars
    assert "left" in bars
    counted = bars[bars.rindex("training") :]
    assert "3/" not in counted
    assert "left" not in counted
