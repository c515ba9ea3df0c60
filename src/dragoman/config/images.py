"""Where images come from, and how they are gathered into batches."""

from typing import Annotated, Literal

from pydantic import Field

from dragoman.config.files import Files
from dragoman.config.settings import Settings

LARGEST_SIDE = 4096

Side = Annotated[int, Field(ge=1, le=LARGEST_SIDE)]


class ImageFolders(Settings):
    """Your own pictures: a folder with one folder in it for each class."""

    kind: Literal["images"] = "images"

    train: Files
    """The folder, or several; relative to the recipe's folder."""

    valid: Files | None = None
    """Folders to validate on; without them, some images of `train` are held out."""

    test: Files | None = None
    """Folders to test on; without them, some further images of `train` are held out."""

    size: Side = 64
    """Height and width that every image is brought to."""

    colors: bool = True
    """Keep the colours; False makes everything grey."""

    fit: Literal["crop", "pad"] = "crop"
    """What is done to an image that is not square: its edges are cut off, or white is added."""

    held_out: float = Field(0.1, gt=0.0, lt=0.5)
    """Share of each class that is held out for each set that has no folder."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which images are held out; without it, the recipe's seed does."""

    repair: bool = True
    """Leave out files that are no images, and say which; False refuses them."""


class ImageArrays(Settings):
    """A well-known set of images; `dragoman data get NAME` fetches it once."""

    kind: Literal["image-arrays"] = "image-arrays"

    name: Literal["mnist", "fashion-mnist", "cifar-10"] = "mnist"

    held_out: float = Field(0.1, gt=0.0, lt=0.5)
    """Share of each class of the training images that is held out for validation; the test set
    is the usual one."""

    max_images: int = Field(0, ge=0)
    """Training images that are taken, before some are held out; 0 takes all."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which images are held out; without it, the recipe's seed does."""


class Shapes(Settings):
    """Coloured shapes that a program draws, to try things out without any file."""

    kind: Literal["shapes"] = "shapes"

    images: int = Field(4000, ge=20)
    """Images to train on."""

    held_out: int = Field(500, ge=20)
    """Images in each of the validation set and the test set."""

    size: Side = 32
    """Height and width of an image."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which images are drawn; without it, the recipe's seed does."""


ImageCorpus = Annotated[ImageFolders | ImageArrays | Shapes, Field(discriminator="kind")]
"""Images with a class each."""


class ImageSettings(Settings):
    """How images are gathered into batches, and what is done to them on the way."""

    batch_size: int = Field(128, ge=2)
    """Images of a batch."""

    shift: int = Field(0, ge=0)
    """Pixels by which an image may be moved, each way, while training."""

    horizontal_flip: bool = False
    """Mirror every other image while training; not for letters and digits."""

    cutout: int = Field(0, ge=0)
    """Side of a square that is blotted out of each image while training (Cutout)."""

    channels_last: bool = True
    """Keep the colours of a pixel side by side in memory, which is faster on most CPUs."""
