"""Images in batches, moved, mirrored and blotted a little, so that none is seen twice alike."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.config.images import ImageSettings
from dragoman.data.batching.endless import Endless
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.batching.seeded_random import Purpose, seeded_random

Numbers = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class ImageBatch:
    """b images side by side, and the number of each one's class."""

    images: Bytes  # b h w c
    classes: Numbers  # b
    examples: Numbers  # b, the numbers of the images


def in_order(store: ImageStore, together: int) -> list[ImageBatch]:
    """Gather all images of a store as they are."""
    return [
        _gather(store, np.arange(begin, min(begin + together, len(store))))
        for begin in range(0, len(store), together)
    ]


class ImageStream(Endless[list[Numbers], ImageBatch]):
    """Images of a store, every one once per epoch, in an order fixed by the seed."""

    def __init__(
        self, store: ImageStore, settings: ImageSettings, seed: int, ground: Bytes
    ) -> None:
        """Take `ground` for the colour that is seen where an image has moved away."""
        self.store, self.settings, self.seed, self.ground = store, settings, seed, ground

    def plan(self, epoch: int) -> list[Numbers]:
        """Return which images stand in which batch; the batches are of equal size but for one."""
        order = seeded_random(Purpose.IMAGES, self.seed, epoch, 0).permutation(len(self.store))
        return np.array_split(order, -(-len(order) // self.settings.batch_size))

    def batch(self, plan: list[Numbers], number: int, epoch: int) -> ImageBatch:
        """Make one batch of a plan."""
        found = _gather(self.store, plan[number])
        random = seeded_random(Purpose.IMAGES, self.seed, epoch, 1 + number)
        return ImageBatch(
            augment_images(found.images, self.settings, random, self.ground),
            found.classes,
            found.examples,
        )


def augment_images(
    images: Bytes, settings: ImageSettings, random: np.random.Generator, ground: Bytes
) -> Bytes:
    """Return images each moved, mirrored and blotted at random, as far as the settings allow."""
    if settings.horizontal_flip:
        mirrored = random.random(len(images)) < 0.5
        images = np.where(mirrored[:, None, None, None], images[:, :, ::-1], images)
    if settings.shift:
        images = _moved(images, random.integers(0, 2 * settings.shift + 1, (len(images), 2)),
                        settings.shift, ground)  # fmt: skip
    if settings.cutout:
        images = _blotted(images, random, settings.cutout, ground)
    return images


def _moved(images: Bytes, by: Numbers, shift: int, ground: Bytes) -> Bytes:
    count, height, width, channels = images.shape
    wide = np.empty((count, height + 2 * shift, width + 2 * shift, channels), dtype=np.uint8)
    wide[:] = ground
    wide[:, shift : shift + height, shift : shift + width] = images
    moved = np.empty_like(images)
    for place, (down, right) in enumerate(by):
        moved[place] = wide[place, down : down + height, right : right + width]
    return moved


def _blotted(images: Bytes, random: np.random.Generator, side: int, ground: Bytes) -> Bytes:
    blotted = images.copy()
    _, height, width, _ = images.shape
    middles = np.stack([random.integers(0, end, len(images)) for end in (height, width)], axis=1)
    for place, (row, column) in enumerate(middles - side // 2):
        rows, columns = (slice(max(0, begin), begin + side) for begin in (row, column))
        blotted[place, rows, columns] = ground
    return blotted


def _gather(store: ImageStore, places: Numbers) -> ImageBatch:
    return ImageBatch(np.asarray(store.images[places]), store.classes[places], places)
