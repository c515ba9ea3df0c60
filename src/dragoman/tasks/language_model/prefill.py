"""Prefill: reading a prompt in portions, before any text can go on from it."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dragoman.tasks.language_model.requests import GenerationRow, Likely, PromptToken


class Prefill:
    """A prompt that is being read for the rows that will go on from it."""

    def __init__(self, rows: list[GenerationRow], model: Any, never: Sequence[int]) -> None:
        self.rows, self.model, self.never = rows, model, never
        self.wish = rows[0].wish
        self.state: Any = None
        self._tokens = self.wish.tokens[:-1]  # the last is for the first step
        self._read = 0
        self._said: list[PromptToken] = []

    @property
    def done(self) -> bool:
        """Whether all has been read."""
        return self.state is not None and self._read == len(self._tokens)

    def drop(self) -> None:
        """Forget rows that nobody wants any more."""
        self.rows = [row for row in self.rows if not row.left]

    def go_on(self, most: int, device: torch.device) -> int:
        """Read at most so many tokens; return how many were read."""
        portion = self._tokens[self._read : self._read + most]
        if self.state is None:
            first = () if self.wish.told else portion  # what is told is read on, for its states
            self.state = self._begun([*first, self.wish.tokens[-1]], device)
        if portion and (self.wish.told or self._read):
            states, self.state = self.model.read_on(
                torch.tensor([portion], device=device), self.state
            )
            if self.wish.told:
                self._tell(states[0])
        self._read += len(portion)
        return max(1, len(portion))

    def for_all_rows(self) -> Any:
        """Return the state once for each row, and hand over what was told of the prompt."""
        for row in self.rows:
            row.said = tuple(self._said)
        if len(self.rows) == 1:
            return self.state
        device = next(self.model.parameters()).device
        return self.model.reorder(
            self.state, torch.zeros(len(self.rows), dtype=torch.long).to(device)
        )

    def _begun(self, tokens: list[int], device: torch.device) -> Any:
        lengths = torch.tensor([len(tokens)], device=device)
        return self.model.go_on_from(torch.tensor([tokens], device=device), lengths)

    def _tell(self, states: Tensor) -> None:
        """Note how likely each token was after those before it."""
        log_probs = self.model.output(states).log_softmax(dim=-1).cpu()
        begin = self._read + 1
        for token, likely in zip(self.wish.tokens[begin:], log_probs, strict=False):
            others = alternatives(likely, self.wish.alternatives, self.never)
            self._said.append(PromptToken(token, float(likely[token]), others))


def alternatives(log_probs: Tensor, count: int, never: Sequence[int]) -> tuple[Likely, ...]:
    """Return the likeliest tokens; what is never written is no alternative."""
    if not count:
        return ()
    possible = log_probs.clone()
    possible[list(never)] = -torch.inf
    best = possible.topk(min(count, len(possible) - len(never)))
    return tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))
