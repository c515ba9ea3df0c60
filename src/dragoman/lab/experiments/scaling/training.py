"""One training of the scaling study: the loss on unseen words, read at every compute budget."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import torch
from pydantic import Field

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.optimizer import Adam
from dragoman.config.schedule import Exponential
from dragoman.config.training import ObjectiveSettings, TrainingSettings
from dragoman.data.batching.batch import Batch
from dragoman.data.batching.stream import Position
from dragoman.engine.runtime import start
from dragoman.engine.training.loop import TrainingPlan
from dragoman.engine.training.loop import train as take_steps
from dragoman.engine.training.report import StepReport, Stop
from dragoman.lab.experiments.pig_latin.data import (
    Alphabet,
    Words,
    encoded,
    equal_batches,
    split_words,
    target_of,
)
from dragoman.lab.experiments.pig_latin.training import build, endless_batches, losses
from dragoman.lab.experiments.scaling.flop_counter import count_flops
from dragoman.lab.experiments.scaling.formulas import parameters, sequence_flops
from dragoman.lab.results import Measurement
from dragoman.lab.trial import ModelTrial, parameter_count
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective

BATCH, SPLIT_SEED = 64, 1
"""Pairs of a batch; and all trainings are judged by the same unseen words, whatever their seed."""


class PigLatinScalingTrial(ModelTrial):
    """One model size with one seed: all that determines it."""

    words: str
    """Checksum of the word lists."""
    model: DecoderOnlySettings
    optimizer: Adam = Adam(learning_rate=5e-4, betas=(0.9, 0.999), epsilon=1e-8)
    schedule: Exponential = Exponential(warmup_steps=0, factor=0.99)
    """Does not know its end, so that one training can be read at all budgets."""
    budgets: tuple[float, ...]
    epochs: int = Field(ge=0)
    """To train at least; then until the largest budget, or as often again."""
    longest: int = Field(ge=1)
    """Epochs after which it ends whatever the budgets."""


@dataclass
class BudgetReadings:
    """Reads the loss where a budget is reached and after each epoch; ends when all are."""

    objective: SequenceToSequenceObjective
    valid: list[Batch]
    trial: PigLatinScalingTrial
    vocabulary: int
    flops: float = 0.0
    tokens: int = 0
    epochs: int = 0
    curve: list[list[float]] = field(default_factory=list)
    """FLOPs, tokens, loss by letter and by batch after each epoch and at each budget."""
    at_budget: dict[float, list[float]] = field(default_factory=dict)

    def counted(self, stream: Iterator[tuple[Batch, Position]]) -> Iterator[tuple[Batch, Position]]:
        """Pass batches on, and count their FLOPs and tokens."""
        for batch, position in stream:
            length = batch_length(batch)
            rows = batch.source.shape[0]
            self.flops += rows * sequence_flops(length, self.trial.model.width, self.vocabulary)
            self.tokens += rows * length
            yield batch, position

    def __call__(self, report: StepReport) -> None:
        """Read the loss where it is due."""
        due = [
            budget
            for budget in self.trial.budgets
            if self.flops >= budget and budget not in self.at_budget
        ]
        epoch_over = not report.position.index
        self.epochs += epoch_over
        if due or epoch_over:
            found = losses(self.objective, self.valid, torch.device("cpu"))
            read = [self.flops, float(self.tokens), found.by_letter, found.by_batch]
            self.curve.append(read)
            self.at_budget.update(dict.fromkeys(due, read))
        reached = len(self.at_budget) == len(self.trial.budgets)
        if self.epochs >= self.trial.longest or (self.epochs >= self.trial.epochs and reached):
            raise Stop("the largest budget is reached")


def batch_length(batch: Batch) -> int:
    """Return the tokens that the model reads of each pair: source, START and target but its END."""
    return batch.source.shape[1] + batch.target.shape[1] - 1


def train_trial(trial: PigLatinScalingTrial, words: Words) -> Measurement:
    """Train one size on the small list, and return its losses at the budgets."""
    split = split_words(words, "small", SPLIT_SEED)
    alphabet = Alphabet.of(words.large)
    training = TrainingSettings(clip_norm=0.0, threads=1, device="cpu")
    device = start(training).device
    objective = SequenceToSequenceObjective(
        build(trial.model, alphabet.size, trial.seed), ObjectiveSettings(label_smoothing=0.0)
    )
    shown, valid = (
        encoded([(word, target_of(word, "pig-latin")) for word in part], alphabet)
        for part in (split.train, split.valid)
    )
    batches = equal_batches(shown, BATCH)
    readings = BudgetReadings(objective, equal_batches(valid, BATCH), trial, alphabet.size)
    training = training.model_copy(update={"steps": trial.longest * len(batches)})
    plan = TrainingPlan(training, trial.schedule, trial.optimizer.learning_rate, trial.seed, device)
    optimizer = build_optimizer(objective.model, trial.optimizer)
    measured = _measured_cost(objective, batches[0], trial.model.width, alphabet.size)
    stream = readings.counted(endless_batches(shown, BATCH, trial.seed))
    with suppress(Stop):
        take_steps(objective, stream, optimizer, None, plan, [readings])
    return {
        "parameters": parameters(trial.model.width, alphabet.size),
        "with_embeddings": parameter_count(objective.model),
        "embeddings": trial.model.width * alphabet.size,
        "vocabulary": alphabet.size,
        "epochs_run": readings.epochs,
        "train_words": len(split.train),
        "flops": readings.flops,
        "tokens": readings.tokens,
        "loss": readings.curve[-1][2],
        "by_batch": readings.curve[-1][3],
        "curve": readings.curve,
        "at_budget": [
            {"budget": budget, "flops": read[0], "tokens": read[1], "loss": read[2]}
            for budget, read in sorted(readings.at_budget.items())
        ],
        **measured,
    }


def _measured_cost(
    objective: SequenceToSequenceObjective, batch: Batch, width: int, vocabulary: int
) -> Measurement:
    """Count the matrix products of one batch, beside what the formula says of it."""

    def work() -> None:
        objective.loss(batch, torch.device("cpu")).smoothed.backward()

    objective.model.train()
    counted = count_flops(work)
    objective.model.zero_grad(set_to_none=True)
    formula = batch.source.shape[0] * sequence_flops(batch_length(batch), width, vocabulary)
    return {"counted_flops": counted, "formula_flops": formula}
