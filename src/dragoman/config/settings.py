"""The base of every settings class: frozen, strict, and without a place for unknown keys."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """A group of settings that cannot be misspelt and cannot change."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        validate_default=True,
        allow_inf_nan=False,
    )
