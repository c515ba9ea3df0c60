"""Where images with captions come from, and how they are matched with each other."""

from typing import Annotated, Literal

from pydantic import Field

from dragoman.config.files import Files
from dragoman.config.images import Side
from dragoman.config.settings import Settings


class CaptionCorpus(Settings):
    """Images with captions in your own files."""

    kind: Literal["captions"] = "captions"

    train: Files
    """Tables (TSV) of an image's path, a caption and perhaps its language, or with a first line
    that names the columns: image, caption, keywords, language, group. Relative to the recipe's
    folder; a path in a table is relative to the table."""

    valid: Files | None = None
    """Tables to validate on; without them, some images of `train` are held out."""

    test: Files | None = None
    """Tables to test on; without them, some further images of `train` are held out."""

    size: Side = 64
    """Height and width that every image is brought to."""

    colors: bool = True
    """Keep the colours; False makes everything grey."""

    fit: Literal["crop", "pad"] = "crop"
    """What is done to an image that is not square: its edges are cut off, or white is added."""

    held_out: float = Field(0.1, gt=0.0, lt=0.5)
    """Share of the images that is held out for each set that has no table, with all captions."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which images are held out; without it, the recipe's seed does."""

    repair: bool = True
    """Leave out files that are no images and repair what is safe to repair in a table (BOM, CRLF,
    NUL), and say so; False refuses them."""


class EmojiCorpus(Settings):
    """Emoji with their names and keywords; `dragoman data get emoji` fetches them once."""

    kind: Literal["emoji"] = "emoji"

    languages: tuple[Literal["en", "hi"], ...] = Field(("en", "hi"), min_length=1)
    """Languages of the captions."""

    skin_tones: bool = False
    """Take the pictures that differ in skin tone, too: twice as many, half of them people."""

    size: Side = 32
    """Height and width that every image is brought to; they are drawn on 64 pixels."""

    held_out: float = Field(0.1, gt=0.0, lt=0.5)
    """Share of the images that is held out for each of validation and test, with all captions."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which images are held out; without it, the recipe's seed does."""


CaptionSettings = Annotated[CaptionCorpus | EmojiCorpus, Field(discriminator="kind")]
"""Images with captions."""
