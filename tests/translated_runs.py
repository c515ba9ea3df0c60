"""Tiny trained runs that say which languages they translate, for the tests of the server."""

import shutil
from pathlib import Path

from dragoman.core.checksums import write_checked


def in_languages(run: Path, place: Path, source: str, target: str) -> Path:
    """Copy a run of nameless languages, and name them."""
    copy = Path(shutil.copytree(run, place))
    recipe = copy / "recipe.toml"
    text = recipe.read_text(encoding="utf-8")
    text = text.replace('source_language = "source"', f'source_language = "{source}"')
    text = text.replace('target_language = "target"', f'target_language = "{target}"')
    write_checked(recipe, text)
    return copy
