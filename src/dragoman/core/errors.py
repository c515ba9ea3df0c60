"""The errors a user can mend: one line each, saying what, where and what next.

DragomanError
├── ConfigError       a recipe or an override says something that cannot be
├── DataError         a text file, a corpus or a tokenizer is not what it should be
│   └── ReadError         the disk failed while a file was read; its content may be right
├── ShapeError        tensors or weights do not fit each other
├── RunError          a run folder is in use, is missing or belongs to another recipe
│   ├── CheckpointError   a stored state is damaged
│   └── WriteError        a file or folder cannot be written
└── DivergedError     training produced numbers that are not finite

The command prints any of these as one line and leaves with exit code 2.
Every other exception is a bug of ours and keeps its traceback.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class DragomanError(Exception):
    """Something the user can put right; the message says how."""


class ConfigError(DragomanError):
    """A recipe or an override says something that cannot be."""


class DataError(DragomanError):
    """A text file, a corpus or a tokenizer is not what it should be."""


class ReadError(DataError):
    """The disk failed while a file was read; its content may be right."""


class ShapeError(DragomanError):
    """Tensors or weights do not fit each other."""


class RunError(DragomanError):
    """A run folder is in use, is missing or belongs to another recipe."""


class CheckpointError(RunError):
    """A stored state is damaged."""


class WriteError(RunError):
    """A file or folder cannot be written."""


class DivergedError(DragomanError):
    """Training produced numbers that are not finite."""


FEW = 12
"""Names that an error lists; of more, those that come closest."""


def nearest(
    name: str, known: Iterable[str], *, listed: str = "Known", most: int = FEW, see: str = ""
) -> str:
    """Say which known name comes closest to a wrong one, or list a few and where to see the rest.

    Of more than `most` names only the closest are listed; `see` is a sentence that says where all
    of them stand.
    """
    choices = sorted(known)
    holding = [choice for choice in choices if name and name.lower() in choice.lower()]
    near = get_close_matches(name, choices, n=1) or holding[:1]
    if near:
        return f"Did you mean {near[0]!r}?"
    if len(choices) <= most:
        return f"{listed}: {', '.join(choices)}."
    closest = get_close_matches(name, choices, n=most, cutoff=0.0)
    return f"{listed}: {', '.join(closest)} and {len(choices) - most} more.{see and ' '}{see}"
