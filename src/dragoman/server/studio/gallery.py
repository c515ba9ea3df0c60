"""The pictures and captions of a network for matching: those of its run, to be looked for.

Held-out ones come first. Their vectors are computed when they are first asked for, some at a turn
of the engine, and kept: who does not wait for the end leaves the others nothing to do twice.
"""

import io
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dragoman.core.errors import DragomanError
from dragoman.data.batching.caption_sets import CaptionSet, load_caption_sets
from dragoman.data.batching.pixels import Bytes
from dragoman.data.formats.captioned import Caption
from dragoman.server.api.plain.matching import Vectors
from dragoman.server.model_registry import ServedMatcher
from dragoman.tasks.image_text.matcher import Matcher

TOGETHER = 64
"""Pictures or captions of one turn."""

log = logging.getLogger("dragoman.server")


class Collected:
    """Vectors of many things, computed part by part."""

    def __init__(self, count: int, compute: Callable[[int, int], Vectors]) -> None:
        """Compute the vectors between two numbers by a function."""
        self._begins = range(0, count, TOGETHER)
        self._count, self._compute = count, compute
        self._parts: dict[int, Vectors] = {}
        self._whole: Vectors | None = None

    def missing(self) -> list[Callable[[], None]]:
        """Return what is still to be done, for the engine's thread."""
        return [partial(self._fill, at) for at in self._begins if at not in self._parts]

    def vectors(self) -> Vectors:
        """Return all vectors, once nothing is missing."""
        if self._whole is None:
            self._whole = np.concatenate([self._parts[at] for at in self._begins])
        return self._whole

    def _fill(self, begin: int) -> None:
        if begin not in self._parts:  # another request may have asked for it, too
            end = min(begin + TOGETHER, self._count)
            self._parts[begin] = self._compute(begin, end)


@dataclass(frozen=True)
class Hung:
    """A picture of the gallery."""

    pixels: Bytes  # h w c
    caption: str


class Gallery:
    """What one network can be shown and told of."""

    def __init__(self, matcher: Matcher, sets: Sequence[CaptionSet], most: int) -> None:
        self._matcher = matcher
        self._sets = _cut(sets, most)
        self.captions = _texts(self._sets)
        """Everything that is said of the pictures, each once."""
        self.pictures = sum(len(said) for _, said in self._sets)
        """How many there are."""
        self.seen = Collected(self.pictures, self._see)
        self.read = Collected(len(self.captions), self._read)

    @classmethod
    def of(cls, served: ServedMatcher, most: int) -> "Gallery":
        """Open the pictures of a run; one that has none, or whose files are damaged, is empty."""
        try:
            sets = load_caption_sets(served.folder.data)
        except DragomanError:
            if served.folder.data.is_dir():
                log.warning("the pictures of %s cannot be read", served.name, exc_info=True)
            return cls(served.matcher, (), most)
        return cls(served.matcher, (sets.test, sets.valid, sets.train), most)

    def picture(self, number: int) -> Hung | None:
        """Return a picture by its number, if there is one."""
        for images, said in self._sets:
            if 0 <= number < len(said):
                return Hung(np.asarray(images[number]), _main(said[number]))
            number -= len(said)
        return None

    def _see(self, begin: int, end: int) -> Vectors:
        shown = [one for number in range(begin, end) if (one := self.picture(number))]
        return np.asarray(self._matcher.see(np.stack([one.pixels for one in shown])).cpu())

    def _read(self, begin: int, end: int) -> Vectors:
        return np.asarray(self._matcher.read(self.captions[begin:end]).cpu())


def png(pixels: Bytes) -> bytes:
    """Return a picture as a file."""
    from PIL import Image

    shown = pixels[..., 0] if pixels.shape[-1] == 1 else pixels
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(shown)).save(stream, "PNG")
    return stream.getvalue()


Said = list[tuple[Caption, ...]]


def _cut(sets: Sequence[CaptionSet], most: int) -> list[tuple[Bytes, Said]]:
    """Return the pictures of all sets and what is said of them, up to the most there may be."""
    kept: list[tuple[Bytes, Said]] = []
    for one in sets:
        room = most - sum(len(said) for _, said in kept)
        kept.append((one.store.images, one.captions[:room]))
    return kept


def _texts(sets: Sequence[tuple[Bytes, Said]]) -> list[str]:
    return list(dict.fromkeys(_names(sets)))


def _names(sets: Sequence[tuple[Bytes, Said]]) -> Iterator[str]:
    for _, said in sets:
        for captions in said:
            yield from (caption.name for caption in captions)


def _main(captions: tuple[Caption, ...]) -> str:
    return captions[0].name if captions else ""
