"""Tagged sentences in files, as CoNLL has them: a word, a tab and its label; an empty line after.

The     DET
men     NOUN
sang    VERB

She     PRON
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.lines import read_lines

COLUMNS = 2


class TaggedSentence(NamedTuple):
    """The words of a sentence, and the label of each."""

    words: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words with a space between them."""
        return " ".join(self.words)

    def lines(self) -> str:
        """Return what stands in a file, with the empty line at the end."""
        rows = zip(self.words, self.labels, strict=True)
        return "".join(f"{word}\t{label}\n" for word, label in rows) + "\n"


class PlacedSentence(NamedTuple):
    """A sentence, its file, and the line of its first word."""

    sentence: TaggedSentence
    path: Path
    line: int


def read_sentences(
    files: Sequence[Path], *, repair: bool, findings: Findings
) -> Iterator[PlacedSentence]:
    """Yield the sentences of some files; one with a line of more than 16 MiB is left out."""
    for path in files:
        rows: list[tuple[str, str]] = []
        whole, number = True, 0
        for number, line in enumerate(read_lines(path, repair=repair, findings=findings), 1):
            if line is None:
                findings.add(FindingKind.TOO_LONG_LINE, path, number)
                whole = False
            elif line.strip():
                rows.append(_row(line, path, number, findings))
            else:
                if rows and whole:
                    yield _placed(rows, path, number - len(rows))
                rows, whole = [], True
        if rows and whole:
            yield _placed(rows, path, number + 1 - len(rows))


def _placed(rows: Sequence[tuple[str, str]], path: Path, line: int) -> PlacedSentence:
    words, labels = zip(*rows, strict=True)
    return PlacedSentence(TaggedSentence(words, labels), path, line)


def _row(line: str, path: Path, number: int, findings: Findings) -> tuple[str, str]:
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) != COLUMNS:
        found = "no tab" if len(cells) == 1 else f"{len(cells)} columns"
        reason = (
            f"{path}:{number}: {found} in a line that should be a word, a tab and its label. "
            f"Take two columns: cut -f 1,2 {path.name}"
        )
        findings.refuse(FindingKind.COLUMNS, path, number, reason)
    elif not all(cells):
        missing = "label" if cells[0] else "word"
        reason = f"{path}:{number}: the {missing} is missing. Give each word a label."
        findings.refuse(FindingKind.COLUMNS, path, number, reason)
    return cells[0], cells[-1]
