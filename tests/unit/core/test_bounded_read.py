"""Files of strangers are read within bounds."""

import os
import tracemalloc
from pathlib import Path

import pytest

from dragoman.core.bounded_read import read_bounded


@pytest.mark.parametrize("size", [0, 1, 99, 100])
def test_a_file_within_the_bound_is_read_whole(tmp_path, size):
    path = tmp_path / "file"
    path.write_bytes(bytes(range(size)))
    assert read_bounded(path, 100) == bytes(range(size))


def test_a_file_over_the_bound_is_refused_with_its_name(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(101))
    with pytest.raises(OSError, match="larger than 100 bytes") as raised:
        read_bounded(path, 100)
    assert raised.value.filename == str(path)


def test_a_sparse_file_of_a_terabyte_costs_no_memory(tmp_path):
    path = tmp_path / "file"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    tracemalloc.start()
    with pytest.raises(OSError, match="larger than"):
        read_bounded(path, 1 << 21)
    assert tracemalloc.get_traced_memory()[1] < 1 << 23
    tracemalloc.stop()


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match="not a regular file|[Ii]s a directory"):
            read_bounded(path, 100)
