"""Training a tagger: sentences in batches of similar length, judged by the labels of words."""

import json
from collections.abc import Callable

from dragoman.config.encoder import EncoderSettings
from dragoman.config.recipe import Recipe
from dragoman.config.task import TaggingTaskSettings
from dragoman.data.tokenizer.pair import TokenizerPair
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
from dragoman.tasks.tagging.batches import TagStream, gather
from dragoman.tasks.tagging.evaluate import (
    TagBaselines,
    evaluate_tagger,
    evaluate_tagging,
    sentences_to_test,
)
from dragoman.tasks.tagging.network import build_tagger
from dragoman.tasks.tagging.objective import TaggingObjective
from dragoman.tasks.tagging.prepare import prepare_tagged, rows_of
from dragoman.tasks.tagging.report import REPORT
from dragoman.tasks.tagging.tagger import Tagger

OTHER_HEADS = ("words_head", "output", "follows_head", "pooler", "classes_head")
"""Parts of an encoder that was trained for something else."""


class TaggingTask:
    """A tagger and its tagged sentences."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the corpus and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        settings, max_length = recipe.model_for(TaggingTaskSettings), recipe.batches.max_length
        check_positions(settings, max_length)
        self.prepared = prepared = prepare_tagged(run, recipe)
        names = list(prepared.labels)
        encoder = isinstance(settings, EncoderSettings)
        model = start_network(
            recipe,
            TokenizerPair(prepared.tokenizer, prepared.tokenizer),
            lambda known: build_tagger(settings, known.source, len(names), recipe.seed),
            fresh=fresh,
            new=("labels_head",) if encoder else (),
            left=OTHER_HEADS if encoder else (),
        )
        if isinstance(model, Encoder):
            model.checkpointing = recipe.training.gradient_checkpointing
        self.objective = TaggingObjective(model.to(runtime.device), recipe.objective)
        self.notes = {NOTE: json.dumps(names, ensure_ascii=False)}
        self.guesses = len(names)
        self.held_out = len(prepared.valid)
        tokenizer, device = prepared.tokenizer, runtime.device
        self.tagger = Tagger(model, tokenizer, names, max_length=max_length, device=device)
        self.baselines = TagBaselines.of_run(run.data, prepared.labels)
        numbers = {name: number for number, name in enumerate(names)}
        rows = [
            row for one in prepared.valid for row in rows_of(tokenizer, numbers, one, max_length)
        ]
        self.batches = gather(rows, recipe.batches, self.tagger.special_tokens)

    def train_batches(self) -> TagStream:
        """Return the batches."""
        recipe = self.recipe
        return TagStream(
            self.prepared.store, recipe.batches, recipe.seed, self.tagger.special_tokens
        )

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Label the held-out words; the dictionary is what any tagger must beat."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        valid = self.prepared.valid
        found = evaluate_tagger(self.tagger, valid, "valid", self.baselines, check)
        both = zip(valid, found.answers, strict=True)
        mistakes_first = sorted(both, key=lambda pair: pair[0].labels == pair[1].labels)
        samples = distinct_samples(
            {
                "source": one.text,
                "reference": " ".join(one.labels),
                "output": " ".join(answer.labels),
            }
            for one, answer in mistakes_first
        )
        return ValidationResult(loss, found.figures(), samples)


KIND = TaskKind(TaggingTask, Tagger.load, REPORT, sentences_to_test, evaluate_tagging, "tagging")
