"""A recipe: one experiment, its sections in the order of the pipeline."""

from typing import Any, TypeVar

from pydantic import Field, ValidationInfo, field_validator

from dragoman.config.augmentation import AugmentationSettings
from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import AnyCorpus
from dragoman.config.images import ImageSettings
from dragoman.config.model import AnyModel, TransformerSettings
from dragoman.config.optimizer import AdamW, OptimizerSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.schedule import InverseSqrt, ScheduleSettings
from dragoman.config.settings import Settings
from dragoman.config.start import StartSettings
from dragoman.config.task import AnyTaskSettings, TaskFit, TaskSettings, TranslationTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings, TokenizerSettings
from dragoman.config.training import DecodingSettings, ObjectiveSettings, TrainingSettings
from dragoman.core.errors import ConfigError

AnyTask = TypeVar("AnyTask", bound=AnyTaskSettings)
Chosen = TypeVar("Chosen")


class MadeWith(Settings):
    """What a run was made with; written into the recipe that its folder keeps."""

    dragoman: str
    python: str
    torch: str
    tokenizers: str
    platform: str
    threads: int
    """Processor threads; a repeat gives the same bits only with as many."""
    commit: str = ""
    """Of the checkout, where there is one."""


class Recipe(Settings):
    """All that determines a run."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """The run folder's name."""

    seed: int = Field(1, ge=0, lt=2**32)

    task: TaskSettings = TranslationTaskSettings()
    corpus: AnyCorpus
    tokenizer: TokenizerSettings = BpeTokenizerSettings()
    augmentation: AugmentationSettings = AugmentationSettings()
    batches: BatchSettings = BatchSettings()
    images: ImageSettings = ImageSettings()
    start: StartSettings | None = None
    """Without it, training begins with freshly drawn weights."""
    model: AnyModel = TransformerSettings()
    objective: ObjectiveSettings = ObjectiveSettings()
    optimizer: OptimizerSettings = AdamW()
    schedule: ScheduleSettings = InverseSqrt()
    training: TrainingSettings = TrainingSettings()
    decoding: DecodingSettings = DecodingSettings()
    made_with: MadeWith | None = None

    @field_validator("corpus", "model")
    @classmethod
    def _fits_the_task(cls, chosen: Any, info: ValidationInfo) -> Any:
        task, section = info.data.get("task"), str(info.field_name)
        if task is None:  # wrong in itself, and told as such
            return chosen
        fitting = task.corpora if section == "corpus" else task.models
        if chosen.kind not in fitting.all:
            raise ValueError(
                f"kind {chosen.kind!r} is not for task.kind = {task.kind!r}. "
                f"Set {section}.kind = {fitting}."
            )
        return chosen

    def task_for(self, task: type[AnyTask]) -> AnyTask:
        """Return the task's settings, or refuse what was made for another task."""
        if isinstance(self.task, task):
            return self.task
        raise self._wrong(task.does)

    def model_for(self, task: TaskFit[Any, Chosen]) -> Chosen:
        """Return the model's settings by their type, or refuse what was made for another task."""
        if self.task.models is task.models and isinstance(self.model, task.models.classes):
            return self.model
        raise self._wrong(task.does)

    def corpus_for(self, task: TaskFit[Chosen, Any]) -> Chosen:
        """Return the corpus by its type; an imported network has none."""
        if self.task.corpora is not task.corpora:
            raise self._wrong(task.does)
        if isinstance(self.corpus, task.corpora.classes):
            return self.corpus
        raise ConfigError(
            f"{self.name}: corpus.kind = {self.corpus.kind!r} has no text and no images. "
            f"Set corpus.kind = {task.corpora.own}."
        )

    def _wrong(self, what: str) -> ConfigError:
        use = " or ".join(f"`dragoman {verb}`" for verb in self.task.verbs)
        return ConfigError(
            f"{self.name}: was made for task.kind = {self.task.kind!r} and cannot {what}. "
            f"Use it with {use}."
        )

    @field_validator("objective")
    @classmethod
    def _only_recurrent_models_run_free(
        cls, objective: ObjectiveSettings, info: ValidationInfo
    ) -> ObjectiveSettings:
        model = info.data.get("model")
        if model is None:  # wrong in itself, and told as such
            return objective
        shares = {
            "teacher_forcing": objective.teacher_forcing,
            "teacher_forcing_end": objective.teacher_forcing_end,
        }
        for key, share in shares.items():
            if share is not None and share < 1.0 and not isinstance(model, RecurrentSettings):
                raise ValueError(
                    f"{key} = {share} is for recurrent models; a {model.kind!r} sees the whole "
                    f"target at once. Leave {key} out or set model.kind = 'recurrent'."
                )
        return objective
