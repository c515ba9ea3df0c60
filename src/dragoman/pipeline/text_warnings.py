"""Warnings of text that a model was not trained on: another script or language, unknown words.

A translation of such text reads well and means little. Nothing is refused: whoever asked is told.
The limits come from held-out sources of the run, so that about one of a hundred like them is warned
of in vain, and no step of the user is needed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from dragoman.core.letters import scripts
from dragoman.data.corpus.doctor.language import ALIKE
from dragoman.data.formats.identify import identify_language, known_languages
from dragoman.data.formats.language_names import language_name
from dragoman.data.formats.languages import plain
from dragoman.data.formats.protected_spans import split_protected
from dragoman.pipeline.scripts import Scripts
from dragoman.pipeline.spelling import LETTERS

SHOWN = 5
"""Warnings that are shown one by one; of more, only the count."""

NAMED = 3
"""Unknown words that a warning names."""

FEWEST = 50
"""Held-out sources without which no limit is learned."""

USUAL = 0.99
"""The share of the held-out sources that are not warned of for their words."""

LONGEST = 400
"""Words of a text whose number is weighed; of a longer one, in proportion."""

LETTERS_FOR_LANGUAGE = 20
RATIO = 3.0
SUSPICIOUS = 0.2
"""A text looks like another language if it has at least so many letters, is so many times likelier
to be in that one, and so large a share of its words is unknown. Set on the validation sets of three
English corpora, for at most 0.5 % of false alarms (docs/results/files.md)."""

CHECKED, ALARMS = 400, 0.005
"""Held-out sources that language identification must know as what the recipe says, and the share of
them that it may get wrong before it is not asked."""

Kind = Literal["language", "script", "domain"]


@dataclass(frozen=True, slots=True)
class TextWarning:
    """A warning about a text: the kind of the doubt, and one line for people."""

    kind: Kind
    text: str


PlacedWarning = tuple[str, TextWarning]
"""Where a text stands, such as `line 7`, and what is to be said of it."""


def warning_lines(warned: Sequence[PlacedWarning], total: int) -> list[str]:
    """Return what people are told of `total` warnings, of which the first are given."""
    lines = [f"{place}: {one.text}" for place, one in warned[:SHOWN]]
    more = total - len(lines)
    return [*lines, f"… and {more:,} more"] if more > 0 else lines


class TrainingDomain:
    """Knows what a model was trained to read: its words, its language, its scripts."""

    def __init__(
        self,
        words: Mapping[str, int],
        held_out: Sequence[str],
        language: str = "",
        scripts: Scripts | None = None,
    ) -> None:
        self._known = frozenset(word.casefold() for word in words)
        self._held_out, self._scripts = held_out, scripts
        self._language = plain(language).split("-")[0]
        self._rate, self._limit = 0.0, math.inf
        if self._known and len(held_out) >= FEWEST:
            self._fit()

    def check(self, text: str) -> TextWarning | None:
        """Return what is strange about a text, if anything is."""
        return self._script(text) or self._words_and_language(text)

    def _fit(self) -> None:
        """Learn how many words of a text are usually unknown."""
        counts = [(len(unknown), total) for unknown, total in map(self._unknown, self._held_out)]
        unknown, words = map(sum, zip(*counts, strict=True))
        self._rate = (unknown + 1) / (words + 2)
        found = sorted(_surprise(*count, self._rate) for count in counts)
        self._limit = found[int(USUAL * (len(found) - 1))]

    def _unknown(self, text: str) -> tuple[list[str], int]:
        """Return the words of a text that training never had, and how many words it has."""
        parts = split_protected(text)[::2]
        words = [word for part in parts for word in LETTERS.findall(part) if len(word) > 1]
        return [word for word in words if word.casefold() not in self._known], len(words)

    def _words_and_language(self, text: str) -> TextWarning | None:
        unknown, words = self._unknown(text)
        if len(unknown) >= SUSPICIOUS * words and words:
            other = self._other_language(text)
            if other and self._tells_languages:
                seen, read = language_name(other), language_name(self._language)
                return TextWarning("language", f"looks like {seen}, where the model reads {read}")
        if not unknown or _surprise(len(unknown), words, self._rate) <= self._limit:
            return None
        named = ", ".join(dict.fromkeys(unknown[:NAMED])) + (", …" if unknown[NAMED:] else "")
        return TextWarning(
            "domain", f"{len(unknown)} of {words} words are unknown or rare in training: {named}"
        )

    def _script(self, text: str) -> TextWarning | None:
        if self._scripts is None or text.isascii() and "LATIN" in self._scripts.known:
            return None
        found = scripts(text)
        strange = [one for one in found.most_common() if one[0] not in self._scripts.known]
        if not strange or 2 * sum(count for _, count in strange) < found.total():
            return None
        name = strange[0][0].capitalize()
        if self._scripts.done(text):
            return TextWarning(
                "script", f"is written in {name}, as translations are: left as it is"
            )
        return TextWarning("script", f"is written in {name}, which the model does not read")

    def _other_language(self, text: str) -> str:
        """Return the language that a text is far likelier in than in its source's, if any."""
        if sum(map(str.isalpha, text)) < LETTERS_FOR_LANGUAGE:
            return ""
        bare = " ".join(split_protected(text)[::2])
        known = known_languages()
        if self._language not in known:
            return ""
        ranked = identify_language(bare, known)
        own = dict(ranked).get(self._language, 0.0)
        best, share = ranked[0] if ranked else (self._language, 0.0)
        alike = any({best, self._language} <= {*group.split()} for group in ALIKE)
        return "" if alike or best == self._language or share < RATIO * own else best

    @cached_property
    def _tells_languages(self) -> bool:
        """Whether the held-out sources are in the language that the recipe says, by and large."""
        some = self._held_out[:: max(1, len(self._held_out) // CHECKED)]
        alarms = sum(
            bool(self._other_language(one))
            for one in some
            if len(self._unknown(one)[0]) >= SUSPICIOUS * self._unknown(one)[1]
        )
        return len(some) >= FEWEST and alarms <= ALARMS * len(some)


@lru_cache(maxsize=4096)
def _surprise(unknown: int, words: int, rate: float) -> float:
    """Return −log₁₀ of the chance that so many words of a text or more are unknown."""
    if words > LONGEST:
        unknown, words = unknown * LONGEST // words, LONGEST
    chance = sum(
        math.comb(words, count) * rate**count * (1 - rate) ** (words - count)
        for count in range(unknown, words + 1)
    )
    return -math.log10(min(1.0, max(chance, 1e-300)))
