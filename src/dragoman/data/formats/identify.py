"""Language identification."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from dragoman.data.formats.languages import plain

LONGEST = 2000
"""Characters that are looked at."""


@lru_cache(maxsize=1)
def identifier() -> Any:
    """Load the model that tells languages apart: half a second, so only where it is needed."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def known_languages() -> frozenset[str]:
    """Return the codes of the languages that are told apart."""
    return frozenset(map(str, identifier().labels))


def identify_language(text: str, among: Collection[str]) -> list[tuple[str, float]]:
    """Return how likely each of some languages is, the likeliest first; letters decide.

    A language that the model does not know is never likely. A text without letters has none.
    """
    if not any(map(str.isalpha, text)):
        return []
    said = {str(code): float(share) for code, share in identifier().rank(text[:LONGEST])}
    shares = {code: said.get(plain(code).split("-")[0], 0.0) for code in among}
    whole = sum(shares.values())
    if not whole:
        return []
    ranked = sorted(shares.items(), key=lambda one: -one[1])
    return [(code, share / whole) for code, share in ranked]
