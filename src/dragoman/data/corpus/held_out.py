r"""Held-out sets in plain files, one sentence a line, so that any tool can score them.

valid.source.txt, valid.target.txt, test-NAME.source.txt, test-NAME.target.txt, and split.json with
the seed, the counts, the findings and the checksums of the files they came from.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from dragoman.core.checksums import read_checked
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.corpus.corpus import Corpus
from dragoman.data.corpus.split_file import findings_of, open_split, save_split
from dragoman.data.formats.pair import Pair

FORMAT = "dragoman-split"
NAME = re.compile(r"[a-z0-9_]{1,64}")


@dataclass(frozen=True)
class HeldOut:
    """The held-out sets of a run, as they were stored."""

    valid: list[Pair]
    tests: dict[str, list[Pair]]
    train_pairs: int
    seed: int
    findings: list[str]


def save_held_out(corpus: Corpus, folder: Path) -> None:
    """Write the held-out sets into a folder; split.json comes last, so it vouches for the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_set(folder, "valid", corpus.valid)
    for name, pairs in corpus.tests.items():
        _write_set(folder, f"test-{name}", pairs)
    counts = {
        "train_pairs": corpus.train_pairs,
        "valid_pairs": len(corpus.valid),
        "test_pairs": {name: len(pairs) for name, pairs in corpus.tests.items()},
    }
    save_split(folder, FORMAT, corpus, counts)


def load_held_out(folder: Path) -> HeldOut:
    """Read back what `save_held_out` wrote, character for character."""
    with open_split(folder, FORMAT) as record:
        names = {name: int(count) for name, count in record["test_pairs"].items()}
        if not all(NAME.fullmatch(name) for name in names):
            raise ValueError("a test set has an impossible name")
        return HeldOut(
            valid=_read_set(folder, "valid", int(record["valid_pairs"])),
            tests={name: _read_set(folder, f"test-{name}", names[name]) for name in names},
            train_pairs=int(record["train_pairs"]),
            seed=int(record["seed"]),
            findings=findings_of(record),
        )


def _write_set(folder: Path, name: str, pairs: list[Pair]) -> None:
    for side in Pair._fields:
        lines = "".join(f"{getattr(pair, side)}\n" for pair in pairs)
        write_atomic(folder / f"{name}.{side}.txt", lines)


def _read_set(folder: Path, name: str, count: int) -> list[Pair]:
    sources, targets = (_sentences(folder / f"{name}.{side}.txt", count) for side in Pair._fields)
    return [Pair(*sides) for sides in zip(sources, targets, strict=True)]


def _sentences(path: Path, count: int) -> list[str]:
    r"""Read our own file: nothing to repair, and a \r before the line end belongs to the line."""
    lines = read_checked(path).decode("utf-8").split("\n")[:-1]
    if len(lines) != count:
        raise DataError(
            f"{path}: {len(lines)} lines, where split.json says {count}. Prepare the corpus again."
        )
    return lines
