"""Judging a model that writes spans: how many of those cut out of unseen text it restores exactly.

Spans are cut out as in training, but by a seed of their own and once for all: each validation and
each evaluation asks the same questions.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dragoman.config.batches import BatchSettings
from dragoman.config.task import SpansTaskSettings
from dragoman.config.training import DecodingSettings, ObjectiveSettings
from dragoman.data.batching.batch import Batch
from dragoman.data.batching.spans import SpanCorruption, as_sources, read_spans, restore
from dragoman.data.batching.stream import BatchStream
from dragoman.data.batching.text_store import TextStore
from dragoman.data.corpus.text import Document
from dragoman.data.tokenizer.special_tokens import END, PAD, START, UNKNOWN
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import TranslationModel, build_model
from dragoman.engine.checkpoint.load import load_run
from dragoman.metrics.perplexity import perplexity
from dragoman.neural.decoding.protocol import NextToken
from dragoman.neural.decoding.search import search
from dragoman.tasks.common.card import store_scores
from dragoman.tasks.common.lines import text_of
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
from dragoman.tasks.common.text_preparation import documents_to_test
from dragoman.tasks.span_corruption.report import REPORT

SEED = 0
"""Decides what is cut out of held-out text, whatever the recipe's seed."""

Ids = tuple[int, ...]


@dataclass(frozen=True)
class RestoredSpans:
    """The spans that a model wrote for a corrupted text, beside the right ones."""

    source: Ids
    right: Ids
    """All but START and END; a sentinel before each span and after the last."""
    written: Ids

    @property
    def spans(self) -> int:
        """Spans that were cut out."""
        return max(0, len(read_spans(self.right)) - 1)

    @property
    def exact(self) -> int:
        """Spans that were restored to the last token."""
        wanted, found = read_spans(self.right), read_spans(self.written)
        return sum(found.get(mark) == wanted[mark] for mark, _ in pairwise(wanted))

    def sample(self, tokenizer: Tokenizer) -> dict[str, str]:
        """Return the text with its marks, with what was written in their place, and as it was."""
        source = np.array(self.source)
        texts = (
            ("source", self.source),
            ("output", restore(source, np.array(self.written))),
            ("reference", restore(source, np.array(self.right))),
        )
        return {name: _one_line(text_of(tokenizer, ids)) for name, ids in texts}


@dataclass(frozen=True)
class SpanEvaluation:
    """The evaluation of span corruption on one test set."""

    name: str
    documents: int
    tokens: int
    """Tokens that were asked for: those of the spans, their marks and the ends."""
    nats_per_token: float
    perplexity: float
    spans: int
    exact_spans: float
    """Share of the spans that were restored to the last token, by greedy search."""
    seed: int = SEED
    """Decided what was cut out."""

    def summary(self) -> dict[str, Any]:
        """Return what is stored."""
        return asdict(self)

    def text(self) -> str:
        """Lay it out for people."""
        return (
            f"{self.name}: {self.documents:,} documents, {self.spans:,} corrupted spans "
            f"(seed {self.seed}), {self.tokens:,} target tokens\n"
            f"  exact spans   {100 * self.exact_spans:9.2f}  % are restored by greedy search\n"
            f"  perplexity    {self.perplexity:9.2f}  per token of this vocabulary\n"
            f"  loss          {self.nats_per_token:9.3f}  nats per token"
        )


def span_batches(
    tokenizer: Tokenizer,
    documents: Sequence[Document],
    task: SpansTaskSettings,
    settings: BatchSettings,
) -> list[Batch]:
    """Cut spans out of held-out documents, always the same ones, and gather them in batches."""
    encoded = (tokenizer.encode_batch(document) for document in documents)
    texts = as_sources(TextStore.of(encoded, tokenizer.newline), task, settings.max_length)
    stream = BatchStream(texts, settings, SEED, None, SpanCorruption(task, len(texts), SEED))
    plan = stream.plan(0)
    return [stream.batch(plan, number, 0) for number in range(len(plan))]


def write_spans(
    model: TranslationModel,
    batches: Sequence[Batch],
    decoding: DecodingSettings,
    device: torch.device,
    check: Callable[[int], None] = lambda _: None,
) -> list[RestoredSpans]:
    """Let a model write the spans of some texts, greedily; `check` is called after each batch."""
    greedy = decoding.model_copy(update={"beam": 1})
    writes: NextToken[Any] = model
    found: list[RestoredSpans] = []
    for batch in batches:
        sources = [_real(row) for row in batch.source]
        outputs = search(
            writes,
            torch.from_numpy(batch.source).to(device),
            [len(ids) for ids in sources],
            greedy,
            start=START,
            end=END,
            forbidden=(PAD, START, UNKNOWN),
        )
        found += [
            RestoredSpans(source[:-1], _real(right)[1:-1], output[0].tokens)
            for source, right, output in zip(sources, batch.target, outputs, strict=True)
        ]
        check(0)
    return found


def exact_share(written: Sequence[RestoredSpans]) -> float:
    """Return the share of all spans that were restored exactly."""
    return sum(one.exact for one in written) / max(1, sum(one.spans for one in written))


def evaluate_spans(
    run: Path, files: Sequence[Path] = (), after: Callable[[int], None] = lambda _: None
) -> list[SpanEvaluation]:
    """Judge a model that writes spans on its test set (or on given files); store scores, card."""
    loaded = load_run(run)
    folder, recipe, device = loaded.folder, loaded.recipe, loaded.device
    settings = recipe.task_for(SpansTaskSettings)
    tokenizer = loaded.tokenizer
    network = recipe.model_for(SpansTaskSettings)
    model = loaded.network(lambda: build_model(network, loaded.tokenizer_pair, recipe.seed))
    objective = SequenceToSequenceObjective(model, ObjectiveSettings())
    judged = []
    for name, documents in documents_to_test(run, files).items():
        batches = span_batches(tokenizer, documents, settings, recipe.batches)
        with torch.inference_mode():
            losses = [objective.loss(batch, device) for batch in batches]
        nats = sum(one.nats.item() for one in losses)
        tokens = sum(one.positions for one in losses)
        written = write_spans(model, batches, recipe.decoding, device)
        surprise = perplexity(nats, tokens)
        judged.append(
            SpanEvaluation(
                name=name,
                documents=len(documents),
                tokens=tokens,
                nats_per_token=surprise.nats_per_token,
                perplexity=surprise.perplexity,
                spans=sum(one.spans for one in written),
                exact_spans=exact_share(written),
            )
        )
        after(len(documents))
    store_scores(folder, judged, REPORT, files)
    return judged


def _real(row: NDArray[np.int64]) -> Ids:
    return tuple(number for number in row.tolist() if number != PAD)


def _one_line(text: str) -> str:
    return " ".join(text.split())
