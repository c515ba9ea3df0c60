"""Claims on BERT's two questions: the masked words, and whether a segment follows another."""

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
"""Deviations within which a count stays, but for one time in ten million."""
SINGLE = 1e-6
"""How far apart numbers are that were single precision on the way, as the answers on pairs are."""
ENTRIES = FIRST_PIECE + 60


class MaskerSettings(Settings):
    """How words are masked, and how many are looked at."""

    chosen: float = Field(default=0.15, gt=0.0, lt=1.0)
    """Share of the words that are asked for."""
    masked: float = Field(default=0.8, ge=0.0, le=1.0)
    """Share of these that become the mask."""
    replaced: float = Field(default=0.1, ge=0.0, le=1.0)
    """Share of these that become a random word, as far as the masked ones leave room."""
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
    "Of the words of a text 15 % are chosen and asked for. Of these 80 % are replaced by the mask, "
    "10 % by a random word, and 10 % stay as they are.",
    r"0.15 \cdot (0.80 + 0.10 + 0.10) = 0.12 + 0.015 + 0.015",
    notes="80 % become the mask, 10 % another word and 10 % stay, and leave out of which words: of "
    "the 15 % that are chosen, not of all.",
)
def masker_shares(settings: MaskerSettings) -> Evidence:
    """Mask many rows with the product's masker, and count what became of each word."""
    task = MaskedTaskSettings(
        mlm_probability=settings.chosen,
        mask_replace_prob=settings.masked,
        random_replace_prob=settings.replaced,
    )
    masker = Masker(task, ENTRIES, settings.seed)
    random = np.random.default_rng(settings.seed)
    fates: Counter[str] = Counter()
    for example in range(settings.rows):
        words = random.integers(FIRST_PIECE, ENTRIES, settings.length)
        row = TextRow(np.array([START, *words, END], dtype=np.int64))
        seen = masker(row, 0, example)
        asked = np.zeros(len(row), dtype=np.bool_) if seen.labels is None else seen.labels != PAD
        hidden, kept = seen.tokens == MASK, seen.tokens == row.tokens
        fates["chosen"] += int(asked.sum())
        fates["masked"] += int((asked & hidden).sum())
        fates["stay"] += int((asked & kept).sum())
        fates["replaced"] += int((asked & ~hidden & ~kept).sum())
        fates["untouched"] += int((~asked & ~kept).sum())
    count, chosen = settings.rows * settings.length, fates["chosen"]
    other = min(settings.replaced, 1 - settings.masked)
    lucky = other / (ENTRIES - len(OURS.all))  # a random word may be the right one
    expected = settings.rows * max(1.0, settings.chosen * settings.length)
    return Evidence(
        stated=[
            equal("words that are chosen", chosen, expected, SURE * math.sqrt(settings.rows) / 2),
            _near("of these, masked", fates["masked"], chosen, settings.masked),
            _near("of these, another word", fates["replaced"], chosen, other - lucky),
            _near(
                "of these, as it was", fates["stay"], chosen, 1 - settings.masked - other + lucky
            ),
            equal("words that changed without being asked for", fates["untouched"], 0),
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
                ["chosen", "masked", "replaced", "stay"],
                [[100 * fates[name] / count] for name in ("chosen", "masked", "replaced", "stay")],
            )
        ],
    )


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
    "BERT learns two things at once: to predict masked words, and whether the second of two "
    "segments truly follows the first, which half of them do. The loss is the mean over the "
    "masked words plus the mean over the pairs.",
    r"L = -\frac{1}{\lvert M \rvert} \sum_{i \in M} \log p(w_i \mid \tilde w) "
    r"- \frac{1}{B} \sum_{b} \log p(\mathrm{follows}_b \mid \tilde w)",
)
def two_questions(settings: NextSentenceSettings) -> Evidence:
    """Draw pairs of numbered words, see which follow, and write the loss out."""
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
            equal("pairs whose answer is right", right, len(rows)),
            equal("pairs whose segments are told apart", marked, len(rows)),
            _near("pairs that follow", follows, len(rows), 0.5),
            equal("loss, written out", found, _loss_by_hand(model, batch), SINGLE),
        ],
        numbers={"pairs": len(rows), "that follow": follows, "loss, nats": found},
    )


def _truly_follows(tokens: list[int]) -> int:
    """Say whether the first word of the second segment is the next after the last of the first."""
    seam = tokens.index(END)
    last, after = tokens[seam - 1], tokens[seam + 1]
    return int(after == last + 1)


def _segments(row: TextRow) -> list[int]:
    return [] if row.segments is None else row.segments.tolist()


def _segments_by_hand(row: TextRow) -> list[int]:
    """Return 0 up to the first end, and 1 after it."""
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
