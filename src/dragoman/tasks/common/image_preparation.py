"""From images to bytes of one size on disk, once per run; a resume finds them there."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.config.images import ImageCorpus
from dragoman.config.recipe import Recipe
from dragoman.core.console import progress_bar, say
from dragoman.data.batching.image_sets import ImageSets, load_images, save_images
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.corpus.images import open_images, read_folders
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.tasks.common.preparation import prepare_once
from dragoman.tasks.common.set_names import name_of_files


def prepare_images(folder: RunFolder, recipe: Recipe, corpus: ImageCorpus) -> ImageSets:
    """Read and split images into the run folder, unless they are there already."""
    prepare_once(folder, recipe, lambda: _prepare(folder, corpus, recipe.seed))
    return load_images(folder.data)


def _prepare(folder: RunFolder, corpus: ImageCorpus, seed: int) -> None:
    say("reading the pictures …")
    images = open_images(corpus, seed)
    with progress_bar("reading", sum(images.sizes.values())) as bar:
        save_images(images, folder.data, bar.advance)
    sets = load_images(folder.data)
    for finding in sets.findings:
        say(f"  {finding}")
    say(
        f"{len(sets.train):,} pictures to train on, {len(sets.valid):,} to validate, "
        f"{len(sets.test):,} to test; {sets.pixels.size}×{sets.pixels.size}, "
        f"{'in color' if sets.pixels.channels == 3 else 'grey'}, {len(sets.classes)} classes"
    )


def images_to_test(run: Path, folders: Sequence[Path] = ()) -> dict[str, ImageStore]:
    """Return the images to test a run on: its own held-out ones, or those of given folders."""
    folder = trained_run(run)
    sets = load_images(folder.data)
    if not folders:
        return {"test": sets.test}
    pixels = sets.pixels
    images, numbers = read_folders(
        folders, tuple(sets.classes), pixels.size, pixels.channels, pixels.fit
    )
    return {name_of_files(folder, folders): ImageStore(images, numbers)}
