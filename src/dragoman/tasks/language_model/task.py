"""Training a causal language model: chunks of documents, judged by bits per byte."""

import math
from collections.abc import Callable

from dragoman.config.recipe import Recipe
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.config.task import LanguageTaskSettings
from dragoman.data.batching.chunks import ChunkStream
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.text_special_tokens import text_special_tokens
from dragoman.engine.build import build_language_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.tasks.common.fine_tuning import start_network
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.common.lines import encode_document
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.positions import check_positions
from dragoman.tasks.common.text_preparation import documents_to_test, prepare_texts
from dragoman.tasks.language_model.evaluate import evaluate_texts
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.language_model.objective import NextTokenObjective
from dragoman.tasks.language_model.report import REPORT
from dragoman.tasks.language_model.validation_texts import chunk_batches, size_of


class LanguageModelTask:
    """A language model and its plain text."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the corpus and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        settings = recipe.model_for(LanguageTaskSettings)
        corpus = recipe.corpus_for(LanguageTaskSettings)
        self.prepared = prepared = prepare_texts(run, recipe, corpus, encode=encode_document)
        check_positions(settings, recipe.batches.max_length)
        self.packed = not isinstance(settings, RecurrentLanguageSettings)
        tokenizer = prepared.tokenizer
        model = start_network(
            recipe,
            TokenizerPair(tokenizer, tokenizer),
            lambda pair: build_language_model(settings, pair.source, recipe.seed),
            fresh=fresh,
        )
        if isinstance(model, DecoderOnly):
            model.checkpointing = recipe.training.gradient_checkpointing
        self.objective = NextTokenObjective(model.to(runtime.device), recipe.objective)
        self.notes: dict[str, str] = {}
        self.guesses = tokenizer.size
        self.held_out = len(prepared.valid)
        self.batches = chunk_batches(tokenizer, prepared.valid, recipe.batches, self.packed)
        self.size = size_of(tokenizer, prepared.valid)

    def train_batches(self) -> ChunkStream:
        """Return the batches: packed rows, or rows of one chunk for recurrent networks."""
        recipe, prepared = self.recipe, self.prepared
        special = text_special_tokens(prepared.tokenizer)
        return ChunkStream(
            prepared.store, recipe.batches, recipe.seed, packed=self.packed, special=special
        )

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Return nats per token, and what they mean whatever the vocabulary: bits per byte."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        nats = loss * self.size.tokens
        return ValidationResult(loss, {"bits_per_byte": nats / self.size.bytes / math.log(2)})


KIND = TaskKind(
    LanguageModelTask, LanguageModel.load, REPORT, documents_to_test, evaluate_texts, "reading"
)
