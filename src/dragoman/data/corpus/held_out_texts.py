"""Held-out documents in plain files: valid.txt and test.txt, an empty line after each document.

split.json has the seed, the counts, the findings and the checksums of the files they came from.
"""

from dataclasses import dataclass
from pathlib import Path

from dragoman.core.checksums import read_checked
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.corpus.split_file import findings_of, open_split, save_split
from dragoman.data.corpus.text import Document, Texts

FORMAT = "dragoman-text-split"


@dataclass(frozen=True)
class HeldOutTexts:
    """The held-out documents of a run, as they were stored."""

    valid: list[Document]
    test: list[Document]
    train_documents: int
    findings: list[str]


def save_held_out_texts(texts: Texts, folder: Path) -> None:
    """Write the held-out sets into a folder; split.json comes last, so it vouches for the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, documents in (("valid", texts.valid), ("test", texts.test)):
        whole = "".join("".join(f"{line}\n" for line in one) + "\n" for one in documents)
        write_atomic(folder / f"{name}.txt", whole)
    counts = {
        "train_documents": texts.train_documents,
        "documents": {"valid": len(texts.valid), "test": len(texts.test)},
    }
    save_split(folder, FORMAT, texts, counts)


def load_held_out_texts(folder: Path) -> HeldOutTexts:
    """Read back what `save_held_out_texts` wrote, character for character."""
    with open_split(folder, FORMAT) as record:
        sets = {
            name: _documents(folder / f"{name}.txt", int(record["documents"][name]))
            for name in ("valid", "test")
        }
        return HeldOutTexts(
            valid=sets["valid"],
            test=sets["test"],
            train_documents=int(record["train_documents"]),
            findings=findings_of(record),
        )


def _documents(path: Path, count: int) -> list[Document]:
    parts = read_checked(path).decode("utf-8").split("\n\n")[:-1]
    if len(parts) != count:
        raise DataError(
            f"{path}: {len(parts)} documents, where split.json says {count}. "
            "Prepare the corpus again."
        )
    return [part.split("\n") for part in parts]
