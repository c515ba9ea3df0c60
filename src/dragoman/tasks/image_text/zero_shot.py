"""Sorting pictures by texts alone: the class whose name is nearest (Radford et al. 2021).

Picture and text become vectors of length 1; the scores are their cosines times the scale that was
learned, and the shares of the classes the softmax of these.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Sized
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from dragoman.data.batching.pixels import Bytes
from dragoman.data.corpus.images import class_names, read_folders
from dragoman.tasks.common.classes import ClassificationEvaluation, ClassPrediction, compare_classes
from dragoman.tasks.image_text.evaluate import RetrievalEvaluation, evaluate_matches, images_to_test
from dragoman.tasks.image_text.matcher import Matcher


def classify_by_texts(
    matcher: Matcher,
    images: Bytes,
    classes: Sequence[str],
    after_batch: Callable[[int], None] | None = None,
) -> list[ClassPrediction]:
    """Return for each picture which of some texts fits it best."""
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
    """Judge how well pictures in folders are sorted by the names of these folders."""
    matcher, classes = Matcher.load(run), class_names(folders)
    images, numbers = _read(matcher, folders)
    texts = [name.replace("_", " ") for name in classes]
    true = [texts[number] for number in numbers]
    answers = classify_by_texts(matcher, images, texts, after_batch)
    return compare_classes(folders[0].name, answers, true, texts, Counter(true), "images")


def _read(matcher: Matcher, folders: Sequence[Path]) -> tuple[Bytes, NDArray[np.int64]]:
    pixels = matcher.pixels
    classes = class_names(folders)
    return read_folders(folders, classes, pixels.size, pixels.channels, pixels.fit)


def inputs_to_test(run: Path, files: Sequence[Path]) -> Mapping[str, Sized]:
    """Return what to test a run on; folders are classes, and their pictures are sorted by names."""
    if _are_classes(files):
        return {files[0].name: _read(Matcher.load(run), files)[1]}
    return images_to_test(run, files)


def evaluate_image_text(
    run: Path, files: Sequence[Path], after_batch: Callable[[int], None]
) -> Sequence[ClassificationEvaluation | RetrievalEvaluation]:
    """Judge a run on its test set or on tables; or, of folders, how it sorts them by names."""
    if _are_classes(files):
        return [evaluate_zero_shot(run, files, after_batch)]
    return evaluate_matches(run, files, after_batch)


def _are_classes(files: Sequence[Path]) -> bool:
    return bool(files) and all(path.is_dir() for path in files)
