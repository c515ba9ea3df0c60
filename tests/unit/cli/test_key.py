"""`dragoman key`: the key alone on stdout, words for people on stderr."""

import re

from dragoman.server.middleware.api_keys import KeyFile


def test_a_key_is_printed_once_and_opens(dragoman, tmp_path):
    file = tmp_path / "keys.json"
    code, out, said = dragoman("key", "add", file, "ada")
    assert code == 0
    assert re.fullmatch(r"dgm_[A-Za-z0-9_-]{43}\n", out)
    assert "cannot be shown again" in said
    assert KeyFile.load(file).owner(out.strip().encode()) == "ada"
    code, listed, said = dragoman("key", "list", file)
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00  ada\n", listed)
    assert out.strip() not in listed + said


def test_a_key_that_is_removed_is_gone(dragoman, tmp_path):
    file = tmp_path / "keys.json"
    _, key, _ = dragoman("key", "add", file, "ada")
    dragoman("key", "add", file, "bob")
    assert dragoman("key", "remove", file, "ada")[0] == 0
    assert KeyFile.load(file).owner(key.strip().encode()) is None
    assert dragoman("key", "list", file)[1].endswith("bob\n")


def test_mistakes_are_one_line_with_a_way_out(dragoman, tmp_path):
    file = tmp_path / "keys.json"
    dragoman("key", "add", file, "ada")
    for arguments, words in (
        (("add", file, "ada"), "'ada' has a key already. Remove it first"),
        (("add", file, "two words"), "is no name for a key"),
        (("remove", file, "adda"), "Did you mean 'ada'?"),
        (("remove", tmp_path / "none.json", "ada"), "there is no such file of keys"),
        (("list", tmp_path / "none.json"), "Make it with: dragoman key add"),
        (("add", tmp_path, "ada"), "cannot be read"),
    ):
        code, out, said = dragoman("key", *arguments)
        assert (code, out) == (2, "")
        assert said.startswith("dragoman: ")
        assert said.count("\n") == 1
        assert words in said
