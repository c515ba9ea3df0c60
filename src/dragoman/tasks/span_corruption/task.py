"""Training a model to write what was cut out of a text (T5), judged by the spans it restores."""

from collections.abc import Callable

from dragoman.config.recipe import Recipe
from dragoman.config.task import SpansTaskSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError
from dragoman.data.batching.spans import SpanCorruption, as_sources
from dragoman.data.batching.stream import BatchStream
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.build import build_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.tasks.common.fine_tuning import start_network
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
from dragoman.tasks.common.text_preparation import prepare_texts
from dragoman.tasks.span_corruption.evaluate import exact_share, span_batches, write_spans

SAMPLES = 3


class SpanCorruptionTask:
    """The network of a translator, from texts with gaps to what was cut out of them."""

    def __init__(
        self,
        run: RunFolder,
        recipe: Recipe,
        settings: SpansTaskSettings,
        runtime: Runtime,
        *,
        fresh: bool,
    ) -> None:
        """Prepare the corpus and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        model_settings = recipe.translator
        if isinstance(model_settings, TransformerSettings):
            check_network(model_settings, recipe.batches.max_length)
        prepared = prepare_texts(run, recipe)
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
        few = prepared.valid[: recipe.training.validation_sentences]
        self.few = span_batches(tokenizer, few, settings, recipe.batches)
        """The beginning of the held-out text, whose spans are written at each validation."""

    def train_batches(self) -> BatchStream:
        """Return the batches, with other spans cut out in each epoch."""
        recipe = self.recipe
        return BatchStream(self.texts, recipe.batches, recipe.seed, None, self.corruption)

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Write the spans of some held-out texts, and count those that are right throughout."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        model, decoding = self.objective.model, self.recipe.decoding
        written = write_spans(model, self.few, decoding, self.runtime.device, check)
        samples = tuple(one.sample(self.tokenizer) for one in written[:SAMPLES])
        return ValidationResult(loss, {"exact_spans": exact_share(written)}, samples)


def check_network(model: TransformerSettings, longest: int) -> None:
    """Refuse a network that cannot begin without pairs, or that has too few positions."""
    if model.initialization == "dictionary":
        raise ConfigError(
            "model.initialization = 'dictionary' is counted out of sentence pairs, and plain text "
            "has none. Set model.initialization = 'xavier'."
        )
    if model.positions == "learned" and longest > model.max_positions:
        raise ConfigError(
            f"batches.max_length = {longest} is more than model.max_positions = "
            f"{model.max_positions} learned "
            "positions. Make them equal."
        )
