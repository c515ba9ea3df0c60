"""Images on disk as plain bytes, read through a memory map.

NAME.images.bin    uint8, one image after the other: rows of pixels, the colours side by side
NAME.classes.bin   int64, the number of each one's class
NAME.json          their sizes and a checksum of itself; written last
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.data.batching.arrays import open_array, read_record, write_arrays

FORMAT, VERSION = "dragoman-images", 1
PARTS = ("images", "classes")


@dataclass(frozen=True)
class ImageStore:
    """Images that are opened, not loaded."""

    images: NDArray[np.uint8]  # n h w c
    classes: NDArray[np.int64]  # n

    def __len__(self) -> int:
        return len(self.classes)

    @classmethod
    def open(cls, folder: Path, name: str) -> "ImageStore":
        """Open a store that was written to its end, or say that there is none."""
        record = read_record(folder, name, FORMAT, VERSION)
        shape = tuple(map(int, record["type"].split()))
        images = open_array(folder, name, "images", "u1", record["images"])
        classes = open_array(folder, name, "classes", "<i8", record["classes"])
        pixels = np.asarray(images, dtype=np.uint8).reshape(-1, *shape)
        return cls(pixels, np.asarray(classes, dtype=np.int64))


def write_images(
    folder: Path, name: str, images: Iterable[tuple[NDArray[np.uint8], int]]
) -> ImageStore:
    """Write images with the numbers of their classes, as they come."""
    write_arrays(
        folder, name, PARTS, (FORMAT, VERSION), lambda paths: _write(paths, images, folder / name)
    )
    return ImageStore.open(folder, name)


def _write(
    paths: Sequence[Path], images: Iterable[tuple[NDArray[np.uint8], int]], where: Path
) -> str:
    """Write both files; return the shape of an image."""
    shape: tuple[int, ...] | None = None
    numbers: list[int] = []
    with paths[0].open("wb") as stream:
        for image, number in images:
            if shape is not None and image.shape != shape:
                raise DataError(f"{where}: images of {shape} and {image.shape} in one store.")
            shape = image.shape
            stream.write(np.ascontiguousarray(image, dtype=np.uint8).data)
            numbers.append(number)
        stream.flush()
        os.fsync(stream.fileno())
    if shape is None:
        raise DataError(f"{where}: there are no images to store.")
    paths[1].write_bytes(np.array(numbers, dtype="<i8").tobytes())
    return " ".join(map(str, shape))
