"""Judging a language model: perplexity and bits per byte of unseen text."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dragoman.data.corpus.text import Document
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.metrics.perplexity import perplexity
from dragoman.tasks.common.card import store_scores
from dragoman.tasks.common.text_preparation import documents_to_test
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.language_model.report import REPORT

TOGETHER = 64
"""Documents scored between two signs of life."""


@dataclass(frozen=True)
class LanguageModelEvaluation:
    """The evaluation of a language model on one test set: perplexity and bits per byte."""

    name: str
    documents: int
    tokens: int
    """Tokens that were asked for: those of the text, and the end of each document."""
    bytes: int
    nats_per_token: float
    perplexity: float
    """Of a token; only models with the same vocabulary can be compared by it."""
    bits_per_byte: float
    """Of the text; any two models can be compared by it."""

    def summary(self) -> dict[str, Any]:
        """Return what is stored."""
        return asdict(self)

    def text(self) -> str:
        """Lay it out for people."""
        return (
            f"{self.name}: {self.documents:,} documents, {self.tokens:,} tokens\n"
            f"  perplexity    {self.perplexity:9.2f}  per token of this vocabulary\n"
            f"  bits per byte {self.bits_per_byte:9.3f}  of the text"
        )


def score_documents(
    writer: LanguageModel,
    documents: Sequence[Document],
    name: str,
    after: Callable[[int], None] = lambda _: None,
) -> LanguageModelEvaluation:
    """Score documents, every token once."""
    nats, tokens, size = 0.0, 0, 0
    for begin in range(0, len(documents), TOGETHER):
        group = documents[begin : begin + TOGETHER]
        for one in writer.score(["\n".join(document) for document in group]):
            nats -= one.total
            tokens += len(one.pieces)
            size += one.bytes
        after(len(group))
    found = perplexity(nats, tokens)
    bits = nats / max(1, size) / math.log(2)
    return LanguageModelEvaluation(
        name, len(documents), tokens, size, found.nats_per_token, found.perplexity, bits
    )


def evaluate_texts(
    run: Path, files: Sequence[Path] = (), after: Callable[[int], None] = lambda _: None
) -> list[LanguageModelEvaluation]:
    """Judge a language model on its test set (or on given files); store scores and card."""
    folder = trained_run(run)
    writer = LanguageModel.load(run)
    sets = documents_to_test(run, files)
    judged = [score_documents(writer, documents, name, after) for name, documents in sets.items()]
    store_scores(folder, judged, REPORT, files)
    return judged
