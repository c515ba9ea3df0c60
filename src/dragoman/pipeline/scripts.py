"""Text that the network cannot read, or need not: known by its script.

Where the targets of a corpus are written in letters that its sources never use, a text in those
letters needs no translating. A single word in letters that the sources never use stays as it is.
Languages that share a script are not told apart.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from dragoman.core.letters import scripts
from dragoman.data.documents.document import TextSpan

WORD = re.compile(r"[^\W\d_][\w\u0300-\u036f\u0900-\u0dff\u200c\u200d]*")
SHARE = 0.05
"""Of the letters of a side, below which a script is only a guest there."""

WHOLE = 0.9
"""Of the letters of a text, in scripts of the target, that make it one of the target."""


class Scripts:
    """The scripts of a corpus's sources, and those that only its targets use."""

    def __init__(self, sources: Iterable[str], targets: Iterable[str]) -> None:
        sides = [Counter[str](), Counter[str]()]
        for counts, texts in zip(sides, (sources, targets), strict=True):
            for text in texts:
                counts.update(scripts(text))
        used = [
            {name for name, count in counts.items() if count > SHARE * counts.total()}
            for counts in sides
        ]
        self.known = used[0]
        self.own = used[1] - used[0]

    def done(self, text: str) -> bool:
        """Say whether a text is written as the targets are, and not as the sources."""
        found = scripts(text)
        return bool(self.own) and sum(found[name] for name in self.own) >= WHOLE * found.total() > 0

    def strange(self, text: str) -> list[TextSpan]:
        """Return the words, side by side as one, in scripts that the sources never use."""
        places: list[TextSpan] = []
        for word in WORD.finditer(text):
            found = _of_word(word.group())
            if not found or not found.isdisjoint(self.known):
                continue
            if places and not text[places[-1].end : word.start()].strip(" "):
                places[-1] = TextSpan(places[-1].begin, word.end())
            else:
                places.append(TextSpan(*word.span()))
        return places


@lru_cache(maxsize=16384)
def _of_word(word: str) -> frozenset[str]:
    return frozenset(scripts(word))
