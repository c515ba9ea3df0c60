"""The doctor's notebook: counts, first places and an example; all places only in a file."""

from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from dragoman.data.corpus.doctor.report import CorpusFinding
from dragoman.data.corpus.doctor.symptoms import MET_IN_READING, Symptom, Treatment
from dragoman.data.formats.findings import FindingKind, Findings

PLACES = 5
LONGEST_EXAMPLE = 160
ORDER = ("refuse", "drop", "repair", "keep")


class Notes:
    """Findings as they come; its size does not grow with the corpus."""

    def __init__(self, listing: TextIO | None = None) -> None:
        self._listing = listing
        self._found: dict[tuple[Symptom, str, Path], CorpusFinding] = {}

    def add(
        self,
        symptom: Symptom,
        place: tuple[str, Path, int],
        example: str = "",
        *,
        treatment: Treatment | None = None,
    ) -> None:
        """Note one more, met in this set at this line of this file."""
        name, path, line = place
        finding = self._found.get((symptom, name, path))
        if finding is None:
            finding = CorpusFinding(symptom, treatment or symptom.treatment, name, path)
            self._found[symptom, name, path] = finding
        finding.count += 1
        if len(finding.lines) < PLACES:
            finding.lines.append(line)
        if not finding.example:
            finding.example = shorten(example)
        if self._listing is not None:
            self._listing.write(f"{path}\t{line}\t{symptom.key}\t{finding.treatment}\n")

    def add_lines(
        self,
        symptom: Symptom,
        name: str,
        path: Path,
        lines: Iterable[int],
        *,
        treatment: Treatment | None = None,
    ) -> None:
        """Note many of a kind, in the order of the file."""
        for line in lines:
            self.add(symptom, (name, path, int(line)), treatment=treatment)

    def without_example(self, name: str) -> list[CorpusFinding]:
        """Return the findings of a set that still want an example."""
        return [f for f in self._found.values() if f.set == name and not f.example and f.lines]

    def findings(self) -> list[CorpusFinding]:
        """Return all findings, the gravest first."""
        kinds = list(Symptom)
        return sorted(
            self._found.values(),
            key=lambda f: (ORDER.index(f.treatment), kinds.index(f.symptom), f.set),
        )


def shorten(text: str) -> str:
    """Return no more than an example may show, control characters made visible."""
    seen = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[:LONGEST_EXAMPLE])
    return seen + ("…" if len(text) > LONGEST_EXAMPLE else "")


def both(source: str | None, target: str | None) -> str:
    """Show a pair as an example; each side gets half of the room."""
    half = LONGEST_EXAMPLE // 2 - 2
    sides = ((side or "")[:half] for side in (source, target))
    return " → ".join(sides)


class NotingFindings(Findings):
    """Findings of the readers, put into the notebook; what they would refuse is read on."""

    def __init__(self, notes: Notes, name: str) -> None:
        super().__init__()
        self._notes = notes
        self._name = name

    def add(self, kind: FindingKind, path: Path, line: int) -> None:
        """Note what a reader repaired or skipped."""
        self._notes.add(MET_IN_READING[kind], (self._name, path, line))

    def refuse(self, kind: FindingKind, path: Path, line: int, reason: str) -> None:
        """Note what training would refuse."""
        place = self._name, path, line
        self._notes.add(MET_IN_READING[kind], place, reason, treatment="refuse")
