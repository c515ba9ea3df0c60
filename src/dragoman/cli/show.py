"""`dragoman show`."""

from typing import Annotated

import typer


def show(
    recipe: Annotated[
        str | None, typer.Argument(help="A recipe file, or the name of a built-in one.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Argument(metavar="SECTION.KEY=VALUE", help="Settings to change.")
    ] = None,
) -> None:
    """Print a recipe with every key explained; without a name, list the built-in recipes.

    Sections that the recipe's task does not use are left out.
    """
    from dragoman.config.reading import find_recipe, read_recipe, shipped_recipes
    from dragoman.config.writing import recipe_to_toml
    from dragoman.core.console import say

    if recipe is None:
        recipes = shipped_recipes()
        for name, path in recipes.items():
            first = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
            print(f"{name:<{max(map(len, recipes))}}  {first}")
        return
    read = read_recipe(find_recipe(recipe), changes or [])
    print(recipe_to_toml(read, explained=True, whole=False), end="")
    for section in read.task.ignores:
        if section in read.model_fields_set:
            say(f"[{section}] says nothing to task.kind = {read.task.kind!r}.", "yellow")
