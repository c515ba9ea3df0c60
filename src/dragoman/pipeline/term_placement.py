"""Placement of glossary terms: each where the words that it translates are attended to.

A sentence is translated freely first. What it holds of its terms, in whatever form, is left alone.
A term that it lacks is put in the place of the words that attend most to the term's own words:

    My house is big.           house → hogar
    Mi casa es grande.         casa attends to house
    Mi hogar ▏es grande.       a forced prefix, from which the network goes on
    Mi hogar es grande. ▏      the rest as it was
    ▏tu hogar es grande.       the word before is chosen anew (constrained search)

A search that finds the place by itself stands beside these; it is all that is left where a network
shows no attention. Of what keeps the sentence whole, the likeliest is taken. A term for which there
is none is refused. Terms come one after the other, from left to right, so that what has been placed
stays in the prefix.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dragoman.core.errors import DataError
from dragoman.data.documents.document import TextSpan
from dragoman.metrics.loops import loop
from dragoman.pipeline.protection import SYMBOL
from dragoman.pipeline.repetition import loop_free
from dragoman.pipeline.term_forms import TermCounts, TermForm, count_terms, form_of
from dragoman.pipeline.text_spans import spoken_part
from dragoman.pipeline.word_alignment import word_weights
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.long_texts import CLOSERS, ENDS, count_sentences
from dragoman.tasks.translation.requests import Coroutine, TranslationRequest
from dragoman.tasks.translation.term_constraints import Term, phrases_of
from dragoman.tasks.translation.translation import Translation

MOST_LOST = 2.0
"""Log-probability per token that a sentence may lose by a term; beyond it the term is refused."""


@dataclass(frozen=True, slots=True)
class WantedTerm:
    """A term of a source: its spellings, and where it stands there if that is known."""

    spellings: Term
    place: TextSpan | None = None


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to search again: the words to begin with, and what must come."""

    prefix: str
    terms: tuple[Term, ...]


@dataclass(slots=True)
class _Draft:
    """A sentence whose terms are being placed."""

    source: str
    terms: Sequence[WantedTerm]
    fixed: tuple[Term, ...]
    """What must come besides: the placeholders."""
    plain: Translation
    """The translation without its terms."""
    best: Translation
    attended: list[range | None]
    """The words of the best that attend to each term; None where no attention is seen."""
    tried: set[int] = field(default_factory=set)

    def forms(self) -> list[TermForm | None]:
        """Return the form in which the best holds each term."""
        return [
            form_of(term.spellings, self.best.text, words)
            for term, words in zip(self.terms, self.attended, strict=True)
        ]


def place_terms(
    translator: BareTranslator,
    request: TranslationRequest,
    found: Sequence[Translation],
    terms: Sequence[Sequence[WantedTerm]],
) -> Coroutine[list[tuple[Translation, TermCounts]]]:
    """Bring the terms of each text into its translation, as far as they fit.

    `found` are the best translations of the request, which asks for no terms but placeholders.
    """
    given = request.terms
    fixed = [()] * len(found) if given is None or callable(given) else given
    drafts = [
        _Draft(source, wanted, tuple(kept), best, best, [None] * len(wanted))
        for source, wanted, kept, best in zip(request.texts, terms, fixed, found, strict=True)
    ]
    searched = [draft for draft in drafts if draft.terms]
    while searched:
        _attend(translator, searched)
        steps = [(draft, *step) for draft in searched if (step := _next_step(translator, draft))]
        answers = yield from _search(request, [(draft, ways) for draft, _, ways in steps])
        for (draft, number, _), candidates in zip(steps, answers, strict=True):
            _take_best(draft, number, candidates)
        searched = [draft for draft, _, _ in steps]
    counts = [count_terms(draft.forms()) for draft in drafts]
    return [
        (replace(draft.best, unmet=draft.plain.unmet + one.refused), one)
        for draft, one in zip(drafts, counts, strict=True)
    ]


def _attend(translator: BareTranslator, drafts: Sequence[_Draft]) -> None:
    """Note which words attend to the terms, where a translation lacks one as it is spelled.

    A text that was cut for its length has no tokens, and was not translated as a whole.
    """
    lacking = [
        draft
        for draft in drafts
        if draft.best.tokens and any(form != "placed" for form in draft.forms())
    ]
    tables = word_weights(translator, [(draft.source, draft.best.text) for draft in lacking])
    for draft, table in zip(lacking, tables, strict=True):
        draft.attended = [_attending(draft.source, term.place, table) for term in draft.terms]


def _attending(source: str, place: TextSpan | None, table: np.ndarray | None) -> range | None:
    """Return the target words that attend to a span of the source.

    These are the one that attends to it most, and those beside it that attend to nothing more.
    """
    if place is None or table is None or not table.size:
        return None
    words = range(len(source[: place.begin + 1].split()) - 1, len(source[: place.end].split()))
    linked = {row for row, column in enumerate(table.argmax(1).tolist()) if column in words}
    first = int(table[:, words.start : words.stop].sum(1).argmax())
    last = first
    while first - 1 in linked:
        first -= 1
    while last + 1 in linked:
        last += 1
    return range(first, last + 1)


def _next_step(translator: BareTranslator, draft: _Draft) -> tuple[int, list[_Way]] | None:
    """Return the leftmost term that is missing and was not tried, and the ways to bring it in."""
    missing = [
        (-1 if words is None else words.start, number)
        for number, (form, words) in enumerate(zip(draft.forms(), draft.attended, strict=True))
        if form is None and number not in draft.tried
    ]
    for _, number in sorted(missing):
        draft.tried.add(number)
        spellings = _writable(translator, draft.terms[number].spellings)
        if spellings:
            others = [_writable(translator, term.spellings) for term in draft.terms]
            ways = [*_ways_there(draft, number, spellings)]
            return number, [*ways, _Way("", (*draft.fixed, *filter(None, others)))]
    return None


def _ways_there(draft: _Draft, number: int, spellings: Term) -> Iterator[_Way]:
    """Yield the ways to put a term in the place of the words that attend to it."""
    there, words = draft.attended[number], draft.best.text.split()
    if there is None:
        return
    before, after = words[: there.start], words[there.stop :]
    first, last = words[there.start], words[there.stop - 1]
    lead = first[: spoken_part(first).begin]
    trail = last[spoken_part(last).end :]
    capital = not before and first[len(lead) : len(lead) + 1].isupper()
    for spelling in spellings:
        said = lead + (spelling[:1].upper() + spelling[1:] if capital else spelling)
        yield _Way(" ".join([*before, said]), draft.fixed)
        yield _Way(" ".join([*before, said + trail, *after]), draft.fixed)
    if before:
        yield _Way(" ".join(before[:-1]), (*draft.fixed, spellings))


def _search(
    request: TranslationRequest, steps: Sequence[tuple[_Draft, Sequence[_Way]]]
) -> Coroutine[list[list[Translation]]]:
    """Look for a translation in each of the ways of each draft."""
    if not steps:
        return []
    ways = [(draft.source, way) for draft, some in steps for way in some]
    terms = [way.terms for _, way in ways]
    again = replace(
        request,
        texts=[source for source, _ in ways],
        prefixes=[way.prefix for _, way in ways],
        terms=terms if any(terms) else None,
    )
    found = iter((yield from loop_free(again)))
    return [[next(found)[0] for _ in some] for _, some in steps]


def _take_best(draft: _Draft, number: int, candidates: Sequence[Translation]) -> None:
    """Take the likeliest candidate that brings a term in: as it is spelled, if any has it so."""
    term = draft.terms[number].spellings
    fitting = [
        (form_of(term, one.text) == "placed", one.log_probability, -place)
        for place, one in enumerate(candidates)
        if form_of(term, one.text) and _keeps_terms(draft, one) and _keeps_whole(draft, one)
    ]
    if fitting:
        draft.best = candidates[-max(fitting)[2]]


def _keeps_terms(draft: _Draft, new: Translation) -> bool:
    """Say whether no other term, and no placeholder, is lost."""
    symbols = sorted(SYMBOL.findall(new.text)) == sorted(SYMBOL.findall(draft.plain.text))
    return symbols and all(
        form is None or form_of(term.spellings, new.text)
        for term, form in zip(draft.terms, draft.forms(), strict=True)
    )


def _keeps_whole(draft: _Draft, new: Translation) -> bool:
    """Say whether a sentence has stayed one: the same ends, nothing appended, no nonsense."""
    text, plain = new.text, draft.plain.text
    before, after = _words(plain), _words(text)
    appended = len(after) > len(before) and after[: len(before)] == before
    same_ends = count_sentences(text) == count_sentences(plain) and _stops(text) == _stops(plain)
    likely = _per_token(new) >= _per_token(draft.plain) - MOST_LOST
    return same_ends and likely and not appended and loop(text, draft.source) is None


def _stops(text: str) -> bool:
    """Say whether a text ends with sentence-final punctuation."""
    bare = text.rstrip("".join(CLOSERS))
    return bare != "" and bare[-1] in ENDS


def _words(text: str) -> list[str]:
    parts = ((word, spoken_part(word)) for word in text.split())
    return [word[part.begin : part.end].casefold() for word, part in parts]


def _per_token(translation: Translation) -> float:
    return translation.log_probability / (len(translation.tokens) + 1)


def _writable(translator: BareTranslator, term: Term) -> list[str]:
    """Return the spellings of a term that the vocabulary can write."""
    return [spelling for spelling in term if _can_write(translator, spelling)]


def _can_write(translator: BareTranslator, spelling: str) -> bool:
    try:
        phrases_of([spelling], translator.tokenizer.target)
    except DataError:
        return False
    return True
