"""Pictures moved by a few pixels, and how many answers that changes."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from dragoman.data.batching.image_store import ImageStore
from dragoman.lab.results import Measurement
from dragoman.tasks.image_classification.classifier import ImageClassifier

SHIFTS = (1, 2, 3, 4)
"""Pixels by which pictures are moved."""

WAYS = ((1, 0), (-1, 0), (0, 1), (0, -1))
"""Down, up, right and left."""


def moved(images: NDArray[np.uint8], down: int, right: int) -> NDArray[np.uint8]:
    """Return images (n h w c) moved by so many pixels; their edges go on where they left."""
    most = max(abs(down), abs(right))
    wide = np.pad(images, ((0, 0), (most, most), (most, most), (0, 0)), mode="edge")
    _, height, width, _ = images.shape
    top, left = most - down, most - right
    return np.ascontiguousarray(wide[:, top : top + height, left : left + width])


def score_shifts(
    classifier: ImageClassifier, store: ImageStore, shifts: Sequence[int] = SHIFTS
) -> Measurement:
    """Classify pictures as they are and moved each way.

    `accuracies` begin with that of pictures that stay, `changed` does not; both are in per cent.
    """
    still = _answers(classifier, store.images)
    accuracies, changed = [_share(still == store.classes)], []
    for far in shifts:
        answers = [
            _answers(classifier, moved(store.images, far * down, far * right))
            for down, right in WAYS
        ]
        accuracies.append(fmean(_share(one == store.classes) for one in answers))
        changed.append(fmean(_share(one != still) for one in answers))
    return {"accuracies": accuracies, "changed": changed}


def _answers(classifier: ImageClassifier, images: NDArray[np.uint8]) -> NDArray[np.int64]:
    numbers = {name: number for number, name in enumerate(classifier.classes)}
    return np.array([numbers[one.label] for one in classifier.classify(images)], dtype=np.int64)


def _share(right: NDArray[np.bool_]) -> float:
    return 100 * float(right.mean())
