"""Continuous batching of a language model: texts come and go between any two tokens.

    admit ─▶ prompt, read in portions ─ join ─▶ rows that are written ─ step ─▶ a piece for each row
                                                  ▲                       │
                                                  └── those that go on ◀──┘

Each row has settings and random numbers of its own, so its text follows from its request alone.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from dragoman.config.sampling import SamplingSettings
from dragoman.neural.decoding.filters import apply_filters
from dragoman.neural.decoding.sampling import NOTHING, choose
from dragoman.tasks.common.lines import encode_lines
from dragoman.tasks.language_model.language_model import IncrementalDecoder, LanguageModel
from dragoman.tasks.language_model.prefill import Prefill, alternatives
from dragoman.tasks.language_model.requests import (
    GeneratedToken,
    GenerationRequest,
    GenerationRow,
    rows_of,
)

PORTION = 256
"""Tokens of prompts that are read between two steps: the longer, the longer everybody waits."""

GAP = 64
"""Columns that no row sees and that are held nevertheless."""


class ContinuousWriter:
    """A language model that writes for many at the same time."""

    def __init__(
        self, writer: LanguageModel, *, most_rows: int = 16, most_tokens: int = 1 << 16
    ) -> None:
        self.writer, self.marks = writer, writer.special_tokens
        self.most_rows = most_rows
        self.most_tokens = most_tokens
        """Tokens whose keys and values are held; as all rows have the width of the longest, this is
        the number of rows times what the longest may come to."""
        self._model: Any = writer.model
        self._state: Any = None
        self._live: list[GenerationRow] = []
        self._width = 0
        self._reading: deque[Prefill] = deque()
        self._next = 0

    @property
    def rows(self) -> int:
        """Texts that are being read or written."""
        return len(self._all())

    def tokens_of(self, prompt: str) -> tuple[int, ...]:
        """Return what a text that goes on from a prompt begins with."""
        return (self.marks.start, *encode_lines(self.writer.tokenizer, prompt))

    def has_room_for(self, wish: GenerationRequest) -> bool:
        """Say whether a wish can be admitted now; one that comes alone always can."""
        rows = self._all()
        count = len(rows) + wish.choices
        needs = len(wish.tokens) + self.writer.room(len(wish.tokens), wish.settings)
        longest = max([needs, *(row.needs for row in rows)])
        return not rows or (count <= self.most_rows and count * longest <= self.most_tokens)

    def admit(self, wish: GenerationRequest) -> list[int]:
        """Begin to write the choices of a wish; return the numbers of their rows."""
        room = self.writer.room(len(wish.tokens), wish.settings)
        given, words = wish.tokens[1:], self.writer.tokenizer
        told = [IncrementalDecoder(words, given, wish.stop) for _ in range(wish.choices)]
        rows = rows_of(wish, self._next, room, told)
        self._next += len(rows)
        self._reading.append(Prefill(rows, self._model, self.marks.never))
        return [row.number for row in rows]

    def leave(self, numbers: Iterable[int]) -> None:
        """Stop writing the texts of these rows."""
        gone = frozenset(numbers)
        for row in self._all():
            row.left = row.left or row.number in gone

    def clear(self) -> None:
        """Forget all rows."""
        self._live, self._state, self._width = [], None, 0
        self._reading.clear()

    @torch.inference_mode()
    def step(self) -> list[GeneratedToken]:
        """Read a portion of what was admitted, and write one more token of every row."""
        self._keep([not row.left for row in self._live])
        self._read()
        if not self._live:
            return []
        last = torch.tensor([row.tokens[-1] for row in self._live], device=self.writer.device)
        log_probs, self._state = self._model.step(last, self._state)
        self._width += 1
        drawn = self._drawn(log_probs)
        pieces = self._pieces(log_probs.cpu(), drawn)
        self._keep([piece.ended is None for piece in pieces])
        return pieces

    def _all(self) -> list[GenerationRow]:
        return [*self._live, *(row for reading in self._reading for row in reading.rows)]

    def _read(self) -> None:
        """Read a portion of the prompts that wait; those that are read join the others."""
        left, ready = PORTION, []
        while self._reading and left > 0:
            reading = self._reading[0]
            reading.drop()
            if reading.rows:
                left -= reading.go_on(left, self.writer.device)
            if reading.rows and not reading.done:
                break
            self._reading.popleft()
            if reading.rows:
                ready.append(reading)
        if not ready:
            return
        states = [one.for_all_rows() for one in ready]
        if self._state is not None:
            states.insert(0, self._state)
        self._live += [row for one in ready for row in one.rows]
        self._join(states)

    def _join(self, states: Sequence[Any]) -> None:
        self._state = self._model.join(states)
        self._width = max(len(row.tokens) - 1 for row in self._live)

    def _keep(self, staying: Sequence[bool]) -> None:
        """Let the others go, and give back what only they needed."""
        if all(staying):
            return
        kept = [place for place, stays in enumerate(staying) if stays]
        self._live = [self._live[place] for place in kept]
        if not kept:
            self._state, self._width = None, 0
            return
        rows = torch.tensor(kept, device=self.writer.device)
        self._state = self._model.reorder(self._state, rows)
        if self._width > GAP + max(len(row.tokens) for row in self._live):
            self._join([self._state])

    def _drawn(self, log_probs: Tensor) -> list[int]:
        """Choose a token for each row, those that are filtered alike together."""
        ways: dict[Any, list[int]] = {}
        for place, row in enumerate(self._live):
            ways.setdefault(row.way, []).append(place)
        drawn = [NOTHING] * len(self._live)
        for (*_, early), places in ways.items():
            rows = [self._live[place] for place in places]
            settings = rows[0].wish.settings
            never = [*self.marks.never, self.marks.end] if early else self.marks.never
            own = log_probs if len(rows) == len(self._live) else log_probs[places]
            scores = apply_filters(own, _before(rows, settings, log_probs.device), settings, never)
            chances = [row.chance() if settings.temperature else 0.0 for row in rows]
            chosen = choose(scores, settings, torch.tensor(chances, dtype=torch.float64))
            for place, token in zip(places, chosen.tolist(), strict=True):
                drawn[place] = token
        return drawn

    def _pieces(self, log_probs: Tensor, drawn: Sequence[int]) -> list[GeneratedToken]:
        pieces = []
        for place, (row, token) in enumerate(zip(self._live, drawn, strict=True)):
            text, ended = row.take(token, self.marks.ends)
            is_text = token != NOTHING and token not in self.marks.ends
            likely = float(log_probs[place, token]) if token != NOTHING else 0.0
            others = alternatives(log_probs[place], row.wish.alternatives, self.marks.never)
            told = token if is_text else None
            pieces.append(GeneratedToken(row.number, told, text, likely, others, ended, row.said))
            row.said = ()
        return pieces


def _before(
    rows: Sequence[GenerationRow], settings: SamplingSettings, device: torch.device
) -> Tensor:
    """Return what has come in each row, where that matters; filled up with the first of it."""
    if settings.repetition_penalty == 1.0:
        return torch.empty(len(rows), 0, dtype=torch.long, device=device)
    width = max(len(row.tokens) for row in rows)
    filled = [[*[row.tokens[0]] * (width - len(row.tokens)), *row.tokens] for row in rows]
    return torch.tensor(filled, dtype=torch.long, device=device)
