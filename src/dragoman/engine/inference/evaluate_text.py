"""Judging a language model: perplexity and bits per byte of unseen text."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from dragoman.config.corpus import ImportedCorpus, TextCorpus
from dragoman.config.reading import read_recipe
from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out_texts import load_held_out_texts
from dragoman.data.corpus.text import Document, read_documents
from dragoman.data.formats.findings import Findings
from dragoman.engine.checkpoint.folder import trained
from dragoman.engine.inference.card import store_scores
from dragoman.engine.inference.writer import Writer
from dragoman.metrics.perplexity import perplexity

TOGETHER = 64
"""Documents scored between two signs of life."""


@dataclass(frozen=True)
class TextJudged:
    """How surprised a language model is by one test set."""

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


def judge_texts(
    writer: Writer,
    documents: Sequence[Document],
    name: str,
    after: Callable[[int], None] = lambda _: None,
) -> TextJudged:
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
    return TextJudged(
        name, len(documents), tokens, size, found.nats_per_token, found.perplexity, bits
    )


def documents_to_test(run: Path, files: Sequence[Path]) -> dict[str, list[Document]]:
    """Return the text to test a run on: its own held-out documents, or the given files."""
    folder = trained(run)
    corpus = read_recipe(folder.recipe).corpus
    if not files:
        if isinstance(corpus, ImportedCorpus):
            raise DataError(f"{run}: was imported without any text. Name a file to test it on.")
        return {"test": load_held_out_texts(folder.data).test}
    paragraphs = isinstance(corpus, TextCorpus) and corpus.documents == "paragraphs"
    lines = not paragraphs and not isinstance(corpus, ImportedCorpus)
    found = list(read_documents(files, lines=lines, repair=True, findings=Findings()))
    if not found:
        raise DataError(f"{files[0]}: holds no text to test on.")
    return {files[0].name.split(".")[0]: found}


def evaluate_texts(
    run: Path, files: Sequence[Path] = (), after: Callable[[int], None] = lambda _: None
) -> list[TextJudged]:
    """Judge a language model on its test set (or on given files); store scores and card."""
    folder = trained(run)
    writer = Writer.load(run)
    sets = documents_to_test(run, files)
    judged = [judge_texts(writer, documents, name, after) for name, documents in sets.items()]
    store_scores(folder, {one.name: asdict(one) for one in judged})
    return judged
