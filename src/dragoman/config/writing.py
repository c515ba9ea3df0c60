"""Writing recipes as TOML that reads back to the same recipe, each key with its meaning."""

import json
from typing import Any

from pydantic import BaseModel

from dragoman.config.recipe import Recipe


def recipe_to_toml(recipe: Recipe, *, explained: bool = False, whole: bool = True) -> str:
    """Return a recipe with every key in it; `explained` puts each key's meaning above it.

    What is not `whole` leaves out the sections that say nothing to the task.
    """
    lines: list[str] = []
    sections: list[tuple[str, BaseModel]] = []
    for name in Recipe.model_fields:
        if not whole and name in recipe.task.ignores:
            continue
        value = getattr(recipe, name)
        if isinstance(value, BaseModel):
            sections.append((name, value))
        elif value is not None:
            lines += _key(recipe, name, value, explained)
    for name, section in sections:
        lines += ["", f"[{name}]"]
        for key in type(section).model_fields:
            value = section.model_dump(mode="json")[key]
            if value is not None:
                lines += _key(section, key, value, explained)
    return "\n".join(lines) + "\n"


def _key(owner: BaseModel, name: str, value: Any, explained: bool) -> list[str]:
    field = type(owner).model_fields[name]
    meaning = field.description if explained else None
    comment = [f"# {line.strip()}" for line in (meaning or "").splitlines() if line.strip()]
    return [*comment, f"{field.alias or name} = {toml_value(value)}"]


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A JSON string is a TOML string, except that TOML has no surrogate pairs and wants
        # the delete character escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, dict):
        inner = ", ".join(f"{k} = {toml_value(v)}" for k, v in value.items() if v is not None)
        return f"{{{inner}}}"
    return repr(value)
