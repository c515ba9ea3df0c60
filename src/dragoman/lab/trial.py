"""A trial of an experiment: one configuration with one seed, and the recipe that trains it."""

from abc import abstractmethod
from pathlib import Path
from typing import Any

from torch import nn

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import AnyCorpus, TextCorpus
from dragoman.config.model import AnyModel
from dragoman.config.optimizer import AdamW
from dragoman.config.recipe import Recipe
from dragoman.config.schedule import Cosine
from dragoman.config.task import TaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings, TokenizerSettings
from dragoman.config.training import ObjectiveSettings, TrainingSettings
from dragoman.trials.trial import Trial, train_in


class ModelTrial(Trial):
    """A trial of one model with one seed."""

    name: str
    seed: int

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"{self.name}, seed {self.seed}"


class TrainingTrial(ModelTrial):
    """A trial that trains a network by a recipe, with a learning rate and for so many steps."""

    rate: float
    steps: int

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"{self.name}, rate {self.rate:g}, seed {self.seed}"

    def recipe_of(
        self,
        name: str,
        task: TaskSettings,
        corpus: AnyCorpus,
        model: AnyModel,
        *,
        tokenizer: TokenizerSettings | None = None,
        batches: BatchSettings | None = None,
        training: TrainingSettings | None = None,
    ) -> Recipe:
        """Return a recipe with what most trials share: AdamW, a cosine schedule, no smoothing."""
        return Recipe(
            name=name,
            seed=self.seed,
            task=task,
            corpus=corpus,
            tokenizer=tokenizer or BpeTokenizerSettings(),
            batches=batches or BatchSettings(),
            model=model,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=training or trial_training(self.steps),
        )


class TunableTrial(TrainingTrial):
    """A trial that brings its own data, so that several learning rates can be tried before it."""

    def draw(self, place: Path) -> Any:
        """Draw its data into its folder, and return what it is tested on; by default, nothing."""

    @abstractmethod
    def recipe(self, place: Path) -> Recipe:
        """Return the recipe that trains it on what was drawn into its folder."""

    def train(self, place: Path) -> Path:
        """Draw its data and train its network, and return the run; the test is not looked at."""
        self.draw(place)
        return train_in(place, self.recipe(place))


def trial_training(
    steps: int, *, validations: int = 4, checkpoints: int = 2, lines: int = 10, threads: int = 1
) -> TrainingSettings:
    """Return how most trials train: on one thread, keeping the weights that validated best."""
    return TrainingSettings(
        steps=steps,
        validate_every=-(-steps // validations),
        checkpoint_every=-(-steps // checkpoints),
        log_every=max(1, steps // lines),
        best_metric="loss",
        keep=1,
        threads=threads,
    )


def parameter_count(model: nn.Module) -> int:
    """Return how many numbers a network has to learn."""
    return sum(weight.numel() for weight in model.parameters())


def text_lines(folder: Path, *, test: str = "test") -> TextCorpus:
    """Return the corpus of the files train.txt, valid.txt and test.txt, a text on each line."""
    train, valid, tested = ((folder / f"{name}.txt",) for name in ("train", "valid", test))
    return TextCorpus(train=train, valid=valid, test=tested, documents="lines")
