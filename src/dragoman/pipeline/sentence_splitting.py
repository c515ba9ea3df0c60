"""Sentence splitting, with all white space between the sentences kept.

    "Stop. Go on!\\n\\nNow."   →   "" "Stop." " " "Go on!" "\\n\\n" "Now." ""

White space stands at even places, sentences at odd ones; joined they are the text again. A line
break parts sentences unless the text is wrapped, or goes on in small letters on the next line. A
list mark or a speaker's dash before a sentence belongs to the white space, and so stays as it is:

    "- Stop.\\n- Go on!"   →   "- " "Stop." "\\n- " "Go on!" ""
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from dragoman.data.documents.document import TextSpan
from dragoman.data.formats.protected_spans import protected_spans
from dragoman.pipeline.text_spans import merge_spans
from dragoman.tasks.translation.long_texts import CLOSERS, ENDS

SPACE = re.compile(r"\s+")
SHORTENED = frozenset(
    ("mr", "mrs", "ms", "dr", "prof", "st", "vs", "eg", "ie", "cf", "approx", "e.g", "i.e")
    + ("inc", "ltd", "jr", "sr", "resp")
)
"""Words that a full stop follows without ending a sentence."""

NUMBERED = frozenset(("no", "nr", "fig", "vol", "ch", "p", "pp"))
"""Such words before a number; "no." before anything else is an answer."""

OFTEN_LAST = frozenset(("etc", "a.m", "p.m"))
"""Words with a full stop that end a sentence where a capital letter follows."""
LIST_MARK = re.compile(r"(?:[-–—•‣◦·*]|\(?\d{1,3}[.)]|\(?[A-Za-z]\))[^\S\n]+(?=\S)")
"""A bullet, a dash or a number that a sentence may follow: `- `, `• `, `1. `, `(a) `."""

PAUSES = frozenset(",;:–—،、")
LONGEST_WORD = 60
Seam = Callable[[str, str], bool]
"""Says of two words side by side whether one text ends and another begins between them."""

SEAMS_FROM = 2 / 3
"""Share of the longest length from which on seams are looked for; they are surer than commas."""

LOOK_BACK = 12
"""Characters before a full stop in which such a word is looked for."""


@dataclass(frozen=True, slots=True)
class ProtectedSentence:
    """A sentence, and what in it is not to be translated."""

    text: str
    verbatim: tuple[TextSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class SplitText:
    """A text cut into sentences."""

    parts: list[str]
    """White space and sentences, in turn."""
    sentences: tuple[ProtectedSentence, ...]


def split_text(
    text: str,
    verbatim: Sequence[TextSpan] = (),
    *,
    wrapped: bool = False,
    longest: int = 0,
    seam: Seam | None = None,
) -> SplitText:
    """Cut a text into sentences, as `portions` does, but through nothing that must survive."""
    solid = merge_spans([*verbatim, *protected_spans(text)])
    parts = portions(text, wrapped=wrapped, solid=solid, longest=longest, seam=seam)
    inside = _inside(verbatim, [0, *accumulate(map(len, parts))])
    sentences = tuple(
        ProtectedSentence(parts[place], tuple(inside.get(place, ())))
        for place in range(1, len(parts), 2)
    )
    return SplitText(parts, sentences)


def portions(
    text: str,
    *,
    wrapped: bool = False,
    solid: Sequence[TextSpan] = (),
    longest: int = 0,
    seam: Seam | None = None,
) -> list[str]:
    """Cut a text into white space and sentences, in turn; nothing inside a solid part is cut.

    Solid parts are given in the order of the text, and do not overlap. A sentence of more
    words than two thirds of `longest` is cut wherever a seam is known between two words, and what
    is longer than `longest` then, after a comma where there is one; 0 leaves all of them whole.
    """
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if begin >= end:
        return [text]
    starts = [one.begin for one in solid]
    cuts: list[TextSpan] = []
    inside: list[TextSpan] = []
    for found in SPACE.finditer(text, begin, end):
        gap = TextSpan(*found.span())
        around = bisect_right(starts, gap.begin) - 1
        if around >= 0 and gap.end <= solid[around].end:
            continue
        if _parts(text, gap.begin, gap.end, wrapped):
            cuts += [*_pauses(text, inside, longest, seam), gap]
            inside = []
        else:
            inside.append(gap)
    cuts += _pauses(text, inside, longest, seam)
    parts, done = [], 0
    for gap in [*cuts, TextSpan(end, len(text))]:
        mark = LIST_MARK.match(text, begin, gap.begin)
        around = bisect_left(starts, mark.end()) - 1 if mark else -1
        if mark and (around < 0 or solid[around].end <= mark.end()):
            begin = mark.end()
        parts += [text[done:begin], text[begin : gap.begin]]
        done, begin = gap.begin, gap.end
    return [*parts, text[done:]]


def _pauses(text: str, gaps: Sequence[TextSpan], longest: int, seam: Seam | None) -> list[TextSpan]:
    """Choose where a sentence that is too long is cut."""
    if not longest or len(gaps) < SEAMS_FROM * longest:
        return []
    cuts: list[TextSpan] = []
    inside: list[TextSpan] = []
    for gap in gaps:
        if seam and seam(*_beside(text, gap)):
            cuts += [*_even(text, inside, longest), gap]
            inside = []
        else:
            inside.append(gap)
    return [*cuts, *_even(text, inside, longest)]


def _beside(text: str, gap: TextSpan) -> tuple[str, str]:
    """Return the words before and after a gap; of a long one, what is next to it."""
    before = text[max(0, gap.begin - LONGEST_WORD) : gap.begin].split()
    after = text[gap.end : gap.end + LONGEST_WORD].split()
    return before[-1], after[0]


def _even(text: str, gaps: Sequence[TextSpan], longest: int) -> list[TextSpan]:
    """Cut what is too long into parts of about one size."""
    words = len(gaps) + 1
    if words <= longest:
        return []
    size = words / -(-words // longest)
    chosen: list[TextSpan] = []
    since = 0
    for gap in gaps:
        since += 1
        if since >= size or (text[gap.begin - 1] in PAUSES and 2 * since >= size):
            chosen.append(gap)
            since = 0
    return chosen


def _parts(text: str, begin: int, end: int, wrapped: bool) -> bool:
    """Say whether white space inside a text parts two sentences."""
    goes_on = text[end].islower()
    breaks = 0 if wrapped else text.count("\n", begin, end)
    if wrapped and "\n" in text[begin:end] and LIST_MARK.match(text, end):
        return True  # another speaker, or another point of a list
    return breaks > 1 or (not goes_on and (breaks == 1 or _ends_sentence(text, begin, end)))


def _ends_sentence(text: str, place: int, after: int) -> bool:
    """Say whether what stands before white space ends a sentence; the next word begins after it."""
    last = place - 1
    while last > 0 and text[last] in CLOSERS:
        last -= 1
    if text[last] != ".":
        return text[last] in ENDS
    before = text[max(0, last - LOOK_BACK) : last].split()
    word = before[-1].strip("(\"'") if before else ""
    return not _is_shortened(word, before[-2] if len(before) > 1 else "", text[after])


def _is_shortened(word: str, before: str, following: str) -> bool:
    """Say whether the full stop after a word belongs to the word: Mr. · J. · 1. · No. 7."""
    small = word.lower()
    if len(word) == 1 and word.isalpha():  # "than I. Tom" ends a sentence, "Isaac I. Newton" not
        return not (small == "i" and before[:1].islower())
    numbering = len(word) < 3 and word.isdigit()
    numbered = small in NUMBERED and following.isdigit()
    in_the_middle = small in OFTEN_LAST and not following.isupper()
    return small in SHORTENED or numbering or numbered or in_the_middle


def _inside(stretches: Sequence[TextSpan], begins: Sequence[int]) -> dict[int, list[TextSpan]]:
    """Return the stretches inside each part that has any, counted from its beginning."""
    found: dict[int, list[TextSpan]] = {}
    for one in stretches:
        part = bisect_right(begins, one.begin) - 1
        if one.begin < one.end <= begins[part + 1]:
            places = found.setdefault(part, [])
            places.append(TextSpan(one.begin - begins[part], one.end - begins[part]))
    return found
