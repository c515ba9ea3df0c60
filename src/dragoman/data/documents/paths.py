"""Paths of values in nested lists and names: `menu.tips[2]`."""

LONGEST = 200
"""Characters of a path; of a longer one the end is kept, so that no file can make paths grow."""


def extend_path(path: str, step: str | int) -> str:
    """Return the path with one more step: a name, or the number in a list."""
    if isinstance(step, int):
        longer = f"{path}[{step}]"
    else:
        longer = f"{path}.{step[-LONGEST:]}" if path else step
    return longer if len(longer) <= LONGEST else f"…{longer[-LONGEST:]}"
