"""One recurrent translator of a toy language: the product's model, objective, loop and search."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from dragoman.config.optimizer import Adam
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.schedule import Cosine
from dragoman.config.training import DecodingSettings, ObjectiveSettings, TrainingSettings
from dragoman.data.batching.batch import make_source
from dragoman.data.tokenizer.special_tokens import END, PAD, START, UNKNOWN
from dragoman.engine.runtime import start
from dragoman.engine.training.loop import TrainingPlan
from dragoman.engine.training.loop import train as take_steps
from dragoman.engine.training.report import StepReport
from dragoman.lab.experiments.encoder_decoder.data import (
    ToyDrawer,
    ToyLanguage,
    ToyPair,
    Words,
    as_batch,
)
from dragoman.lab.trial import ModelTrial
from dragoman.neural.decoding.search import search
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective

GREEDY = DecodingSettings(beam=1, max_length_ratio=1.0, max_length_extra=3, loop_guard=0)


class ToyTrial(ModelTrial):
    """One translator with one seed: all that determines it."""

    language: ToyLanguage
    model: RecurrentSettings
    rate: float
    steps: int
    batch: int = 64
    teacher_forcing: float = 1.0
    """Share of the steps that are told the right last word."""
    teacher_forcing_end: float | None = None
    """The same at the last step, where it is to change on the way."""
    tested: int = 300
    """Sentences of the test, of all lengths, and as many of the longest."""
    readings: int = 8
    """How often validation sentences are looked at."""


@dataclass
class ToyTraining:
    """A trained translator, and its loss on validation sentences as it was trained."""

    model: RecurrentTranslator
    tests: list[ToyPair]
    """Of all lengths."""
    longest: list[ToyPair]
    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    """Sentences that are right, %, written by the translator on its own."""


def train_toy(trial: ToyTrial) -> ToyTraining:
    """Train one translator on fresh sentences in every batch."""
    training = TrainingSettings(steps=trial.steps, threads=1, device="cpu")
    device = start(training).device
    torch.manual_seed(trial.seed)
    size = trial.language.vocab_size
    model = RecurrentTranslator(trial.model, size, size, padding=PAD)
    settings = ObjectiveSettings(
        label_smoothing=0.0,
        teacher_forcing=trial.teacher_forcing,
        teacher_forcing_end=trial.teacher_forcing_end,
    )
    objective = SequenceToSequenceObjective(model, settings)
    drawer = ToyDrawer(trial.language, trial.seed)
    valid = drawer.hold_out(trial.tested)
    tests = drawer.hold_out(trial.tested)
    found = ToyTraining(model, tests, drawer.hold_out(trial.tested, trial.language.longest))
    every = max(1, trial.steps // trial.readings)

    def read(report: StepReport) -> None:
        if report.step % every == 0:
            found.steps.append(report.step)
            found.losses.append(forced_loss(objective, valid))
            found.shares.append(exact_share(translate(model, valid), valid))

    rate = trial.rate
    plan = TrainingPlan(training, Cosine(warmup_steps=trial.steps // 20), rate, trial.seed, device)
    optimizer = build_optimizer(model, Adam(learning_rate=rate))
    take_steps(objective, drawer.batches(trial.batch), optimizer, None, plan, [read])
    model.eval()
    return found


def forced_loss(objective: SequenceToSequenceObjective, pairs: list[ToyPair]) -> float:
    """Return the nats per word of a translator that is told the right words before each."""
    objective.model.eval()
    with torch.inference_mode():
        loss = objective.loss(as_batch(pairs), torch.device("cpu"))
    return loss.nats.item() / loss.positions


def translate(model: RecurrentTranslator, pairs: Sequence[ToyPair]) -> list[Words]:
    """Translate greedily; every step is fed the word that the model said before."""
    source = torch.from_numpy(make_source([pair.source for pair in pairs]))
    lengths = [len(pair.source) + 1 for pair in pairs]
    found = search(
        model, source, lengths, GREEDY, start=START, end=END, forbidden=(PAD, START, UNKNOWN)
    )
    return [tuple(best[0].tokens) for best in found]


def word_accuracy(outputs: Sequence[Words], pairs: Sequence[ToyPair]) -> float:
    """Return the percentage of target words that stand where they should."""
    right = sum(
        said == wanted
        for output, pair in zip(outputs, pairs, strict=True)
        for said, wanted in zip(output, pair.target, strict=False)
    )
    return 100 * right / sum(len(pair.target) for pair in pairs)


def exact_share(outputs: Sequence[Words], pairs: Sequence[ToyPair]) -> float:
    """Return the percentage of sentences that are the target itself."""
    right = sum(output == pair.target for output, pair in zip(outputs, pairs, strict=True))
    return 100 * right / len(pairs)


@torch.inference_mode()
def forced_words(model: RecurrentTranslator, pairs: list[ToyPair]) -> Tensor:
    """Say which words are right where all words before them are told; pairs are of one length."""
    batch = as_batch(pairs)
    target = torch.from_numpy(batch.target)
    scores = model(torch.from_numpy(batch.source), target[:, :-1])
    return scores.argmax(dim=-1).eq(target[:, 1:])[:, :-1]  # b t, without END
