"""split.json: how many held-out rows each file beside it has, and where they came from.

It has the seed, the counts, the findings and the checksums of the files of the corpus, and is
written last, so that it vouches for the rest.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from dragoman.core.checksums import read_checked
from dragoman.core.errors import DataError
from dragoman.core.files import sha256, write_atomic

NAME = "split.json"
VERSION = 1


class SplitCorpus(Protocol):
    """A corpus that was split, of whatever kind."""

    @property
    def seed(self) -> int:
        """The seed of the split."""

    @property
    def findings(self) -> list[str]:
        """The findings in the files."""

    @property
    def files(self) -> Sequence[Path]:
        """The files it came from."""


def save_split(folder: Path, format: str, corpus: SplitCorpus, counts: Mapping[str, Any]) -> None:
    """Write the record of a split whose files are complete."""
    record = {
        "format": format,
        "version": VERSION,
        "seed": corpus.seed,
        **counts,
        "findings": corpus.findings,
        "files": {str(path): sha256(path) for path in corpus.files},
    }
    write_atomic(folder / NAME, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def has_split(folder: Path) -> bool:
    """Say whether a split was written here; a run may be moved without its data."""
    return (folder / NAME).exists()


@contextmanager
def open_split(folder: Path, format: str) -> Iterator[dict[str, Any]]:
    """Give the record of a split; what is wrong with it, or with what it speaks of, is one line."""
    path = folder / NAME
    try:
        record = json.loads(read_checked(path))
        if record["format"] != format or record["version"] != VERSION:
            raise ValueError(f"format {record['format']!r}, version {record['version']!r}")
        yield record
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{path}: not a split that can be read ({error}). Prepare the corpus again."
        ) from error


def findings_of(record: Mapping[str, Any]) -> list[str]:
    """Return the findings of a record."""
    return [str(line) for line in record["findings"]]
