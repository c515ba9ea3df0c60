"""The settings classes that the sections of a recipe are made of."""

from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from dragoman.config.recipe import Recipe

TAGS = ("kind", "method")
"""Keys whose value chooses among several settings classes."""


def section_models() -> dict[str, list[type[BaseModel]]]:
    """Return the settings classes that each section of a recipe may be."""
    found = {name: members_of(field) for name, field in Recipe.model_fields.items()}
    return {name: models for name, models in found.items() if models}


def members_of(field: FieldInfo | None) -> list[type[BaseModel]]:
    """Return the settings classes that the value of a key may be; none for a plain value."""
    return [] if field is None else _classes(field.annotation)


def kind_of(model: type[BaseModel]) -> str:
    """Return the value of `kind` (or `method`) that chooses a settings class; "" if none does."""
    field = next((model.model_fields[tag] for tag in TAGS if tag in model.model_fields), None)
    return str(field.default) if field else ""


def _classes(annotation: Any) -> list[type[BaseModel]]:
    """Return the settings classes that stand in an annotation, in their order."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _classes(part)]
