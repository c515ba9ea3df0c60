"""Held-out rows in plain tables: valid.tsv and test.tsv, a line being TEXT, one tab, CLASS.

split.json has the seed, the classes and their sizes, the findings and the checksums of the files
they came from.
"""

from dataclasses import dataclass
from pathlib import Path

from dragoman.core.checksums import read_checked
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.corpus.labeled import LabeledTexts
from dragoman.data.corpus.split_file import findings_of, open_split, save_split
from dragoman.data.formats.labeled import LabeledText

FORMAT = "dragoman-labelled-split"


@dataclass(frozen=True)
class HeldOutLabeled:
    """The held-out rows of a run, as they were stored."""

    valid: list[LabeledText]
    test: list[LabeledText]
    classes: dict[str, int]
    """How many rows of each class are trained on; a class's number is its turn."""
    findings: list[str]


def save_held_out_labeled(texts: LabeledTexts, folder: Path) -> None:
    """Write the held-out sets into a folder; split.json comes last, so it vouches for the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("valid", texts.valid), ("test", texts.test)):
        write_atomic(folder / f"{name}.tsv", "".join(f"{text}\t{label}\n" for text, label in rows))
    sizes = {"valid": len(texts.valid), "test": len(texts.test)}
    save_split(folder, FORMAT, texts, {"classes": texts.classes, "rows": sizes})


def load_held_out_labeled(folder: Path) -> HeldOutLabeled:
    """Read back what `save_held_out_labelled` wrote, character for character."""
    with open_split(folder, FORMAT) as record:
        sets = {
            name: _rows(folder / f"{name}.tsv", int(record["rows"][name]))
            for name in ("valid", "test")
        }
        return HeldOutLabeled(
            valid=sets["valid"],
            test=sets["test"],
            classes={str(label): int(count) for label, count in record["classes"].items()},
            findings=findings_of(record),
        )


def _rows(path: Path, count: int) -> list[LabeledText]:
    lines = read_checked(path).decode("utf-8").split("\n")[:-1]
    rows = [line.split("\t") for line in lines]
    if len(rows) != count or any(len(row) != len(LabeledText._fields) for row in rows):
        raise DataError(
            f"{path}: is not the table of {count} rows that split.json speaks of. "
            "Prepare the corpus again."
        )
    return [LabeledText(*row) for row in rows]
