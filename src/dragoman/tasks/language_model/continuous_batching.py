"""Continuous batching of a language model: texts join and leave between any two tokens.

    add ─▶ prefill, in portions ─ join ─▶ rows of the batch ─ step ─▶ a token for each row
                                            ▲                  │
                                            └─ unfinished ◀────┘

Each row has its own settings and random numbers, so its text follows from its request alone.
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
from dragoman.tasks.language_model.language_model import Detokenizer, LanguageModel
from dragoman.tasks.language_model.prefill import Prefill, alternatives
from dragoman.tasks.language_model.requests import (
    GeneratedToken,
    GenerationRequest,
    GenerationRow,
    generation_rows,
)

PREFILL_TOKENS = 256
"""Tokens of prompts that are read between two steps: the more, the longer all others wait."""

MAX_GAP = 64
"""Columns of the KV cache that no row sees and that are held nevertheless."""


class GenerationBatch:
    """A language model's `ContinuousBatch`: generates the texts of many requests at once."""

    def __init__(
        self, model: LanguageModel, *, max_rows: int = 16, max_tokens: int = 1 << 16
    ) -> None:
        self.model, self.marks = model, model.special_tokens
        self.max_rows = max_rows
        self.max_tokens = max_tokens
        """Tokens in the KV cache; as all rows have the width of the longest, this is
        the number of rows times what the longest may come to."""
        self._network: Any = model.model
        self._state: Any = None
        self._rows: list[GenerationRow] = []
        self._width = 0
        self._prefills: deque[Prefill] = deque()
        self._next = 0

    @property
    def rows(self) -> int:
        """Texts in the batch, those in prefill included."""
        return len(self._all())

    def tokens_of(self, prompt: str) -> tuple[int, ...]:
        """Return the tokens of a prompt, with the special token that begins every text."""
        return (self.marks.start, *encode_lines(self.model.tokenizer, prompt))

    def has_room(self, request: GenerationRequest) -> bool:
        """Say whether a request can be added now; to an empty batch it always can."""
        rows = self._all()
        count = len(rows) + request.choices
        needed = len(request.tokens) + self.model.room(len(request.tokens), request.settings)
        longest = max([needed, *(row.max_tokens for row in rows)])
        return not rows or (count <= self.max_rows and count * longest <= self.max_tokens)

    def add(self, request: GenerationRequest) -> list[int]:
        """Add a request; return the numbers of its rows, one for each choice."""
        room = self.model.room(len(request.tokens), request.settings)
        prompt, tokenizer = request.tokens[1:], self.model.tokenizer
        own = [Detokenizer(tokenizer, prompt, request.stop) for _ in range(request.choices)]
        rows = generation_rows(request, self._next, room, own)
        self._next += len(rows)
        self._prefills.append(Prefill(rows, self._network, self.marks.never))
        return [row.number for row in rows]

    def remove(self, handles: Iterable[int]) -> None:
        """Drop rows before they are finished."""
        removed = frozenset(handles)
        for row in self._all():
            row.removed = row.removed or row.number in removed

    def clear(self) -> None:
        """Drop all rows."""
        self._rows, self._state, self._width = [], None, 0
        self._prefills.clear()

    @torch.inference_mode()
    def step(self) -> list[GeneratedToken]:
        """Read a portion of the prompts that wait, and generate one more token of every row."""
        self._select([not row.removed for row in self._rows])
        self._prefill()
        if not self._rows:
            return []
        last = torch.tensor([row.tokens[-1] for row in self._rows], device=self.model.device)
        log_probs, self._state = self._network.step(last, self._state)
        self._width += 1
        sampled = self._sample(log_probs)
        outputs = self._outputs(log_probs.cpu(), sampled)
        self._select([output.finish_reason is None for output in outputs])
        return outputs

    def _all(self) -> list[GenerationRow]:
        return [*self._rows, *(row for prefill in self._prefills for row in prefill.rows)]

    def _prefill(self) -> None:
        """Read a portion of the prompts that wait; those that are read whole join the batch."""
        left, ready = PREFILL_TOKENS, []
        while self._prefills and left > 0:
            prefill = self._prefills[0]
            prefill.drop_removed()
            if prefill.rows:
                left -= prefill.step(left, self.model.device)
            if prefill.rows and not prefill.done:
                break
            self._prefills.popleft()
            if prefill.rows:
                ready.append(prefill)
        if not ready:
            return
        states = [one.state_of_rows() for one in ready]
        if self._state is not None:
            states.insert(0, self._state)
        self._rows += [row for one in ready for row in one.rows]
        self._join(states)

    def _join(self, states: Sequence[Any]) -> None:
        self._state = self._network.join(states)
        self._width = max(len(row.tokens) - 1 for row in self._rows)

    def _select(self, staying: Sequence[bool]) -> None:
        """Drop the other rows, and give back the memory that only they needed."""
        if all(staying):
            return
        kept = [place for place, stays in enumerate(staying) if stays]
        self._rows = [self._rows[place] for place in kept]
        if not kept:
            self._state, self._width = None, 0
            return
        rows = torch.tensor(kept, device=self.model.device)
        self._state = self._network.reorder(self._state, rows)
        if self._width > MAX_GAP + max(len(row.tokens) for row in self._rows):
            self._join([self._state])

    def _sample(self, log_probs: Tensor) -> list[int]:
        """Choose a token for each row, those that are filtered alike together."""
        groups: dict[Any, list[int]] = {}
        for place, row in enumerate(self._rows):
            groups.setdefault(row.sampling_key, []).append(place)
        sampled = [NOTHING] * len(self._rows)
        for (*_, early), places in groups.items():
            rows = [self._rows[place] for place in places]
            settings = rows[0].request.settings
            never = [*self.marks.never, self.marks.end] if early else self.marks.never
            own = log_probs if len(rows) == len(self._rows) else log_probs[places]
            scores = apply_filters(own, _before(rows, settings, log_probs.device), settings, never)
            numbers = [row.random() if settings.temperature else 0.0 for row in rows]
            chosen = choose(scores, settings, torch.tensor(numbers, dtype=torch.float64))
            for place, token in zip(places, chosen.tolist(), strict=True):
                sampled[place] = token
        return sampled

    def _outputs(self, log_probs: Tensor, sampled: Sequence[int]) -> list[GeneratedToken]:
        outputs = []
        for place, (row, token) in enumerate(zip(self._rows, sampled, strict=True)):
            text, reason = row.append(token, self.marks.ends)
            shown = None if token == NOTHING or token in self.marks.ends else token
            likely = float(log_probs[place, token]) if token != NOTHING else 0.0
            others = alternatives(log_probs[place], row.request.alternatives, self.marks.never)
            output = GeneratedToken(row.number, shown, text, likely, others, reason, row.prompt)
            outputs.append(output)
            row.prompt = ()
        return outputs


def _before(
    rows: Sequence[GenerationRow], settings: SamplingSettings, device: torch.device
) -> Tensor:
    """Return the tokens of each row, where that matters; padded on the left with its first."""
    if settings.repetition_penalty == 1.0:
        return torch.empty(len(rows), 0, dtype=torch.long, device=device)
    width = max(len(row.tokens) for row in rows)
    filled = [[*[row.tokens[0]] * (width - len(row.tokens)), *row.tokens] for row in rows]
    return torch.tensor(filled, dtype=torch.long, device=device)
