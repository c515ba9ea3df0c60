"""Repetition: a translation that loops is searched for again, and at worst cut.

The search's own guard lets a phrase stand four times in a row. Where a translation holds a loop
that its source does not, the search is begun anew, and no three tokens may come twice; what loops
even then (words may be cut into other tokens each time) ends where it begins to repeat itself.
Sentences that are put together again are looked at as a whole.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from dragoman.data.formats.placeholders import split_tags
from dragoman.metrics.loops import cut, loop
from dragoman.tasks.translation.requests import Candidates, Coroutine, TranslationRequest
from dragoman.tasks.translation.translation import Translation

TOKENS = 3
"""Tokens that may not come twice in the same order."""

ROUNDS = 4
"""How often a text is looked at again after sentences of it were put back."""


def loop_free(request: TranslationRequest) -> Coroutine[Candidates]:
    """Ask for translations; others come after those that have no loop but their source's.

    What a translation was told to begin with may repeat itself as a source may.
    """
    request = replace(request, may_stutter=False)
    found = yield request
    begins = request.prefixes or [""] * len(request.texts)
    sources = [
        f"{split_tags(text)[1]}\n{begin}" for text, begin in zip(request.texts, begins, strict=True)
    ]
    mended = [
        [one for one in each if not _has_loop(one, source)]
        for each, source in zip(found, sources, strict=True)
    ]
    looping = [place for place, each in enumerate(found) if len(mended[place]) < len(each)]
    if not looping:
        return mended
    most = max(len(found[place]) for place in looping)
    again = yield replace(request.only(looping), nbest=most, no_repeat=TOKENS)
    for place, others in zip(looping, again, strict=True):
        more = [_without_loop(one, sources[place]) for one in others]
        known = {one.text for one in mended[place]}
        mended[place] += [one for one in more if one.text not in known]
        mended[place] = mended[place][: len(found[place])]
    return mended


def replace_looping_sentences(parts: Sequence[str], answers: Sequence[str]) -> list[str]:
    """Put answers in the place of sentences, which stand at the odd places of parts.

    Where the whole has a loop that the sentences do not have, those of them that repeat what came
    before stay as they were; if that is not enough, all do.
    """
    source, joined = "".join(parts), list(parts)
    joined[1::2] = answers
    if len(answers) < 2:  # it was looked at already
        return joined
    for _ in range(ROUNDS):
        found = loop("".join(joined), source)
        if found is None:
            return joined
        begins = [0, *accumulate(map(len, joined))]
        first = bisect_right(begins, found.second) - 1
        last = bisect_right(begins, found.end - 1) - 1
        for place in range(first, last + 1):
            joined[place] = parts[place]
    return list(parts) if loop("".join(joined), source) else joined


def _has_loop(translation: Translation, source: str) -> bool:
    """Say whether a translation has a loop that its source has not.

    A text that was cut for its length may be cut inside what it repeats, which then comes oftener.
    """
    found = loop(translation.text, source) is not None
    was_cut = not translation.tokens
    return found and not (was_cut and loop(source) is not None)


def _without_loop(translation: Translation, source: str) -> Translation:
    """Cut a translation that still loops; its tokens are then no longer what it was made of."""
    text = cut(translation.text, source)
    return translation if text == translation.text else replace(translation, text=text, tokens=())
