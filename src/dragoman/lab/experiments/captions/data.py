"""Generated images with captions of more or less detail, short and with idle words around them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.data.batching.captions import CaptionBatch, CaptionReader
from dragoman.data.batching.seeded_random import Purpose, seeded_random
from dragoman.data.corpus.generators.shape_words import MOST_DETAIL, Scene, caption
from dragoman.data.corpus.generators.shapes import ShapeImages, draw_shapes
from dragoman.data.tokenizer.train import train_tokenizer

IDLE = (
    ("if i am not mistaken what can be seen here is", "and i think it looks quite nice"),
    ("this is one of those images where there is", "somewhere in it as you may notice"),
    ("well let me describe what is in front of me now", "or something very much like that"),
    ("for this task one should look for an image of", "please and nothing else at all"),
)
"""Words before and after a caption that say nothing of the image."""
IDLE_SHARE = 0.25
"""Of the captions that are trained on."""
TEST_SEED = 50_000_017
"""Added to a seed for images that are not trained on."""
LONGEST = 40

Numbers = NDArray[np.int64]


def with_idle_words(text: str, which: int) -> str:
    """Return a caption between idle words."""
    before, after = IDLE[which % len(IDLE)]
    return f"{before} {text} {after}"


@dataclass(frozen=True)
class CaptionedShapes:
    """Images of one or two shapes, and what can be said of them."""

    drawn: ShapeImages
    reader: CaptionReader

    @classmethod
    def draw(cls, count: int, size: int, seed: int) -> "CaptionedShapes":
        """Draw images, and learn the words of their captions."""
        drawn = draw_shapes(count, size, seed, pairs=0.5)
        said = [*drawn.captions("en", MOST_DETAIL), *(f"{one} {two}" for one, two in IDLE)]
        words = train_tokenizer(WordTokenizerSettings(vocab_size=2000), said, [])
        return cls(drawn, CaptionReader(words, LONGEST))

    def unseen(self, count: int, seed: int) -> ShapeImages:
        """Draw other images of the same size."""
        return draw_shapes(count, self.drawn.images.shape[1], seed + TEST_SEED, pairs=0.5)

    def batch(self, number: int, rows: int, seed: int) -> CaptionBatch:
        """Draw images and a caption for each, of any detail; now and then with idle words.

        A caption that is there already becomes as detailed as can be, as it would be wrong to say
        that it does not fit the other image.
        """
        random = seeded_random(Purpose.CAPTIONS, seed, 0, number)
        chosen: Numbers = random.choice(len(self.drawn.scenes), rows, replace=False)
        texts: list[str] = []
        for place in chosen.tolist():
            scene = self.drawn.scenes[place]
            detail, idle = int(random.integers(1, MOST_DETAIL + 1)), random.random() < IDLE_SHARE
            text = say(scene, detail, int(random.integers(len(IDLE))) if idle else None)
            texts.append(say(scene, MOST_DETAIL, None) if text in texts else text)
        tokens, lengths = self.reader.rows(texts)
        return CaptionBatch(self.drawn.images[chosen], tokens, chosen, lengths)


def say(scene: Scene, detail: int, idle: int | None) -> str:
    """Describe a scene with so much detail, with idle words or without."""
    text = caption(scene, "en", detail)
    return text if idle is None else with_idle_words(text, idle)


def captions_of(scenes: Sequence[Scene], detail: int, *, idle: bool) -> list[str]:
    """Return a caption for each scene."""
    return [say(scene, detail, place if idle else None) for place, scene in enumerate(scenes)]
