"""Judging a network: masked words, pairs, a probe of its states, and the text that it writes."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.task import MaskedTaskSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.masking import Masker
from dragoman.data.batching.sentences import FullSentences, NextSentences
from dragoman.data.batching.text_batch import TextRow, make_text_batch
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.special_tokens import END, FIRST_PIECE, MASK, PAD, START
from dragoman.lab.baselines.regression import regression
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.encoder import Encoder
from dragoman.tasks.masked_lm.objective import MaskedObjective, MaskedResult

CPU = torch.device("cpu")
TOGETHER = 128
DECAY = 1.0
"""Of the probe's weights."""
ALL_MASKED = MaskedTaskSettings(mask_replace_prob=1.0, random_replace_prob=0.0)


def masked_words(model: Encoder, store: TextStore, entries: int) -> MaskedResult:
    """Return how well masked words of unseen text are predicted; the masks are always the same."""
    rows = FullSentences(store, 64)
    masker = Masker(ALL_MASKED, entries, 0)
    return _judged(model, [masker(rows.row(0, n), 0, n) for n in range(len(rows))])


def next_sentences(model: Encoder, store: TextStore, entries: int, epochs: int) -> MaskedResult:
    """Return how often a network is right on whether a segment follows; one word is masked."""
    pairs = NextSentences(store, 64, 0)
    masker = Masker(ALL_MASKED.model_copy(update={"mlm_probability": 1e-6}), entries, 0)
    rows = [
        masker(pairs.row(epoch, n), epoch, n) for epoch in range(epochs) for n in range(len(pairs))
    ]
    return _judged(model, rows)


def _judged(model: Encoder, rows: Sequence[TextRow]) -> MaskedResult:
    objective = MaskedObjective(model, ObjectiveSettings(label_smoothing=0.0))
    found = MaskedResult()
    for begin in range(0, len(rows), TOGETHER):
        batch = make_text_batch(rows[begin : begin + TOGETHER])
        found += objective.predict(batch, CPU)[1]
    return found


@torch.no_grad()
def mean_states(model: Encoder, texts: Sequence[Sequence[int]]) -> Tensor:
    """Return the mean of the last states of each text, which is read without any mask."""
    found = []
    for begin in range(0, len(texts), TOGETHER):
        tokens = _rows(texts[begin : begin + TOGETHER])
        words = tokens.ge(FIRST_PIECE).unsqueeze(2)  # b n 1
        states = model.states(tokens).masked_fill(~words, 0.0)
        found.append(states.sum(dim=1) / words.sum(dim=1).clamp(min=1))
    return torch.cat(found)


def _rows(texts: Sequence[Sequence[int]]) -> Tensor:
    """Return texts as they are read, each between its marks: b n."""
    rows = [TextRow(np.array([START, *ids, END], dtype=np.int64)) for ids in texts]
    return torch.from_numpy(make_text_batch(rows).tokens)


def probe(
    model: Encoder,
    train: tuple[Sequence[Sequence[int]], Sequence[str]],
    test: tuple[Sequence[Sequence[int]], Sequence[str]],
) -> float:
    """Return the share of unseen texts whose class a logistic regression on the states tells."""
    classes = sorted(set(train[1]))
    numbers = {label: number for number, label in enumerate(classes)}
    seen, unseen = mean_states(model, train[0]), mean_states(model, test[0])
    mean, deviation = seen.mean(dim=0), seen.std(dim=0).clamp(min=1e-6)
    true = torch.tensor([numbers[label] for label in train[1]])
    weights, bias = regression((seen - mean) / deviation, true, len(classes), DECAY)
    said = ((unseen - mean) / deviation @ weights + bias).argmax(dim=1).tolist()
    wanted = [numbers.get(label, -1) for label in test[1]]
    return sum(one == other for one, other in zip(said, wanted, strict=True)) / len(wanted)


@torch.no_grad()
def visible_words(model: Encoder, texts: Sequence[Sequence[int]]) -> float:
    """Return the cross entropy, in nats a word, of words that stand in plain sight."""
    nats, count = 0.0, 0
    for begin in range(0, len(texts), TOGETHER):
        tokens = _rows(texts[begin : begin + TOGETHER])
        words = tokens.ge(FIRST_PIECE)
        scores = model.words(model.states(tokens)[words][None])[0]
        nats += F.cross_entropy(scores, tokens[words], reduction="sum").item()
        count += int(words.sum())
    return nats / max(1, count)


@torch.no_grad()
def write_masked(
    model: Encoder, lengths: Sequence[int], sweeps: int, generator: torch.Generator
) -> list[list[int]]:
    """Write texts of given lengths by Gibbs sampling: from masks alone, one word after another.

    Each sweep visits the places in a random order, masks the word there and draws it anew.
    """
    written: list[list[int]] = []
    for length in sorted(set(lengths)):
        rows = sum(one == length for one in lengths)
        tokens = torch.full((rows, length + 2), MASK)
        tokens[:, 0], tokens[:, -1] = START, END
        for _ in range(sweeps):
            for place in (1 + torch.randperm(length, generator=generator)).tolist():
                tokens[:, place] = MASK
                states = model.states(tokens)[:, place : place + 1]
                tokens[:, place] = _draw(model.words(states)[:, 0], generator, ())
        written += tokens[:, 1:-1].tolist()
    return written


@torch.no_grad()
def write_causal(
    model: DecoderOnly, count: int, longest: int, generator: torch.Generator
) -> list[list[int]]:
    """Write texts from left to right, each word drawn as likely as the model has it."""
    tokens = torch.full((count, 1), START)
    for _ in range(longest + 1):
        scores = model.output(model.read(tokens)[:, -1])
        new = _draw(scores, generator, (END,))
        new[tokens[:, -1].eq(END) | tokens[:, -1].eq(PAD)] = PAD
        tokens = torch.cat((tokens, new[:, None]), dim=1)
    return [[one for one in row if one not in (START, END, PAD)] for row in tokens.tolist()]


def _draw(scores: Tensor, generator: torch.Generator, allowed: Sequence[int]) -> Tensor:
    """Draw a word, or another token that is allowed."""
    banned = torch.ones(FIRST_PIECE, dtype=torch.bool)
    banned[list(allowed)] = False
    scores = scores.clone()
    scores[:, :FIRST_PIECE][:, banned] = -math.inf
    return torch.multinomial(scores.softmax(dim=1), 1, generator=generator)[:, 0]


def known_pairs(texts: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Return every pair of neighbors, the start and the end of a text among them."""
    return {pair for ids in texts for pair in pairwise((START, *ids, END))}


def share_in_order(texts: Sequence[Sequence[int]], known: set[tuple[int, int]]) -> float:
    """Return the share of texts in which every word may follow the one before it."""
    right = sum(all(pair in known for pair in pairwise((START, *ids, END))) for ids in texts)
    return right / len(texts)
