"""Digests beside files: damage is found, and a kill between two writes never looks like damage."""

import json
import os

import pytest

from dragoman.core import checksums
from dragoman.core.checksums import (
    check_file,
    check_seal,
    files_of,
    note_checksums,
    read_checked,
    seal,
    write_checked,
)
from dragoman.core.errors import CheckpointError


def test_what_was_written_is_read_back(tmp_path):
    write_checked(tmp_path / "a.toml", "x = 1")
    write_checked(tmp_path / "b.json", "{}")
    assert read_checked(tmp_path / "a.toml") == b"x = 1"
    assert read_checked(tmp_path / "b.json") == b"{}"


def test_a_changed_file_is_refused_and_the_way_out_is_named(tmp_path):
    write_checked(tmp_path / "a.toml", "x = 1")
    (tmp_path / "a.toml").write_text("x = 2")
    with pytest.raises(
        CheckpointError, match=r"a\.toml: .*on purpose, remove that checksums\.json"
    ):
        read_checked(tmp_path / "a.toml")
    (tmp_path / "checksums.json").unlink()
    assert read_checked(tmp_path / "a.toml") == b"x = 2"


@pytest.mark.parametrize("old", ["x = 1", None])
def test_a_kill_before_the_file_is_written_leaves_one_that_fits(tmp_path, monkeypatch, old):
    path = tmp_path / "a.toml"
    if old is None:
        path.write_text("stored by an earlier version")
    else:
        write_checked(path, old)
    before = path.read_bytes()
    write = checksums.write_atomic

    def die(place, content):
        if place == path:
            raise KeyboardInterrupt
        write(place, content)

    monkeypatch.setattr(checksums, "write_atomic", die)
    for content in ("x = 2", "x = 3"):
        with pytest.raises(KeyboardInterrupt):
            write_checked(path, content)
        assert read_checked(path) == before
    monkeypatch.undo()
    write_checked(path, "x = 3")
    assert read_checked(path) == b"x = 3"


def test_writing_over_damage_does_not_make_it_right(tmp_path, monkeypatch):
    write_checked(tmp_path / "a.toml", "x = 1")
    (tmp_path / "a.toml").write_text("damage")
    write = checksums.write_atomic
    only_notes = lambda place, content: place.suffix == ".json" and write(place, content)  # noqa: E731
    monkeypatch.setattr(checksums, "write_atomic", only_notes)
    write_checked(tmp_path / "a.toml", "x = 2")
    with pytest.raises(CheckpointError):
        read_checked(tmp_path / "a.toml")


def test_files_that_are_not_noted_are_read_as_they_are(tmp_path):
    write_checked(tmp_path / "a.toml", "x = 1")
    (tmp_path / "other.txt").write_text("any")
    assert read_checked(tmp_path / "other.txt") == b"any"
    check_file(tmp_path / "other.txt")


@pytest.mark.parametrize("content", ["", "{", "[]", "3", "[" * 100_000, '{"sha256": {}}', b"\xff"])
def test_a_list_that_cannot_be_read_is_named(tmp_path, content):
    write_checked(tmp_path / "a.toml", "x = 1")
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "checksums.json").write_bytes(data)
    with pytest.raises(CheckpointError, match=r"checksums\.json: cannot be read"):
        read_checked(tmp_path / "a.toml")


def test_no_digit_of_the_list_can_change_unnoticed(tmp_path):
    write_checked(tmp_path / "a.toml", "x = 1")
    record = json.loads((tmp_path / "checksums.json").read_text())
    (tmp_path / "checksums.json").write_text(json.dumps(record | {"version": 2}))
    with pytest.raises(CheckpointError):
        read_checked(tmp_path / "a.toml")
    record["sha256"]["a.toml"] = ["0" * 64]
    (tmp_path / "checksums.json").write_text(json.dumps(record))
    with pytest.raises(CheckpointError, match=r"checksums\.json"):
        read_checked(tmp_path / "a.toml")


def test_a_large_file_is_hashed_once_until_it_changes(tmp_path, monkeypatch):
    path, hashed = tmp_path / "tokens.bin", []
    path.write_bytes(b"12345678")
    os.utime(path, ns=(0, 1))
    note_checksums(tmp_path, dict.fromkeys(files_of(tmp_path)))
    whole = checksums.sha256
    monkeypatch.setattr(checksums, "sha256", lambda one: hashed.append(one) or whole(one))
    check_file(path)
    check_file(path)
    assert hashed == []
    path.write_bytes(b"12345679")
    with pytest.raises(CheckpointError, match=r"tokens\.bin"):
        check_file(path)
    assert hashed == [path]


def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path):
    os.mkfifo(tmp_path / "checksums.json")
    (tmp_path / "a.toml").write_text("x = 1")
    with pytest.raises(CheckpointError, match="not a regular file"):
        read_checked(tmp_path / "a.toml")


def test_a_sealed_record_knows_its_own_numbers(tmp_path):
    record = {"b": (1, 2.5), 3: None, "a": {"x": "ü"}}
    stored = json.loads(json.dumps(seal(record)))
    check_seal(stored)
    check_seal({"no": "seal"})
    stored["b"][1] = 2.25
    with pytest.raises(ValueError, match="checksum"):
        check_seal(stored)
