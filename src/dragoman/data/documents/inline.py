"""Placement of inline markup in a translation, by word alignment.

Press [Save] now.                 links 0-0, 1-4, 2-2
Drücken Sie jetzt auf [Speichern].
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush

from dragoman.data.documents.document import TextSpan


def place_inlines(
    inlines: Sequence[TextSpan], source: str, target: str, links: Collection[tuple[int, int]]
) -> tuple[TextSpan, ...]:
    """Return where each inline of the source goes in the target, nested in the same way.

    Links are pairs of the number of a word in `source.split()` and of one in `target.split()`. A
    stretch goes around the words that translate its words, from the first to the last, or where its
    part of the length lies if none is known. What stands alone goes after the word that translates
    the word before it. What is first, last or around everything remains so.
    """
    if not inlines:
        return ()
    places = _Places(source, target, links)
    parents = parents_of(inlines)
    held: dict[int, list[int]] = {}
    for number, parent in enumerate(parents):
        held.setdefault(parent, []).append(number)
    whole = TextSpan(0, len(source))
    done: dict[int, TextSpan] = {-1: TextSpan(0, len(target))}
    for parent in (-1, *range(len(inlines))):
        numbers = held.get(parent, ())
        around = inlines[parent] if parent >= 0 else whole
        room = done[parent]
        aims = {n: _within(places.aim(inlines[n], around, room), room) for n in numbers}
        solid = {n: aims[n] for n in numbers if inlines[n].begin < inlines[n].end}
        alone = {n: aims[n].begin for n in numbers if n not in solid}
        kept, lost = _parted(solid, target, room.end)
        taken = sorted(kept.values())
        done |= kept
        done |= {n: _beside(place, taken) for n, place in (lost | alone).items()}
    return tuple(done[number] for number in range(len(inlines)))


def parents_of(inlines: Sequence[TextSpan]) -> list[int]:
    """Return the number of the inline around each, or -1; outer ones come before inner ones.

    Of two that end in the same place, one that stands alone there counts as outside.
    """
    parents: list[int] = []
    opened: list[int] = []
    for number, (begin, end) in enumerate(inlines):
        while opened and not _holds(inlines[opened[-1]], begin, end):
            opened.pop()
        parents.append(opened[-1] if opened else -1)
        opened.append(number)
    return parents


def _holds(around: TextSpan, begin: int, end: int) -> bool:
    return around.begin <= begin < around.end and end <= around.end


class _Places:
    """The words of a text and of its translation, and which belong together."""

    def __init__(self, source: str, target: str, links: Collection[tuple[int, int]]) -> None:
        self.source, self.target = source, target
        self.words, self.others = _words(source), _words(target)
        self.begins = [word.begin for word in self.words]
        self.ends = [word.end for word in self.words]
        self.other_begins = [word.begin for word in self.others]
        self.other_ends = [word.end for word in self.others]
        first = [len(self.others)] * len(self.words)
        last = [-1] * len(self.words)
        for i, j in links:
            if 0 <= i < len(self.words) and 0 <= j < len(self.others):
                first[i], last[i] = min(first[i], j), max(last[i], j)
        self._nearest = _Largest([-j for j in first])
        self._farthest = _Largest(last)

    def aim(self, stretch: TextSpan, around: TextSpan, room: TextSpan) -> TextSpan:
        """Return where an inline would best go, if it were the only one in its room."""
        begin, end = stretch
        if begin == end:
            place = self._alone(begin, around, room)
            return TextSpan(place, place)
        if not self.others or (begin <= around.begin and end >= around.end):
            return room
        first, last = bisect_right(self.ends, begin), bisect_left(self.begins, end)
        if first >= last:  # white space only
            place = self._after(first - 1) if first else 0
            return TextSpan(place, self._next_word(place))
        low, high = self._linked(first, last)
        if low > high:
            low, high = self._by_length(begin, end)
        left = self._left_edge(stretch, first, low)
        return TextSpan(left, max(left, self._right_edge(stretch, last - 1, high)))

    def _alone(self, place: int, around: TextSpan, room: TextSpan) -> int:
        if place <= around.begin:
            return room.begin
        if place >= around.end or not self.others:
            return room.end
        before = bisect_left(self.begins, place) - 1
        if before < 0:
            return self.others[0].begin
        if before == len(self.words) - 1 and place >= self.ends[-1]:
            return self.others[-1].end
        low, high = self._linked(before, before + 1)
        if low <= high:
            return self._right_edge(TextSpan(self.begins[before], place), before, high)
        if place >= self.ends[before]:
            low, high = self._linked(before + 1, before + 2)
            if low <= high:
                return self.others[low].begin
        return self._by_length_after(place)

    def _linked(self, first: int, last: int) -> tuple[int, int]:
        """Return the first and the last word that translates one of these, or a last before all."""
        return -self._nearest.among(first, last), self._farthest.among(first, last)

    def _after(self, word: int) -> int:
        """Return the end of what translates a word."""
        low, high = self._linked(word, word + 1)
        return self.others[high].end if low <= high else self._by_length_after(self.ends[word])

    def _by_length(self, begin: int, end: int) -> tuple[int, int]:
        """Return the words that lie where a stretch would by its part of the length."""
        share = len(self.target) / len(self.source)
        low = bisect_right(self.other_ends, round(begin * share))
        high = bisect_left(self.other_begins, round(end * share)) - 1
        low = min(low, len(self.others) - 1)
        return low, min(max(low, high), len(self.others) - 1)

    def _by_length_after(self, place: int) -> int:
        aim = round(place * len(self.target) / len(self.source))
        word = bisect_left(self.other_ends, aim)
        return self.other_ends[min(word, len(self.others) - 1)]

    def _next_word(self, place: int) -> int:
        word = bisect_left(self.other_begins, place)
        return self.other_begins[word] if word < len(self.others) else len(self.target)

    def _left_edge(self, stretch: TextSpan, word: int, other: int) -> int:
        """Return where a stretch begins, if that is in or before a word which became another."""
        place, (begin, end) = self.others[other].begin, self.words[word]
        if stretch.begin < begin:
            reached = self.ends[word - 1] if word else 0
            before = self.other_ends[other - 1] if other else 0
            return before if stretch.begin <= reached else place
        there = self.target[slice(*self.others[other])]
        if there == self.source[begin:end]:
            return place + stretch.begin - begin
        outer = self.source[begin : stretch.begin]
        inner = self.source[stretch.begin : min(stretch.end, end)]
        return place + _signs_outside(outer, inner, there)

    def _right_edge(self, stretch: TextSpan, word: int, other: int) -> int:
        """Return where a stretch ends, if that is in or after a word which became another."""
        place, (begin, end) = self.others[other].end, self.words[word]
        if stretch.end > end:
            reached = self.begins[word + 1] if word + 1 < len(self.words) else len(self.source)
            return self._next_word(place) if stretch.end >= reached else place
        there = self.target[slice(*self.others[other])]
        if there == self.source[begin:end]:
            return place - (end - stretch.end)
        outer = self.source[stretch.end : end]
        inner = self.source[max(stretch.begin, begin) : stretch.end]
        return place - _signs_outside(outer[::-1], inner[::-1], there[::-1])


def _signs_outside(outer: str, inner: str, word: str) -> int:
    """Return how many signs at the start of a word stay outside of a stretch.

    `outer` and `inner` are what the word of the source has before and after the edge. A stretch
    without the full stop stays without it, even if its last word is now the last of the sentence.
    """
    run, kept = _signs(word), _signs(inner)
    if run == len(word):
        return 0
    if word[:run].endswith(inner[:kept]):
        return run - kept
    return min(run, len(outer)) if _signs(outer) == len(outer) else 0


def _signs(text: str) -> int:
    """Return how many signs a text begins with: punctuation, symbols."""
    for number, sign in enumerate(text):
        if unicodedata.category(sign)[0] not in "PS":
            return number
    return len(text)


def _words(text: str) -> list[TextSpan]:
    return [TextSpan(*found.span()) for found in re.finditer(r"\S+", text)]


class _Largest:
    """The largest of any neighbours among some numbers, found in two steps."""

    def __init__(self, numbers: list[int]) -> None:
        self._rows = [numbers]
        step = 1
        while 2 * step <= len(numbers):
            row = self._rows[-1]
            self._rows.append([max(row[n], row[n + step]) for n in range(len(row) - step)])
            step *= 2

    def among(self, first: int, last: int) -> int:
        """Return the largest from the first to the one before the last."""
        level = (last - first).bit_length() - 1
        row = self._rows[level]
        return max(row[first], row[last - (1 << level)])


def _within(aim: TextSpan, room: TextSpan) -> TextSpan:
    begin = min(max(aim.begin, room.begin), room.end)
    return TextSpan(begin, min(max(aim.end, begin), room.end))


def _parted(
    aims: Mapping[int, TextSpan], target: str, end_of_room: int
) -> tuple[dict[int, TextSpan], dict[int, int]]:
    """Part what overlaps; return what is left of each, and the places of those that lose all.

    The one that begins later cuts the other; of two that begin together, the longer one begins
    after the shorter, and none outside of its room.
    """
    waiting = [(*aim, number, False) for number, aim in aims.items()]
    heapify(waiting)
    kept: dict[int, TextSpan] = {}
    lost: dict[int, int] = {}
    last = -1
    while waiting:
        begin, end, number, moved = heappop(waiting)
        before = kept.get(last, TextSpan(0, 0))
        if begin == end or (begin < before.end and before.begin == begin and moved):
            lost[number] = end
            continue
        if before.begin < begin < before.end:
            cut = before.begin + len(target[before.begin : begin].rstrip())
            kept[last] = TextSpan(before.begin, cut)
        elif begin < before.end:
            blank = re.compile(r"\s*").match(target, before.end)
            begin = min(blank.end() if blank else before.end, end_of_room)
            heappush(waiting, (begin, max(begin, end), number, True))
            continue
        kept[number], last = TextSpan(begin, end), number
    return kept, lost


def _beside(place: int, taken: Sequence[TextSpan]) -> TextSpan:
    """Return a place that is inside none of these."""
    number = bisect_left(taken, (place, 0)) - 1
    if number >= 0 and place < taken[number].end:
        begin, end = taken[number]
        place = begin if place - begin < end - place else end
    return TextSpan(place, place)
