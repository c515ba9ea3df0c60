"""Lines of a stream: bounded memory, one line in, one line out, and what is left out is told."""

import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.data.formats import text_stream
from dragoman.data.formats.text_stream import MAX_LINE_BYTES, text_lines, windows

HUGE = 50_000_000


class Endless(io.RawIOBase):
    """A stream whose second line is huge, made while it is read."""

    def __init__(self):
        self.left, self.reads = [b"one\n", HUGE, b"\nthree"], 0

    def readable(self):
        return True

    def readinto(self, buffer):
        self.reads += 1
        if not self.left:
            return 0
        if isinstance(self.left[0], bytes):
            part = self.left.pop(0)
        else:
            part = b"w " * (min(len(buffer), self.left[0]) // 2)
            self.left[0] -= len(part)
            if not self.left[0]:
                self.left.pop(0)
        buffer[: len(part)] = part
        return len(part)


def test_a_line_of_fifty_megabytes_is_left_empty_in_bounded_memory(capsys):
    stream = Endless()
    tracemalloc.start()
    try:
        lines = list(text_lines(io.BufferedReader(stream, 65_536), "stdin"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines == ["one", "", "three"]
    assert peak < 4 * MAX_LINE_BYTES
    assert stream.reads < 2 * HUGE / 65_536
    assert capsys.readouterr().err == (
        "stdin:2: a line of 50,000,001 bytes is left empty; the limit is 1,048,576. Break it at "
        "its sentences.\n"
    )


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_the_limit_is_the_last_length_that_is_read(end, capsys):
    (line,) = text_lines(io.BytesIO(b"a" * MAX_LINE_BYTES + end), "stdin")
    assert len(line) == MAX_LINE_BYTES
    assert capsys.readouterr().err == ""
    assert list(text_lines(io.BytesIO(b"a" * (MAX_LINE_BYTES + 1) + end), "stdin")) == [""]
    assert f"a line of {MAX_LINE_BYTES + 1 + len(end):,} bytes" in capsys.readouterr().err


@given(st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), min_size=1))
def test_there_are_as_many_lines_as_line_feeds_part(lines):
    data = b"\n".join([*lines, b"end"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_stream, "MAX_LINE_BYTES", 8)
        patch.setattr(text_stream, "say", lambda *_: None)
        read = list(text_lines(io.BytesIO(data), "stdin"))
    assert len(read) == len(lines) + 1
    assert read[-1] == "end"
    for line, text in zip(lines[1:], read[1:], strict=False):
        if len(line) <= 8:
            assert text == line.removesuffix(b"\r").decode("utf-8", errors="replace")


def test_lines_that_are_worked_on_together_are_bounded_in_number_and_in_length(monkeypatch):
    monkeypatch.setattr(text_stream, "MAX_WINDOW_CHARACTERS", 10)
    lines = ["a"] * 7 + ["b" * 9] * 3 + ["c" * 30] + ["d"]
    found = list(windows(lines, 3))
    assert [line for window in found for line in window] == lines
    assert [len(window) for window in found] == [3, 3, 2, 2, 1, 1]
