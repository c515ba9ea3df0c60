"""What a network is trained to do, and the corpora and models that fit each task."""

from typing import Annotated, Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar, get_args

from pydantic import Field, model_validator

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.captions import CaptionSettings
from dragoman.config.clip import ClipSettings
from dragoman.config.corpus import CorpusSettings, LabeledSettings, TextSettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.images import ImageCorpus
from dragoman.config.model import ClassifierSettings, LanguageModelSettings, ModelSettings
from dragoman.config.settings import Settings
from dragoman.config.tagging import TaggedSettings, TaggerSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.config.vision import ImageModelSettings

Chosen = TypeVar("Chosen", covariant=True)
Corpus = TypeVar("Corpus", covariant=True)
Model = TypeVar("Model", covariant=True)


class Kinds(Generic[Chosen]):
    """The kinds of corpus or of model that fit a task: those of a union of settings classes."""

    def __init__(self, union: Any, *, imported: bool = False) -> None:
        bare = (get_args(union) or (union,))[0]  # of what pydantic notes beside it
        self.classes: tuple[type[Chosen], ...] = get_args(bare) or (bare,)
        own = [one.model_fields["kind"].default for one in get_args(bare) or (bare,)]
        self.own = " or ".join(f"'{kind}'" for kind in own)
        """Those that there is something to learn from or by."""
        self.all = (*own, "imported") if imported else tuple(own)

    def __str__(self) -> str:
        return " or ".join(f"'{kind}'" for kind in self.all)


class TaskFit(Protocol[Corpus, Model]):
    """A settings class of a task, as it is asked for the corpora and models that fit it."""

    @property
    def does(self) -> str:
        """What its networks can do, after "can"."""
        ...

    @property
    def corpora(self) -> Kinds[Corpus]:
        """What it can be learned from."""
        ...

    @property
    def models(self) -> Kinds[Model]:
        """What it can be learned by."""
        ...


class AnyTaskSettings(Settings):
    """What every kind of task says of itself."""

    does: ClassVar[str]
    verbs: ClassVar[tuple[str, ...]]
    """The commands that use its runs."""
    unit: ClassVar[str] = "token"
    """What a loss is the mean over."""
    ignores: ClassVar[tuple[str, ...]] = ("augmentation", "images", "decoding")
    """Sections of a recipe that say nothing to it."""
    rows: ClassVar[Literal["sentences", "packed", "images"]] = "sentences"
    """The rows of a batch: sentences of similar length, rows packed to `batches.max_length`, or
    images, with a caption each where there is a tokenizer."""
    labels: ClassVar[Literal["none", "row", "token"]] = "none"
    """Classes that the corpus decides: none, of each row, or of each token."""
    corpora: ClassVar[Kinds[Any]]
    models: ClassVar[Kinds[Any]]

    def row_lengths(self, length: int) -> tuple[int, int]:
        """Return the source and target tokens of a row of so many tokens."""
        return length, 0

    def masked_tokens(self, tokens: int) -> int:
        """Return how many of so many tokens are masked, where only these are asked for."""
        return 0


class TranslationTaskSettings(AnyTaskSettings):
    """Write the translation of a text."""

    kind: Literal["translation"] = "translation"

    does = "translate"
    verbs = ("translate",)
    ignores = ("images",)
    corpora: ClassVar[Kinds[CorpusSettings]] = Kinds(CorpusSettings, imported=True)
    models: ClassVar[Kinds[ModelSettings]] = Kinds(ModelSettings)

    def row_lengths(self, length: int) -> tuple[int, int]:
        """Take both sides for equally long."""
        return length, length


class LanguageTaskSettings(AnyTaskSettings):
    """Guess the next token of plain text: a causal language model."""

    kind: Literal["language-model"] = "language-model"

    does = "write freely"
    verbs = ("generate", "score")
    rows = "packed"
    corpora: ClassVar[Kinds[TextSettings]] = Kinds(TextSettings, imported=True)
    models: ClassVar[Kinds[LanguageModelSettings]] = Kinds(LanguageModelSettings)

    def row_lengths(self, length: int) -> tuple[int, int]:
        """Ask for every token."""
        return 0, length


class MaskedTaskSettings(AnyTaskSettings):
    """Guess hidden tokens of plain text from both sides (Devlin et al. 2019)."""

    kind: Literal["masked-lm"] = "masked-lm"

    does = "guess hidden words"
    verbs = ("fill",)
    rows = "packed"
    corpora: ClassVar[Kinds[TextSettings]] = Kinds(TextSettings, imported=True)
    models: ClassVar[Kinds[EncoderSettings]] = Kinds(EncoderSettings)

    mlm_probability: float = Field(0.15, gt=0.0, lt=1.0)
    """Share of the tokens that are asked for."""

    mask_replace_prob: float = Field(0.8, ge=0.0, le=1.0)
    """Share of these that become the mask …"""

    random_replace_prob: float = Field(0.1, ge=0.0, le=1.0)
    """… and share that becomes a random entry; the others stay as they are."""

    whole_word_masking: bool = False
    """Choose all the pieces of a word together."""

    dynamic_masking: bool = True
    """Choose anew in each epoch (RoBERTa), or once for all."""

    next_sentence: bool = False
    """Read two segments, and guess whether the second follows the first (BERT); otherwise rows are
    filled with whole sentences (RoBERTa)."""

    def masked_tokens(self, tokens: int) -> int:
        """Return how many of so many tokens are masked."""
        return max(1, round(tokens * self.mlm_probability))


class SpansTaskSettings(AnyTaskSettings):
    """Write the spans that were cut out of a text, each after its mark (Raffel et al. 2020)."""

    kind: Literal["span-corruption"] = "span-corruption"

    does = "restore spans"
    verbs = ("evaluate",)
    ignores = ("augmentation", "images")
    corpora: ClassVar[Kinds[TextSettings]] = Kinds(TextSettings, imported=True)
    models: ClassVar[Kinds[TransformerSettings]] = Kinds(TransformerSettings)

    noise_density: float = Field(0.15, gt=0.0, lt=1.0)
    """Share of the tokens that are cut out."""

    mean_span_length: float = Field(3.0, ge=1.0)
    """Tokens of a span, on average."""

    def row_lengths(self, length: int) -> tuple[int, int]:
        """Cut spans out of the source, and mark each on both sides."""
        cut = max(1, round(length * self.noise_density))
        spans = max(1, round(cut / self.mean_span_length))
        return length - cut + spans, cut + spans + 1


class ClassificationTaskSettings(AnyTaskSettings):
    """Give a text one of several classes."""

    kind: Literal["text-classification"] = "text-classification"

    does = "classify"
    verbs = ("classify",)
    unit = "text"
    labels = "row"
    corpora: ClassVar[Kinds[LabeledSettings]] = Kinds(LabeledSettings, imported=True)
    models: ClassVar[Kinds[ClassifierSettings]] = Kinds(ClassifierSettings)


class TaggingTaskSettings(AnyTaskSettings):
    """Give each word of a sentence a label: its part of speech, or where a name begins."""

    kind: Literal["tagging"] = "tagging"

    does = "label words"
    verbs = ("tag",)
    unit = "word"
    labels = "token"
    corpora: ClassVar[Kinds[TaggedSettings]] = Kinds(TaggedSettings)
    models: ClassVar[Kinds[TaggerSettings]] = Kinds(TaggerSettings)


class ImageTaskSettings(AnyTaskSettings):
    """Classify an image: one of several classes."""

    kind: Literal["image-classification"] = "image-classification"

    does = "classify images"
    verbs = ("classify",)
    unit = "image"
    rows = "images"
    labels = "row"
    ignores = ("tokenizer", "augmentation", "batches", "decoding")
    corpora: ClassVar[Kinds[ImageCorpus]] = Kinds(ImageCorpus)
    models: ClassVar[Kinds[ImageModelSettings]] = Kinds(ImageModelSettings)


class AutoencodingTaskSettings(AnyTaskSettings):
    """Encode an image as a few values, and reconstruct it from them."""

    kind: Literal["autoencoding"] = "autoencoding"

    does = "reconstruct images"
    verbs = ("evaluate",)
    unit = "image"
    rows = "images"
    ignores = ("tokenizer", "augmentation", "batches", "objective", "decoding")
    corpora: ClassVar[Kinds[ImageCorpus]] = Kinds(ImageCorpus)
    models: ClassVar[Kinds[AutoencoderSettings]] = Kinds(AutoencoderSettings)

    noise: float = Field(0.0, ge=0.0)
    """Deviation of the noise on the pixels that are read, where that of the pixels is 1; asked for
    is the image without it (Vincent et al. 2008)."""

    masked_share: float = Field(0.0, ge=0.0, lt=1.0)
    """Share of the pixels that are hidden from the network, which is asked for all of them."""


class ImageTextTaskSettings(AnyTaskSettings):
    """Find the caption of an image among others, and the image of a caption (CLIP)."""

    kind: Literal["image-text"] = "image-text"

    does = "match images and texts"
    verbs = ("match",)
    unit = "pair"
    rows = "images"
    ignores = ("augmentation", "decoding")
    corpora: ClassVar[Kinds[CaptionSettings]] = Kinds(CaptionSettings, imported=True)
    models: ClassVar[Kinds[ClipSettings]] = Kinds(ClipSettings)

    name: float = Field(1.0, ge=0.0)
    """How often a caption is the name alone, where an image has keywords besides …"""

    keywords: float = Field(1.0, ge=0.0)
    """… how often it is some keywords alone …"""

    both: float = Field(1.0, ge=0.0)
    """… and how often it is the name and some keywords; each epoch draws anew."""

    max_keywords: int = Field(4, ge=1)
    """Keywords of a caption at most."""

    scale_jitter: float = Field(0.0, ge=0.0, lt=0.9)
    """Share by which an image may be made larger or smaller while training."""

    @model_validator(mode="after")
    def _some_caption(self) -> Self:
        if not self.name + self.keywords + self.both:
            raise ValueError("name, keywords and both are 0, so there is no caption. Raise one.")
        return self


TaskSettings = Annotated[
    TranslationTaskSettings
    | LanguageTaskSettings
    | MaskedTaskSettings
    | SpansTaskSettings
    | ClassificationTaskSettings
    | TaggingTaskSettings
    | ImageTaskSettings
    | AutoencodingTaskSettings
    | ImageTextTaskSettings,
    Field(discriminator="kind"),
]
