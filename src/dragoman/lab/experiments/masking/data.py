"""Sentences of the embedded grammar: alone, and in stories of several about one subject."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dragoman.config.settings import Settings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.data.batching.text_store import TextStore
from dragoman.data.grammar.sample import GrammarExample, draw_sets
from dragoman.data.tokenizer.special_tokens import UNKNOWN
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer

DETERMINERS = frozenset(("A", "An", "The", "This", "That", "These", "Those", "My", "Your", "Our"))
TOKEN = re.compile(r"\w+(?:'\w+)?|[^\w\s]")


class SentenceCounts(Settings):
    """How many sentences are drawn, and how long a story is."""

    train: int
    held_out: int
    """Of each of validation and test."""
    difficulty: int = 1
    story: int = 4
    """Sentences of a story, all of one subject."""


@dataclass(frozen=True)
class GrammarLine:
    """A sentence as words and marks with spaces between them, and its construction."""

    text: str
    construction: str

    @property
    def subject(self) -> str:
        """What it begins with: a name, a pronoun, or an article or the like and a noun."""
        first, second, *_ = self.text.split()
        return f"{first} {second}" if first in DETERMINERS else first


@dataclass(frozen=True)
class GrammarSentences:
    """What a seed draws."""

    train: list[GrammarLine]
    valid: list[GrammarLine]
    test: list[GrammarLine]
    story: int

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Whole words of the training sentences."""
        lines = [one.text for one in self.train]
        return train_tokenizer(WordTokenizerSettings(vocab_size=8000), lines, [])

    def lines(self, sentences: Sequence[GrammarLine]) -> TextStore:
        """Return a store in which every sentence is a document."""
        return self._store([[one.text] for one in sentences])

    def stories(self, sentences: Sequence[GrammarLine]) -> TextStore:
        """Return a store of stories, in the order of their first sentences."""
        alike: dict[str, list[str]] = defaultdict(list)
        found: list[list[str]] = []
        for one in sentences:
            alike[one.subject].append(one.text)
            if len(alike[one.subject]) == self.story:
                found.append(alike.pop(one.subject))
        return self._store(found)

    def ids(self, sentences: Sequence[GrammarLine]) -> list[list[int]]:
        """Return the token numbers of each sentence."""
        return [self.tokenizer.encode(one.text) for one in sentences]

    def _store(self, documents: Sequence[Sequence[str]]) -> TextStore:
        encoded = [[self.tokenizer.encode(line) for line in lines] for lines in documents]
        return TextStore.of(encoded, UNKNOWN)


def draw_sentences(counts: SentenceCounts, seed: int) -> GrammarSentences:
    """Draw the sentences of a seed."""
    sets = draw_sets(
        pairs=counts.train, held_out=counts.held_out, difficulty=counts.difficulty, seed=seed
    )
    train, valid, test = (
        [_tagged(one) for one in part] for part in (sets.train, sets.valid, sets.unseen)
    )
    return GrammarSentences(train, valid, test, counts.story)


def _tagged(example: GrammarExample) -> GrammarLine:
    return GrammarLine(" ".join(TOKEN.findall(example.source)), example.construction)
