"""Prefill: reading a prompt into the KV cache, in portions, before a text can continue it."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dragoman.tasks.language_model.requests import GenerationRow, PromptToken, TokenLogprob


class Prefill:
    """A prompt that is being read for the rows that will continue it."""

    def __init__(self, rows: list[GenerationRow], model: Any, never: Sequence[int]) -> None:
        self.rows, self.model, self.never = rows, model, never
        self.request = rows[0].request
        self.state: Any = None
        self._tokens = self.request.tokens[:-1]  # the last is for the first step
        self._read = 0
        self._prompt: list[PromptToken] = []

    @property
    def done(self) -> bool:
        """Whether the whole prompt has been read."""
        return self.state is not None and self._read == len(self._tokens)

    def drop_removed(self) -> None:
        """Forget rows that were removed meanwhile."""
        self.rows = [row for row in self.rows if not row.removed]

    def step(self, max_tokens: int, device: torch.device) -> int:
        """Read at most so many tokens; return how many were read."""
        portion = self._tokens[self._read : self._read + max_tokens]
        scored = self.request.prompt_logprobs
        if self.state is None:
            first = () if scored else portion  # scores need the states that `read_on` returns
            self.state = self._first_state([*first, self.request.tokens[-1]], device)
        if portion and (scored or self._read):
            states, self.state = self.model.read_on(
                torch.tensor([portion], device=device), self.state
            )
            if scored:
                self._score(states[0])
        self._read += len(portion)
        return max(1, len(portion))

    def state_of_rows(self) -> Any:
        """Return the state once for each row, and give the rows the scores of the prompt."""
        for row in self.rows:
            row.prompt = tuple(self._prompt)
        if len(self.rows) == 1:
            return self.state
        device = next(self.model.parameters()).device
        return self.model.reorder(
            self.state, torch.zeros(len(self.rows), dtype=torch.long).to(device)
        )

    def _first_state(self, tokens: list[int], device: torch.device) -> Any:
        lengths = torch.tensor([len(tokens)], device=device)
        return self.model.go_on_from(torch.tensor([tokens], device=device), lengths)

    def _score(self, states: Tensor) -> None:
        """Note the log-probability of each token after those before it."""
        log_probs = self.model.output(states).log_softmax(dim=-1).cpu()
        begin = self._read + 1
        for token, likely in zip(self.request.tokens[begin:], log_probs, strict=False):
            others = alternatives(likely, self.request.alternatives, self.never)
            self._prompt.append(PromptToken(token, float(likely[token]), others))


def alternatives(log_probs: Tensor, count: int, never: Sequence[int]) -> tuple[TokenLogprob, ...]:
    """Return the likeliest tokens; what is never generated is no alternative."""
    if not count:
        return ()
    possible = log_probs.clone()
    possible[list(never)] = -torch.inf
    best = possible.topk(min(count, len(possible) - len(never)))
    return tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))
