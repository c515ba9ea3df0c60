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
    """Print a recipe with every key explained; without a name, list the built-in recipes."""
    from dragoman.config.reading import find_recipe, read_recipe, shipped_recipes
    from dragoman.config.writing import recipe_to_toml

    if recipe is None:
        recipes = shipped_recipes()
        for name, path in recipes.items():
            first = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
            print(f"{name:<{max(map(len, recipes))}}  {first}")
        return
    print(recipe_to_toml(read_recipe(find_recipe(recipe), changes or []), explained=True), end="")
