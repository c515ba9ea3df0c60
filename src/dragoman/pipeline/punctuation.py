"""Punctuation that follows the source: the final mark of a sentence, and inverted opening marks.

    My house        →  Mi casa.          →  Mi casa
    Where is Tom?   →  Dónde está Tom.   →  ¿Dónde está Tom?
    I am going.     →  मैं जा रहा हूँ        →  मैं जा रहा हूँ।

A network that has read nothing but whole sentences ends a label with a full stop. Which marks the
targets have for those of the sources is counted on held-out pairs; where the two sides do not both
have one, or both have none, the network is left alone.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from dragoman.data.formats.protected_spans import protected_spans
from dragoman.pipeline.sentence_splitting import OFTEN_LAST, SHORTENED

KINDS = {
    "stop": ".।॥。．۔։።",
    "question": "?？؟",
    "exclamation": "!！",
    "ellipsis": "…",
    "colon": ":：",
    "comma": ",，、،",
    "semicolon": ";；؛",
}
"""Marks at the end of sentences and labels, by what they say."""

KIND = {mark: kind for kind, marks in KINDS.items() for mark in marks}
OPENING = {"question": "¿", "exclamation": "¡"}
ABBREVIATION = "abbreviation"
"""The kind of a full stop that belongs to its word, and so may end a sentence or not."""

MARKS = "".join(KIND)
ENDING = re.compile(rf"[\s{MARKS}\"'”’»›)\]}}」』]+\Z")
MARK = re.compile(rf"\s*[{MARKS}]+")
LAST_WORD = re.compile(r"[^\W\d_][\w.]{0,12}\Z")
BEGIN = re.compile(r"[\s\"'“”‘’«‹(\[]*")
REACH = 40
"""Characters at the end of a text in which its marks are looked for."""

ROWS = 8
"""How often the last marks of a text are looked at."""

FEWEST = 5
"""Held-out pairs with a mark, without which they say nothing of it."""


class _Ending(NamedTuple):
    """The final mark of a text."""

    kind: str
    """One of `KINDS`, ABBREVIATION, or "" where there is none."""
    begin: int
    """Where it stands, with the blank before it; where one would stand if there is none."""
    end: int
    kinds: frozenset[str] = frozenset()
    """The kinds of all marks at the end, also of those before a closing quote."""
    enclosed: bool = False
    """Whether a closing quote or bracket follows."""


class Punctuation:
    """Knows the final marks of a corpus: which of its targets go with which of its sources."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        kinds: dict[str, Counter[str]] = {}
        finals: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        characters, opened = Counter[str](), Counter[str]()
        for source, target in pairs:
            ending = _ending(target)
            kinds.setdefault(_ending(source).kind, Counter())[ending.kind] += 1
            if ending.kind in finals:
                finals[ending.kind][target[ending.begin : ending.end]] += 1
                opened[ending.kind] += OPENING.get(ending.kind, "\0") in target
            characters.update(target)
        self._kinds = {
            kind: found.most_common(1)[0][0]
            for kind, found in kinds.items()
            if found.total() >= FEWEST
        }
        self._marks = {kind: found.most_common(1)[0][0] for kind, found in finals.items() if found}
        for kind, marks in KINDS.items():
            usual = max(marks, key=lambda mark: characters[mark])
            if characters[usual]:
                self._marks.setdefault(kind, usual)
        self._finals = frozenset(mark.strip() for found in finals.values() for mark in found)
        self._opened = {kind for kind in OPENING if 2 * opened[kind] > finals[kind].total()}

    def follow(self, source: str, translation: str) -> str:
        """Return a translation with the final mark that its source asks for."""
        text = translation
        for _ in range(ROWS):  # marks may stand in several rows, parted by blanks
            before, text = text, self._opening(self._final(source, text))
            if text == before:
                break
        return text if any(map(str.isalnum, text)) else translation

    def _final(self, source: str, text: str) -> str:
        here, there = _ending(source), _ending(text)
        wanted = self._kinds.get(here.kind, here.kind)
        if ABBREVIATION in (here.kind, there.kind) or bool(wanted) != bool(here.kind):
            return text
        if wanted in there.kinds and not self._is_foreign(text[there.begin : there.end].strip()):
            return text
        mark = wanted and self._marks.get(wanted, source[here.begin : here.end])
        place = there.end if there.kind or here.enclosed else len(text.rstrip())
        begin = there.begin if there.kind else place
        return text[:begin] + mark + text[place:]

    def _is_foreign(self, mark: str) -> bool:
        """Say whether a single mark is never the last of a target, whose like have another."""
        return len(mark) == 1 and mark not in self._finals and KIND[mark] in self._marks

    def _opening(self, text: str) -> str:
        """Have a question begin with the inverted mark if it ends with the other, or with none."""
        for kind, mark in OPENING.items():
            ends = any(one in text for one in KINDS[kind])
            if mark in text and not ends:
                text = text.replace(f"{mark} ", "").replace(mark, "")
            elif ends and kind in self._opened and mark not in text and _ending(text).kind == kind:
                begin = BEGIN.match(text)
                place = begin.end() if begin else 0
                text = text[:place] + mark + text[place:]
        return text


def _ending(text: str) -> _Ending:
    """Find the final mark of a text: before closing quotes, brackets and tags, in no thing."""
    end = len(text)
    if not end or text[-1].isalnum():
        return _Ending("", end, end)
    floor = 0
    for thing in reversed(protected_spans(text)):
        if thing.kind not in ("tag", "escape", "emoji") or text[thing.end : end].strip():
            floor = thing.end
            break
        end = thing.begin
    floor = max(floor, end - REACH)
    tail = ENDING.search(text[floor:end])
    if tail is None:
        return _Ending("", end, end)
    begin = floor + tail.start()
    found = list(MARK.finditer(text, begin, end))
    if not found:
        return _Ending("", begin, begin, enclosed=bool(text[begin:end].strip()))
    kinds = [_kind(one.group().strip()) for one in found]
    last = found[-1]
    word = LAST_WORD.search(text[max(0, last.start() - 16) : last.start()])
    if kinds[-1] == "stop" and word and _is_abbreviation(word.group()):
        kinds[-1] = ABBREVIATION
    enclosed = bool(text[last.end() : end].strip())
    return _Ending(kinds[-1], last.start(), last.end(), frozenset(kinds), enclosed)


def _kind(marks: str) -> str:
    """Return what a row of marks says: `?!` asks, and three full stops are an ellipsis."""
    found = {KIND[mark] for mark in marks}
    if marks.startswith("..") or "ellipsis" in found:
        found.add("ellipsis")
    order = ("question", "exclamation", "ellipsis")
    return next((kind for kind in order if kind in found), KIND[marks[-1]])


def _is_abbreviation(word: str) -> bool:
    small = word.lower()
    return "." in small or small in SHORTENED or small in OFTEN_LAST
