"""Images with a caption each in batches, in which no image is there twice.

Each epoch draws one of an image's captions, and of that its name, some of its keywords, or both.
So an image is never told that another of its own captions is wrong; and where two images of a batch
would be given the same keywords, the later one is given its name.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.config.images import ImageSettings
from dragoman.config.task import ImageTextTaskSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.endless import Endless
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.batching.images import augment_images
from dragoman.data.batching.labeled import row_of, special_tokens_around
from dragoman.data.batching.seeded_random import Purpose, seeded_random
from dragoman.data.batching.stretching import stretch
from dragoman.data.formats.captioned import Caption
from dragoman.data.tokenizer.tokenizer import Tokenizer

Numbers = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class CaptionBatch:
    """b images, and the token numbers of as many captions: the first is of the first."""

    images: Bytes  # b h w c
    tokens: Numbers  # b n
    examples: Numbers  # b, the numbers of the images
    lengths: Numbers  # b, tokens without padding


class CaptionReader:
    """From texts to rows of token numbers: START, the text, END, and padding behind it."""

    def __init__(self, tokenizer: Tokenizer, longest: int) -> None:
        self.tokenizer, self.longest = tokenizer, longest
        self.special = special_tokens_around(tokenizer)

    def rows(self, texts: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Return the rows (b n) and their lengths (b); what is longer is cut before its END."""
        encoded = self.tokenizer.encode_batch(list(texts))
        rows = [row_of(ids, self.longest, self.special) for ids in encoded]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        tokens = np.full((len(rows), lengths.max()), self.special.padding, dtype=np.int64)
        for place, row in enumerate(rows):
            tokens[place, : len(row)] = row
        return tokens, lengths


def with_keywords(name: str, keywords: Sequence[str]) -> str:
    """Return a caption of a name and some keywords; either may be left out."""
    return ", ".join(filter(None, (name, *keywords)))


def draw_caption(
    captions: Sequence[Caption], task: ImageTextTaskSettings, random: np.random.Generator
) -> tuple[str, str]:
    """Draw what an epoch says of an image; return it with the name it could say instead."""
    chosen = captions[int(random.integers(len(captions)))]
    weights = np.array([task.name, task.keywords, task.both])
    kind = int(random.choice(3, p=weights / weights.sum()))
    if kind == 0 or not chosen.keywords:
        return chosen.name, chosen.name
    count = int(random.integers(1, 1 + min(task.max_keywords, len(chosen.keywords))))
    words = [chosen.keywords[i] for i in random.permutation(len(chosen.keywords))[:count]]
    return with_keywords(chosen.name if kind == 2 else "", words), chosen.name


class CaptionStream(Endless[list[Numbers], CaptionBatch]):
    """Images of a store, every one once per epoch, in an order fixed by the seed."""

    def __init__(
        self,
        store: ImageStore,
        captions: Sequence[Sequence[Caption]],
        reader: CaptionReader,
        task: ImageTextTaskSettings,
        images: ImageSettings,
        seed: int,
    ) -> None:
        self.store, self.captions, self.reader = store, captions, reader
        self.task, self.images, self.seed = task, images, seed
        self.ground = _edge_color(store.images)

    def plan(self, epoch: int) -> list[Numbers]:
        """Return which images stand in which batch; the batches are of nearly equal size."""
        if len(self.store) < 2:
            raise DataError("there are no two images that could be told apart.")
        order = seeded_random(Purpose.CAPTIONS, self.seed, epoch, 0).permutation(len(self.store))
        return _parts(order, self.images.batch_size)

    def batch(self, plan: list[Numbers], number: int, epoch: int) -> CaptionBatch:
        """Make one batch of a plan."""
        examples = plan[number]
        random = seeded_random(Purpose.CAPTIONED_IMAGES, self.seed, epoch, number)
        images = stretch(np.asarray(self.store.images[examples]), self.task.scale_jitter, random)
        images = augment_images(images, self.images, random, self.ground)
        tokens, lengths = self.reader.rows(self._texts(examples, epoch))
        return CaptionBatch(images, tokens, examples, lengths)

    def _texts(self, examples: Numbers, epoch: int) -> list[str]:
        texts: list[str] = []
        said: set[str] = set()
        for example in examples.tolist():
            random = seeded_random(Purpose.CAPTIONS, self.seed, epoch, 1 + example)
            text, name = draw_caption(self.captions[example], self.task, random)
            text = name if text in said else text
            said.add(text)
            texts.append(text)
        return texts


def name_batches(
    store: ImageStore, names: Sequence[str], reader: CaptionReader, together: int
) -> list[CaptionBatch]:
    """Gather images as they are with one name each, in batches as large as those of training."""
    found = []
    for part in _parts(np.arange(len(store)), together):
        tokens, lengths = reader.rows([names[place] for place in part])
        found.append(CaptionBatch(np.asarray(store.images[part]), tokens, part, lengths))
    return found


def _parts(places: Numbers, together: int) -> list[Numbers]:
    """Cut places into parts of nearly equal size, no larger than asked for and none of one only."""
    return np.array_split(places, max(1, min(-(-len(places) // together), len(places) // 2)))


def _edge_color(images: Bytes) -> Bytes:
    """Return the commonest colour of the images' corners: their ground, if they have one."""
    corners = np.asarray(images[:, [0, 0, -1, -1], [0, -1, 0, -1]]).reshape(-1, images.shape[-1])
    colors, counts = np.unique(corners, axis=0, return_counts=True)
    return colors[counts.argmax()]
