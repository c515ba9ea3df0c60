"""The help of every verb: words for values, groups for many options, lines cut between words."""

import re
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
import typer.main
from typer.testing import CliRunner

from dragoman.cli.main import app

PYTHON = re.compile(r"<[^>]*>|\b(bool|str|int|float|Path|list\[|None)\b|\[x>?[<>]=")
MANY = 10


def leaves(command, path=()):
    """Yield each verb with its path; a group is one, too."""
    yield path, command
    for name, verb in getattr(command, "commands", {}).items():
        yield from leaves(verb, (*path, name))


VERBS = dict(leaves(typer.main.get_command(app)))


def options(command):
    return [one for one in command.params if one.param_type_name == "option"]


def shown(path, width):
    result = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": str(width)})
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_help_fits_its_width_and_breaks_no_word(path, width):
    out = shown(path, width)
    assert not PYTHON.search(out)
    assert max(map(len, out.splitlines())) <= width
    wide = {word for word in shown(path, 100).split() if "dragoman" not in word}
    assert {word for word in out.split() if "dragoman" not in word} == wide


@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_every_parameter_is_explained_in_one_sentence(path):
    for one in VERBS[path].params:
        assert one.help.count("\n") == 0
        text = re.sub(r" \[default: [^]]*\]$", "", one.help)
        assert text[0].isupper(), (path, one.name)
        assert text.endswith("."), (path, one.name)


@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_many_options_are_grouped(path):
    if len(options(VERBS[path])) >= MANY:
        groups = [one.rich_help_panel for one in options(VERBS[path])]
        assert None not in groups
        assert 1 < len(set(groups)) <= 6


@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_a_choice_shows_what_can_be_chosen(path):
    command = VERBS[path]
    for name, hint in get_type_hints(command.callback).items() if command.callback else ():
        parts = [hint, *get_args(hint)]
        for literal in (part for part in parts if get_origin(part) is Literal):
            (one,) = (each for each in command.params if each.name == name)
            said = re.findall(r"\w+", f"{one.metavar} {one.help}")
            assert set(get_args(literal)) <= set(said)


def test_a_value_that_is_left_out_is_asked_for_by_the_name_in_the_help():
    result = CliRunner().invoke(app, ["translate"])
    assert result.exit_code == 2
    assert "translate [OPTIONS] RUN [FILE...]" in result.output
