"""Next steps: the command to type after a verb, the last line of what it says to people."""

from collections.abc import Sequence
from pathlib import Path

USES = {
    "translation": "translate {run} < FILE",
    "language-model": 'generate {run} "The beginning of a text"',
    "masked-lm": 'fill {run} "A text with a ___ in it."',
    "span-corruption": "",
    "text-classification": 'classify {run} "A text"',
    "tagging": "tag {run} FILE",
    "image-classification": "classify {run} IMAGE",
    "autoencoding": "",
    "image-text": 'match {run} --text "A text" IMAGES',
}
"""How the runs of each task are used; nothing for those that are only evaluated."""


def say_next_after_training(run: Path) -> None:
    """Say how to evaluate a run, and how to use it."""
    _say_next(run, ["evaluate {run}", _use(run)])


def say_next_after_import(run: Path) -> None:
    """Say how to use a run that has no test set of its own."""
    _say_next(run, [_use(run)])


def say_next_after_evaluation(run: Path) -> None:
    """Say how to use a run, and how to serve it."""
    use = _use(run)
    _say_next(run, [use, "serve {run}"] if use else [])


def _say_next(run: Path, commands: Sequence[str]) -> None:
    from dragoman.core.console import say

    for command in filter(None, commands):
        say(f"next:  dragoman {command.format(run=run)}")


def _use(run: Path) -> str:
    from dragoman.config.reading import read_recipe
    from dragoman.core.errors import DragomanError
    from dragoman.engine.checkpoint.folder import RunFolder

    try:
        return USES[read_recipe(RunFolder(run).recipe).task.kind]
    except DragomanError:
        return ""  # the work is done and stored; a hint that fails must not fail the command
