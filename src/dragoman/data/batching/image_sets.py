"""The images of a run in three stores, and split.json, which is written last and vouches for them.

Which images were taken, of which classes, and what their pixels are like.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.data.batching.image_store import ImageStore, write_images
from dragoman.data.batching.pixels import Pixels
from dragoman.data.corpus.images import SETS, Image, Images
from dragoman.data.corpus.split_file import findings_of, open_split, save_split

FORMAT = "dragoman-image-split"


@dataclass(frozen=True)
class ImageSets:
    """Images, ready to train on and to be tested with."""

    train: ImageStore
    valid: ImageStore
    test: ImageStore
    pixels: Pixels
    classes: dict[str, int]
    """How many images of each class are trained on; a class's number is its turn."""
    findings: list[str]


def save_images(images: Images, folder: Path, advance: Callable[[int], None]) -> None:
    """Write all images of a corpus into a folder."""
    stores = {
        name: write_images(folder, name, _counted(images.read(name), advance)) for name in SETS
    }
    counts = Counter(stores["train"].classes.tolist())
    classes = {name: counts[number] for number, name in enumerate(images.classes)}
    for name, count in classes.items():
        if not count:
            raise DataError(f"class {name!r}: none of its pictures is left to train on.")
    pixels = Pixels.of(stores["train"].images, images.fit)
    save_split(folder, FORMAT, images, {"classes": classes, "pixels": pixels.to_json()})


def load_images(folder: Path) -> ImageSets:
    """Open the images that `save_images` wrote."""
    train, valid, test = (ImageStore.open(folder, name) for name in SETS)
    with open_split(folder, FORMAT) as record:
        pixels = Pixels.from_json(record["pixels"], str(folder))
        classes = {str(name): int(count) for name, count in record["classes"].items()}
        return ImageSets(train, valid, test, pixels, classes, findings_of(record))


def _counted(images: Iterator[Image], advance: Callable[[int], None]) -> Iterator[Image]:
    for image in images:
        yield image
        advance(1)
