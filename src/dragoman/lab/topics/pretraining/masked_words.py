"""Claims on BERT's two tasks: masked words, and whether one segment follows another."""

import math
from collections import Counter

import numpy as np
import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.encoder import EncoderSettings
from dragoman.config.settings import Settings
from dragoman.config.task import MaskedTaskSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.masking import Masker
from dragoman.data.batching.sentences import NextSentences
from dragoman.data.batching.text_batch import TextBatch, TextRow, make_text_batch
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.special_tokens import END, FIRST_PIECE, MASK, OURS, PAD, START
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Criterion, Evidence, equal
from dragoman.lab.topics.transformer.networks import drawn, scrambled
from dragoman.neural.models.encoder import Encoder
from dragoman.plots.lab import Bars
from dragoman.tasks.masked_lm.objective import MaskedObjective

SURE = 5.3
"""Standard deviations that a count exceeds by chance once in ten million times."""
SINGLE = 1e-6
"""How far apart results may be that were in single precision on the way."""
ENTRIES = FIRST_PIECE + 60


class MaskerSettings(Settings):
    """How words are masked, and how many."""

    chosen: float = Field(default=0.15, gt=0.0, lt=1.0)
    """Share of the words that are chosen to be predicted."""
    masked: float = Field(default=0.8, ge=0.0, le=1.0)
    """Share of the chosen words that become the mask."""
    replaced: float = Field(default=0.1, ge=0.0, le=1.0)
    """Share of the chosen words that become a random word (at most what is not masked)."""
    rows: int = Field(default=1000, ge=1, le=3000)
    """How many rows are masked."""
    length: int = Field(default=40, ge=1, le=100)
    """Words of a row."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the rows and of the masking."""


def _near(name: str, count: int, of: int, share: float) -> Criterion:
    """Compare a count with a share, within what chance allows."""
    tolerance = SURE * math.sqrt(max(1.0, of * share * (1 - share)))
    return equal(name, count, of * share, tolerance)


@claim(
    "D31",
    "BERT predicts 15 % of the words of a text. Of these, 80 % are replaced by the mask token, "
    "10 % by a random word, and 10 % are left unchanged.",
    r"0.15 \cdot (0.80 + 0.10 + 0.10) = 0.12 + 0.015 + 0.015",
    notes="80 % of the words become the mask, 10 % a random word and 10 % stay unchanged, without "
    "saying that this holds for the 15 % that are chosen, not for all words.",
)
def masker_shares(settings: MaskerSettings) -> Evidence:
    """Mask many rows with the product's masker, and count what became of their words."""
    fates = _fates(settings, settings.masked, settings.replaced)
    count, chosen = settings.rows * settings.length, fates["chosen"]
    expected = settings.rows * max(1.0, settings.chosen * settings.length)
    return Evidence(
        stated=[
            equal("words that are chosen", chosen, expected, SURE * math.sqrt(settings.rows) / 2),
            *_shares("of these", fates, settings.masked, settings.replaced),
            *_shares("with 50, 30 and 20 %", _fates(settings, 0.5, 0.3), 0.5, 0.3),
            equal("words that changed without being chosen", fates["changed"], 0),
        ],
        numbers={
            "words": count,
            "chosen, %": 100 * chosen / count,
            "masked, % of the chosen": 100 * fates["masked"] / max(1, chosen),
            "masked, % of all": 100 * fates["masked"] / count,
        },
        plot=[
            Bars(
                "share of all words, %",
                ["chosen", "masked", "replaced", "unchanged"],
                [
                    [100 * fates[name] / count]
                    for name in ("chosen", "masked", "replaced", "unchanged")
                ],
            )
        ],
    )


def _fates(settings: MaskerSettings, masked: float, replaced: float) -> Counter[str]:
    """Mask random rows with these shares, and count what became of their words."""
    task = MaskedTaskSettings(
        mlm_probability=settings.chosen,
        mask_replace_prob=masked,
        random_replace_prob=replaced,
    )
    masker = Masker(task, ENTRIES, settings.seed)
    random = np.random.default_rng(settings.seed)
    fates: Counter[str] = Counter()
    for example in range(settings.rows):
        words = random.integers(FIRST_PIECE, ENTRIES, settings.length)
        row = TextRow(np.array([START, *words, END], dtype=np.int64))
        seen = masker(row, 0, example)
        chosen = np.zeros(len(row), dtype=np.bool_) if seen.labels is None else seen.labels != PAD
        hidden, kept = seen.tokens == MASK, seen.tokens == row.tokens
        fates["chosen"] += int(chosen.sum())
        fates["masked"] += int((chosen & hidden).sum())
        fates["unchanged"] += int((chosen & kept).sum())
        fates["replaced"] += int((chosen & ~hidden & ~kept).sum())
        fates["changed"] += int((~chosen & ~kept).sum())
    return fates


def _shares(name: str, fates: Counter[str], masked: float, replaced: float) -> list[Criterion]:
    """Compare what became of the chosen words with the shares, within what chance allows."""
    chosen, other = fates["chosen"], min(replaced, 1 - masked)
    lucky = other / (ENTRIES - len(OURS.all))  # a random word may happen to be the right one
    return [
        _near(f"{name}, masked", fates["masked"], chosen, masked),
        _near(f"{name}, a random word", fates["replaced"], chosen, other - lucky),
        _near(f"{name}, unchanged", fates["unchanged"], chosen, 1 - masked - other + lucky),
    ]


class NextSentenceSettings(Settings):
    """Documents of several lines, and how often pairs are drawn from them."""

    documents: int = Field(default=8, ge=2, le=64)
    """How many documents there are."""
    lines: int = Field(default=5, ge=2, le=20)
    """Lines of a document."""
    epochs: int = Field(default=100, ge=1, le=400)
    """How often each pair is drawn anew."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the pairs and of the weights."""


@claim(
    "E147",
    "BERT learns two tasks at once: to predict masked words, and to tell whether the second of two "
    "segments really follows the first, which is true of half of the pairs. The loss is the mean "
    "over the masked words plus the mean over the pairs.",
    r"L = -\frac{1}{\lvert M \rvert} \sum_{i \in M} \log p(w_i \mid \tilde w) "
    r"- \frac{1}{B} \sum_{b} \log p(\mathrm{follows}_b \mid \tilde w)",
)
def two_questions(settings: NextSentenceSettings) -> Evidence:
    """Draw pairs of segments with numbered words, see which follow, and write out the loss."""
    words = 4 * settings.documents * settings.lines
    first = FIRST_PIECE
    lines = [[first + 4 * n + k for k in range(4)] for n in range(words // 4)]
    documents = [lines[n : n + settings.lines] for n in range(0, len(lines), settings.lines)]
    pairs = NextSentences(TextStore.of(documents, first + words), 64, settings.seed)
    rows = [pairs.row(epoch, n) for epoch in range(settings.epochs) for n in range(len(pairs))]
    right = sum(row.follows == _truly_follows(row.tokens.tolist()) for row in rows)
    marked = sum(_segments_by_hand(row) == _segments(row) for row in rows)
    follows = sum(row.follows or 0 for row in rows)
    masker = Masker(MaskedTaskSettings(next_sentence=True), first + words + 1, settings.seed)
    batch = make_text_batch([masker(row, 0, n) for n, row in enumerate(rows[:8])])
    chosen = EncoderSettings(
        width=8, heads=2, layers=1, ffn_width=16, dropout=0.0, segments=2, pooler=True,
        next_sentence_head=True,
    )  # fmt: skip
    model = scrambled(drawn(lambda: Encoder(chosen, first + words + 1), 1), settings.seed)
    objective = MaskedObjective(model, ObjectiveSettings(label_smoothing=0.0))
    found = objective.loss(batch, torch.device("cpu")).smoothed.item()
    found /= objective.denominator(batch)
    return Evidence(
        stated=[
            equal("pairs with the right label", right, len(rows)),
            equal("pairs with the right segment numbers", marked, len(rows)),
            _near("pairs that follow", follows, len(rows), 0.5),
            equal("loss, against its equation", found, _loss_by_hand(model, batch), SINGLE),
        ],
        numbers={"pairs": len(rows), "that follow": follows, "loss, nats": found},
    )


def _truly_follows(tokens: list[int]) -> int:
    """Return 1 if the second segment begins with the word after the last of the first."""
    seam = tokens.index(END)
    last, after = tokens[seam - 1], tokens[seam + 1]
    return int(after == last + 1)


def _segments(row: TextRow) -> list[int]:
    return [] if row.segments is None else row.segments.tolist()


def _segments_by_hand(row: TextRow) -> list[int]:
    """Return 0 up to the first END, and 1 after it."""
    tokens = row.tokens.tolist()
    seam = tokens.index(END)
    return [int(place > seam) for place in range(len(tokens))]


def _loss_by_hand(model: Encoder, batch: TextBatch) -> float:
    """Return the mean over the masked words plus the mean over the pairs."""
    tokens, labels = torch.from_numpy(batch.tokens), torch.from_numpy(batch.labels)
    answers = torch.from_numpy(np.zeros(0) if batch.follows is None else batch.follows).long()
    with torch.no_grad():
        states = model.states(tokens, tokens.ne(PAD), torch.from_numpy(batch.segments))
        scores = model.words(states).flatten(0, 1)
        words = F.cross_entropy(scores, labels.flatten(), ignore_index=PAD)
        pairs = F.cross_entropy(model.follows(model.pooled(states)), answers)
    return (words + pairs).item()
