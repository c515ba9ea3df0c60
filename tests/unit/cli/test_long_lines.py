"""Lines beyond all measure: every verb that reads lines goes on, in order, and tells which."""

import io
import sys

import pytest

from dragoman.data.formats import text_stream
from dragoman.pipeline import files
from dragoman.tasks.translation.long_texts import fit


@pytest.fixture
def typed(monkeypatch):
    """Let stdin hold three lines, the second of them too long."""
    monkeypatch.setattr(text_stream, "MAX_LINE_BYTES", 20)
    data = b"sun moon\n" + b"sea sky " * 10 + b"\nred\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.usefixtures("typed")
@pytest.mark.parametrize("options", [[], ["--raw"], ["--nbest", "2"]])
def test_a_line_that_is_too_long_is_left_empty_and_the_others_keep_their_places(
    dragoman, tiny, options
):
    code, out, err = dragoman("translate", tiny.run, "--beam", "2", *options)
    assert code == 0
    assert "stdin:2: a line of 81 bytes is left empty; the limit is 20." in err
    lines = out.split("\n")[:-1]
    if "--nbest" in options:
        assert [line for line in lines if line.startswith("2\t")] == ["2\t"]
        assert lines[-1].startswith("3\t")
    else:
        assert (len(lines), lines[1]) == (3, "")


def test_a_line_of_a_file_that_is_too_long_stays_as_it_is_and_is_told(
    dragoman, tiny, monkeypatch, tmp_path
):
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 20)
    (tmp_path / "in.txt").write_text(f"sun moon\n{'sea sky ' * 10}\nred\n")
    place = tmp_path / "out.txt"
    code, _, err = dragoman("translate", tiny.run, tmp_path / "in.txt", "--output", place)
    assert code == 0
    assert "2 of 3 texts translated; 1 longer than 1,048,576 characters, left as they are" in err
    assert "(line 2)" in err
    lines = place.read_text().split("\n")
    assert (len(lines), lines[1]) == (4, "sea sky " * 10)


@pytest.mark.parametrize("text", ["sun moon sea " * 4000, "sunmoon" * 8000])
def test_cutting_a_long_line_reads_it_a_bounded_number_of_times(text):
    read = 0

    def length(part: str) -> int:
        nonlocal read
        read += len(part)
        return len(part.split()) if " " in text else len(part)

    longest = 50
    pieces = fit(text, longest, length)
    assert max(map(length, pieces)) <= longest
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")
    halvings = (len(text) // len(pieces[0])).bit_length()
    assert read <= len(text) * (halvings + 4)
