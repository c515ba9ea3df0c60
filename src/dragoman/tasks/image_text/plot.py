"""The figure of a network that matches: captions it has not seen, and the images it finds."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dragoman.data.batching.pixels import Bytes
from dragoman.data.corpus.held_out_captions import ImageCaptions
from dragoman.plots.images import Strip, StripBlock, draw_images
from dragoman.tasks.image_text.matcher import Matcher

NEAREST = 12
"""Images that are shown for each caption."""

CAPTIONS = 6
"""Captions that are shown of each language, spread over the test set."""

RIGHT = (30, 140, 70)
"""The frame of the image that a caption belongs to."""


def draw_matches(
    matcher: Matcher, images: Bytes, said: Sequence[ImageCaptions], path: Path, title: str
) -> None:
    """Draw the images nearest to some captions; the right one has a frame."""
    seen = matcher.see(images)
    asked = _spread(said)
    vectors = matcher.read([text for _, text in asked])
    blocks = []
    for (example, text), vector in zip(asked, vectors, strict=True):
        order = (seen @ vector).argsort(descending=True, stable=True).tolist()
        nearest = order[:NEAREST]
        shown = [_framed(images[n]) if n == example else _in_color(images[n]) for n in nearest]
        place = f"rank {order.index(example) + 1} of {len(order)}"
        blocks.append(StripBlock(text, [Strip(place, np.stack(shown))]))
    draw_images(blocks, [], path, title)


def _spread(said: Sequence[ImageCaptions]) -> list[tuple[int, str]]:
    """Return names of images in each language, each with the number of its image."""
    languages = sorted({caption.language for one in said for caption in one.captions})
    found = []
    for language in languages:
        named = [
            (example, caption.name)
            for example, one in enumerate(said)
            for caption in one.captions
            if caption.language == language
        ]
        found += named[:: max(1, len(named) // CAPTIONS)][:CAPTIONS]
    return found


def _in_color(image: Bytes) -> Bytes:
    return np.broadcast_to(image, (*image.shape[:2], 3))


def _framed(image: Bytes) -> Bytes:
    framed = _in_color(image).copy()
    wide = max(1, len(image) // 16)
    inside = (slice(wide, -wide), slice(wide, -wide))
    kept = framed[inside].copy()
    framed[:] = RIGHT
    framed[inside] = kept
    return framed
