"""The images of a run and what is said of them, as they were prepared."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dragoman.data.batching.image_store import ImageStore
from dragoman.data.batching.pixels import Pixels
from dragoman.data.corpus.held_out_captions import ImageCaptions, load_captions
from dragoman.data.formats.captioned import Caption


@dataclass(frozen=True)
class CaptionSet:
    """Images, and what is said of each."""

    store: ImageStore
    said: list[ImageCaptions]

    @property
    def captions(self) -> list[tuple[Caption, ...]]:
        """The captions of each image."""
        return [one.captions for one in self.said]

    @property
    def languages(self) -> list[str]:
        """The languages of the captions."""
        return languages_of(self.said)


@dataclass(frozen=True)
class CaptionSets:
    """Training, validation and test sets of images with captions."""

    train: CaptionSet
    valid: CaptionSet
    test: CaptionSet
    pixels: Pixels
    findings: list[str]


def load_caption_sets(folder: Path) -> CaptionSets:
    """Open the images and captions that a run was prepared with."""
    stored = load_captions(folder)
    train, valid, test = (
        CaptionSet(ImageStore.open(folder, name), said) for name, said in stored.sets.items()
    )
    pixels = Pixels.from_json(stored.pixels, str(folder))
    return CaptionSets(train, valid, test, pixels, stored.findings)


def languages_of(said: Iterable[ImageCaptions]) -> list[str]:
    """Return the languages of captions, in alphabetical order."""
    return sorted({caption.language for one in said for caption in one.captions})
