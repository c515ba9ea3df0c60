"""What the tests of all kinds of documents share."""

import gc
import time

import pytest

SIZES = (1_000, 10_000, 100_000, 1_000_000)
FLOOR = 0.2
"""Seconds below which a time says nothing."""


@pytest.fixture
def takes_linear_time():
    """Check that ten times as much input takes at most twelve times as long."""

    def check(work, make, sizes=SIZES):
        before = None
        for size in sizes:
            data = make(size)
            gc.collect()
            gc.disable()  # as timeit does: Python's own housekeeping is not ours to measure
            try:
                begin = time.process_time()
                work(data)
                now = max(time.process_time() - begin, FLOOR)
            finally:
                gc.enable()
            assert before is None or now <= 12 * before, f"{size}: {now:.2f} s after {before:.2f} s"
            before = now

    return check
