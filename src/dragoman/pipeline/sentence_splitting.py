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

from dragoman.data.documents.document import TextSpan
from dragoman.tasks.translation.long_texts import CLOSERS, ENDS

SPACE = re.compile(r"\s+")
SHORTENED = frozenset(
    ("mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "eg", "ie", "cf", "no", "fig", "approx")
    + ("e.g", "i.e", "a.m", "p.m", "inc", "ltd", "jr", "sr", "resp")
)
"""Words that a full stop follows without ending a sentence."""

LIST_MARK = re.compile(r"(?:[-–—•‣◦·*]|\(?\d{1,3}[.)]|\(?[A-Za-z]\))[^\S\n]+(?=\S)")
"""A bullet, a dash or a number that a sentence may follow: `- `, `• `, `1. `, `(a) `."""

PAUSES = frozenset(",;:–—،、")
LONGEST_WORD = 60
Seam = Callable[[str, str], bool]
"""Says of two words side by side whether one text ends and another begins between them."""

LOOK_BACK = 12
"""Characters before a full stop in which such a word is looked for."""


def portions(
    text: str,
    *,
    wrapped: bool = False,
    solid: Sequence[TextSpan] = (),
    longest: int = 0,
    seam: Seam | None = None,
) -> list[str]:
    """Cut a text into white space and sentences, in turn; nothing inside a solid part is cut.

    Solid parts are given in the order of the text, and do not overlap. A sentence of more words
    than `longest` is cut again: wherever a seam is known between two words, and what is still too
    long after a comma where there is one; 0 leaves all of them whole.
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
    if not longest or len(gaps) < longest:
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
    return breaks > 1 or (not goes_on and (breaks == 1 or _ends_sentence(text, begin)))


def _ends_sentence(text: str, place: int) -> bool:
    last = place - 1
    while last > 0 and text[last] in CLOSERS:
        last -= 1
    if text[last] != ".":
        return text[last] in ENDS
    before = text[max(0, last - LOOK_BACK) : last].split()
    word = before[-1].lower().strip("(\"'") if before else ""
    initial, numbering = len(word) == 1 and word.isalpha(), len(word) < 3 and word.isdigit()
    return not (word in SHORTENED or initial or numbering)
