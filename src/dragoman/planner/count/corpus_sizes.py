"""Sizes that the corpus decides: vocabulary, classes and images, stored, generated or assumed."""

from dataclasses import dataclass, field
from pathlib import Path

from dragoman.config.captions import CaptionCorpus, EmojiCorpus
from dragoman.config.corpus import GeneratedLabels
from dragoman.config.images import ImageArrays, ImageFolders, Shapes
from dragoman.config.recipe import Recipe
from dragoman.config.tagging import GeneratedTags, TaggedCorpus
from dragoman.core.errors import RunError
from dragoman.engine.checkpoint.folder import RunFolder

ASSUMED_CLASSES, ASSUMED_LABELS = 2, 17
"""Classes of texts or images, and labels of words (the universal parts of speech), where nothing
is known of them."""

KNOWN_ARRAYS = {"mnist": (1, 28), "fashion-mnist": (1, 28), "cifar-10": (3, 32)}
"""Channels and side of well-known images, which have ten classes each."""


@dataclass(slots=True)
class CorpusSizes:
    """The sizes that a corpus decides, and where they were taken from."""

    source_vocab: int
    target_vocab: int
    classes: int
    channels: int
    image_size: int
    origins: list[str] = field(default_factory=list)
    """Where each size was taken from, in plain words."""


def corpus_sizes(recipe: Recipe, run: RunFolder | None, classes: int | None) -> CorpusSizes:
    """Take the sizes from a run where there is one, else from the recipe; say which."""
    origins: list[str] = []
    notes = _notes(run.model) if run is not None and run.model.is_file() else {}
    source, target = _vocabulary(recipe, run, origins)
    channels, size = _image_shape(recipe, notes)
    return CorpusSizes(
        source, target, _classes(recipe, notes, classes, origins), channels, size, origins
    )


def _vocabulary(recipe: Recipe, run: RunFolder | None, origins: list[str]) -> tuple[int, int]:
    if "tokenizer" in recipe.task.ignores:
        return 0, 0
    stored, new = (run.tokenizer if run is not None else None), 0
    if (stored is None or not stored.is_file()) and recipe.start is not None:
        stored, new = RunFolder(recipe.start.run).tokenizer, recipe.start.new_tokens
    if stored is not None and stored.is_file():
        from dragoman.data.tokenizer.pair import TokenizerPair

        pair = TokenizerPair.load(stored)
        sizes = pair.source.size + new, pair.target.size + new
        origins.append(f"vocabulary {_sides(*sizes)}: {stored}")
        return sizes
    size = recipe.tokenizer.vocab_size
    origins.append(
        f"vocabulary {size:,}: tokenizer.vocab_size; a small corpus may hold fewer tokens"
    )
    return size, size


def _sides(source: int, target: int) -> str:
    return f"{source:,}" if source == target else f"{source:,} and {target:,}"


def _image_shape(recipe: Recipe, notes: dict[str, str]) -> tuple[int, int]:
    if "pixels" in notes:
        from dragoman.data.batching.pixels import Pixels

        pixels = Pixels.from_json(notes["pixels"], recipe.name)
        return pixels.channels, pixels.size
    match recipe.corpus:
        case ImageArrays() as corpus:
            return KNOWN_ARRAYS[corpus.name]
        case ImageFolders() | CaptionCorpus() as corpus:
            return (3 if corpus.colors else 1), corpus.size
        case Shapes() | EmojiCorpus() as corpus:
            return 3, corpus.size
        case _:
            return 3, 0


def _classes(recipe: Recipe, notes: dict[str, str], chosen: int | None, origins: list[str]) -> int:
    """Return the classes of texts, words or images; 0 where there are none."""
    if recipe.task.labels == "none":
        return 0
    if chosen is not None:
        origins.append(f"{chosen:,} classes: --classes")
        return chosen
    if "classes" in notes:
        from dragoman.tasks.common.classes import read_classes

        count = len(read_classes(notes, Path(recipe.name)))
        origins.append(f"{count:,} classes: the run")
        return count
    count, where = _corpus_classes(recipe)
    origins.append(f"{count:,} classes: {where}")
    return count


def _corpus_classes(recipe: Recipe) -> tuple[int, str]:
    assumed = "assumed; give them by --classes"
    match recipe.corpus:
        case ImageArrays() as corpus:
            return 10, corpus.name
        case Shapes():
            from dragoman.data.corpus.generators.shape_words import SHAPES

            return len(SHAPES), "the shapes that are drawn"
        case ImageFolders() as corpus:
            found = {one.name for path in corpus.train for one in _folders(Path(path))}
            if found:
                return len(found), "the folders of corpus.train"
            return ASSUMED_CLASSES, assumed
        case GeneratedLabels() as corpus:
            from dragoman.data.corpus.generated_labels import draw_labeled

            labels = {
                row.label
                for part in draw_labeled(corpus, _seed(recipe, corpus.seed))
                for row in part
            }
            return len(labels), "the texts that are drawn"
        case GeneratedTags() as corpus:
            from dragoman.tasks.tagging.generated import draw_tagged

            tags = {
                tag
                for part in draw_tagged(corpus, _seed(recipe, corpus.seed))
                for one in part
                for tag in one.labels
            }
            return len(tags), "the sentences that are drawn"
        case TaggedCorpus():
            return ASSUMED_LABELS, assumed
        case _:
            return ASSUMED_CLASSES, assumed


def _seed(recipe: Recipe, seed: int | None) -> int:
    return recipe.seed if seed is None else seed


def _folders(path: Path) -> list[Path]:
    return [one for one in path.iterdir() if one.is_dir()] if path.is_dir() else []


def _notes(path: Path) -> dict[str, str]:
    """Read what stands beside the weights of a run, without the weights."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as stored:
            return dict(stored.metadata() or {})
    except (SafetensorError, OSError) as error:
        raise RunError(f"{path}: cannot be read ({error}). Train again.") from None
