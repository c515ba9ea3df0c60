"""Translations without loops: what repeats itself is looked for again, and at worst cut.

The search's own guard lets a phrase stand four times in a row. Where a translation holds a loop
that its source does not, the search is begun anew, and no three tokens may come twice; what loops
even then (words may be cut into other tokens each time) ends where it begins to repeat itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dragoman.data.formats.placeholders import split_tags
from dragoman.engine.inference.terms import Terms
from dragoman.engine.inference.translation import Translation
from dragoman.engine.inference.translator import Translator
from dragoman.metrics.loops import cut, loop

TOKENS = 3
"""Tokens that may not come twice in the same order."""


def unlooped(
    translator: Translator,
    texts: Sequence[str],
    *,
    beam: int | None = None,
    to: str | None = None,
    terms: Terms | None = None,
    after_batch: Callable[[int], None] | None = None,
) -> list[Translation]:
    """Return the best translation of each text that has no loop but its source's."""
    found = [
        best[0]
        for best in translator.candidates(
            texts, beam=beam, to=to, terms=terms, after_batch=after_batch
        )
    ]
    sources = [split_tags(text)[1] for text in texts]
    looping = [
        place for place, source in enumerate(sources) if loop(found[place].text, source) is not None
    ]
    if not looping:
        return found
    strict = translator.decoding.model_copy(update={"search": "beam", "no_repeat": TOKENS})
    again = translator.searching(strict).candidates(
        [texts[place] for place in looping],
        beam=beam,
        to=to,
        terms=terms if terms is None or callable(terms) else [terms[place] for place in looping],
    )
    for place, best in zip(looping, again, strict=True):
        found[place] = _without_loop(best[0], sources[place])
    return found


def _without_loop(translation: Translation, source: str) -> Translation:
    """Cut a translation that still loops; its tokens are then no longer what it was made of."""
    text = cut(translation.text, source)
    return translation if text == translation.text else replace(translation, text=text, tokens=())
