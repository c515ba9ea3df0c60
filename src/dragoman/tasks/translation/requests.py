"""Translation requests of work that needs translations on its way, whoever answers them.

Whoever interprets a text asks for translations, looks at them, and perhaps asks for others. It is
written as a generator: it yields a question, and is sent what was found. So the same work is done
alone, each question answered at once, and in a server, where the questions of many wait in one
search.
"""

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from dragoman.tasks.translation.term_constraints import Term, Terms
from dragoman.tasks.translation.translation import Translation
from dragoman.tasks.translation.translator import Translator

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationRequest:
    """Texts whose translations are needed; what is not said is as the translator has it."""

    texts: Sequence[str]
    beam: int | None = None
    nbest: int = 1
    to: str | None = None
    prefixes: Sequence[str] | None = None
    terms: Terms | None = None
    no_repeat: int = 0
    """So many tokens may not come twice in the same order."""

    @property
    def kind(self) -> Hashable:
        """What questions have in common that can be answered as one."""
        found_by = self.terms if callable(self.terms) else None
        return self.beam, self.nbest, self.to, self.no_repeat, found_by


Found = list[list[Translation]]
"""The candidates of each text, the best first."""

Asking = Generator[TranslationRequest, Found, T]
"""Work that asks questions, and comes to a result."""


def ask(
    translator: Translator, asking: Asking[T], after_batch: Callable[[int], None] | None = None
) -> T:
    """Answer every question of somebody's work, and return what it comes to.

    `after_batch` hears how many texts of the first question are done.
    """
    try:
        question = next(asking)
        while True:
            found = answer(translator, question, after_batch)
            after_batch = None  # what is asked again was counted already
            question = asking.send(found)
    except StopIteration as over:
        result: T = over.value
        return result


def answer_together(translator: Translator, questions: Sequence[TranslationRequest]) -> list[Found]:
    """Answer several questions, those of a kind as one."""
    kinds: dict[Hashable, list[int]] = {}
    for place, question in enumerate(questions):
        kinds.setdefault(question.kind, []).append(place)
    answers: dict[int, Found] = {}
    for places in kinds.values():
        some = [questions[place] for place in places]
        found = iter(answer(translator, _as_one(some)))
        for place, question in zip(places, some, strict=True):
            answers[place] = [next(found) for _ in question.texts]
    return [answers[place] for place in range(len(questions))]


def _as_one(questions: Sequence[TranslationRequest]) -> TranslationRequest:
    """Make one question of several of a kind."""
    first = questions[0]
    if len(questions) == 1:
        return first
    terms: Terms | None = first.terms if callable(first.terms) else None
    if terms is None and any(one.terms for one in questions):
        terms = [own for one in questions for own in _own_terms(one)]
    prefixes = None
    if any(one.prefixes for one in questions):
        prefixes = [own for one in questions for own in one.prefixes or [""] * len(one.texts)]
    texts = [text for one in questions for text in one.texts]
    return replace(first, texts=texts, prefixes=prefixes, terms=terms)


def _own_terms(question: TranslationRequest) -> Sequence[Sequence[Term]]:
    terms = question.terms
    return [()] * len(question.texts) if terms is None or callable(terms) else terms


def answer(
    translator: Translator,
    question: TranslationRequest,
    after_batch: Callable[[int], None] | None = None,
) -> Found:
    """Look for the translations that a question asks for."""
    if question.no_repeat:
        changes = {"search": "beam", "no_repeat_ngram": question.no_repeat}
        translator = translator.searching(translator.decoding.model_copy(update=changes))
    return translator.candidates(
        question.texts,
        beam=question.beam,
        nbest=question.nbest,
        to=question.to,
        prefixes=question.prefixes,
        terms=question.terms,
        after_batch=after_batch,
    )
