"""Preservation check: all that must survive a translation is in it, no more and no less.

    Open %s, page 3   →   %s खोलें, पृष्ठ ३      yes
                          %s %s खोलें, पृष्ठ ३   no: doubled
                          %s {x} खोलें, पृष्ठ ३  no: made up
                          %s खोलें, पृष्ठ        no: lost

Both texts are scanned once for all kinds of things, and what is found is counted, so that the time
is linear in their lengths, however many things there are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from dragoman.data.formats.protected_spans import SOFT, ProtectedSpan, plain_digits, protected_spans

SEAM = re.compile(r"(?<=[!-~])(?=(?![\x00-\x7f])[^\W\d_])|(?<=[^\x00-\x7f｟])(?=[!-~])")
"""Where letters of another script touch ASCII: `第42章` has a number, and `को--all` an option. A
symbol, ｟0｠, stays whole."""

DIGITS = re.compile(r"\d(?:[\d.,:/]*\d)?")
BLANKS = str.maketrans("\u00a0\u202f", "  ")
SINGLE_DASH = re.compile("-[^-]")
MOST_SOUGHT = 64
"""Different texts without a form of their own, such as code, that are looked for one by one."""


def survives(source: str, translation: str) -> bool:
    """Say whether a translation has what must survive as its source has it.

    Of placeholders, tags, addresses and the like there must be as many of each, and none where the
    source has none; what takes its value by its place among its like (`%s`, `%d`) may not change
    places. Numbers must be there, and others may come: "two" may become 2. Digits of another script
    are the same digits, and the blank before a unit may be any.
    """
    here = protected_spans(_plain(source))
    wanted, numbers = Counter(map(_written, _hard(here))), Counter(map(_written, _soft(here)))
    there = _plain(translation)
    found = protected_spans(there)
    if _ordered(found) != _ordered(here):
        return False
    rest = SEAM.sub(" ", _without_known(there, found, wanted, numbers))
    more = protected_spans(rest)
    wanted.subtract(_written(thing) for thing in _hard(more) if not _may_come(thing, wanted))
    if any(wanted.values()):
        return False
    numbers.subtract(_written(thing) for thing in _soft(more))
    missing = +numbers
    if not missing:
        return True
    bare = Counter(_digits(text) for text in (-numbers).elements())
    return all(bare[text] >= count for text, count in missing.items())


def holds(texts: Iterable[str], translation: str) -> bool:
    """Say whether texts of any form stand in a translation, each as often as it is named.

    Of too many different ones the answer is no, for each costs a pass over the translation.
    """
    counts = Counter(plain_digits(text) for text in texts if text)
    there = plain_digits(translation) if counts else ""
    return len(counts) <= MOST_SOUGHT and all(
        sum(1 for _ in _standing(text).finditer(there)) >= count for text, count in counts.items()
    )


def made_up(text: str) -> list[ProtectedSpan]:
    """Return what stands in a text as if it came from a program; numbers are anybody's."""
    return [thing for thing in _hard(protected_spans(text)) if not SINGLE_DASH.match(thing.text)]


def _without_known(
    text: str, found: Sequence[ProtectedSpan], wanted: Counter[str], numbers: Counter[str]
) -> str:
    """Cut out what is wanted and stands there as it should, and count it as come."""
    parts, done = [], 0
    for thing in found:
        counts, name = (numbers if thing.kind in SOFT else wanted), _written(thing)
        if counts[name] > 0:
            counts[name] -= 1
            parts.append(text[done : thing.begin])
            done = thing.end
    return " ".join([*parts, text[done:]])


def _may_come(thing: ProtectedSpan, wanted: Counter[str]) -> bool:
    """Say whether it is no matter that a thing comes: `Ein- und -ausgabe` has no option."""
    return bool(SINGLE_DASH.match(thing.text)) and not wanted[_written(thing)]


def _plain(text: str) -> str:
    """Write digits of any script as 0 to 9, and blanks that hold together as plain ones."""
    return plain_digits(text).translate(BLANKS)


def _hard(things: Iterable[ProtectedSpan]) -> list[ProtectedSpan]:
    return [thing for thing in things if thing.kind not in SOFT]


def _soft(things: Iterable[ProtectedSpan]) -> list[ProtectedSpan]:
    return [thing for thing in things if thing.kind in SOFT]


def _ordered(things: Iterable[ProtectedSpan]) -> list[str]:
    return [thing.text for thing in things if thing.positional]


def _written(thing: ProtectedSpan) -> str:
    """Return how a thing is written; of a number, without the blank before its unit."""
    return "".join(thing.text.split()) if thing.kind in SOFT else thing.text


def _digits(number: str) -> str:
    """Return a number without its sign and unit."""
    found = DIGITS.search(number)
    return found.group() if found else number


@lru_cache(maxsize=1024)
def _standing(text: str) -> re.Pattern[str]:
    """Return the pattern of a text that stands by itself, not as a part of a longer word."""
    before = "(?<![A-Za-z0-9])" if _is_plain(text[0]) else ""
    after = "(?![A-Za-z0-9])" if _is_plain(text[-1]) else ""
    return re.compile(before + re.escape(text) + after)


def _is_plain(character: str) -> bool:
    return character.isascii() and character.isalnum()
