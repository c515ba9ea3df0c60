"""Sentences as a tagger reads them: subwords between START and END, a label at each word's first.

    words      The   unhappy       king
    tokens  <s>  ▁The  ▁un  happy  ▁king  </s>
    labels   ·    3     5     ·      7     ·        · is IGNORED: nothing is asked there

They lie in a token store of pairs, with the tokens as the source and, beside each of them, one more
than the number of its label, or 0 for nothing, as the target.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.config.batches import BatchSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.endless import Endless
from dragoman.data.batching.labeled import AROUND
from dragoman.data.batching.plan import EpochPlan, epoch_plan
from dragoman.data.batching.store import TokenStore
from dragoman.data.tokenizer.characters import CharacterTokenizer
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.special_tokens import SpecialTokens
from dragoman.data.tokenizer.tokenizer import Tokenizer

Numbers = NDArray[np.int64]

IGNORED = -100
"""The label of a token at which none is asked for; what torch's cross entropy passes over."""


class SubwordSentence(NamedTuple):
    """The tokens of some words without marks, and which of them begins each word."""

    tokens: tuple[int, ...]
    first: tuple[int, ...]


@dataclass(frozen=True)
class TagBatch:
    """Token numbers of b sentences, side by side, and the labels that are asked for."""

    tokens: Numbers  # b n
    labels: Numbers  # b n, IGNORED where nothing is asked
    examples: Numbers  # b, the numbers of the sentences


def subwords_of(tokenizer: Tokenizer, words: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each word; end to end they are those of the sentence."""
    match tokenizer:
        case ImportedTokenizer():  # byte-level subwords have the space before a word inside them
            texts = [word if place == 0 else f" {word}" for place, word in enumerate(words)]
        case CharacterTokenizer():  # a space is a character, and stands after a word
            texts = [f"{word} " for word in words[:-1]] + list(words[-1:])
        case _:
            texts = list(words)
    empty = [next(one for one in (tokenizer.unknown, tokenizer.end, 0) if one is not None)]
    return [ids or empty for ids in tokenizer.encode_batch(texts)]


def portions(subwords: Sequence[Sequence[int]], max_length: int) -> Iterator[SubwordSentence]:
    """Cut a sentence between words into as few portions as have room for the marks around them.

    A word that is too long by itself is cut; its label is asked for at its first token.
    """
    room = max_length - AROUND
    tokens: list[int] = []
    first: list[int] = []
    for word in subwords:
        if tokens and len(tokens) + len(word) > room:
            yield SubwordSentence(tuple(tokens), tuple(first))
            tokens, first = [], []
        first.append(len(tokens))
        tokens += word[:room]
    if tokens:
        yield SubwordSentence(tuple(tokens), tuple(first))


def targets_of(portion: SubwordSentence, labels: Sequence[int]) -> list[int]:
    """Return what is stored beside the tokens: a label's number plus one where a word begins."""
    found = [0] * len(portion.tokens)
    for place, label in zip(portion.first, labels, strict=True):
        found[place] = label + 1
    return found


Row = tuple[Sequence[int], Sequence[int]]
"""Tokens, and beside each what `targets_of` says."""


def make_tag_batch(rows: Sequence[Row], examples: Numbers, special: SpecialTokens) -> TagBatch:
    """Put the marks around each row, and fill all of them up to the longest."""
    width = max(len(tokens) for tokens, _ in rows) + AROUND
    tokens = np.full((len(rows), width), special.padding, dtype=np.int64)
    labels = np.full((len(rows), width), IGNORED, dtype=np.int64)
    for place, (ids, targets) in enumerate(rows):
        end = len(ids) + 1
        tokens[place, 0], tokens[place, end] = special.start, special.end
        tokens[place, 1:end] = ids
        asked = np.asarray(targets, dtype=np.int64)
        labels[place, 1:end] = np.where(asked > 0, asked - 1, IGNORED)
    return TagBatch(tokens, labels, examples)


def gather(rows: Sequence[Row], settings: BatchSettings, special: SpecialTokens) -> list[TagBatch]:
    """Gather a few rows into batches of similar length, each row once."""
    lengths = np.array([len(tokens) + AROUND for tokens, _ in rows], dtype=np.int64)
    plan = epoch_plan(lengths, lengths, settings, 0, 0)
    chosen = (plan[number] for number in range(len(plan)))
    return [make_tag_batch([rows[i] for i in one], one, special) for one in chosen]


class TagStream(Endless[EpochPlan, TagBatch]):
    """Sentences of a store, each exactly once per epoch, in an order fixed by the seed."""

    def __init__(
        self, store: TokenStore, settings: BatchSettings, seed: int, special: SpecialTokens
    ) -> None:
        self.store, self.settings, self.seed, self.special = (store, settings, seed, special)

    def plan(self, epoch: int) -> EpochPlan:
        """Say which sentences stand together: those of similar length."""
        if not len(self.store):
            raise DataError("there is no sentence to train on.")
        lengths = self.store.source_lengths - 1 + AROUND  # each is stored with one mark after it
        return epoch_plan(lengths, lengths, self.settings, self.seed, epoch)

    def batch(self, plan: EpochPlan, number: int, epoch: int) -> TagBatch:
        """Make one batch of a plan."""
        examples = plan[number]
        stored = (self.store.example(int(index)) for index in examples)
        rows = [(ids[:-1].tolist(), asked[:-1].tolist()) for ids, asked in stored]
        return make_tag_batch(rows, examples, self.special)
