"""Training a classifier: texts in batches of similar length, judged by how they are sorted."""

import json
from collections.abc import Callable

from dragoman.config.encoder import EncoderSettings
from dragoman.config.model import ClassifierSettings
from dragoman.config.recipe import Recipe
from dragoman.config.task import ClassificationTaskSettings
from dragoman.data.batching.labeled import LabeledStream, gather, row_of
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.build import build_classifier
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.neural.models.encoder import Encoder
from dragoman.tasks.common.classes import NOTE
from dragoman.tasks.common.fine_tuning import start_network
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.positions import check_positions
from dragoman.tasks.common.samples import distinct_samples
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import (
    evaluate_classes,
    rows_to_test,
    score_classes,
)
from dragoman.tasks.text_classification.objective import ClassificationObjective
from dragoman.tasks.text_classification.prepare import prepare_labeled
from dragoman.tasks.text_classification.report import REPORT

OTHER_HEADS = ("words_head", "output", "follows_head")
"""Parts of an encoder that was trained for something else."""


class TextClassificationTask:
    """A classifier and its labelled texts."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the corpus and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        settings = recipe.model_for(ClassificationTaskSettings)
        check_positions(settings, recipe.batches.max_length)
        self.prepared = prepared = prepare_labeled(run, recipe)
        names = list(prepared.classes)
        model = start_network(
            recipe,
            TokenizerPair(prepared.tokenizer, prepared.tokenizer),
            lambda known: build_classifier(settings, known.source, len(names), recipe.seed),
            fresh=fresh,
            new=_new_parts(settings),
            left=OTHER_HEADS,
        )
        if isinstance(model, Encoder):
            model.checkpointing = recipe.training.gradient_checkpointing
        self.objective = ClassificationObjective(model.to(runtime.device), recipe.objective)
        self.notes = {NOTE: json.dumps(names, ensure_ascii=False)}
        self.guesses = len(names)
        self.held_out = len(prepared.valid)
        self.classifier = Classifier(
            model,
            prepared.tokenizer,
            names,
            longest=recipe.batches.max_length,
            device=runtime.device,
        )
        numbers = {name: number for number, name in enumerate(names)}
        special = self.classifier.special_tokens
        encoded = prepared.tokenizer.encode_batch([row.text for row in prepared.valid])
        self.batches = gather(
            [row_of(ids, recipe.batches.max_length, special) for ids in encoded],
            [numbers[row.label] for row in prepared.valid],
            recipe.batches,
            special,
        )

    def train_batches(self) -> LabeledStream:
        """Return the batches."""
        recipe, special = self.recipe, self.classifier.special_tokens
        return LabeledStream(self.prepared.store, recipe.batches, recipe.seed, special)

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Classify the held-out texts; the commonest class is what any answer must beat."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        valid, sizes = self.prepared.valid, self.prepared.classes
        found = score_classes(self.classifier, valid, "valid", sizes, check)
        both = zip(valid, found.answers, strict=True)
        mistakes_first = sorted(both, key=lambda pair: pair[0].label == pair[1].label)
        samples = distinct_samples(
            {"source": row.text, "reference": row.label, "output": answer.label}
            for row, answer in mistakes_first
        )
        return ValidationResult(loss, found.figures(), samples)


def _new_parts(settings: ClassifierSettings) -> tuple[str, ...]:
    """Name the parts that a run need not have for a classifier to start from it."""
    if not isinstance(settings, EncoderSettings):
        return ()
    return ("classes_head",) if settings.pooler else ("pooler", "classes_head")


KIND = TaskKind(
    TextClassificationTask, Classifier.load, REPORT, rows_to_test, evaluate_classes, "classifying"
)
