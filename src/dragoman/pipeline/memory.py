"""A translation memory: sentences that somebody has translated already, taken as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.formats.read import read_pairs

LONGEST = 1_000_000


@dataclass(frozen=True)
class TranslationMemory:
    """Exact matches from a translation memory; white space does not matter, all else does."""

    known: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, wanted: LanguagePair) -> "TranslationMemory":
        """Read any file of pairs: TMX, XLIFF, PO, TSV. Of two translations the first counts."""
        known: dict[str, str] = {}
        pairs = read_pairs([path], longest=LONGEST, repair=True, findings=Findings(), wanted=wanted)
        for pair in pairs:
            known.setdefault(_folded(pair.source), pair.target.strip())
        if not known:
            raise DataError(f"{path}: holds no pairs to remember. Leave out --memory.")
        return cls(known)

    def recall(self, text: str) -> str | None:
        """Return the translation of exactly this text, if it is known."""
        return self.known.get(_folded(text))


def _folded(text: str) -> str:
    return " ".join(text.split())
