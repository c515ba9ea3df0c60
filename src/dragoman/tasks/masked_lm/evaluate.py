"""Judging a masked language model: how well it predicts masked words of unseen text.

What is masked is chosen as in training, but by a seed of its own and once for all: each validation
and each evaluation asks the same questions.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from dragoman.config.batches import BatchSettings
from dragoman.config.reading import read_recipe
from dragoman.config.task import MaskedTaskSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.masked_stream import masked_stream
from dragoman.data.batching.text_batch import TextBatch
from dragoman.data.batching.text_store import TextStore
from dragoman.data.corpus.text import Document
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.metrics.perplexity import perplexity
from dragoman.tasks.common.card import store_scores
from dragoman.tasks.common.text_preparation import documents_to_test
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel
from dragoman.tasks.masked_lm.masking import special_tokens_of
from dragoman.tasks.masked_lm.objective import MaskedObjective, MaskedResult
from dragoman.tasks.masked_lm.report import REPORT

SEED = 0
"""Decides what is masked in held-out text, whatever the recipe's seed."""


@dataclass(frozen=True)
class MaskedEvaluation:
    """The evaluation of masked word prediction on one test set."""

    name: str
    documents: int
    hidden_words: int
    """Tokens that were asked for."""
    nats_per_token: float
    perplexity: float
    """Of a masked word; only models with the same vocabulary can be compared by it."""
    accuracy: float
    """Share of the masked words whose likeliest prediction was right."""
    follows_accuracy: float | None
    """Share of the pairs of segments that were judged rightly; None where none were."""
    seed: int = SEED
    """Decided what was masked."""

    def summary(self) -> dict[str, Any]:
        """Return what is stored."""
        return asdict(self)

    def text(self) -> str:
        """Lay it out for people."""
        lines = [
            f"{self.name}: {self.documents:,} documents, {self.hidden_words:,} masked tokens "
            f"(seed {self.seed})",
            f"  accuracy      {100 * self.accuracy:9.2f}  % of the masked tokens are predicted",
        ]
        if self.follows_accuracy is not None:
            share = 100 * self.follows_accuracy
            lines.append(f"  next sentence {share:9.2f}  % of the pairs are classified correctly")
        lines += [
            f"  perplexity    {self.perplexity:9.2f}  per masked token of this vocabulary",
            f"  loss          {self.nats_per_token:9.3f}  nats per masked token",
        ]
        return "\n".join(lines)


def masked_batches(
    tokenizer: Tokenizer,
    documents: Sequence[Document],
    task: MaskedTaskSettings,
    settings: BatchSettings,
) -> list[TextBatch]:
    """Mask words of held-out documents, always the same ones, and gather rows in batches."""
    encoded = (tokenizer.encode_batch(document) for document in documents)
    store = TextStore.of(encoded, tokenizer.newline)
    stream = masked_stream(
        task, store, tokenizer, settings, SEED, special=special_tokens_of(tokenizer)
    )
    plan = stream.plan(0)
    return [stream.batch(plan, number, 0) for number in range(len(plan))]


def predict_masked(
    objective: MaskedObjective,
    batches: Sequence[TextBatch],
    device: torch.device,
    check: Callable[[int], None] = lambda _: None,
) -> MaskedResult:
    """Predict all that is masked; `check` is called after each batch."""
    found = MaskedResult()
    for batch in batches:
        found += objective.predict(batch, device)[1]
        check(0)
    return found


def evaluate_masked(
    run: Path, files: Sequence[Path] = (), after: Callable[[int], None] = lambda _: None
) -> list[MaskedEvaluation]:
    """Judge a masked language model on its test set (or on given files); store scores and card."""
    folder = trained_run(run)
    recipe = read_recipe(folder.recipe)
    settings = recipe.task_for(MaskedTaskSettings)
    filler = MaskedLanguageModel.load(run)
    objective = MaskedObjective(filler.model, ObjectiveSettings())
    judged = []
    for name, documents in documents_to_test(run, files).items():
        batches = masked_batches(filler.tokenizer, documents, settings, recipe.batches)
        found = predict_masked(objective, batches, filler.device)
        judged.append(_judged(name, len(documents), found))
        after(len(documents))
    store_scores(folder, judged, REPORT, files)
    return judged


def _judged(name: str, documents: int, found: MaskedResult) -> MaskedEvaluation:
    surprise = perplexity(found.nats, found.asked)
    return MaskedEvaluation(
        name=name,
        documents=documents,
        hidden_words=found.asked,
        nats_per_token=surprise.nats_per_token,
        perplexity=surprise.perplexity,
        accuracy=found.accuracy,
        follows_accuracy=found.follows_accuracy,
    )
