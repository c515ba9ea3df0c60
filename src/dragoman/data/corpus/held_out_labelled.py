"""Held-out rows in plain tables: valid.tsv and test.tsv, a line being TEXT, one tab, CLASS.

split.json has the seed, the classes and their sizes, the findings and the checksums of the files
they came from.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.core.files import sha256, write_atomic
from dragoman.data.corpus.labelled import LabelledTexts
from dragoman.data.formats.labelled import Labelled

FORMAT, VERSION = "dragoman-labelled-split", 1


@dataclass(frozen=True)
class HeldOutLabelled:
    """The held-out rows of a run, as they were stored."""

    valid: list[Labelled]
    test: list[Labelled]
    classes: dict[str, int]
    """How many rows of each class are trained on; a class's number is its turn."""
    findings: list[str]


def save_held_out_labelled(texts: LabelledTexts, folder: Path) -> None:
    """Write the held-out sets into a folder; split.json comes last, so it vouches for the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("valid", texts.valid), ("test", texts.test)):
        write_atomic(folder / f"{name}.tsv", "".join(f"{text}\t{label}\n" for text, label in rows))
    record = {
        "format": FORMAT,
        "version": VERSION,
        "seed": texts.seed,
        "classes": texts.classes,
        "rows": {"valid": len(texts.valid), "test": len(texts.test)},
        "findings": texts.findings,
        "files": {str(path): sha256(path) for path in texts.files},
    }
    write_atomic(folder / "split.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def load_held_out_labelled(folder: Path) -> HeldOutLabelled:
    """Read back what `save_held_out_labelled` wrote, character for character."""
    path = folder / "split.json"
    try:
        record = json.loads(path.read_bytes())
        if record["format"] != FORMAT or record["version"] != VERSION:
            raise ValueError(f"format {record['format']!r}, version {record['version']!r}")
        sets = {
            name: _rows(folder / f"{name}.tsv", int(record["rows"][name]))
            for name in ("valid", "test")
        }
        return HeldOutLabelled(
            valid=sets["valid"],
            test=sets["test"],
            classes={str(label): int(count) for label, count in record["classes"].items()},
            findings=[str(line) for line in record["findings"]],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{path}: not a split that can be read ({error}). Prepare the corpus again."
        ) from error


def _rows(path: Path, count: int) -> list[Labelled]:
    lines = path.read_bytes().decode("utf-8").split("\n")[:-1]
    rows = [line.split("\t") for line in lines]
    if len(rows) != count or any(len(row) != len(Labelled._fields) for row in rows):
        raise DataError(
            f"{path}: is not the table of {count} rows that split.json speaks of. "
            "Prepare the corpus again."
        )
    return [Labelled(*row) for row in rows]
