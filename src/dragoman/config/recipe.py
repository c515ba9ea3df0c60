"""A recipe: one experiment, its sections in the order of the pipeline."""

from pydantic import Field, ValidationInfo, field_validator

from dragoman.config.augmentation import AugmentationSettings
from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import CorpusSettings
from dragoman.config.model import ModelSettings, TransformerSettings
from dragoman.config.optimiser import AdamW, OptimiserSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.schedule import InverseSqrt, ScheduleSettings
from dragoman.config.settings import Settings
from dragoman.config.tokenizer import BpeTokenizer, TokenizerSettings
from dragoman.config.training import (
    DecodingSettings,
    ObjectiveSettings,
    TrainingSettings,
)


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

    corpus: CorpusSettings
    tokenizer: TokenizerSettings = BpeTokenizer()
    augmentation: AugmentationSettings = AugmentationSettings()
    batches: BatchSettings = BatchSettings()
    model: ModelSettings = TransformerSettings()
    objective: ObjectiveSettings = ObjectiveSettings()
    optimiser: OptimiserSettings = AdamW()
    schedule: ScheduleSettings = InverseSqrt()
    training: TrainingSettings = TrainingSettings()
    decoding: DecodingSettings = DecodingSettings()
    made_with: MadeWith | None = None

    @field_validator("objective")
    @classmethod
    def _only_recurrent_models_run_free(
        cls, objective: ObjectiveSettings, info: ValidationInfo
    ) -> ObjectiveSettings:
        model = info.data.get("model")
        if model is None:  # wrong in itself, and told as such
            return objective
        shares = {"forced": objective.forced, "forced_last": objective.forced_last}
        for key, share in shares.items():
            if share is not None and share < 1.0 and not isinstance(model, RecurrentSettings):
                raise ValueError(
                    f"{key} = {share} is for recurrent models; a {model.kind!r} sees the whole "
                    f"target at once. Leave {key} out or set model.kind = 'recurrent'."
                )
        return objective
