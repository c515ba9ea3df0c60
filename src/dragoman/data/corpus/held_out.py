r"""Held-out sets in plain files, one sentence a line, so that any tool can score them.

valid.source.txt, valid.target.txt, test-NAME.source.txt, test-NAME.target.txt, and split.json with
the seed, the counts, the findings and the checksums of the files they came from.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.core.files import sha256, write_atomic
from dragoman.data.corpus.corpus import Corpus
from dragoman.data.formats.pair import Pair

FORMAT, VERSION = "dragoman-split", 1
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
    record = {
        "format": FORMAT,
        "version": VERSION,
        "seed": corpus.seed,
        "train_pairs": corpus.train_pairs,
        "valid_pairs": len(corpus.valid),
        "test_pairs": {name: len(pairs) for name, pairs in corpus.tests.items()},
        "findings": corpus.findings,
        "files": {str(path): sha256(path) for path in corpus.files},
    }
    write_atomic(folder / "split.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def load_held_out(folder: Path) -> HeldOut:
    """Read back what `save_held_out` wrote, character for character."""
    path = folder / "split.json"
    try:
        record = json.loads(path.read_bytes())
        names = {name: int(count) for name, count in record["test_pairs"].items()}
        if record["format"] != FORMAT or record["version"] != VERSION:
            raise ValueError(f"format {record['format']!r}, version {record['version']!r}")
        if not all(NAME.fullmatch(name) for name in names):
            raise ValueError("a test set has an impossible name")
        return HeldOut(
            valid=_read_set(folder, "valid", int(record["valid_pairs"])),
            tests={name: _read_set(folder, f"test-{name}", names[name]) for name in names},
            train_pairs=int(record["train_pairs"]),
            seed=int(record["seed"]),
            findings=[str(line) for line in record["findings"]],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{path}: not a split that can be read ({error}). Prepare the corpus again."
        ) from error


def _write_set(folder: Path, name: str, pairs: list[Pair]) -> None:
    for side in Pair._fields:
        lines = "".join(f"{getattr(pair, side)}\n" for pair in pairs)
        write_atomic(folder / f"{name}.{side}.txt", lines)


def _read_set(folder: Path, name: str, count: int) -> list[Pair]:
    sources, targets = (_sentences(folder / f"{name}.{side}.txt", count) for side in Pair._fields)
    return [Pair(*sides) for sides in zip(sources, targets, strict=True)]


def _sentences(path: Path, count: int) -> list[str]:
    r"""Read our own file: nothing to repair, and a \r before the line end belongs to the line."""
    lines = path.read_bytes().decode("utf-8").split("\n")[:-1]
    if len(lines) != count:
        raise DataError(
            f"{path}: {len(lines)} lines, where split.json says {count}. Prepare the corpus again."
        )
    return lines
