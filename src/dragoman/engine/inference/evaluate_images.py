"""Judging a classifier of pictures on its test set, or on folders of pictures of its classes."""

from collections.abc import Callable, Sequence
from pathlib import Path

from dragoman.data.batching.image_sets import load_images
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.corpus.images import read_folders
from dragoman.engine.checkpoint.folder import trained
from dragoman.engine.inference.card import store_scores
from dragoman.engine.inference.evaluate_classes import ClassesJudged, compare_classes
from dragoman.engine.inference.image_classifier import ImageClassifier

UNIT = "pictures"


def judge_images(
    classifier: ImageClassifier,
    store: ImageStore,
    name: str,
    sizes: dict[str, int],
    after_batch: Callable[[int], None] | None = None,
) -> ClassesJudged:
    """Classify the images of a store and compare."""
    answers = classifier.classify(store.images, after_batch=after_batch)
    true = [classifier.classes[number] for number in store.classes]
    return compare_classes(name, answers, true, classifier.classes, sizes, UNIT)


def images_to_test(run: Path, folders: Sequence[Path] = ()) -> dict[str, ImageStore]:
    """Return the images to test a run on: its own held-out ones, or those of given folders."""
    folder = trained(run)
    sets = load_images(folder.data)
    if not folders:
        return {"test": sets.test}
    pixels = sets.pixels
    images, numbers = read_folders(
        folders, tuple(sets.classes), pixels.size, pixels.channels, pixels.fit
    )
    return {folders[0].name: ImageStore(images, numbers)}


def evaluate_images(
    run: Path, folders: Sequence[Path] = (), after_batch: Callable[[int], None] | None = None
) -> list[ClassesJudged]:
    """Judge a classifier on its test set (or on given folders); store scores and card."""
    folder = trained(run)
    classifier = ImageClassifier.load(run)
    sizes = load_images(folder.data).classes
    judged = [
        judge_images(classifier, store, name, sizes, after_batch)
        for name, store in images_to_test(run, folders).items()
    ]
    store_scores(folder, {one.name: one.summary() for one in judged})
    return judged
