"""A Kneser–Ney model of whole words and marks: how likely a sentence is, by counting alone."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dragoman.data.tokenizer.special_tokens import END, UNKNOWN
from dragoman.lab.baselines.kneser_ney import Floats, KneserNey

TOKEN = re.compile(r"\w+|[^\w\s]")


class CountedWords:
    """The words of some texts and how they follow each other."""

    def __init__(self, texts: Sequence[str], order: int) -> None:
        self.counts = Counter(token for text in texts for token in TOKEN.findall(text))
        """How often each word or mark was seen."""
        self._numbers = {token: number for number, token in enumerate(self.counts, END + 1)}
        size = len(self._numbers) + END + 1
        self.model = KneserNey.fit(map(self._encode, texts), order=order, vocabulary=size)

    @property
    def parameters(self) -> int:
        """How many n-grams of any length were counted."""
        return sum(len(length.keys) for length in self.model.lengths)

    @property
    def words(self) -> list[str]:
        """The words, without marks, the most frequent first."""
        return [token for token, _ in self.counts.most_common() if token[0].isalpha()]

    def score(self, texts: Sequence[str]) -> list[Floats]:
        """Return the log-probability of each word of each text, and of its end."""
        return [np.log(each) for each in self.model.probabilities(map(self._encode, texts))]

    def _encode(self, text: str) -> list[int]:
        return [self._numbers.get(token, UNKNOWN) for token in TOKEN.findall(text)]
