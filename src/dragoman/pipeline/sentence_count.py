"""One sentence in, one sentence out: a translation that falls into several is searched again.

Where the best translation of a single sentence has more sentences than it, the likeliest one of the
beam that has not is taken; where all have, the best stays.
"""

from collections.abc import Sequence
from dataclasses import replace

from dragoman.pipeline.sentence_splitting import portions
from dragoman.tasks.translation.requests import Candidates, Coroutine, TranslationRequest
from dragoman.tasks.translation.translation import Translation

CHOICE = 5
"""Candidates to choose from."""


def sentences_in(text: str) -> int:
    """Count the sentences of a text."""
    return len(portions(text)) // 2


def single_sentences(request: TranslationRequest, found: Candidates) -> Coroutine[Candidates]:
    """Replace the translations that fall into several sentences, where another does not."""
    several = [
        place
        for place, (text, each) in enumerate(zip(request.texts, found, strict=True))
        if sentences_in(each[0].text) > max(1, sentences_in(text))
    ]
    if not several:
        return found
    again = yield replace(request.only(several), nbest=CHOICE)
    mended = list(found)
    for place, others in zip(several, again, strict=True):
        most = max(1, sentences_in(request.texts[place]))
        mended[place] = _first_whole(others, most) or found[place]
    return mended


def _first_whole(candidates: Sequence[Translation], most: int) -> list[Translation]:
    return [one for one in candidates if 0 < sentences_in(one.text) <= most][:1]
