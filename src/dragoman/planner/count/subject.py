"""The subject of a count: a recipe, a run or a network known by name, with the shape of a batch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.model import AnyModel
from dragoman.config.named import NAMED, named
from dragoman.config.optimizer import AdamW, OptimizerSettings
from dragoman.config.reading import find_recipe, read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.start import StartSettings
from dragoman.config.training import DecodingSettings, TrainingSettings
from dragoman.core.errors import ConfigError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.planner.count.corpus_sizes import CorpusSizes, corpus_sizes
from dragoman.planner.count.sizes import Sizes

ASSUMED_LENGTH = 32
"""Tokens of a sentence, where it is not known how long those of a corpus are."""


@dataclass(frozen=True, slots=True)
class BatchShape:
    """The shape of a batch where it is chosen by hand; None leaves it to the recipe."""

    batch: int | None = None
    length: int | None = None
    classes: int | None = None


AS_IN_THE_RECIPE = BatchShape()


@dataclass(frozen=True, slots=True)
class CountSubject:
    """A network with all the sizes that a count needs."""

    name: str
    task: str
    model: AnyModel
    sizes: Sizes
    assumptions: tuple[str, ...]
    tags: bool = False
    """Whether each token is given a class."""
    start: StartSettings | None = None
    new: tuple[str, ...] = ()
    optimizer: OptimizerSettings = AdamW()
    training: TrainingSettings = TrainingSettings()
    decoding: DecodingSettings = DecodingSettings()
    longest: int = 0
    """Tokens of the longest text that is read."""


def find_subject(
    name: str, changes: Sequence[str] = (), shape: BatchShape = AS_IN_THE_RECIPE
) -> CountSubject:
    """Find what is meant: a run folder, a network known by name, or a recipe."""
    path = Path(name)
    if (path / "recipe.toml").is_file():
        return recipe_subject(read_recipe(path / "recipe.toml", changes), RunFolder(path), shape)
    if name in NAMED:
        if changes:
            raise ConfigError(f"{name}: is known by its name and has no keys to change.")
        return _named_subject(name, shape)
    return recipe_subject(read_recipe(find_recipe(name), changes), None, shape)


def recipe_subject(
    recipe: Recipe, run: RunFolder | None = None, shape: BatchShape = AS_IN_THE_RECIPE
) -> CountSubject:
    """Take all sizes from a recipe, and from its run where there is one."""
    known = corpus_sizes(recipe, run, shape.classes)
    model, new = _with_heads(recipe, known)
    sizes, assumed = _batch(recipe, known, shape)
    return CountSubject(
        run.path.name if run is not None else recipe.name,
        recipe.task.kind,
        model,
        sizes,
        (*known.origins, *assumed),
        recipe.task.labels == "token",
        recipe.start,
        new,
        recipe.optimizer,
        recipe.training,
        recipe.decoding,
        recipe.batches.max_length,
    )


def _named_subject(name: str, shape: BatchShape) -> CountSubject:
    settings, words = named(name)
    most = settings.max_positions if settings.positions == "learned" else 512
    length = shape.length or most
    target = 0 if isinstance(settings, EncoderSettings) else length
    source = 0 if isinstance(settings, DecoderOnlySettings) else length
    sizes = Sizes(shape.batch or 1, words, words, source, target)
    assumed = (f"vocabulary {words:,}: the published one", f"{length:,} tokens a row")
    return CountSubject(name, "published network", settings, sizes, assumed, longest=length)


def _with_heads(recipe: Recipe, known: CorpusSizes) -> tuple[AnyModel, tuple[str, ...]]:
    """Return the network with the heads that its task gives it, and the names of new ones."""
    model = recipe.model
    if not isinstance(model, EncoderSettings):
        return model, ()
    if recipe.task.labels == "token":
        return model, ("labels_head",)
    if recipe.task.labels == "row":
        heads = {
            "classes": known.classes,
            "pooler": True,
            "lm_head": "none",
            "next_sentence_head": False,
        }
        new = ("classes_head",) if model.pooler else ("pooler", "classes_head")
        return model.model_copy(update=heads), new
    return model, ()


def _batch(recipe: Recipe, known: CorpusSizes, shape: BatchShape) -> tuple[Sizes, tuple[str, ...]]:
    """Return the shape of a batch, and what was assumed for it."""
    sizes = Sizes(
        1,
        known.source_vocab,
        known.target_vocab,
        classes=known.classes,
        channels=known.channels,
        image_size=known.image_size,
    )
    task = recipe.task
    if task.rows == "images":
        rows = shape.batch or recipe.images.batch_size
        if "tokenizer" in task.ignores:
            return replace(sizes, batch=rows), ()
        length, assumed = _length(recipe, shape)
        return replace(sizes, batch=rows, source_length=length), assumed
    if task.rows == "packed":
        length, assumed = shape.length or recipe.batches.max_length, ()
    else:
        length, assumed = _length(recipe, shape)
    rows = shape.batch or max(1, recipe.batches.max_tokens // length)
    source, target = task.row_lengths(length)
    masked = task.masked_tokens(rows * length)
    return replace(
        sizes, batch=rows, source_length=source, target_length=target, loss_tokens=masked
    ), assumed


def _length(recipe: Recipe, shape: BatchShape) -> tuple[int, tuple[str, ...]]:
    if shape.length is not None:
        return shape.length, ()
    length = min(recipe.batches.max_length, ASSUMED_LENGTH)
    return length, (f"{length} tokens a row: assumed; give them by --length",)
