"""Training a translator: sentence pairs in batches of similar length, judged by translating."""

from collections.abc import Callable

from dragoman.backends.stutter_guard import stutter_guard_of
from dragoman.backends.torch_engine import TorchEngine
from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.data.batching.augmentation import augmentation
from dragoman.data.batching.dropout import bpe_dropout
from dragoman.data.batching.stream import BatchStream
from dragoman.engine.build import build_model
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.metrics.multi_reference import references_by_source, score_by_all_references
from dragoman.tasks.common.fine_tuning import start_network
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.samples import distinct_samples
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import evaluate, score_translations, sets_to_test
from dragoman.tasks.translation.initialization import begin_model
from dragoman.tasks.translation.prepare import prepare, validation_batches
from dragoman.tasks.translation.report import REPORT

METRICS = ("bleu", "chrf")
"""What validation scores; TER takes long."""


class TranslationTask:
    """A translator and its sentence pairs."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the corpus and build the network; `fresh` draws weights that will be used."""
        self.recipe, self.runtime = recipe, runtime
        settings = recipe.model_for(TranslationTaskSettings)
        self.prepared = prepared = prepare(run, recipe)
        model = (
            begin_model(recipe, prepared)
            if fresh and recipe.start is None
            else start_network(
                recipe,
                prepared.tokenizer,
                lambda pair: build_model(settings, pair, recipe.seed),
                fresh=fresh,
            )
        ).to(runtime.device)
        model.checkpointing = recipe.training.gradient_checkpointing
        self.objective = SequenceToSequenceObjective(model, recipe.objective)
        self.notes = {"longest_source": str(prepared.longest_source)}
        self.guesses = prepared.tokenizer.target.size
        self.held_out = len(prepared.valid)
        self.pairs = prepared.valid[: recipe.training.validation_sentences]  # in random order
        self.references = references_by_source(prepared.valid)
        self.batches = validation_batches(prepared.tokenizer, prepared.valid, recipe.batches)
        self.translator = BareTranslator(
            model,
            prepared.tokenizer,
            recipe.decoding,
            longest=prepared.longest_source,
            device=runtime.device,
            corpus=recipe.corpus_for(TranslationTaskSettings),
            engine=TorchEngine(
                (model,),
                runtime.device,
                stutter_guard=lambda: stutter_guard_of(run.path, prepared.tokenizer),
            ),
        )

    def train_batches(self) -> BatchStream:
        """Return the batches, as augmentation and dropout of joins make them."""
        recipe, prepared = self.recipe, self.prepared
        cut = recipe.tokenizer
        dropout = cut.dropout if isinstance(cut, BpeTokenizerSettings) else 0.0
        return BatchStream(
            prepared.store,
            recipe.batches,
            recipe.seed,
            bpe_dropout(prepared.tokenizer, dropout, recipe.seed),
            augmentation(prepared.tokenizer, recipe.augmentation, recipe.seed, len(prepared.store)),
        )

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Translate held-out sentences and compare with their references; nats per target token."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        found = score_translations(
            self.translator,
            self.pairs,
            "valid",
            beam=1,
            metrics=METRICS,
            after_batch=check,
        )
        samples = distinct_samples(
            {"source": pair.source, "reference": pair.target, "output": output}
            for pair, output in zip(self.pairs, found.hypotheses, strict=True)
        )
        figures = {name: found.scores[name].value for name in METRICS}
        every = score_by_all_references(
            [pair.source for pair in self.pairs], found.hypotheses, self.references, metrics=METRICS
        )
        if every is not None:
            figures |= {f"{name}_all_references": every.scores[name].value for name in METRICS}
        return ValidationResult(loss, figures, samples, found.hypotheses)


KIND = TaskKind(
    TranslationTask,
    BareTranslator.load,
    REPORT,
    lambda run, files: sets_to_test(trained_run(run), files),
    lambda run, files, after_batch: evaluate(run, files, after_batch=after_batch),
    "translating",
)
