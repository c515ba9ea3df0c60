"""Continuous batching of a translator: texts join and leave between the steps of one beam search.

    add ─▶ pieces, waiting ─▶ rows of the search, as there is room ─ steps ─▶ finished requests

Pieces of different requests begin in turn, so that a request of many texts does not keep one of
few waiting.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dragoman.backends.torch_engine import Ids, TorchEngine, padded_sources, source_lengths
from dragoman.neural.decoding.continuous_batching import ContinuousBeamSearch
from dragoman.neural.decoding.search import steps_for
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.requests import Candidates, TranslationRequest
from dragoman.tasks.translation.translation import Translation, join_translations

SEARCH_STEPS = 4
"""Steps of the search in one step of the batch. To begin sources, and to hand translations out, one
by one costs more than to let them wait that long."""

MAX_BATCHES = 4
"""How many batches of `decoding.batch_tokens` may be searched at the same time, for the memory's
sake. One sentence always may."""


@dataclass(eq=False, slots=True)
class PendingRequest:
    """A request in the batch; the handle to remove it by."""

    results: list[list[list[Translation]]]
    """Of each text, of each piece; empty until it is translated."""
    waiting: deque[tuple[int, int, Ids]] = field(default_factory=deque)
    """Text, piece and source of what is not being searched yet."""
    missing: int = 0
    """Pieces that are not translated yet."""
    no_repeat: int = 0
    may_stutter: bool = True

    @property
    def candidates(self) -> Candidates:
        """The translations of the texts, the pieces of each put together."""
        return [join_translations(parts) for parts in self.results]


@dataclass(frozen=True, slots=True)
class SearchRow:
    """A piece that is being searched."""

    request: PendingRequest
    text: int
    piece: int
    tokens: int
    """Its share of the memory: the tokens of its source, once for each place of the beam."""


class TranslationBatch:
    """A translator's `ContinuousBatch`: searches the plain requests of many clients at once."""

    def __init__(self, translator: BareTranslator, search: ContinuousBeamSearch[Any]) -> None:
        self.translator, self._search = translator, search
        self._waiting: deque[PendingRequest] = deque()
        """Requests with pieces that wait; the first is the next to begin one."""
        self._rows: dict[int, SearchRow] = {}
        self._max_tokens = MAX_BATCHES * translator.decoding.batch_tokens

    @classmethod
    def of(cls, translator: BareTranslator, max_rows: int) -> "TranslationBatch | None":
        """Return the batch of a translator, if its search supports continuous batching."""
        if not isinstance(translator.engine, TorchEngine):
            return None
        search = translator.engine.continuous_search(translator.decoding, max_rows)
        return None if search is None else cls(translator, search)

    def accepts(self, request: TranslationRequest) -> bool:
        """Say whether a request needs nothing but the best translations of the running search."""
        usual = self.translator.decoding
        constrained = request.terms is not None or request.prefixes is not None
        same_beam = request.beam in (None, usual.beam)
        same_rule = not request.no_repeat or usual.no_repeat_ngram in (0, request.no_repeat)
        return same_beam and same_rule and request.nbest == 1 and not constrained

    def add(self, request: TranslationRequest) -> PendingRequest:
        """Add a request; a later step finishes it, or it is finished already."""
        pieces = self.translator.cut(request.texts, request.to)
        encode = self.translator.tokenizer.encode_source
        always = self.translator.decoding.stutter_guard == "always"
        pending = PendingRequest(
            [[[] for _ in parts] for parts in pieces],
            no_repeat=request.no_repeat,
            may_stutter=request.may_stutter and not always,
        )
        pending.waiting += [
            (text, number, encode(piece))
            for text, parts in enumerate(pieces)
            for number, piece in enumerate(parts)
        ]
        pending.missing = len(pending.waiting)
        if pending.missing:
            self._waiting.append(pending)
        return pending

    @property
    def rows(self) -> list[SearchRow]:
        """What is being searched."""
        return list(self._rows.values())

    def step(self) -> list[PendingRequest]:
        """Begin what waits, and take some steps of the search; return the finished requests."""
        self._admit()
        finished: list[PendingRequest] = []
        for _ in range(SEARCH_STEPS):
            for number, hypotheses in self._search.step().items():
                row = self._rows.pop(number)
                row.request.results[row.text][row.piece] = self.translator.decode_outputs(
                    hypotheses
                )
                row.request.missing -= 1
                if not row.request.missing:
                    finished.append(row.request)
            if not self._rows:
                break
        return finished

    def remove(self, handles: Iterable[PendingRequest]) -> None:
        """Drop requests before they are finished."""
        removed = set(handles)
        numbers = [number for number, row in self._rows.items() if row.request in removed]
        self._search.remove(numbers)
        for number in numbers:
            del self._rows[number]
        self._waiting = deque(one for one in self._waiting if one not in removed)

    def clear(self) -> None:
        """Drop all requests, after a step that failed."""
        self._waiting.clear()
        self._rows.clear()
        self._search.clear()

    def _admit(self) -> None:
        """Let what waits begin, a piece of each request in turn, as far as there is room."""
        room = self._max_tokens - sum(row.tokens for row in self.rows)
        rows: list[SearchRow] = []
        sources: list[Ids] = []
        while self._waiting and len(rows) < self._search.free:
            request = self._waiting[0]
            text, piece, source = request.waiting[0]
            tokens = (len(source) + 1) * self.translator.decoding.beam
            if tokens > room and (rows or self._rows):
                break
            room -= tokens
            request.waiting.popleft()
            self._waiting.popleft()
            if request.waiting:
                self._waiting.append(request)
            rows.append(SearchRow(request, text, piece, tokens))
            sources.append(source)
        if rows:
            padded = padded_sources(sources, self._search.device)
            longest = steps_for(
                self._search.model, padded, source_lengths(sources), self.translator.decoding
            )
            numbers = self._search.add(
                padded,
                longest,
                [row.request.no_repeat for row in rows],
                [row.request.may_stutter for row in rows],
            )
            self._rows |= dict(zip(numbers, rows, strict=True))
