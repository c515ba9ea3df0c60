"""Images drawn by code, with captions in English and Hindi: one coloured shape, or two of them.

    a small red circle above a large blue square    एक छोटा लाल वृत्त बड़े नीले वर्ग के ऊपर
    a large orange leaf                             एक बड़ी नारंगी पत्ती

What is drawn is chosen in blocks, each with a generator of its own, so that the first images of a
long draw are those of a short one. The class of an image is the shape that its caption begins with;
it can be seen where there is only one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.outlines import OUTLINES, coverage
from dragoman.data.corpus.generators.shape_words import SHAPES, Language, Scene, Thing, caption

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]

COLORS: dict[str, tuple[int, int, int]] = {
    "red": (214, 40, 40),
    "green": (46, 160, 67),
    "blue": (38, 84, 214),
    "yellow": (236, 200, 30),
    "purple": (134, 60, 180),
    "orange": (240, 128, 20),
}
SMALL, LARGE = (0.12, 0.16), (0.20, 0.24)
"""Radii, as shares of the image's side."""

SIZES = ("small", "large")
RELATIONS = ("above", "below", "left", "right")
BACKGROUNDS = ((16, 56), (200, 240))
"""Dark grey and light grey; no colour is so dark or so light."""

TURN = 0.2
"""Radians by which a shape may be turned, either way."""

JITTER = 10
"""By how much of 255 each part of a colour may differ."""

ASIDE = 0.4
"""How far two shapes may be out of line, as a share of their distance along it."""

BLOCK = 64
SMALLEST_SIDE = 8


class ShapeClass(NamedTuple):
    """A shape of a colour."""

    shape: str
    color: str


KINDS = tuple(ShapeClass(shape, color) for shape in SHAPES for color in COLORS)


@dataclass(frozen=True)
class ShapeImages:
    """Images, and what can be seen on them."""

    images: Bytes  # n h w 3
    scenes: tuple[Scene, ...]
    classes: tuple[str, ...]
    """The shape that is named first."""

    def captions(self, language: Language = "en", detail: int = 3) -> list[str]:
        """Describe each image; `detail` 1 names shapes, 2 their colours too, 3 their sizes too."""
        return [caption(scene, language, detail) for scene in self.scenes]


def draw_shapes(
    count: int,
    size: int,
    seed: int,
    *,
    pairs: float = 0.0,
    noise: float = 0.02,
    kinds: Sequence[ShapeClass] = KINDS,
) -> ShapeImages:
    """Draw images of a size; a share of them, `pairs`, shows two shapes, the others one.

    `noise` is the deviation of what is added to each pixel, where white is 1. `kinds` are the
    shapes and colours that may be seen; a set that was held out can be drawn on its own.
    """
    _check(count, size, pairs, noise, kinds)
    images = np.empty((count, size, size, 3), np.uint8)
    scenes: list[Scene] = []
    for number, begin in enumerate(range(0, count, BLOCK)):
        generator = np.random.default_rng((seed, number))
        plan = _plan(generator, pairs, kinds)
        wanted = min(BLOCK, count - begin)
        images[begin : begin + wanted] = _paint(plan, wanted, size, noise, generator)
        scenes += plan.scenes[:wanted]
    return ShapeImages(images, tuple(scenes), tuple(scene.things[0].shape for scene in scenes))


def hold_out_kinds(share: float, seed: int) -> tuple[list[ShapeClass], list[ShapeClass]]:
    """Split shapes and colours into those to learn from and those to be tried on.

    Every shape and every colour can be learned from some kind; only their meeting is new.
    """
    wanted = round(share * len(KINDS))
    shuffled = Random(f"shapes/{seed}").sample(KINDS, len(KINDS))
    kept, held_out = list(shuffled), list[ShapeClass]()
    for kind in shuffled:
        others = [one for one in kept if one != kind]
        known = {one.shape for one in others}, {one.color for one in others}
        if len(held_out) < wanted and kind.shape in known[0] and kind.color in known[1]:
            kept = others
            held_out.append(kind)
    if not held_out or len(held_out) < wanted:
        raise DataError(
            f"a share of {share} holds out {wanted} of {len(KINDS)} kinds of shapes: "
            f"have 1 to {len(held_out) or len(KINDS) // 2}."
        )
    return kept, held_out


@dataclass(frozen=True)
class _Plan:
    """The content of a block of images; the second shape of an image may have a radius of 0."""

    scenes: list[Scene]
    centres: Floats  # b 2 2: of each shape, across and down, as shares of the side
    radii: Floats  # b 2


def _check(count: int, size: int, pairs: float, noise: float, kinds: Sequence[ShapeClass]) -> None:
    if count < 1 or size < SMALLEST_SIDE:
        raise DataError(f"{count} images of {size} pixels: have at least 1 of {SMALLEST_SIDE}.")
    if not (0 <= pairs <= 1 and 0 <= noise <= 1):
        raise DataError(f"pairs = {pairs} and noise = {noise} must be between 0 and 1.")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        shapes, colors = ", ".join(SHAPES), ", ".join(COLORS)
        raise DataError(f"{tuple(unknown[0])}: shapes are {shapes}; colours are {colors}.")
    if len(set(kinds)) < (2 if pairs else 1):
        raise DataError("two shapes of an image differ: give at least two kinds, or pairs = 0.")


def _plan(generator: np.random.Generator, pairs: float, kinds: Sequence[ShapeClass]) -> _Plan:
    """Choose what a whole block shows."""
    first = generator.integers(len(kinds), size=BLOCK)
    step = generator.integers(1, max(2, len(kinds)), size=BLOCK)
    large = generator.integers(2, size=(BLOCK, 2))
    relation = generator.integers(len(RELATIONS), size=BLOCK)
    double = generator.random(BLOCK) < pairs
    low, high = np.array([SMALL, LARGE])[large].transpose(2, 0, 1)
    radii = low + (high - low) * generator.random((BLOCK, 2))
    alone = radii[:, :1] + (1 - 2 * radii[:, :1]) * generator.random((BLOCK, 2))
    centres = _side_by_side(generator, radii, relation)
    centres[~double, 0] = alone[~double]
    radii[~double, 1] = 0
    scenes = []
    for place in range(BLOCK):
        chosen = [kinds[first[place]], kinds[(first[place] + step[place]) % len(kinds)]]
        sizes = [SIZES[big] for big in large[place]]
        things = [
            Thing(kind.shape, kind.color, said) for kind, said in zip(chosen, sizes, strict=True)
        ]
        told = RELATIONS[relation[place]] if double[place] else None
        scenes.append(Scene(tuple(things if told else things[:1]), told))
    return _Plan(scenes, centres, radii)


def _side_by_side(
    generator: np.random.Generator, radii: Floats, relation: NDArray[np.int64]
) -> Floats:
    """Place two shapes so that they do not touch and the first is clearly where it is said."""
    free = 1 - 2 * radii.sum(axis=1)
    before, between = np.sort(generator.random((2, BLOCK)), axis=0) * free
    near = before + radii[:, 0]
    far = between + 2 * radii[:, 0] + radii[:, 1]
    along = np.stack((near, far), axis=1)  # the first shape comes first
    across = radii[:, 0] + (1 - 2 * radii[:, 0]) * generator.random(BLOCK)
    other = across + ASIDE * (far - near) * generator.uniform(-1, 1, BLOCK)
    other = other.clip(radii[:, 1], 1 - radii[:, 1])
    aside = np.stack((across, other), axis=1)
    backwards = np.isin(relation, [RELATIONS.index("below"), RELATIONS.index("right")])
    along = np.where(backwards[:, None], 1 - along, along)
    upright = np.isin(relation, [RELATIONS.index("above"), RELATIONS.index("below")])[:, None]
    return np.stack((np.where(upright, aside, along), np.where(upright, along, aside)), axis=2)


def _paint(
    plan: _Plan, count: int, size: int, noise: float, generator: np.random.Generator
) -> Bytes:
    """Paint the first images of a block."""
    dark, light = (generator.uniform(*levels, BLOCK) for levels in BACKGROUNDS)
    grey = np.where(generator.random(BLOCK) < 0.5, dark, light)
    images = np.repeat(grey[:count], size * size * 3).reshape(count, size, size, 3)
    turns = generator.uniform(-TURN, TURN, (BLOCK, 2))
    jitter = generator.uniform(-JITTER, JITTER, (BLOCK, 2, 3))
    for place, turn, thing in _things(plan.scenes[:count]):
        colors = np.array([COLORS[one.color] for one in thing]) + jitter[place, turn]
        covered = coverage(
            OUTLINES[thing[0].shape],
            size * plan.centres[place, turn],
            size * plan.radii[place, turn],
            turns[place, turn],
            size,
        )[..., None]
        images[place] += covered * (colors[:, None, None, :] - images[place])
    images += 255 * noise * generator.standard_normal(images.shape)
    return np.rint(images.clip(0, 255)).astype(np.uint8)


def _things(scenes: Sequence[Scene]) -> Iterator[tuple[NDArray[np.int64], int, list[Thing]]]:
    """Gather all first, then all second shapes of one outline, with the images they are in."""
    for turn in range(2):
        shown = [(n, scene.things[turn:]) for n, scene in enumerate(scenes)]
        for shape in SHAPES:
            chosen = [(n, left[0]) for n, left in shown if left and left[0].shape == shape]
            if chosen:
                yield np.array([n for n, _ in chosen]), turn, [thing for _, thing in chosen]
