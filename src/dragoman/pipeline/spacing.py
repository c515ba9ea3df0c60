"""Spacing as the source has it: around placeholders, and no run of blanks that it does not have.

    Open ({name})   →   Abrir ( {name} )   →   Abrir ({name})

A network writes its tokens with a blank too many here and there, most of all beside a placeholder.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from dragoman.data.formats.protected_spans import ProtectedSpan, protected_spans
from dragoman.pipeline.punctuation import KIND

RUN = re.compile(r"[^\S\n]{2,}")
SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese: no blanks between words."""

WORD = "word"
SIGNS = {"Ps": "open", "Pi": "open", "Pe": "close", "Pf": "close"}
QUOTES = frozenset(('"', "'", "open", "close"))
"""Signs that may stand for each other: a plain quote opens and closes."""

REACH = 40
"""Characters beside a thing in which its neighbour is looked for."""


class _Beside(NamedTuple):
    """The neighbor of a thing on one side."""

    blanks: str
    sign: str
    """What the next character beyond the blanks is: a word, a kind of mark, or only itself; "" at
    the edge of the text."""
    spaceless: bool
    """Whether its script writes no blanks between words."""


def squeeze_blanks(text: str, source: str) -> str:
    """Make one blank of each run of blanks that the source does not have."""
    if not RUN.search(text):
        return text
    known = frozenset(RUN.findall(source))
    return RUN.sub(lambda run: run.group() if run.group() in known else " ", text)


def space_things(text: str, source: str, things: Sequence[ProtectedSpan]) -> str:
    """Return a translation with the blanks of the source around each of its things.

    Between a thing and a bracket, a quote or another mark there are the blanks of the source, where
    it has such a mark there too; a word keeps one blank off if it does in the source and its script
    has blanks; a tag stands close to what it surrounds.
    """
    by_text: dict[str, deque[ProtectedSpan]] = {}
    for thing in things:
        by_text.setdefault(thing.text, deque()).append(thing)
    parts: list[str] = []
    done = 0
    for found in protected_spans(text) if things else ():
        same = by_text.get(found.text)
        if not same:
            continue
        thing = same.popleft()
        closes = thing.kind == "tag" and thing.text.startswith("</")
        opens = thing.kind == "tag" and not closes
        left = _gap(_before(source, thing.begin), _before(text, found.begin), closes)
        right = _gap(_after(source, thing.end), _after(text, found.end), opens)
        between = text[done : found.begin]
        if parts and not between:
            left = None  # the thing before has seen to it
        parts += [between if left is None else between.rstrip(" \t") + left, found.text]
        done = found.end
        if right is not None:
            parts.append(right)
            done += len(_after(text, done).blanks)
    return "".join([*parts, text[done:]])


def _gap(source: _Beside, text: _Beside, surrounds: bool) -> str | None:
    """Return the blanks that belong on one side of a thing; None leaves them as they are."""
    if not source.sign or not text.sign:
        return None
    if surrounds and not source.blanks:
        return ""
    if source.sign == text.sign != WORD or {source.sign, text.sign} <= QUOTES:
        return source.blanks
    words = source.sign == text.sign == WORD
    return " " if words and source.blanks and not text.blanks and not text.spaceless else None


def _before(text: str, place: int) -> _Beside:
    near = text[max(0, place - REACH) : place]
    bare = near.rstrip(" \t")
    return _beside(near[len(bare) :], bare[-1:])


def _after(text: str, place: int) -> _Beside:
    near = text[place : place + REACH]
    bare = near.lstrip(" \t")
    return _beside(near[: len(near) - len(bare)], bare[:1])


def _beside(blanks: str, character: str) -> _Beside:
    if not character:
        return _Beside(blanks, "", False)
    category = unicodedata.category(character)
    sign = WORD if category[0] in "LMN" else KIND.get(character, SIGNS.get(category, character))
    return _Beside(blanks, sign, bool(SPACELESS.match(character)))
