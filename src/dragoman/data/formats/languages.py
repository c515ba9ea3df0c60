"""Matching of language codes: `en` means `en`, `en-GB` or `EN_us`."""

from collections.abc import Collection
from typing import NamedTuple

from dragoman.core.errors import DataError


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


def name_the_languages(where: str, found: Collection[str]) -> DataError:
    """Build the error for a file whose languages are not those of the recipe."""
    listed = ", ".join(sorted(found)) or "none"
    return DataError(
        f"{where}: which languages to read is not clear; it has: {listed}. Name two of them as "
        "corpus.source_language and corpus.target_language."
    )
