"""Sorting images by texts alone: the class whose name is nearest (Radford et al. 2021).

Image and text become vectors of length 1; the scores are their cosines times the scale that was
learned, and the shares of the classes the softmax of these.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from dragoman.data.batching.pixels import Bytes
from dragoman.data.corpus.images import class_names, read_folders
from dragoman.tasks.common.classes import ClassificationEvaluation, ClassPrediction, compare_classes
from dragoman.tasks.image_text.matcher import Matcher


def classify_by_texts(
    matcher: Matcher,
    images: Bytes,
    classes: Sequence[str],
    after_batch: Callable[[int], None] | None = None,
) -> list[ClassPrediction]:
    """Return for each image which of some texts fits it best."""
    read, seen = matcher.read(classes), matcher.see(images, after_batch)
    with torch.inference_mode():
        shares = (matcher.model.scale * seen @ read.T).double().softmax(dim=1).tolist()
    return [
        ClassPrediction(max(found, key=found.__getitem__), found)
        for found in (dict(zip(classes, row, strict=True)) for row in shares)
    ]


def evaluate_zero_shot(
    run: Path, folders: Sequence[Path], after_batch: Callable[[int], None] | None = None
) -> ClassificationEvaluation:
    """Judge how well images in folders are sorted by the names of these folders."""
    matcher, classes = Matcher.load(run), class_names(folders)
    pixels = matcher.pixels
    images, numbers = read_folders(folders, classes, pixels.size, pixels.channels, pixels.fit)
    texts = [name.replace("_", " ") for name in classes]
    true = [texts[number] for number in numbers]
    answers = classify_by_texts(matcher, images, texts, after_batch)
    return compare_classes(folders[0].name, answers, true, texts, Counter(true), "pictures")
