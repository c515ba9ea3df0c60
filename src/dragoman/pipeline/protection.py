"""Placeholders for what must survive a translation, put in before it and resolved after it.

    Move %s to {x}.  →  Move ｟0｠ to ｟1｠.  →  ｟0｠ nach ｟1｠ bewegen.  →  %s nach {x} bewegen.

A network that was trained with symbols (`augmentation.symbols`) is shown those; another one sees
the things themselves. Numbers are left to the network at first. Every translation is checked. One
that has lost, doubled or made up something is searched again, with all of it as symbols that must
come; if that fails too, what stands between the things is translated part by part, and the things
stand in between as in the source. What a part makes up is taken out of it. So nothing is ever lost
or added, at worst the order of the words suffers.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from dragoman.data.documents.document import TextSpan
from dragoman.data.formats.accelerators import without_strays
from dragoman.data.formats.placeholders import EXTRA, placeholder
from dragoman.data.formats.protected_spans import (
    SOFT,
    ProtectedSpan,
    protected_spans,
    replace_spans,
)
from dragoman.metrics.loops import cut
from dragoman.pipeline.preservation import holds, made_up, survives
from dragoman.pipeline.spacing import space_things, squeeze_blanks
from dragoman.pipeline.text_spans import spoken_part, without_overlaps
from dragoman.tasks.translation.requests import Coroutine

TRIES = 3
"""How often what is made up is taken out of a part: what is left may look like another thing."""

SYMBOL = re.compile(r"｟\d{1,2}｠")

CODE = "code"
"""The kind of what has no form of its own: code, names, words in strange letters."""

How = Literal["at once", "insisted", "in parts"]


@dataclass(frozen=True, slots=True)
class PlaceholderSentence:
    """A sentence as a network is shown it, and what its symbols stand for."""

    source: str
    """The sentence itself."""
    things: tuple[ProtectedSpan, ...]
    """All that must survive."""
    hidden: tuple[ProtectedSpan, ...]
    """Those of them that are symbols."""

    @property
    def shown(self) -> str:
        """The sentence with symbols."""
        return replace_spans(self.source, self.hidden, self.symbols)

    @property
    def symbols(self) -> list[str]:
        """The symbols, in the order of the sentence."""
        return [placeholder(number) for number in range(len(self.hidden))]

    def restored(self, translation: str) -> str | None:
        """Put things back, spaced as in the source; None if one is lost, made up or misplaced."""
        found = SYMBOL.findall(translation)
        names = dict(zip(self.symbols, self.hidden, strict=True))
        if self.hidden and sorted(found) != sorted(names):
            return None
        whole = translation
        if self.hidden:
            whole = SYMBOL.sub(lambda one: names[one.group()].text, translation)
        elif found and not SYMBOL.search(self.source):  # it was shown none, and writes one
            whole = cut(SYMBOL.sub("", translation), self.source)  # what it parted may now repeat
            if not any(map(str.isalpha, whole)):
                return None
        spaced = space_things(whole, self.source, self.things)
        squeezed = (squeeze_blanks(text, self.source).strip() for text in (spaced, whole))
        return next((text for text in squeezed if self.survives_in(text)), None)

    def survives_in(self, text: str) -> bool:
        """Say whether a text has all that must survive, each thing as often as the source."""
        last = self.hidden[-1].begin if self.hidden else -1
        code = (thing.text for thing in self.things if thing.kind == CODE and thing.begin > last)
        return survives(self.source, text) and holds(code, text)


def add_placeholders(
    sentence: str, verbatim: Iterable[TextSpan] = (), *, symbols: bool, numbers: bool = False
) -> PlaceholderSentence:
    """Find what must survive in a sentence, and make symbols of it where the network knows them.

    With `numbers`, those become symbols too.
    """
    fixed = [ProtectedSpan(CODE, *one, sentence[one.begin : one.end]) for one in verbatim]
    found = without_overlaps(protected_spans(sentence), fixed)
    things = tuple(sorted([*fixed, *found], key=lambda thing: thing.begin))
    hidden = tuple(thing for thing in things if numbers or thing.kind not in SOFT)
    return PlaceholderSentence(sentence, things, hidden[:EXTRA] if symbols else ())


def by_parts(
    protected: PlaceholderSentence, translate: Callable[[list[str]], Coroutine[Sequence[str]]]
) -> Coroutine[str]:
    """Translate what stands between the things by itself, and leave the things where they are."""
    parts, done = [], 0
    for thing in protected.things:
        parts += [protected.source[done : thing.begin], thing.text]
        done = thing.end
    parts.append(protected.source[done:])
    wanted = [place for place in range(0, len(parts), 2) if any(map(str.isalpha, parts[place]))]
    cores = [spoken_part(parts[place]) for place in wanted]
    inner = [parts[place][core.begin : core.end] for place, core in zip(wanted, cores, strict=True)]
    translated = yield from translate(inner)
    for place, core, source, found in zip(wanted, cores, inner, translated, strict=True):
        text, bare = parts[place], _cleaned(found, source)
        said = spoken_part(bare)
        if said.begin < said.end:
            parts[place] = text[: core.begin] + bare[said.begin : said.end] + text[core.end :]
    whole = "".join(parts)
    return whole if survives(protected.source, whole) else protected.source


def _cleaned(translation: str, source: str) -> str:
    """Take out of a part what stands there as if it came from a program, and what repeats itself.

    The source of a part has no such thing. Nothing is returned where that does not help.
    """
    bare = cut(without_strays(SYMBOL.sub("", translation), source), source)
    for _ in range(TRIES):
        strange = made_up(bare)
        if not strange:
            return bare
        bare = " ".join(replace_spans(bare, strange, [" "] * len(strange)).split())
    return ""
