"""From images with captions to bytes of one size on disk, once per run; a resume finds them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dragoman.config.recipe import Recipe
from dragoman.config.start import StartSettings
from dragoman.config.task import ImageTextTaskSettings
from dragoman.core.console import progress_bar, say
from dragoman.data.batching.caption_sets import CaptionSets, load_caption_sets
from dragoman.data.batching.image_store import ImageStore, write_images
from dragoman.data.batching.pixels import Bytes, Pixels
from dragoman.data.corpus.captions import SETS, CaptionedImage, CaptionedImages, open_captions
from dragoman.data.corpus.held_out_captions import ImageCaptions, save_captions
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.common.fine_tuning import base_tokenizer
from dragoman.tasks.common.pixels import PIXELS_NOTE
from dragoman.tasks.common.preparation import prepare_once


@dataclass(frozen=True)
class PreparedCaptions:
    """Images with captions, ready to train on."""

    tokenizer: Tokenizer
    sets: CaptionSets


def prepare_captions(folder: RunFolder, recipe: Recipe) -> PreparedCaptions:
    """Read and split images with captions into the run folder, unless they are there already."""
    prepare_once(folder, recipe, lambda: _prepare(folder, recipe))
    tokenizer = TokenizerPair.load(folder.tokenizer).source
    return PreparedCaptions(tokenizer, load_caption_sets(folder.data))


def _prepare(folder: RunFolder, recipe: Recipe) -> None:
    say("reading the images …")
    corpus = open_captions(recipe.corpus_for(ImageTextTaskSettings), recipe.seed)
    said: dict[str, list[ImageCaptions]] = {}
    with progress_bar("reading", corpus.size) as bar:
        for name in SETS:
            said[name] = _store(folder.data, name, corpus, bar.advance)
    tokenizer = _tokenizer(recipe, said["train"], corpus.findings)
    TokenizerPair(tokenizer, tokenizer).save(folder.tokenizer)
    pixels = _pixels(folder.data, corpus, recipe.start)
    save_captions(corpus, said, pixels.to_json(), folder.data)
    for finding in corpus.findings:
        say(f"  {finding}")
    say(
        f"{len(said['train']):,} images to train on, {len(said['valid']):,} to validate, "
        f"{len(said['test']):,} to test; {pixels.size}×{pixels.size}; "
        f"vocabulary {tokenizer.size:,}"
    )


def _store(
    folder: Path, name: str, corpus: CaptionedImages, advance: Callable[[int], None]
) -> list[ImageCaptions]:
    """Write the images of a set; return what is said of those that could be read."""
    said: list[ImageCaptions] = []

    def images() -> Iterator[tuple[Bytes, int]]:
        for image, one in corpus.read(name):
            said.append(_said(one))
            yield image, len(said) - 1
            advance(1)

    write_images(folder, name, images())
    return said


def _said(one: CaptionedImage) -> ImageCaptions:
    return ImageCaptions(one.path.name, one.captions)


def _pixels(folder: Path, corpus: CaptionedImages, start: StartSettings | None) -> Pixels:
    """Measure the pixels; who starts from a run goes on seeing them as that run did."""
    measured = Pixels.of(np.asarray(ImageStore.open(folder, "train").images), corpus.settings.fit)
    if start is None:
        return measured
    base = trained_run(start.run).model
    before = Pixels.from_json(read_weights(base).notes.get(PIXELS_NOTE, ""), str(base))
    return replace(measured, mean=before.mean, deviation=before.deviation)


def _tokenizer(recipe: Recipe, said: list[ImageCaptions], findings: list[str]) -> Tokenizer:
    """Learn a vocabulary, or take that of the run that this one starts from."""
    if recipe.start is not None:
        return base_tokenizer(recipe.start).source
    captions = (caption for one in said for caption in one.captions)
    lines = (line for caption in captions for line in (caption.name, *caption.keywords))
    return train_tokenizer(recipe.tokenizer, lines, findings)
