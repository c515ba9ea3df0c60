"""Recipes written before keys were renamed: read under their new names.

Stored runs keep the recipe, and the marks beside their data, as they were written. The table of
names (`synonyms.py`) says what each key has become.
"""

from typing import Any

from pydantic import BaseModel

from dragoman.config.sections import TAGS, kind_of, members_of, section_models
from dragoman.config.synonyms import FORMER_SECTIONS, SYNONYMS, former_value, new_names

Tree = dict[str, Any]


def with_new_keys(tree: Tree) -> tuple[Tree, dict[str, str]]:
    """Return a tree of plain values with its former keys renamed, and what was renamed to what."""
    renamed: dict[str, str] = {}
    models = section_models()
    new: Tree = {}
    for former, value in tree.items():
        section = FORMER_SECTIONS.get(former, former)
        if section != former and section in tree:
            section = former  # both stand there: left for the reader to refuse
        if isinstance(value, dict) and section in models:
            value = _section(value, (former, section), models[section], renamed)
        if section != former and not any(key.startswith(f"{former}.") for key in renamed):
            renamed[former] = section
        new[section] = value
    return new, renamed


def is_written_anew(tree: Tree) -> bool:
    """Whether a tree has a key that was renamed under its new name, or a section that was."""
    return bool(set(tree) & set(FORMER_SECTIONS.values())) or any(
        names.former and _stands(tree, key.split(".")) for key, names in SYNONYMS.items()
    )


def _stands(tree: Any, path: list[str]) -> bool:
    if not path:
        return True
    return isinstance(tree, dict) and path[0] in tree and _stands(tree[path[0]], path[1:])


def _section(
    values: Tree, place: tuple[str, str], models: list[type[BaseModel]], renamed: dict[str, str]
) -> Tree:
    """Return a section, or a table inside one, with new keys; `place` is its old and new path."""
    before, now = place
    top = now.partition(".")[0]
    values = {**values}
    for key, value in values.items():
        if isinstance(value, str) and (new_value := former_value(f"{top}.{key}", value)):
            values[key] = new_value
            renamed[f"{before}.{key} = {value!r}"] = repr(new_value)
    model = _chosen(values, models)
    new: Tree = {}
    for former, value in values.items():
        key = former
        if former not in model.model_fields and former != "from":
            names = [name.rpartition(".")[2] for name in new_names(f"{top}.{former}")]
            key = next((n for n in names if n in model.model_fields and n not in values), former)
        if key != former:
            renamed[f"{before}.{former}"] = f"{now}.{key}"
        inner = members_of(model.model_fields.get(key))
        paths = (f"{before}.{former}", f"{now}.{key}")
        if inner and isinstance(value, dict):
            value = _section(value, paths, inner, renamed)
        elif inner and isinstance(value, list):
            value = [
                _section(one, paths, inner, renamed) if isinstance(one, dict) else one
                for one in value
            ]
        new[key] = value
    return new


def _chosen(values: Tree, models: list[type[BaseModel]]) -> type[BaseModel]:
    tags = (*TAGS, *(SYNONYMS[f"start.{tag}"].former for tag in TAGS if f"start.{tag}" in SYNONYMS))
    kind = next((values[tag] for tag in tags if tag in values), None)
    return next((model for model in models if kind_of(model) == kind), models[0])
