"""Training a model to write what was cut out of a text (T5), judged by the spans it restores."""

from collections.abc import Callable
from pathlib import Path
from typing import Never

from dragoman.config.recipe import Recipe
from dragoman.config.start import StartSettings
from dragoman.config.task import SpansTaskSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError, RunError
from dragoman.data.batching.spans import SpanCorruption, as_sources
from dragoman.data.batching.stream import BatchStream
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import build_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.tasks.common.fine_tuning import start_network
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.positions import check_positions
from dragoman.tasks.common.samples import distinct_samples
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
from dragoman.tasks.common.text_preparation import documents_to_test, prepare_texts
from dragoman.tasks.span_corruption.evaluate import (
    evaluate_spans,
    exact_share,
    span_batches,
    write_spans,
)
from dragoman.tasks.span_corruption.report import REPORT


class SpanCorruptionTask:
    """The network of a translator, from texts with gaps to what was cut out of them."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the corpus and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        settings = recipe.task_for(SpansTaskSettings)
        model_settings = recipe.model_for(SpansTaskSettings)
        check_network(model_settings, recipe.batches.max_length)
        corpus = recipe.corpus_for(SpansTaskSettings)
        prepared = prepare_texts(run, recipe, corpus, check_start=_check_own_marks)
        tokenizer = prepared.tokenizer
        model = start_network(
            recipe,
            TokenizerPair(tokenizer, tokenizer),
            lambda pair: build_model(model_settings, pair, recipe.seed),
            fresh=fresh,
        ).to(runtime.device)
        model.checkpointing = recipe.training.gradient_checkpointing
        self.objective = SequenceToSequenceObjective(model, recipe.objective)
        self.tokenizer = tokenizer
        self.texts = as_sources(prepared.store, settings, recipe.batches.max_length)
        self.corruption = SpanCorruption(settings, len(self.texts), recipe.seed)
        self.notes = {"longest_source": str(recipe.batches.max_length)}
        self.guesses = tokenizer.size
        self.held_out = len(prepared.valid)
        self.batches = span_batches(tokenizer, prepared.valid, settings, recipe.batches)
        few = prepared.valid[: recipe.training.validation_sentences]  # in random order
        self.few = span_batches(tokenizer, few, settings, recipe.batches)
        """A random sample of the held-out text, whose spans are written at each validation."""

    def train_batches(self) -> BatchStream:
        """Return the batches, with other spans cut out in each epoch."""
        recipe = self.recipe
        return BatchStream(self.texts, recipe.batches, recipe.seed, None, self.corruption)

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Write the spans of some held-out texts, and count those that are right throughout."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        model, decoding = self.objective.model, self.recipe.decoding
        written = write_spans(model, self.few, decoding, self.runtime.device, check)
        each = (one.sample(self.tokenizer) for one in written)
        samples = distinct_samples(each, by="reference")  # the gaps of a text may differ
        return ValidationResult(loss, {"exact_spans": exact_share(written)}, samples)


def _check_own_marks(start: StartSettings, tokenizer: Tokenizer) -> None:
    """Refuse an imported vocabulary, which has marks of its own."""
    if isinstance(tokenizer, ImportedTokenizer):
        raise ConfigError(
            f"start.from: {start.run} was imported and has special tokens of its own, which "
            "task.kind = 'span-corruption' does not know yet. "
            "Start from a run that was trained here."
        )


def check_network(model: TransformerSettings, longest: int) -> None:
    """Refuse a network that cannot begin without pairs, or that has too few positions."""
    if model.initialization == "dictionary":
        raise ConfigError(
            "model.initialization = 'dictionary' is counted out of sentence pairs, and plain text "
            "has none. Set model.initialization = 'xavier'."
        )
    check_positions(model, longest)


def load(run: str | Path, *, device: str = "auto") -> Never:
    """Refuse to load what is there to be fine-tuned."""
    raise RunError(
        f"{run}: a network that restores spans is there to be fine-tuned. Start another "
        "run from it (start.from), or judge it with `dragoman evaluate`."
    )


KIND = TaskKind(SpanCorruptionTask, load, REPORT, documents_to_test, evaluate_spans, "writing")
