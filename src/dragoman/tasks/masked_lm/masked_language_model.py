"""A trained masked language model: which words fit where one is masked, and how likely a text is.

A masked word is one token. Where it may be several (`max_subwords`), each number of tokens is
tried: the likeliest first ones are put in, and then from left to right the likeliest that goes on
with each. That is a greedy search; what it finds is ranked by the mean log-probability of its
tokens, each given the text and the tokens before it, while those after it are still masked.

How likely a whole text is says the pseudo-log-likelihood (Salazar et al. 2020): the sum over its
tokens, each masked alone. It is no probability of a text, but it ranks texts of equal length well.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from dragoman.config.task import MaskedTaskSettings
from dragoman.core.errors import DataError
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import build_encoder
from dragoman.engine.checkpoint.load import load_run
from dragoman.neural.models.encoder import Encoder
from dragoman.tasks.masked_lm.masking import (
    MaskedText,
    mask_words,
    predictable_tokens,
    special_tokens_of,
)

MARK = "___"
"""What stands for a masked word unless another mark is named."""

TOGETHER = 4096
"""Tokens per batch."""

SCORES = 1 << 23
"""Scores per batch: 32 MiB."""


@dataclass(frozen=True)
class WordPrediction:
    """A predicted word for a mask, with its probability."""

    word: str
    probability: float
    """Among all entries of the vocabulary; of several tokens it is the geometric mean."""


@dataclass(frozen=True)
class MaskedWord:
    """One masked word among the tokens of a text, and whether it begins a word."""

    ids: tuple[int, ...]
    place: int
    begins: bool = True


@dataclass(frozen=True)
class FilledWord:
    """Tokens for a masked word, and the mean of their log-probabilities."""

    tokens: tuple[int, ...]
    score: float


@dataclass(frozen=True)
class PseudoLogLikelihood:
    """The pseudo-log-likelihood of a text: each token predicted from all others."""

    pieces: tuple[str, ...]
    log_probabilities: tuple[float, ...]

    @property
    def total(self) -> float:
        """The pseudo-log-likelihood; nats."""
        return math.fsum(self.log_probabilities)


class MaskedLanguageModel:
    """A masked language model with its vocabulary, ready to be used."""

    def __init__(self, model: Encoder, tokenizer: Tokenizer, *, device: torch.device) -> None:
        self.model, self.tokenizer, self.device = model, tokenizer, device
        self.special_tokens = special_tokens_of(tokenizer)
        entries = predictable_tokens(tokenizer, self.special_tokens)
        self._first = torch.from_numpy(entries.first).to(device)
        self._further = torch.from_numpy(entries.further).to(device)

    @classmethod
    def load(cls, run: str | Path, *, device: str = "auto") -> "MaskedLanguageModel":
        """Load the masked language model that a run folder holds."""
        loaded = load_run(run, device=device)
        recipe, tokenizer = loaded.recipe, loaded.tokenizer
        settings = recipe.model_for(MaskedTaskSettings)
        model = loaded.network(lambda: build_encoder(settings, tokenizer, recipe.seed))
        return cls(model, tokenizer, device=loaded.device)

    def fill(
        self, text: str, top: int = 5, *, mark: str = MARK, max_subwords: int = 1
    ) -> list[list[WordPrediction]]:
        """Return for each mark in a text the likeliest words, best first, all marks masked."""
        hidden = self.mask_words(text, mark)
        masked = [
            MaskedWord(hidden.ids, place, begins)
            for place, begins in zip(hidden.places, hidden.begins, strict=True)
        ]
        return [
            [
                WordPrediction(self.tokenizer.decode(one.tokens), math.exp(one.score))
                for one in answers
            ]
            for answers in self.predict(masked, top, max_subwords)
        ]

    def mask_words(self, text: str, mark: str = MARK) -> MaskedText:
        """Return the tokens of a text in which words are masked."""
        if not mark.strip():
            raise DataError("the mark of a hidden word must not be blank. Give another with --mask")
        return mask_words(self.tokenizer, text, mark)

    def predict(
        self, masked: Sequence[MaskedWord], top: int, max_subwords: int = 1
    ) -> list[list[FilledWord]]:
        """Return the likeliest tokens for each masked word, best first: up to so many subwords."""
        found: list[list[FilledWord]] = [[] for _ in masked]
        for count in range(1, max_subwords + 1 if self._further.any() else 2):
            longer = [_widened(one, count) for one in masked]
            for so_far, answers in zip(found, self._of_length(longer, top, count), strict=True):
                so_far += answers
        return [sorted(answers, key=lambda one: -one.score)[:top] for answers in found]

    def score(
        self, texts: Sequence[str], *, after_batch: Callable[[int], None] | None = None
    ) -> list[PseudoLogLikelihood]:
        """Return the pseudo-log-likelihood of each text, token by token."""
        encoded = [
            [number for line in text.split("\n") for number in self.tokenizer.encode(line)]
            for text in texts
        ]
        start, end = self.special_tokens.start, self.special_tokens.end
        likely = self.pseudo_log_likelihoods([(start, *ids, end) for ids in encoded], after_batch)
        return [
            PseudoLogLikelihood(tuple(self.tokenizer.words(ids)), tuple(one))
            for ids, one in zip(encoded, likely, strict=True)
        ]

    def pseudo_log_likelihoods(
        self, rows: Sequence[Sequence[int]], after_batch: Callable[[int], None] | None = None
    ) -> list[list[float]]:
        """Return the log-probability of each token but marks, masked alone; words masked already
        stay so.
        """
        special = self.special_tokens
        silent = (special.start, special.end, special.padding, special.mask)
        asked = [
            (number, place)
            for number, ids in enumerate(rows)
            for place, token in enumerate(ids)
            if token not in silent
        ]
        masked = [
            MaskedWord((*rows[n][:place], special.mask, *rows[n][place + 1 :]), place)
            for n, place in asked
        ]
        found: list[list[float]] = [[] for _ in rows]
        for begin, scores in self._scores(masked):
            part = asked[begin : begin + len(scores)]
            right = torch.tensor([rows[n][place] for n, place in part], device=self.device)
            likely = scores.gather(1, right.unsqueeze(1)).squeeze(1).tolist()
            for (n, _), one in zip(part, likely, strict=True):
                found[n].append(one)
            if after_batch:
                after_batch(sum(1 for n, place in part if place == 1))
        return found

    def _of_length(
        self, masked: Sequence[MaskedWord], top: int, count: int
    ) -> list[list[FilledWord]]:
        """Return the likeliest answers of exactly so many tokens; greedy from the second on."""
        begun: list[tuple[int, FilledWord]] = []
        for begin, scores in self._scores(masked):
            starts = torch.tensor([one.begins for one in masked[begin : begin + len(scores)]])
            fitting = torch.where(starts.to(self.device)[:, None], self._first, self._further)
            best = scores.masked_fill(~fitting, -math.inf).topk(min(top, scores.shape[1]))
            for row, (values, tokens) in enumerate(
                zip(best.values.tolist(), best.indices.tolist(), strict=True), begin
            ):
                begun += [
                    (row, FilledWord((token,), value))
                    for value, token in zip(values, tokens, strict=True)
                    if math.isfinite(value)
                ]
        for length in range(1, count):
            rows = [_put(masked[row], predict) for row, predict in begun]
            gone_on: list[tuple[int, FilledWord]] = []
            for begin, scores in self._scores(rows):
                values, tokens = scores.masked_fill(~self._further, -math.inf).max(dim=1)
                for (row, predict), value, token in zip(
                    begun[begin:], values.tolist(), tokens.tolist(), strict=False
                ):
                    mean = (predict.score * length + value) / (length + 1)
                    gone_on.append((row, FilledWord((*predict.tokens, token), mean)))
            begun = gone_on
        found: list[list[FilledWord]] = [[] for _ in masked]
        for row, predict in begun:
            found[row].append(predict)
        return found

    def _scores(self, masked: Sequence[MaskedWord]) -> Iterator[tuple[int, Tensor]]:
        """Yield log-probabilities [n v] of what is masked, with the number of the first of them."""
        self._check_room(masked)
        begin = 0
        while begin < len(masked):
            width = max(len(one.ids) for one in masked[begin : begin + TOGETHER])
            rows = max(1, min(TOGETHER // width, SCORES // self.tokenizer.size))
            group = masked[begin : begin + rows]
            filled = np.full((len(group), width), self.special_tokens.padding, dtype=np.int64)
            for row, one in zip(filled, group, strict=True):
                row[: len(one.ids)] = one.ids
            places = torch.tensor([one.place for one in group], device=self.device)
            with torch.inference_mode():
                states = self.model.states(torch.from_numpy(filled).to(self.device))  # n s d
                at = states[torch.arange(len(group), device=self.device), places]  # n d
                ready = self.model.word_states(at.unsqueeze(0))
                scores = self.model.output(ready)[0].float().log_softmax(dim=-1)
            yield begin, scores
            begin += len(group)

    def _check_room(self, masked: Sequence[MaskedWord]) -> None:
        """Refuse what is longer than a learned table of positions."""
        settings = self.model.settings
        longest = max((len(one.ids) for one in masked), default=0)
        if settings.positions == "learned" and longest > settings.max_positions:
            raise DataError(
                f"the text has {longest} tokens with its marks, and the model knows "
                f"{settings.max_positions} positions. Give a shorter text."
            )


def _widened(word: MaskedWord, count: int) -> MaskedWord:
    """Mask so many tokens where one was masked."""
    ids, place = word.ids, word.place
    return replace(word, ids=(*ids[:place], *ids[place : place + 1] * count, *ids[place + 1 :]))


def _put(word: MaskedWord, predict: FilledWord) -> MaskedWord:
    """Put tokens in, and ask for the next."""
    ids, place = word.ids, word.place
    after = place + len(predict.tokens)
    return MaskedWord((*ids[:place], *predict.tokens, *ids[after:]), after)
