"""Devices, pipes and folders where a file is wanted: one line at once, and nothing is read."""

import os

import pytest

from dragoman.cli import main as command
from dragoman.core.errors import DataError
from dragoman.data.formats.image_files import read_image
from dragoman.server.middleware.api_keys import read_entries


@pytest.fixture(params=["/dev/zero", "fifo", "terabyte", "folder"])
def special(request, tmp_path):
    """Give a function that makes something of a name that is no bearable file."""

    def make(name):
        path = tmp_path / name
        if request.param == "fifo":
            os.mkfifo(path, 0o600)
        elif request.param == "folder":
            path.mkdir()
        elif request.param == "terabyte":
            path.touch(0o600)
            os.truncate(path, 1 << 40)
        else:
            path.symlink_to(request.param)
        return path

    return make


@pytest.mark.parametrize("verb", ["show", "train"])
def test_a_recipe_is_a_regular_file(dragoman, special, verb):
    code, out, err = dragoman(verb, special("a.toml"))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_a_recipe_inside_a_run_is_a_regular_file(dragoman, special, tiny, tmp_path):
    special("recipe.toml")
    os.link(tiny.run / "model.safetensors", tmp_path / "model.safetensors")
    code, out, err = dragoman("translate", tmp_path)
    assert (code, out) == (2, "")
    told = [line for line in err.splitlines() if "checksums.json" not in line]
    assert len(told) == 1
    assert "recipe.toml" in told[0]


def test_an_image_is_a_regular_file(special):
    with pytest.raises(
        DataError, match=r"a\.png: (is a folder|cannot be read \((not a reg|larger))"
    ):
        read_image(special("a.png"), size=4, channels=3)


def test_keys_are_in_a_regular_file(special):
    with pytest.raises(DataError, match=r"keys\.json: (cannot be read|others may write)"):
        read_entries(special("keys.json"))


def test_what_a_file_spells_does_not_reach_the_terminal(dragoman, monkeypatch):
    def fail():
        raise DataError("a.json: holds \x1b[2J\x07\r and " + "x" * 100_000)

    monkeypatch.setattr(command, "app", fail)
    code, _, err = dragoman()
    assert code == 2
    assert "holds \\x1b[2J\\x07" in err
    assert len(err) < 5000
