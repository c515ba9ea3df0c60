"""One run of Pig Latin: the product's model, objective, optimizer, loop and search.

The literature's validation loss is the plain mean over the batches, and batches are of one length:
a length that only one word has counts as much as one of sixty-four. Here it stands beside the loss
in which every letter counts once.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.model import ModelSettings, TransformerSettings
from dragoman.config.optimizer import Adam
from dragoman.config.schedule import Exponential
from dragoman.config.training import DecodingSettings, ObjectiveSettings, TrainingSettings
from dragoman.data.batching.batch import Batch, make_source
from dragoman.data.batching.stream import Position
from dragoman.data.tokenizer.special_tokens import END, PAD, START
from dragoman.engine.build import TranslationModel
from dragoman.engine.runtime import start
from dragoman.engine.training.early_stopping import EarlyStopping, Verdict
from dragoman.engine.training.loop import TrainingPlan
from dragoman.engine.training.loop import train as take_steps
from dragoman.engine.training.objective import Objective
from dragoman.engine.training.report import StepReport, Stop
from dragoman.lab.experiments.pig_latin.data import (
    PROMPT_END,
    Alphabet,
    Ids,
    Task,
    WordPair,
    Words,
    encoded,
    equal_batches,
    split_words,
    target_of,
)
from dragoman.lab.results import Measurement
from dragoman.lab.trial import ModelTrial, parameter_count
from dragoman.neural.decoding.protocol import NextToken
from dragoman.neural.decoding.search import search
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.transformer import Transformer
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective

DECODED_TOGETHER = 512
GREEDY = DecodingSettings(beam=1, max_length_ratio=2.0, max_length_extra=10, loop_guard=0)


class PigLatinTrial(ModelTrial):
    """One run of a model: all that determines it."""

    task: Task = "pig-latin"
    data: Literal["small", "large"]
    words: str
    """Checksum of the word lists."""
    model: ModelSettings
    optimizer: Adam = Adam(learning_rate=5e-4, betas=(0.9, 0.999), epsilon=1e-8)
    schedule: Exponential = Exponential(warmup_steps=0, factor=0.99)
    epochs: int = Field(ge=1)
    patience: int = Field(ge=0)
    batch: int = Field(ge=1)
    threads: int = Field(1, ge=1)
    """More do not help matrices this small."""


@dataclass(frozen=True)
class Losses:
    """Nats per letter of a set, in two ways of counting."""

    by_batch: float
    """The literature's: every batch counts once."""
    by_letter: float
    """Every letter (and END) counts once."""


def train_trial(trial: PigLatinTrial, words: Words) -> Measurement:
    """Train what a run describes, and judge its best weights."""
    split = split_words(words, trial.data, trial.seed)
    alphabet = Alphabet.of(words.large)
    training = TrainingSettings(clip_norm=0.0, threads=trial.threads, device="cpu")
    device = start(training).device
    objective = SequenceToSequenceObjective(
        build(trial.model, alphabet.size, trial.seed), ObjectiveSettings(label_smoothing=0.0)
    )
    train, valid, common = (
        [(word, target_of(word, trial.task)) for word in part]
        for part in (split.train, split.valid, split.common)
    )
    shown = encoded(train, alphabet)
    epochs = Epochs(objective, equal_batches(encoded(valid, alphabet), trial.batch), trial.patience)
    steps = trial.epochs * len(equal_batches(shown, trial.batch))
    training = training.model_copy(update={"steps": steps})
    plan = TrainingPlan(training, trial.schedule, trial.optimizer.learning_rate, trial.seed, device)
    optimizer = build_optimizer(objective.model, trial.optimizer)
    with suppress(Stop):
        take_steps(
            objective,
            endless_batches(shown, trial.batch, trial.seed),
            optimizer,
            None,
            plan,
            [epochs],
        )
    epochs.take_best_weights()
    exact = exact_share(objective, valid, alphabet)
    shared = losses(objective, equal_batches(encoded(common, alphabet), trial.batch), device)
    return {
        "parameters": parameter_count(objective.model),
        "train_words": len(train),
        "valid_words": len(valid),
        "epochs_run": len(epochs.train),
        "best_epoch": epochs.best + 1,
        "train_loss": epochs.train[epochs.best],
        "by_batch": epochs.valid[epochs.best].by_batch,
        "by_letter": epochs.valid[epochs.best].by_letter,
        "exact": exact,
        "common_by_letter": shared.by_letter,
        "common_exact": exact if common == valid else exact_share(objective, common, alphabet),
        "train_curve": epochs.train,
        "by_batch_curve": [one.by_batch for one in epochs.valid],
        "by_letter_curve": [one.by_letter for one in epochs.valid],
    }


def build(settings: ModelSettings, vocabulary: int, seed: int) -> TranslationModel:
    """Build a model for the letters, its matrices drawn as torch draws them, as in the notes.

    Without norms the wider draw of our own models makes scores in the hundreds.
    """
    torch.manual_seed(seed)
    model = _drawn(settings, vocabulary)
    for part in model.modules():
        if isinstance(part, nn.Linear):
            part.reset_parameters()
    return model


def _drawn(settings: ModelSettings, vocabulary: int) -> TranslationModel:
    match settings:
        case TransformerSettings():
            return Transformer(settings, vocabulary, vocabulary, padding=PAD)
        case DecoderOnlySettings():
            return DecoderOnly(
                settings, vocabulary, vocabulary, start=START, prompt_end=PROMPT_END, padding=PAD
            )
        case _:
            raise ValueError(f"pig-latin: has no use for a model of kind {settings.kind!r}.")


class Epochs:
    """Judges the weights after each epoch, keeps the best, and stops when patience runs out."""

    def __init__(self, objective: Objective, batches: Sequence[Batch], patience: int) -> None:
        self.objective, self.batches = objective, batches
        self.stopping = EarlyStopping("loss", patience)
        self.train: list[float] = []
        """Loss of each epoch's own steps, every letter counting once."""
        self.valid: list[Losses] = []
        self.best = 0
        self._weights: dict[str, Tensor] = {}
        self._nats, self._letters = 0.0, 0

    def __call__(self, report: StepReport) -> None:
        """Add a step; judge where an epoch ends."""
        self._nats += report.nats
        self._letters += report.tokens
        if report.position.index:
            return
        self.train.append(self._nats / self._letters)
        self._nats, self._letters = 0.0, 0
        found = losses(self.objective, self.batches, torch.device("cpu"))
        self.valid.append(found)
        self.stopping(Verdict(report.step, found.by_batch))
        if self.stopping.since_best == 0:
            self.best = len(self.valid) - 1
            weights = self.objective.model.state_dict()
            self._weights = {name: value.clone() for name, value in weights.items()}
        if self.stopping.due:
            raise Stop("no better validation loss")

    def take_best_weights(self) -> None:
        """Give the model the weights that validated best."""
        self.objective.model.load_state_dict(self._weights)


def losses(objective: Objective, batches: Sequence[Batch], device: torch.device) -> Losses:
    """Take the loss of a set whose batches are each of one length."""
    objective.model.eval()
    nats, letters = [], []
    with torch.inference_mode():
        for batch in batches:
            one = objective.loss(batch, device)
            nats.append(one.nats.item())
            letters.append(one.positions)
    means = [total / many for total, many in zip(nats, letters, strict=True)]
    return Losses(sum(means) / len(means), sum(nats) / sum(letters))


def exact_share(
    objective: SequenceToSequenceObjective, pairs: Sequence[WordPair], alphabet: Alphabet
) -> float:
    """Return the percentage of words whose greedy output is the target itself."""
    objective.model.eval()
    model: NextToken[Any] = objective.model
    ordered = sorted(pairs, key=lambda pair: len(pair[0]))
    right = 0
    for begin in range(0, len(ordered), DECODED_TOGETHER):
        group = ordered[begin : begin + DECODED_TOGETHER]
        ids = [alphabet.encode(source)[:-1].tolist() for source, _ in group]
        found = search(
            model,
            torch.from_numpy(make_source(ids)),
            [len(one) + 1 for one in ids],
            GREEDY,
            start=START,
            end=END,
            forbidden=(PAD, PROMPT_END, START),
        )
        outputs = [alphabet.decode(best[0].tokens) for best in found]
        right += sum(output == target for output, (_, target) in zip(outputs, group, strict=True))
    return 100.0 * right / len(pairs)


def endless_batches(
    pairs: Sequence[tuple[Ids, Ids]], size: int, seed: int
) -> Iterator[tuple[Batch, Position]]:
    """Yield the batches of one epoch after the other, each epoch in an order of its own."""
    for epoch in count():
        batches = equal_batches(pairs, size, Random(f"{seed}/{epoch}"))
        for number, batch in enumerate(batches, start=1):
            last = number == len(batches)
            yield batch, Position(epoch + 1, 0) if last else Position(epoch, number)
