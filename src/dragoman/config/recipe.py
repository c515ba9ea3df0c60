"""A recipe: one experiment, its sections in the order of the pipeline."""

from pydantic import Field

from dragoman.config.augmentation import AugmentationSettings
from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import CorpusSettings
from dragoman.config.model import ModelSettings, TransformerSettings
from dragoman.config.settings import Settings
from dragoman.config.tokenizer import BpeTokenizer, TokenizerSettings
from dragoman.config.training import (
    AdamW,
    DecodingSettings,
    ObjectiveSettings,
    OptimiserSettings,
    ScheduleSettings,
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
    schedule: ScheduleSettings = ScheduleSettings()
    training: TrainingSettings = TrainingSettings()
    decoding: DecodingSettings = DecodingSettings()
    made_with: MadeWith | None = None
