"""Held-out sentences in plain files: valid.tsv and test.tsv, as `sentences` reads and writes them.

words.tsv has each training word with its most frequent label; split.json the seed, the labels and
their sizes, the findings and the checksums of the files they came from.
"""

from dataclasses import dataclass
from pathlib import Path

from dragoman.core.checksums import read_checked
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.corpus.split_file import findings_of, open_split, save_split
from dragoman.data.formats.findings import Findings
from dragoman.tasks.tagging.corpus import TaggedSentences
from dragoman.tasks.tagging.sentences import TaggedSentence, read_sentences

FORMAT = "dragoman-tagged-split"
WORDS = "words.tsv"


@dataclass(frozen=True)
class HeldOutTagged:
    """The held-out sentences of a run, as they were stored."""

    valid: list[TaggedSentence]
    test: list[TaggedSentence]
    labels: dict[str, int]
    """How many training words have each label; a label's number is its turn."""
    train_sentences: int
    findings: list[str]


def save_held_out_tagged(sentences: TaggedSentences, folder: Path) -> None:
    """Write the held-out sets into a folder; split.json comes last, so it vouches for the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    sets = {"valid": sentences.valid, "test": sentences.test}
    for name, held in sets.items():
        write_atomic(folder / f"{name}.tsv", "".join(one.lines() for one in held))
    rows = (f"{word}\t{label}\n" for word, label in sentences.lexicon.items())
    write_atomic(folder / WORDS, "".join(rows))
    counts = {
        "labels": sentences.labels,
        "train_sentences": sentences.train_sentences,
        "sentences": {name: len(held) for name, held in sets.items()},
        "words": len(sentences.lexicon),
    }
    save_split(folder, FORMAT, sentences, counts)


def load_held_out_tagged(folder: Path) -> HeldOutTagged:
    """Read back what `save_held_out_tagged` wrote, character for character."""
    with open_split(folder, FORMAT) as record:
        sets = {
            name: _sentences(folder / f"{name}.tsv", int(record["sentences"][name]))
            for name in ("valid", "test")
        }
        return HeldOutTagged(
            valid=sets["valid"],
            test=sets["test"],
            labels={str(label): int(count) for label, count in record["labels"].items()},
            train_sentences=int(record["train_sentences"]),
            findings=findings_of(record),
        )


def load_lexicon(folder: Path) -> dict[str, str]:
    """Read the most frequent label of each training word."""
    path = folder / WORDS
    with open_split(folder, FORMAT) as record:
        lines = read_checked(path).decode("utf-8").split("\n")[:-1]
        rows = [line.split("\t") for line in lines]
        if len(rows) != int(record["words"]) or any(len(row) != 2 for row in rows):
            raise DataError(
                f"{path}: is not the table that split.json speaks of. Prepare it again."
            )
        return {word: label for word, label in rows}


def _sentences(path: Path, count: int) -> list[TaggedSentence]:
    read_checked(path)
    found = [one.sentence for one in read_sentences([path], repair=False, findings=Findings())]
    if len(found) != count:
        raise DataError(
            f"{path}: {len(found)} sentences, where split.json says {count}. "
            "Prepare the corpus again."
        )
    return found
