"""What must survive a translation, made into symbols before it and put back after it.

    Move %s to {x}.  →  Move ｟0｠ to ｟1｠.  →  ｟0｠ nach ｟1｠ bewegen.  →  %s nach {x} bewegen.

A network that was trained with symbols (`augmentation.symbols`) is shown those; another one sees
the things themselves. Numbers are left to the network at first. Every translation is checked. One
that has lost something is searched again, with all of it as symbols that must come; if that fails
too, what stands between the things is translated part by part, and the things stand in between as
in the source. So nothing is ever lost, at worst the order of the words suffers.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from dragoman.data.documents.document import Stretch
from dragoman.data.formats.placeholders import EXTRA, placeholder
from dragoman.data.formats.protected import (
    SOFT,
    Protected,
    plain_digits,
    protected,
    replaced,
)
from dragoman.metrics.loops import cut

SELF_ENDING = ("printf", "escape")
"""Kinds that a letter may follow at once: in `%dpx` and `\\nThere` they end where they end."""

SYMBOL = re.compile(r"｟\d{1,2}｠")

How = Literal["at once", "insisted", "in parts"]


@dataclass(frozen=True, slots=True)
class Shielded:
    """A sentence as a network is shown it, and what its symbols stand for."""

    source: str
    """The sentence itself."""
    things: tuple[Protected, ...]
    """All that must survive."""
    hidden: tuple[Protected, ...]
    """Those of them that are symbols."""

    @property
    def shown(self) -> str:
        """The sentence with symbols."""
        return replaced(self.source, self.hidden, self.symbols)

    @property
    def symbols(self) -> list[str]:
        """The symbols, in the order of the sentence."""
        return [placeholder(number) for number in range(len(self.hidden))]

    def restored(self, translation: str) -> str | None:
        """Put things back; None if one is lost, doubled or out of its place."""
        found = SYMBOL.findall(translation)
        names = dict(zip(self.symbols, self.hidden, strict=True))
        if self.hidden and sorted(found) != sorted(names):
            return None
        whole = translation
        if self.hidden:
            whole = SYMBOL.sub(lambda one: names[one.group()].text, translation)
        return whole if survives(self.things, whole) else None


def shield(
    sentence: str, verbatim: Iterable[Stretch] = (), *, symbols: bool, numbers: bool = False
) -> Shielded:
    """Find what must survive in a sentence, and make symbols of it where the network knows them.

    With `numbers`, those become symbols too.
    """
    fixed = [Protected("code", *one, sentence[one.begin : one.end]) for one in verbatim]
    found = [thing for thing in protected(sentence) if not _overlaps(thing, fixed)]
    things = tuple(sorted([*fixed, *found], key=lambda thing: thing.begin))
    hidden = tuple(thing for thing in things if numbers or thing.kind not in SOFT)
    return Shielded(sentence, things, hidden[:EXTRA] if symbols else ())


def survives(things: Sequence[Protected], translation: str) -> bool:
    """Say whether all things stand in a translation as often as they should, in a lawful order.

    What takes its value by its place among its like (`%s`, `%d`) may not change places; digits of
    another script are the same digits, and the blank before a unit may be any.
    """
    there = plain_digits(translation)
    counts = Counter((thing.kind, plain_digits(thing.text)) for thing in things)
    for (kind, text), count in counts.items():
        if sum(1 for _ in _standing(kind, text).finditer(there)) < count:
            return False
    ordered = [thing.text for thing in things if thing.positional]
    if len(set(ordered)) < 2:
        return True
    return [thing.text for thing in protected(translation) if thing.positional] == ordered


def in_parts(shielded: Shielded, translate: Callable[[list[str]], Sequence[str]]) -> str:
    """Translate what stands between the things by itself, and leave the things where they are."""
    parts, done = [], 0
    for thing in shielded.things:
        parts += [shielded.source[done : thing.begin], thing.text]
        done = thing.end
    parts.append(shielded.source[done:])
    wanted = [place for place in range(0, len(parts), 2) if any(map(str.isalpha, parts[place]))]
    cores = [_core(parts[place]) for place in wanted]
    inner = [parts[place][core.begin : core.end] for place, core in zip(wanted, cores, strict=True)]
    for place, core, source, found in zip(wanted, cores, inner, translate(inner), strict=True):
        text, bare = parts[place], cut(SYMBOL.sub("", found), source)
        said = _core(bare)
        parts[place] = text[: core.begin] + bare[said.begin : said.end] + text[core.end :]
    return "".join(parts)


def _core(text: str) -> Stretch:
    """Return where a text is without the blanks and marks around it."""
    spoken = [place for place, each in enumerate(text) if unicodedata.category(each)[0] in "LMN"]
    return Stretch(spoken[0], spoken[-1] + 1) if spoken else Stretch(0, 0)


@lru_cache(maxsize=1024)
def _standing(kind: str, text: str) -> re.Pattern[str]:
    """Return the pattern of a thing that stands by itself, not as a part of a longer one."""
    before = "(?<![A-Za-z0-9])" if _is_plain(text[0]) else ""
    after = "(?![A-Za-z0-9])" if _is_plain(text[-1]) and kind not in SELF_ENDING else ""
    if kind == "number":
        before, after = before + r"(?<!\d[.,])", after + r"(?![.,]\d)"
    words = "[ \u00a0\u202f]?".join(re.escape(word) for word in text.split())
    return re.compile(before + words + after)


def _is_plain(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _overlaps(thing: Protected, others: Sequence[Protected]) -> bool:
    return any(thing.begin < other.end and other.begin < thing.end for other in others)
