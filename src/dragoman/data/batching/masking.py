"""Masking words, which a network then predicts from both sides (Devlin et al. 2019).

Of the tokens that are words, a share is asked for (15 %). Of these, 80 % are masked by the mask,
10 % become a random entry of the vocabulary (which may at random be the right one), and 10 % stay:
a text that is read in earnest has no masks, so any token may have to be doubted.

The number of chosen tokens is the share of those there are, rounded up or down at random so that
the mean is exact, but at least one. Where whole words are chosen, the share is one of words: each
has the same chance, long or short, and of the tokens the same share is chosen on average.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dragoman.config.task import MaskedTaskSettings
from dragoman.data.batching.seeded_random import Purpose, seeded_random
from dragoman.data.batching.text_batch import Numbers, TextRow
from dragoman.data.tokenizer.special_tokens import OURS, SpecialTokens
from dragoman.data.tokenizer.tokenizer import Tokenizer


class Masker:
    """Masks some words of a row, others in every epoch or always the same."""

    def __init__(
        self,
        task: MaskedTaskSettings,
        entries: int,
        seed: int,
        *,
        begins: NDArray[np.bool_] | None = None,
        special: SpecialTokens = OURS,
    ) -> None:
        """Make ready for a vocabulary; `begins` says which of its entries begin a word."""
        if task.whole_word_masking and begins is None:
            raise ValueError("whole words cannot be chosen without knowing where they begin.")
        self.task = task
        self.seed = seed
        self.special = special
        self.begins = begins if task.whole_word_masking else None
        self.is_word = np.ones(entries, dtype=np.bool_)
        self.is_word[[mark for mark in special.all if mark < entries]] = False
        self.words = np.flatnonzero(self.is_word)
        """What a token may be replaced by."""

    def __call__(self, row: TextRow, epoch: int, example: int) -> TextRow:
        """Return a row as an epoch sees it: with words masked, and asked for."""
        task = self.task
        random = seeded_random(
            Purpose.MASKING, self.seed, epoch if task.dynamic_masking else 0, example
        )
        chosen = self._chosen(row.tokens, random)
        fate = random.random(len(chosen))
        hidden = fate < task.mask_replace_prob
        replaced = ~hidden & (fate < task.mask_replace_prob + task.random_replace_prob)
        tokens, labels = row.tokens.copy(), np.full_like(row.tokens, self.special.padding)
        labels[chosen] = tokens[chosen]
        tokens[chosen[hidden]] = self.special.mask
        drawn = random.integers(len(self.words), size=np.count_nonzero(replaced))
        tokens[chosen[replaced]] = self.words[drawn]
        return replace(row, tokens=tokens, labels=labels)

    def _chosen(self, tokens: Numbers, random: np.random.Generator) -> NDArray[np.intp]:
        """Draw the places that are predicted; none where there are no words."""
        places = np.flatnonzero(self.is_word[tokens])
        if not len(places):
            return places
        word = self._word_of(tokens, places)
        words = int(word[-1]) + 1
        count = max(1, int(self.task.mlm_probability * words + random.random()))
        picked = np.zeros(words, dtype=np.bool_)
        picked[random.permutation(words)[:count]] = True
        return places[picked[word]]

    def _word_of(self, tokens: Numbers, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Number the words to which the tokens at some places belong; marks stand between words."""
        if self.begins is None:
            return np.arange(len(places))
        apart = np.diff(places, prepend=-1) > 1
        apart[0] = True
        return np.cumsum(self.begins[tokens[places]] | apart) - 1


def word_begins(tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Return which entries of a vocabulary begin a word."""
    return np.array([tokenizer.begins_word(number) for number in range(tokenizer.size)])
