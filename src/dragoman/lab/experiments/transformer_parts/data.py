"""Texts of made-up words, each with labels that follow from a rule.

senses      the label of a word follows from it and the word before it, by a table drawn at random
two rules   two labels of each place: the word before it, and the one marked word of the text
context     whether the partner of the first word, drawn once for all, stands somewhere in the text
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Task = Literal["senses", "two rules", "context"]
NOTHING = -100
"""The label of a place that is not asked for."""


@dataclass(frozen=True)
class LabeledTokens:
    """Texts side by side, and the labels of each place."""

    tokens: Tensor  # b n
    labels: Tensor  # b n l: as many labels as the task has
    marked: Tensor  # b: the place of the marked word, where a task has one


@dataclass(frozen=True)
class LabelTask:
    """A task with what was drawn for it once for all."""

    task: Task
    words: int
    length: int
    seed: int

    @property
    def entries(self) -> int:
        """Kinds of token: a marked word is another token than the same one without its mark."""
        return 2 * self.words if self.task == "two rules" else self.words

    @property
    def classes(self) -> int:
        """Kinds of label."""
        return 2 if self.task == "context" else self.words

    @property
    def labels(self) -> int:
        """Labels of each place."""
        return 2 if self.task == "two rules" else 1

    def draw(self, number: int, rows: int) -> LabeledTokens:
        """Draw the texts of a batch; they depend on its number and the seed alone."""
        generator = torch.Generator().manual_seed(1_000_003 * self.seed + number)
        tokens = torch.randint(self.words, (rows, self.length), generator=generator)
        nowhere = torch.zeros(rows, dtype=torch.long)
        match self.task:
            case "senses":
                return LabeledTokens(tokens, self._senses(tokens), nowhere)
            case "two rules":
                return self._two_rules(tokens, generator)
            case "context":
                return LabeledTokens(*self._context(tokens, generator), nowhere)

    def _own(self) -> torch.Generator:
        return torch.Generator().manual_seed(7_919 * self.seed + 1)

    def _senses(self, tokens: Tensor) -> Tensor:
        table = torch.randint(self.words, (self.words, self.words), generator=self._own())
        labels = torch.full((*tokens.shape, 1), NOTHING)
        labels[:, 1:, 0] = table[tokens[:, :-1], tokens[:, 1:]]
        return labels

    def _two_rules(self, tokens: Tensor, generator: torch.Generator) -> LabeledTokens:
        rows = torch.arange(len(tokens))
        marked = torch.randint(self.length, (len(tokens),), generator=generator)
        labels = torch.full((*tokens.shape, 2), NOTHING)
        labels[:, 1:, 0] = tokens[:, :-1]
        labels[:, :, 1] = tokens[rows, marked][:, None]
        shown = tokens.clone()
        shown[rows, marked] += self.words
        return LabeledTokens(shown, labels, marked)

    def _context(self, tokens: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Put the partner somewhere into every second text, and keep it out of the others."""
        partner = torch.randperm(self.words, generator=self._own())[tokens[:, 0]]
        rest = tokens[:, 1:]
        other = (partner[:, None] + 1 + torch.randint(
            self.words - 1, rest.shape, generator=generator)) % self.words  # fmt: skip
        rest = torch.where(rest == partner[:, None], other, rest)
        there = torch.randint(2, (len(tokens),), generator=generator)
        place = torch.randint(self.length - 1, (len(tokens),), generator=generator)
        chosen = torch.arange(self.length - 1) == place[:, None]
        rest = torch.where(chosen & there.bool()[:, None], partner[:, None], rest)
        labels = torch.full((*tokens.shape, 1), NOTHING)
        labels[:, 0, 0] = there
        return torch.cat((tokens[:, :1], rest), dim=1), labels
