"""A recipe: one experiment, its sections in the order of the pipeline."""

from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from dragoman.config.augmentation import AugmentationSettings
from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.batches import BatchSettings
from dragoman.config.captions import CaptionCorpus, CaptionSettings, EmojiCorpus
from dragoman.config.clip import ClipSettings
from dragoman.config.corpus import (
    AnyCorpus,
    CorpusSettings,
    FilesCorpus,
    GeneratedLabels,
    GrammarCorpus,
    GrammarText,
    LabelledCorpus,
    LabelledSettings,
    SeveralCorpus,
    TextCorpus,
    TextSettings,
)
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.images import ImageArrays, ImageCorpus, ImageFolders, ImageSettings, Shapes
from dragoman.config.model import (
    AnyModel,
    ClassifierSettings,
    LanguageModelSettings,
    ModelSettings,
    TransformerSettings,
)
from dragoman.config.optimiser import AdamW, OptimiserSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings, RecurrentLanguageSettings
from dragoman.config.schedule import InverseSqrt, ScheduleSettings
from dragoman.config.settings import Settings
from dragoman.config.start import StartSettings
from dragoman.config.task import TaskSettings, TranslationTaskSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.tokenizer import BpeTokenizerSettings, TokenizerSettings
from dragoman.config.training import (
    DecodingSettings,
    ObjectiveSettings,
    TrainingSettings,
)
from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ImageModelSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)
from dragoman.core.errors import ConfigError

FITTING: dict[str, dict[str, tuple[str, ...]]] = {
    "translation": {
        "corpus": ("files", "several", "grammar", "imported"),
        "model": ("transformer", "recurrent", "decoder-only"),
    },
    "language": {
        "corpus": ("text", "grammar-text", "imported"),
        "model": ("decoder-only", "recurrent-language"),
    },
    "masked": {"corpus": ("text", "grammar-text", "imported"), "model": ("encoder",)},
    "spans": {"corpus": ("text", "grammar-text", "imported"), "model": ("transformer",)},
    "classification": {
        "corpus": ("labelled", "generated-labels", "imported"),
        "model": ("encoder", "recurrent-classifier", "text-cnn"),
    },
    "images": {
        "corpus": ("images", "image-arrays", "shapes"),
        "model": ("cnn", "alexnet", "vgg", "googlenet", "resnet", "vit"),
    },
    "image-text": {"corpus": ("captions", "emoji", "imported"), "model": ("clip",)},
    "autoencoding": {
        "corpus": ("images", "image-arrays", "shapes"),
        "model": ("autoencoder",),
    },
}
"""The kinds of corpus and of model that each task can be learned from and by."""

IMAGE_MODELS = (
    *(CnnSettings, AlexNetSettings, VggSettings),
    *(GoogLeNetSettings, ResNetSettings, VitSettings),
)
VERBS = {
    "translation": ("translate",),
    "language": ("generate", "score"),
    "masked": ("fill",),
    "spans": ("evaluate",),
    "classification": ("classify",),
    "images": ("classify",),
    "image-text": ("match",),
    "autoencoding": ("evaluate",),
}
"""What each task is for."""


UNITS = {
    "classification": "text",
    "images": "picture",
    "image-text": "pair",
    "autoencoding": "picture",
}
"""What a loss is the mean over, where that is not a token."""


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
    optimizer: OptimiserSettings = AdamW()
    schedule: ScheduleSettings = InverseSqrt()
    training: TrainingSettings = TrainingSettings()
    decoding: DecodingSettings = DecodingSettings()
    made_with: MadeWith | None = None

    @field_validator("corpus", "model")
    @classmethod
    def _fits_the_task(cls, chosen: Any, info: ValidationInfo) -> Any:
        task, section = info.data.get("task"), str(info.field_name)
        if task is not None and chosen.kind not in FITTING[task.kind][section]:
            fitting = " or ".join(f"'{kind}'" for kind in FITTING[task.kind][section])
            raise ValueError(
                f"kind {chosen.kind!r} is not for task.kind = {task.kind!r}. "
                f"Set {section}.kind = {fitting}."
            )
        return chosen

    @property
    def pairs(self) -> CorpusSettings:
        """The corpus of a translator."""
        if isinstance(self.corpus, FilesCorpus | SeveralCorpus | GrammarCorpus):
            return self.corpus
        raise self._wrong("translate")

    @property
    def languages(self) -> CorpusSettings | None:
        """The corpus that says which languages a translator writes; an imported one has none."""
        imported = self.task.kind == "translation" and self.corpus.kind == "imported"
        return None if imported else self.pairs

    @property
    def texts(self) -> TextSettings:
        """The corpus of a language model."""
        if isinstance(self.corpus, TextCorpus | GrammarText):
            return self.corpus
        raise self._wrong("learn from plain text")

    @property
    def labelled(self) -> LabelledSettings:
        """The corpus of a classifier."""
        if isinstance(self.corpus, LabelledCorpus | GeneratedLabels):
            return self.corpus
        raise self._wrong("classify")

    @property
    def pictures(self) -> ImageCorpus:
        """The corpus of a network that looks at pictures."""
        if isinstance(self.corpus, ImageFolders | ImageArrays | Shapes):
            return self.corpus
        raise self._wrong("look at pictures")

    @property
    def image_classifier(self) -> ImageModelSettings:
        """The network of a classifier of pictures."""
        model = self.model
        if self.task.kind == "images" and isinstance(model, IMAGE_MODELS):
            return model
        raise self._wrong("classify pictures")

    @property
    def autoencoder(self) -> AutoencoderSettings:
        """The network that rebuilds pictures."""
        if isinstance(self.model, AutoencoderSettings):
            return self.model
        raise self._wrong("rebuild pictures")

    @property
    def captioned(self) -> CaptionSettings:
        """The corpus of a network that matches images and texts."""
        if isinstance(self.corpus, CaptionCorpus | EmojiCorpus):
            return self.corpus
        raise self._wrong("match images and texts")

    @property
    def matcher(self) -> ClipSettings:
        """The network that matches images and texts."""
        if isinstance(self.model, ClipSettings):
            return self.model
        raise self._wrong("match images and texts")

    @property
    def translator(self) -> ModelSettings:
        """The network of a translator."""
        model = self.model
        if isinstance(model, TransformerSettings | RecurrentSettings | DecoderOnlySettings):
            return model
        raise self._wrong("translate")

    @property
    def writer(self) -> LanguageModelSettings:
        """The network of a language model."""
        if isinstance(self.model, DecoderOnlySettings | RecurrentLanguageSettings):
            return self.model
        raise self._wrong("write freely")

    @property
    def classifier(self) -> ClassifierSettings:
        """The network of a classifier."""
        model = self.model
        if self.task.kind == "classification" and isinstance(
            model, EncoderSettings | RecurrentClassifierSettings | TextCnnSettings
        ):
            return model
        raise self._wrong("classify")

    @property
    def encoder(self) -> EncoderSettings:
        """The network of a model that guesses hidden words."""
        if self.task.kind == "masked" and isinstance(self.model, EncoderSettings):
            return self.model
        raise self._wrong("guess hidden words")

    def _wrong(self, what: str) -> ConfigError:
        use = " or ".join(f"`dragoman {verb}`" for verb in VERBS[self.task.kind])
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
