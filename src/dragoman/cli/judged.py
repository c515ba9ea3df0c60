"""Judgements of test sets, printed for programs."""

import json
from collections.abc import Iterable
from typing import Any, Protocol


class Judged(Protocol):
    """What is known of one test set, whatever was judged."""

    @property
    def name(self) -> str:
        """The test set."""
        ...

    def summary(self) -> dict[str, Any]:
        """Return what is stored of it."""
        ...


def print_json(judged: Iterable[Judged]) -> None:
    """Print a list with an object for each test set."""
    whole = [{"name": one.name, **one.summary()} for one in judged]
    print(json.dumps(whole, ensure_ascii=False, indent=1))
