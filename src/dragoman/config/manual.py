"""The manual of recipes, written from the settings classes themselves.

python -m dragoman.config.manual > docs/recipes.md
"""

import sys
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from dragoman.config.sections import members_of, section_models
from dragoman.config.settings import Settings
from dragoman.config.synonyms import SYNONYMS, Names

HEAD = """# Recipes

A recipe is one experiment in one commented TOML file, its sections in the order of the pipeline.
Only what differs from the defaults needs to be written; `dragoman show RECIPE` prints the whole.
Any key can be changed on the command line as `section.key=value`:

    dragoman train english-hindi model.width=192 training.steps=3000

Unknown keys are refused with the nearest name, and all mistakes are told at once. Paths in a
recipe are relative to its file; paths on the command line to the present folder. The run folder
keeps the fully resolved recipe with the versions that made it (`[made_with]`), so a run can be
repeated from it alone.

Each key stands below with its default, its meaning, and what fairseq, OpenNMT-py (eole) and
Hugging Face call it. This page is written by `python -m dragoman.config.manual`.
"""


def manual() -> str:
    """Return the manual page."""
    parts = [HEAD, "## Top of the file\n", _TOP]
    for section, models in section_models().items():
        if section == "made_with":
            continue
        told = [*models]
        for model in models:
            tag = next((name for name in ("kind", "method") if name in model.model_fields), None)
            chosen = f" {tag} = {_shown(model.model_fields[tag].default)}" if tag else ""
            title = f"[{section}]{chosen}"
            parts.append(f"## {title}\n\n{(model.__doc__ or '').strip()}\n")
            parts.append(_table(section, model))
            parts += _inner(section, model, told)
    return "\n".join(parts)


def _inner(section: str, model: type[BaseModel], told: list[type[BaseModel]]) -> list[str]:
    """Return the tables of settings inside settings, and note them as told: each stands once."""
    parts = []
    for name, field in model.model_fields.items():
        for one in members_of(field):
            if one not in told:
                told.append(one)
                kind = one.model_fields.get("kind")
                chosen = f" kind = {_shown(kind.default)}" if kind else ""
                parts.append(f"## [{section}.{name}]{chosen}\n\n{(one.__doc__ or '').strip()}\n")
                parts.append(_table(f"{section}.{name}", one))
    return parts


_TOP = (
    "| key | default | meaning |\n|---|---|---|\n"
    "| `name` | (needed) | The run folder's name. |\n"
    "| `seed` | `1` | Every random choice follows from it. |\n"
)


def _table(section: str, model: type[BaseModel]) -> str:
    rows = [
        "| key | default | meaning | fairseq | OpenNMT | Hugging Face |",
        "|---|---|---|---|---|---|",
    ]
    for name, field in model.model_fields.items():
        if name in ("kind", "method"):
            continue
        default = "(needed)" if field.default is PydanticUndefined else _shown(field.default)
        meaning = " ".join((field.description or "").split())
        choices = _choices(field.annotation)
        words = f"{meaning} {choices}".strip()
        foreign = " | ".join(
            f"`{n}`" if n else "" for n in SYNONYMS.get(f"{section}.{name}", Names())
        )
        rows.append(f"| `{field.alias or name}` | {default} | {words} | {foreign} |")
    return "\n".join(rows) + "\n"


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
    sys.stdout.write(manual())
