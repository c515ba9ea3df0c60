"""Files that a recipe names."""

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str | Path) else value


Files = Annotated[tuple[Path, ...], BeforeValidator(_as_list)]
"""One file or several; texts may end in .gz, .bz2, .xz or .zst."""
