"""Matching of language codes: `en` means `en`, `en-GB` or `EN_us`."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from dragoman.core.errors import DataError

MOST_NAMES = 20
MOST_LETTERS = 40


class LanguagePair(NamedTuple):
    """The languages a corpus is read for, as the recipe names them."""

    source: str = "source"
    target: str = "target"

    @property
    def told(self) -> bool:
        """Whether the recipe names languages at all."""
        return (self.source, self.target) != LanguagePair()


def plain(code: str) -> str:
    """Spell a language code in one way."""
    return code.strip().replace("_", "-").casefold()


def choose(wanted: str, found: Collection[str]) -> str | None:
    """Return the found code that is meant: the same, else a narrower, else a wider one."""
    aim = plain(wanted)
    for fits in (
        lambda code: code == aim,
        lambda code: code.startswith(f"{aim}-"),
        lambda code: aim.startswith(f"{code}-"),
    ):
        for code in found:
            if fits(plain(code)):
                return code
    return None


def list_names(names: Iterable[str]) -> str:
    """Name the first of some names from a file, in one line however many and long they are."""
    found = sorted(set(names))
    shown = ", ".join(" ".join(name[:MOST_LETTERS].split()) or "''" for name in found[:MOST_NAMES])
    return f"{shown} …" if len(found) > MOST_NAMES else shown


def name_the_languages(where: str, found: Collection[str]) -> DataError:
    """Build the error for a file whose languages are not those of the recipe."""
    listed = list_names(found) or "none"
    return DataError(
        f"{where}: which languages to read is not clear; it has: {listed}. Name two of them as "
        "corpus.source_language and corpus.target_language."
    )
