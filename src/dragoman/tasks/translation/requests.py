"""Translation requests, and the coroutines that yield them.

The translation pipeline needs translations, looks at them, and perhaps needs others. It is written
as generator-based coroutines: they yield a request and are sent its candidates. So the same code
runs alone, each request executed at once, and in a server, where the requests of many clients share
one search (continuous batching).
"""

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.term_constraints import Term, Terms
from dragoman.tasks.translation.translation import Translation

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationRequest:
    """Texts to translate, and how; the default is the translator's own."""

    texts: Sequence[str]
    beam: int | None = None
    nbest: int = 1
    to: str | None = None
    prefixes: Sequence[str] | None = None
    terms: Terms | None = None
    no_repeat: int = 0
    """Size of the n-grams that may not repeat in a translation; 0 for any."""
    may_stutter: bool = True
    """Whether to search as the bare network does, without the pipeline's stutter guard."""

    @property
    def kind(self) -> Hashable:
        """What requests have in common that can be executed as one."""
        found_by = self.terms if callable(self.terms) else None
        return self.beam, self.nbest, self.to, self.no_repeat, self.may_stutter, found_by

    def only(self, places: Sequence[int]) -> "TranslationRequest":
        """Return the same request for some of its texts."""
        prefixes, terms = self.prefixes, self.terms
        return replace(
            self,
            texts=[self.texts[place] for place in places],
            prefixes=None if prefixes is None else [prefixes[place] for place in places],
            terms=terms if terms is None or callable(terms) else [terms[place] for place in places],
        )


Candidates = list[list[Translation]]
"""The translations of each text, the best first."""

Coroutine = Generator[TranslationRequest, Candidates, T]
"""Work that yields requests, is sent their candidates, and returns a result."""


def run_coroutine(
    translator: BareTranslator,
    coroutine: Coroutine[T],
    after_batch: Callable[[int], None] | None = None,
) -> T:
    """Execute every request of a coroutine, and return its result.

    `after_batch` is told how many texts of the first request are done; later requests repeat texts
    that were counted.
    """
    listeners = [after_batch]
    return drive(
        coroutine,
        lambda request: execute(translator, request, listeners.pop() if listeners else None),
    )


def drive(coroutine: Coroutine[T], answer: Callable[[TranslationRequest], Candidates]) -> T:
    """Send a coroutine the answer to each of its requests, and return its result."""
    try:
        request = next(coroutine)
        while True:
            request = coroutine.send(answer(request))
    except StopIteration as over:
        result: T = over.value
        return result


def execute_batch(
    translator: BareTranslator, requests: Sequence[TranslationRequest]
) -> list[Candidates]:
    """Execute several requests, those of a kind as one."""
    kinds: dict[Hashable, list[int]] = {}
    for place, request in enumerate(requests):
        kinds.setdefault(request.kind, []).append(place)
    results: dict[int, Candidates] = {}
    for places in kinds.values():
        some = [requests[place] for place in places]
        found = iter(execute(translator, _merge(some)))
        for place, request in zip(places, some, strict=True):
            results[place] = [next(found) for _ in request.texts]
    return [results[place] for place in range(len(requests))]


def _merge(requests: Sequence[TranslationRequest]) -> TranslationRequest:
    """Make one request of several of a kind."""
    first = requests[0]
    if len(requests) == 1:
        return first
    terms: Terms | None = first.terms if callable(first.terms) else None
    if terms is None and any(one.terms for one in requests):
        terms = [own for one in requests for own in _own_terms(one)]
    prefixes = None
    if any(one.prefixes for one in requests):
        prefixes = [own for one in requests for own in one.prefixes or [""] * len(one.texts)]
    texts = [text for one in requests for text in one.texts]
    return replace(first, texts=texts, prefixes=prefixes, terms=terms)


def _own_terms(request: TranslationRequest) -> Sequence[Sequence[Term]]:
    terms = request.terms
    return [()] * len(request.texts) if terms is None or callable(terms) else terms


def execute(
    translator: BareTranslator,
    request: TranslationRequest,
    after_batch: Callable[[int], None] | None = None,
) -> Candidates:
    """Return the candidates of a request."""
    changes: dict[str, Any] = {}
    if request.no_repeat:
        changes = {"search": "beam", "no_repeat_ngram": request.no_repeat}
    if not request.may_stutter and translator.decoding.stutter_guard == "pipeline":
        changes["stutter_guard"] = "always"
    if changes:
        translator = translator.searching(translator.decoding.model_copy(update=changes))
    return translator.candidates(
        request.texts,
        beam=request.beam,
        nbest=request.nbest,
        to=request.to,
        prefixes=request.prefixes,
        terms=request.terms,
        after_batch=after_batch,
    )
