"""The gallery of a matching network: the images and captions of its run, to be searched.

Held-out ones come first. Their vectors are computed when they are first needed, some in each step
of the scheduler, and cached: a client that does not wait leaves nothing to compute twice.
"""

import asyncio
import io
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import DragomanError
from dragoman.data.batching.caption_sets import CaptionSet, load_caption_sets
from dragoman.data.batching.pixels import Bytes
from dragoman.data.formats.captioned import Caption
from dragoman.server.api.plain.services import Vectors
from dragoman.server.model_registry import ModelRegistry, ServedMatcher
from dragoman.tasks.image_text.matcher import Matcher

BATCH = 64
"""Images or captions of one step."""

log = logging.getLogger("dragoman.server")


class VectorCache:
    """Embeddings of many items, computed part by part."""

    def __init__(self, count: int, compute: Callable[[int, int], Vectors]) -> None:
        """`compute` returns the embeddings between two numbers."""
        self._starts = range(0, count, BATCH)
        self._count, self._compute = count, compute
        self._parts: dict[int, Vectors] = {}
        self._whole: Vectors | None = None

    def missing(self) -> list[Callable[[], None]]:
        """Return the jobs that are still to be done, for the scheduler's thread."""
        return [partial(self._fill, at) for at in self._starts if at not in self._parts]

    def vectors(self) -> Vectors:
        """Return all vectors, once nothing is missing."""
        if self._whole is None:
            self._whole = np.concatenate([self._parts[at] for at in self._starts])
        return self._whole

    def _fill(self, start: int) -> None:
        if start not in self._parts:  # another request may have computed it
            end = min(start + BATCH, self._count)
            self._parts[start] = self._compute(start, end)


@dataclass(frozen=True)
class GalleryImage:
    """An image of the gallery."""

    pixels: Bytes  # h w c
    caption: str


class Gallery:
    """The images and captions of one network."""

    def __init__(self, matcher: Matcher, sets: Sequence[CaptionSet], max_images: int) -> None:
        self._matcher = matcher
        self._sets = _limit(sets, max_images)
        self.captions = _texts(self._sets)
        """All captions of the images, each once."""
        self.images = sum(len(captions) for _, captions in self._sets)
        """How many images there are."""
        self.image_vectors = VectorCache(self.images, self._embed_images)
        self.text_vectors = VectorCache(len(self.captions), self._embed_texts)

    @classmethod
    def of(cls, served: ServedMatcher, max_images: int) -> "Gallery":
        """Open the images of a run; without any, or with damaged files, it is empty."""
        try:
            sets = load_caption_sets(served.folder.data)
        except DragomanError:
            if served.folder.data.is_dir():
                log.warning("the images of %s cannot be read", served.name, exc_info=True)
            return cls(served.matcher, (), max_images)
        return cls(served.matcher, (sets.test, sets.valid, sets.train), max_images)

    def image(self, number: int) -> GalleryImage | None:
        """Return an image by its number, if there is one."""
        for images, captions in self._sets:
            if 0 <= number < len(captions):
                return GalleryImage(np.asarray(images[number]), _main_caption(captions[number]))
            number -= len(captions)
        return None

    def _embed_images(self, start: int, end: int) -> Vectors:
        some = [one for number in range(start, end) if (one := self.image(number))]
        return np.asarray(self._matcher.see(np.stack([one.pixels for one in some])).cpu())

    def _embed_texts(self, start: int, end: int) -> Vectors:
        return np.asarray(self._matcher.read(self.captions[start:end]).cpu())


class Galleries:
    """Opens each gallery once, on another thread."""

    def __init__(self, models: ModelRegistry, settings: ServingSettings) -> None:
        self._models, self._max_images = models, settings.max_gallery_images
        self._open: dict[str, Gallery] = {}
        self._lock = asyncio.Lock()

    async def of(self, name: str) -> Gallery:
        """Return the gallery of a run that is served."""
        async with self._lock:
            if name not in self._open:
                served = self._models.matchers[name]
                self._open[name] = await asyncio.to_thread(Gallery.of, served, self._max_images)
            return self._open[name]


def png(pixels: Bytes) -> bytes:
    """Return an image as a PNG file."""
    from PIL import Image

    gray_or_color = pixels[..., 0] if pixels.shape[-1] == 1 else pixels
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(gray_or_color)).save(stream, "PNG")
    return stream.getvalue()


Captions = list[tuple[Caption, ...]]


def _limit(sets: Sequence[CaptionSet], max_images: int) -> list[tuple[Bytes, Captions]]:
    """Return the images of all sets with their captions, up to a number of images."""
    kept: list[tuple[Bytes, Captions]] = []
    for one in sets:
        room = max_images - sum(len(captions) for _, captions in kept)
        kept.append((one.store.images, one.captions[:room]))
    return kept


def _texts(sets: Sequence[tuple[Bytes, Captions]]) -> list[str]:
    return list(dict.fromkeys(_names(sets)))


def _names(sets: Sequence[tuple[Bytes, Captions]]) -> Iterator[str]:
    for _, captions in sets:
        for own in captions:
            yield from (caption.name for caption in own)


def _main_caption(captions: tuple[Caption, ...]) -> str:
    return captions[0].name if captions else ""
