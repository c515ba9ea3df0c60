import errno
import os
from pathlib import Path
from tempfile import TemporaryFile, gettempdir

import pytest

from dragoman.core.file_of_error import file_of_error


def fail():
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def fail_with(path: Path):
    fail()


def fail_reading(stream, path: Path):
    fail()


def test_a_file_that_the_error_names_is_it():
    with pytest.raises(OSError, match="gone") as met:
        raise OSError(errno.ENOENT, "gone", "a/file")
    assert file_of_error(met.value) == "a/file"


def test_the_innermost_open_file_is_named_before_a_path(tmp_path):
    (tmp_path / "read.txt").write_text("x")
    with (tmp_path / "read.txt").open() as stream, pytest.raises(OSError, match="Input") as met:
        fail_reading(stream, tmp_path)
    assert file_of_error(met.value) == str(tmp_path / "read.txt")


def test_a_path_is_named_where_no_file_is_open(tmp_path):
    with pytest.raises(OSError, match="Input") as met:
        fail_with(tmp_path)
    assert file_of_error(met.value) == str(tmp_path)


def test_a_file_without_a_name_is_called_temporary():
    with TemporaryFile() as stream, pytest.raises(OSError, match="Input") as met:
        fail_reading(stream, Path("there is none"))
    assert file_of_error(met.value) == f"a temporary file in {gettempdir()}"
