"""Training a masked language model: rows with masked words, judged by how many are predicted."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dragoman.config.encoder import EncoderSettings
from dragoman.config.recipe import Recipe
from dragoman.config.task import MaskedTaskSettings
from dragoman.core.errors import ConfigError
from dragoman.data.batching.masked_stream import MaskedStream, masked_stream
from dragoman.data.batching.text_batch import TextBatch
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import SpecialTokens
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import build_encoder
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.tasks.common.fine_tuning import start_network
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.common.positions import check_positions
from dragoman.tasks.common.samples import SAMPLES
from dragoman.tasks.common.text_preparation import documents_to_test, prepare_texts
from dragoman.tasks.masked_lm.evaluate import evaluate_masked, masked_batches, predict_masked
from dragoman.tasks.masked_lm.masked_language_model import MARK, MaskedLanguageModel
from dragoman.tasks.masked_lm.masking import special_tokens_of
from dragoman.tasks.masked_lm.objective import MaskedObjective
from dragoman.tasks.masked_lm.report import REPORT

LONGEST_SAMPLE = 40
"""Tokens of an example that are shown."""


class MaskedLanguageModelTask:
    """A network that reads from both sides, and its plain text."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the corpus and build the network; refuse one that lacks what the task needs."""
        settings = recipe.task_for(MaskedTaskSettings)
        network = recipe.model_for(MaskedTaskSettings)
        check_network(network, settings, recipe.batches.max_length)
        self.recipe, self.settings, self.runtime = recipe, settings, runtime
        self.prepared = prepared = prepare_texts(run, recipe, recipe.corpus_for(MaskedTaskSettings))
        tokenizer = prepared.tokenizer
        model = start_network(
            recipe,
            TokenizerPair(tokenizer, tokenizer),
            lambda pair: build_encoder(network, pair.source, recipe.seed),
            fresh=fresh,
        ).to(runtime.device)
        model.checkpointing = recipe.training.gradient_checkpointing
        self.objective = MaskedObjective(model, recipe.objective)
        self.notes: dict[str, str] = {}
        self.special_tokens = special_tokens_of(tokenizer)
        self.guesses = tokenizer.size
        self.held_out = len(prepared.valid)
        self.batches = masked_batches(tokenizer, prepared.valid, settings, recipe.batches)

    def train_batches(self) -> MaskedStream:
        """Return the batches, with words masked as each epoch masks them."""
        recipe, prepared = self.recipe, self.prepared
        return masked_stream(
            self.settings,
            prepared.store,
            prepared.tokenizer,
            recipe.batches,
            recipe.seed,
            special=self.special_tokens,
        )

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Return nats per masked word, and the accuracy of masked words and of pairs.

        In the held-out text the same words are masked at every validation.
        """
        guessed = predict_masked(self.objective, self.batches, self.runtime.device, check)
        figures = {"accuracy": guessed.accuracy}
        follows = guessed.follows_accuracy
        if follows is not None:
            figures["follows_accuracy"] = follows
        few = _distinct_rows(self.batches[0], self.special_tokens)
        best = self.objective.predict(few, self.runtime.device)[0].cpu().numpy()
        return ValidationResult(
            guessed.loss, figures, _samples(self.prepared.tokenizer, self.special_tokens, few, best)
        )


def check_network(model: EncoderSettings, task: MaskedTaskSettings, longest: int) -> None:
    """Refuse a network without a part that the task asks for, or with too few positions."""
    missing = [] if model.lm_head != "none" else ["model.lm_head = 'bert'"]
    if task.next_sentence:
        parts = {
            "model.next_sentence_head = true": model.next_sentence_head,
            "model.pooler = true": model.pooler,
            "model.segments = 2": model.segments >= 2,
        }
        missing += [key for key, there in parts.items() if not there]
    if missing:
        why = "task.next_sentence = true" if task.next_sentence else "task.kind = 'masked-lm'"
        raise ConfigError(f"{why} needs parts that the network lacks. Set {', '.join(missing)}.")
    check_positions(model, longest)


def _distinct_rows(batch: TextBatch, special_tokens: SpecialTokens) -> TextBatch:
    """Return a few rows, no two of which begin with the same document."""
    first: dict[bytes, int] = {}
    for row, right in enumerate(_unmasked(batch, special_tokens)):
        shown = right[batch.documents[row] == 1][:LONGEST_SAMPLE]
        first.setdefault(shown.tobytes(), row)
    rows = [*first.values()][:SAMPLES]
    return replace(
        batch,
        tokens=batch.tokens[rows],
        labels=batch.labels[rows],
        documents=batch.documents[rows],
        segments=batch.segments[rows],
        follows=None if batch.follows is None else batch.follows[rows],
        examples=batch.examples[rows],
    )


def _unmasked(batch: TextBatch, special_tokens: SpecialTokens) -> NDArray[np.int64]:
    """Return the tokens as they stood before some were masked."""
    return np.where(batch.labels != special_tokens.padding, batch.labels, batch.tokens)


def _samples(
    tokenizer: Tokenizer, special_tokens: SpecialTokens, batch: TextBatch, best: NDArray[np.int64]
) -> tuple[dict[str, str], ...]:
    """Show the first document of each row: what was read, what was predicted, what is right."""
    asked = batch.labels != special_tokens.padding
    guessed = batch.tokens.copy()
    guessed[asked] = best
    right = _unmasked(batch, special_tokens)
    sign = tokenizer.pieces[special_tokens.mask]

    def readable(ids: NDArray[np.int64]) -> str:
        text = tokenizer.decode(ids[:LONGEST_SAMPLE])
        return " ".join(text.replace(sign, f" {MARK} ").split())

    return tuple(
        {
            name: readable(ids[row][batch.documents[row] == 1])
            for name, ids in (("source", batch.tokens), ("output", guessed), ("reference", right))
        }
        for row in range(len(batch.tokens))
    )


KIND = TaskKind(
    MaskedLanguageModelTask,
    MaskedLanguageModel.load,
    REPORT,
    documents_to_test,
    evaluate_masked,
    "reading",
)
