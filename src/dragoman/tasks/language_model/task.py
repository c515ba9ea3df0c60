"""Training a causal language model: chunks of documents, judged by bits per byte."""

import math
from collections.abc import Callable

from dragoman.config.recipe import Recipe
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.core.errors import ConfigError
from dragoman.data.batching.chunks import ChunkStream
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.text_special_tokens import text_special_tokens
from dragoman.engine.build import build_language_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.tasks.common.fine_tuning import start_network
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.text_preparation import prepare_texts
from dragoman.tasks.language_model.objective import NextTokenObjective
from dragoman.tasks.language_model.validation_texts import chunk_batches, size_of


class LanguageModelTask:
    """A language model and its plain text."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the corpus and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        self.prepared = prepared = prepare_texts(run, recipe)
        _check_room(recipe)
        self.packed = not isinstance(recipe.writer, RecurrentLanguageSettings)
        tokenizer = prepared.tokenizer
        model = start_network(
            recipe,
            TokenizerPair(tokenizer, tokenizer),
            lambda pair: build_language_model(recipe.writer, pair.source, recipe.seed),
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


def _check_room(recipe: Recipe) -> None:
    """Refuse chunks that are longer than a table of positions."""
    model, batches = recipe.writer, recipe.batches
    bounded = getattr(model, "positions", "") == "learned"
    longest = getattr(model, "max_positions", batches.max_length)
    if bounded and batches.max_length > longest:
        raise ConfigError(
            f"batches.max_length = {batches.max_length} is more than model.max_positions = "
            f"{longest} learned "
            "positions. Make them equal."
        )
