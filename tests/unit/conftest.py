"""What tests of all parts share: a measure of how time grows."""

import gc
import time

import pytest

SIZES = (1_000, 10_000, 100_000, 1_000_000)
FLOOR = 0.02
"""Seconds below which a time says nothing."""

MOST = 12
"""How much longer ten times as much may take."""

TRIES = 4
"""Times that two sizes are measured again, one right after the other: another process may have been
in the way. What grows faster does so every time."""


def seconds(work, data):
    """Measure the processor time of some work."""
    gc.disable()  # as timeit does: Python's own housekeeping is not ours to measure
    try:
        begin = time.process_time()
        work(data)
        return max(time.process_time() - begin, FLOOR)
    finally:
        gc.enable()


@pytest.fixture
def takes_linear_time():
    """Check that ten times as much input takes at most twelve times as long."""

    def check(work, make, sizes=SIZES):
        smaller = make(sizes[0])
        before = seconds(work, smaller)
        for size in sizes[1:]:
            data = make(size)
            now = seconds(work, data)
            for _ in range(TRIES):
                if now <= MOST * before:
                    break
                before, now = seconds(work, smaller), seconds(work, data)
            assert now <= MOST * before, f"{size}: {now:.2f} s after {before:.2f} s"
            smaller, before = data, now

    return check
