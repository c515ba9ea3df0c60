"""The manual of recipes, written from the settings classes themselves.

python -m dragoman.config.manual docs/reference/recipes
"""

import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from dragoman.config.sections import members_of, section_models
from dragoman.config.settings import Settings
from dragoman.config.synonyms import FORMER_VALUES, SYNONYMS, Names

HEAD = """# Recipes

A recipe is one experiment in one commented TOML file, its sections in the order of the pipeline.
Only what differs from the defaults needs to be written; `dragoman show RECIPE` prints the whole.
Any key can be changed on the command line as `section.key=value`:

    dragoman train english-hindi model.width=192 training.steps=3000

Unknown keys are refused with the nearest name, and all mistakes are reported at once. Paths in a
recipe are relative to its file; paths on the command line to the present folder. The run folder
keeps the fully resolved recipe with the versions that made it (`[made_with]`), so a run can be
repeated from it alone.

Each section has a page with its keys, their defaults and their meaning; what fairseq, OpenNMT-py
(eole) and Hugging Face call them is in [names in other toolkits](names.md). These pages are written
by `python -m dragoman.config.manual docs/reference/recipes`.

## Top of the file

| key | default | meaning |
|---|---|---|
| `name` | (needed) | The run folder's name. |
| `seed` | `1` | Every random choice follows from it. |

## Sections

| section | kinds |
|---|---|
"""
TITLES = {"opennmt": "OpenNMT-py", "huggingface": "Hugging Face"}
NAMES = """# Names in other toolkits

What the keys of a recipe, and the settings of the server, were called formerly, and what other
toolkits call them. Another toolkit's name is refused, and the error gives ours. Stored runs open
with their former names; so does a recipe that has former names only, and the new ones are listed.
Beside a new name, or on the command line, a former name is refused with its new one.
"""


def manual() -> dict[str, str]:
    """Return the pages of the manual by file name: index, sections, names in other toolkits."""
    sections = {name: models for name, models in section_models().items() if name != "made_with"}
    pages = {f"{name}.md": _section(name, models) for name, models in sections.items()}
    rows = [
        f"| [`[{name}]`]({name}.md) | {', '.join(filter(None, map(_tag, models)))} |"
        for name, models in sections.items()
    ]
    contents = "\n".join(["", "```{toctree}", ":hidden:", "", *sections, "names", "```", ""])
    return {"index.md": HEAD + "\n".join(rows) + "\n" + contents, **pages, "names.md": _names()}


def _section(section: str, models: list[type[BaseModel]]) -> str:
    """Return the page of a section: a table of keys for each kind, settings inside it included."""
    parts, told = [f"# [{section}]\n"], [*models]
    for model in models:
        if len(models) > 1:
            parts.append(f"## {_tag_name(model)} = {_tag(model)}\n")
        parts += [(model.__doc__ or "").strip() + "\n", _table(model)]
        parts += _inner(section, model, told)
    return "\n".join(parts)


def _inner(section: str, model: type[BaseModel], told: list[type[BaseModel]]) -> list[str]:
    """Return the tables of settings inside settings, and note them as told: each stands once."""
    parts = []
    for name, field in model.model_fields.items():
        for one in members_of(field):
            if one not in told:
                told.append(one)
                chosen = f" kind = {_tag(one)}" if _tag(one) else ""
                parts.append(f"## [{section}.{name}]{chosen}\n\n{(one.__doc__ or '').strip()}\n")
                parts.append(_table(one))
    return parts


def _tag_name(model: type[BaseModel]) -> str | None:
    """Return the key that says which of a section's kinds this is, if there are several."""
    return next((name for name in ("kind", "method") if name in model.model_fields), None)


def _tag(model: type[BaseModel]) -> str:
    name = _tag_name(model)
    return _shown(model.model_fields[name].default) if name else ""


def _table(model: type[BaseModel]) -> str:
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        if name == _tag_name(model):
            continue
        default = "(needed)" if field.default is PydanticUndefined else _shown(field.default)
        meaning = " ".join((field.description or "").split())
        words = f"{meaning} {_choices(field.annotation)}".strip()
        rows.append(f"| `{field.alias or name}` | {default} | {words} |")
    return "\n".join(rows) + "\n"


def _names() -> str:
    titles = [TITLES.get(name, name.replace("_", " ")) for name in Names._fields]
    rows = [f"| key | {' | '.join(titles)} |", "|---" * (len(titles) + 1) + "|"]
    for key, names in SYNONYMS.items():
        rows.append(f"| `{key}` | " + " | ".join(f"`{n}`" if n else "" for n in names) + " |")
    values = ["", "## Values", "", "| key | former | now |", "|---|---|---|"]
    for key, renamed in FORMER_VALUES.items():
        values += [f'| `{key}` | `"{old}"` | `"{new}"` |' for old, new in renamed.items()]
    return "\n".join([NAMES, *rows, *values, ""])


def _choices(annotation: object) -> str:
    if get_origin(annotation) is not Literal:
        return ""
    return "One of " + ", ".join(f"`{choice}`" for choice in get_args(annotation)) + "."


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, Settings):  # a choice of kinds, written by its name
        return _shown(getattr(value, "kind", ""))
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


if __name__ == "__main__":
    for name, text in manual().items():
        (Path(sys.argv[1]) / name).write_text(text, encoding="utf-8")
