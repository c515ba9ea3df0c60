"""`dragoman show`: what a recipe says, and no section that its task does not use."""

import re
import tomllib
from pathlib import Path

import pytest

import dragoman.tasks
from dragoman.config.reading import read_recipe, recipe_from_tree, shipped_recipes
from dragoman.config.recipe import Recipe
from dragoman.config.sections import members_of

TASKS = {
    member.model_fields["kind"].default: member
    for member in members_of(Recipe.model_fields["task"])
}
FOLDERS = Path(dragoman.tasks.__file__).parent
ASKED = {"tokenizer", "augmentation", "batches", "images", "objective", "decoding"}
"""Sections that some task has no use for."""


def reads(folder: Path) -> set[str]:
    """Return the sections of a recipe that the code of a folder asks for."""
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    return set(re.findall(r"\brecipe\.([a-z]+)", code)) & ASKED


@pytest.mark.parametrize("name", shipped_recipes())
def test_a_recipe_shows_the_sections_that_its_task_uses_and_no_other(dragoman, name):
    code, out, err = dragoman("show", name)
    assert (code, err) == (0, "")
    recipe = read_recipe(shipped_recipes()[name])
    shown, ignored = tomllib.loads(out), set(recipe.task.ignores)
    assert not ignored & set(shown)
    assert ASKED - ignored <= set(shown)
    assert recipe_from_tree(shown, name) == recipe


@pytest.mark.parametrize("kind", TASKS)
def test_a_task_ignores_exactly_the_sections_that_its_code_never_asks_for(kind):
    own = reads(FOLDERS / kind.replace("-", "_"))
    ignored = set(TASKS[kind].ignores)
    assert not ignored & own
    assert ASKED - ignored <= own | reads(FOLDERS / "common")


def test_a_section_that_says_nothing_to_the_task_is_told(dragoman):
    code, out, err = dragoman("show", "mnist", "tokenizer.kind=words")
    assert code == 0
    assert "tokenizer" not in out
    assert err == "[tokenizer] says nothing to task.kind = 'image-classification'.\n"


def test_the_list_of_recipes_has_its_descriptions_in_one_column(dragoman):
    _, out, _ = dragoman("show")
    names = list(shipped_recipes())
    column = max(map(len, names)) + 2
    for name, line in zip(names, out.splitlines(), strict=True):
        assert line.startswith(name)
        assert line[column - 1] == " "
        assert line[column] != " "
        assert "\t" not in line
