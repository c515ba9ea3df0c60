"""Renamed options are answered with their new names, and torchrun claims none of the new ones."""

import pytest
from torch.distributed.run import get_args_parser

from dragoman.cli.former_options import RENAMED

CASES = [(verb, old, new) for verb, names in RENAMED.items() for old, new in names.items()]


@pytest.mark.parametrize(("verb", "old", "new"), CASES)
@pytest.mark.parametrize("form", ["{} x", "{}=x"])
def test_a_former_option_is_answered_with_its_new_name(dragoman, verb, old, new, form):
    code, _, err = dragoman(verb, "anything", *form.format(old).split())
    assert code == 2
    assert err == f"dragoman: {old}: is called {new} now.\n"


@pytest.mark.parametrize(("verb", "old", "new"), CASES)
def test_the_new_name_is_an_option_of_the_verb(dragoman, verb, old, new):
    _, out, _ = dragoman(verb, *(["run"] if verb == "lab" else []), "--help")
    assert f"{new} " in out
    assert f"{old} " not in out


def test_what_follows_two_dashes_is_no_option(dragoman, tmp_path):
    _, _, err = dragoman("translate", tmp_path, "--", "--with")
    assert "is called" not in err


def test_torchrun_leaves_the_option_for_the_run_folder_to_us():
    arguments = ["--nproc-per-node", "2", "-m", "dragoman", "train", "recipe", "--output", "run"]
    ours = get_args_parser().parse_args(arguments).training_script_args
    assert ours == ["train", "recipe", "--output", "run"]
