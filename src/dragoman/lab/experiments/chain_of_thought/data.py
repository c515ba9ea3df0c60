"""Additions with and without written steps: two files of equally many tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.config.settings import Settings
from dragoman.core.files import write_atomic
from dragoman.data.corpus.generators.addition import Addition, draw_additions


class Sums(Settings):
    """Which additions are drawn, and how many."""

    fewest: int = 2
    """Digits of the shortest numbers …"""
    digits: int = 3
    """… and of the longest that are trained on; one digit more is tested as well."""
    tokens: int
    """Characters to train on, the end of each text counted: the same for both ways of writing."""
    valid: int
    tested: int
    """Additions of each length."""


@dataclass(frozen=True)
class AdditionCorpus:
    """Additions of one seed; no addition stands in two of the sets."""

    train: list[Addition]
    valid: list[Addition]
    tests: dict[int, list[Addition]]
    """By digits."""


def draw_sums(sums: Sums, seed: int) -> AdditionCorpus:
    """Draw additions: a test of each length first, so that training can leave them out."""
    lengths = range(sums.fewest, sums.digits + 2)
    tests = {digits: draw_additions(sums.tested, digits=digits, seed=seed) for digits in lengths}
    taken = {one for test in tests.values() for one in test}
    shortest = min(len(_text(one, steps=False)) + 1 for one in tests[sums.fewest])
    wanted = sums.valid + sums.tokens // shortest
    drawn = draw_additions(wanted + len(taken), digits=sums.digits, fewest=sums.fewest, seed=seed)
    free = [one for one in drawn if one not in taken]
    return AdditionCorpus(free[sums.valid :], free[: sums.valid], tests)


def write_sums(
    drawn: AdditionCorpus, sums: Sums, folder: Path, *, steps: bool
) -> tuple[Path, Path]:
    """Write the texts to train and to validate on, one on each line.

    Both ways of writing take the additions in the same order; the longer texts are fewer.
    """
    paths = folder / "train.txt", folder / "valid.txt"
    shown = filled([_text(one, steps=steps) for one in drawn.train], sums.tokens)
    write_atomic(paths[0], "".join(f"{text}\n" for text in shown))
    write_atomic(paths[1], "".join(f"{_text(one, steps=steps)}\n" for one in drawn.valid))
    return paths


def filled(texts: Sequence[str], tokens: int) -> list[str]:
    """Take texts from the first on, as many as have so many characters with their ends."""
    taken, room = [], tokens
    for text in texts:
        room -= len(text) + 1
        if room < 0:
            break
        taken.append(text)
    return taken


def _text(one: Addition, *, steps: bool) -> str:
    return one.question + one.written(steps=steps)
