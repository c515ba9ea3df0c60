"""Images drawn by code: what the captions say is what the pixels show."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.outlines import OUTLINES, coverage
from dragoman.data.corpus.generators.shape_words import SHAPES, Scene, Thing, caption
from dragoman.data.corpus.generators.shapes import (
    COLORS,
    KINDS,
    SIZES,
    ShapeClass,
    draw_shapes,
    hold_out_kinds,
)


def place_of(image: np.ndarray, color: str) -> np.ndarray:
    """Return the centre of the pixels that have a colour: across and down."""
    distance = np.abs(image.astype(float) - COLORS[color]).max(axis=2)
    down, across = np.nonzero(distance < 30)
    return np.array([across.mean(), down.mean()])


def test_images_follow_from_the_seed_and_a_longer_draw_begins_alike():
    short, long = (draw_shapes(count, 16, 1, pairs=0.5) for count in (70, 150))
    assert (short.images == long.images[:70]).all()
    assert short.scenes == long.scenes[:70]
    assert (short.images != draw_shapes(70, 16, 2, pairs=0.5).images).any()
    assert short.images.shape == (70, 16, 16, 3)
    assert short.images.dtype == np.uint8


def test_the_color_that_is_said_is_seen_where_it_is_said():
    drawn = draw_shapes(300, 48, 3, pairs=1.0, noise=0.0)
    for image, scene in zip(drawn.images, drawn.scenes, strict=True):
        first, second = scene.things
        if first.color == second.color:
            continue
        across, down = place_of(image, first.color) - place_of(image, second.color)
        told = {"above": -down, "below": down, "left": -across, "right": across}
        furthest = max(told, key=lambda relation: told[relation])
        assert furthest == scene.relation


def test_large_shapes_are_larger_than_small_ones():
    drawn = draw_shapes(400, 48, 4, pairs=0.0, noise=0.0)
    areas: dict[tuple[str, str], list[int]] = {}
    for image, scene in zip(drawn.images, drawn.scenes, strict=True):
        covered = np.abs(image.astype(int) - image[0, 0]).max(axis=2) > 20
        thing = scene.things[0]
        areas.setdefault((thing.shape, thing.size), []).append(covered.sum())
    assert len(areas) == 2 * len(SHAPES)
    assert all(min(areas[shape, "large"]) > max(areas[shape, "small"]) for shape in SHAPES)


def test_the_class_is_the_first_shape_and_all_come_equally_often():
    drawn = draw_shapes(1600, 8, 5, pairs=0.3)
    assert list(drawn.classes) == [scene.things[0].shape for scene in drawn.scenes]
    assert all(abs(drawn.classes.count(shape) - 200) < 5 * 200**0.5 for shape in SHAPES)
    double = sum(len(scene.things) == 2 for scene in drawn.scenes)
    assert abs(double - 480) < 5 * 480**0.5
    assert {scene.things[0].size for scene in drawn.scenes} == set(SIZES)


def test_a_simple_template_tells_the_shapes_apart():
    """Drawn alike, the shapes are as different as their names."""
    centres, radii = np.array([[8.0, 8.0]]), np.array([6.0])
    masks = {name: coverage(one, centres, radii, np.zeros(1), 16)[0]
             for name, one in OUTLINES.items()}  # fmt: skip
    assert set(masks) == set(SHAPES)
    for name, mask in masks.items():
        nearest = sorted(masks, key=lambda other: np.abs(masks[other] - mask).sum())
        assert nearest[0] == name
        assert np.abs(masks[nearest[1]] - mask).sum() > 8


@given(
    st.sampled_from(SHAPES), st.floats(3.0, 9.0), st.floats(-3.2, 3.2), st.floats(8.0, 12.0)
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_a_shape_stays_within_its_circle_and_its_edges_are_smooth(shape, radius, turn, middle):
    centres = np.array([[middle, 10.0]])
    mask = coverage(OUTLINES[shape], centres, np.array([radius]), np.array([turn]), 20)[0]
    places = np.arange(20) + 0.5
    far = np.hypot(places[None, :] - middle, places[:, None] - 10.0)
    assert (mask[far > radius + 0.71] == 0).all()
    assert ((mask >= 0) & (mask <= 1)).all()
    assert ((mask > 0) & (mask < 1)).any()


AREAS = {
    "circle": np.pi,
    "square": 2.0,
    "triangle": 0.75 * 3**0.5,
    "ring": np.pi * (1 - 0.55**2),
    "cross": 4 * (2 * 0.95 * 0.26 - 0.26**2),
    "star": 5 * 0.42 * np.sin(np.pi / 5),
    "bar": 4 * 0.95 * 0.28,
}


@pytest.mark.parametrize("shape", AREAS)
def test_pixels_cover_the_area_that_geometry_says(shape):
    mask = coverage(
        OUTLINES[shape], np.array([[20.3, 19.8]]), np.array([15.0]), np.array([0.3]), 40
    )
    assert mask.sum() == pytest.approx(AREAS[shape] * 15**2, rel=0.02)


def test_captions_agree_in_both_languages():
    scene = Scene((Thing("circle", "red", "small"), Thing("square", "blue", "large")), "above")
    assert caption(scene) == "a small red circle above a large blue square"
    assert caption(scene, "hi") == "एक छोटा लाल वृत्त बड़े नीले वर्ग के ऊपर"
    assert caption(scene, detail=1) == "a circle above a square"
    assert caption(scene, "hi", 2) == "एक लाल वृत्त नीले वर्ग के ऊपर"
    feminine = Scene((Thing("leaf", "green", "large"), Thing("bar", "yellow", "small")), "left")
    assert caption(feminine, "hi") == "एक बड़ी हरी पत्ती छोटी पीली पट्टी के बाईं ओर"
    oblique = Scene((Thing("star", "orange", "small"), Thing("ring", "green", "large")), "below")
    assert caption(oblique, "hi") == "एक छोटा नारंगी तारा बड़े हरे छल्ले के नीचे"
    assert caption(oblique, detail=2) == "an orange star below a green ring"
    alone = Scene((Thing("ring", "purple", "large"),))
    assert caption(alone, "hi") == "एक बड़ा बैंगनी छल्ला"
    assert caption(alone) == "a large purple ring"


@pytest.mark.parametrize("language", ["en", "hi"])
def test_different_scenes_have_different_captions(language):
    drawn = draw_shapes(500, 8, 6, pairs=0.5)
    assert len(set(drawn.captions(language))) == len(set(drawn.scenes))


def test_held_out_kinds_are_never_seen_and_their_parts_always_are():
    seen, unseen = hold_out_kinds(0.25, 1)
    assert sorted([*seen, *unseen]) == sorted(KINDS)
    assert len(unseen) == 12
    assert {kind.shape for kind in seen} == set(SHAPES)
    assert {kind.color for kind in seen} == set(COLORS)
    for kinds in (seen, unseen):
        drawn = draw_shapes(200, 8, 1, pairs=0.5, kinds=kinds)
        shown = {thing[:2] for scene in drawn.scenes for thing in scene.things}
        assert shown <= {tuple(kind) for kind in kinds}
    assert hold_out_kinds(0.25, 1) != hold_out_kinds(0.25, 2)


def test_two_shapes_of_an_image_are_never_of_one_kind():
    few = [ShapeClass("leaf", "red"), ShapeClass("leaf", "blue")]
    for scene in draw_shapes(100, 8, 1, pairs=1.0, kinds=few).scenes:
        assert scene.things[0].color != scene.things[1].color


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"count": 0}, "have at least 1"),
        ({"size": 7}, "have at least 1 of 8"),
        ({"pairs": 1.5}, "between 0 and 1"),
        ({"noise": -0.1}, "between 0 and 1"),
        ({"kinds": [ShapeClass("egg", "red")]}, "shapes are circle"),
        ({"pairs": 0.1, "kinds": [ShapeClass("leaf", "red")]}, "at least two kinds"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(changes, told):
    with pytest.raises(DataError, match=told):
        draw_shapes(**{"count": 1, "size": 8, "seed": 1, **changes})


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_neither_none_nor_all_kinds_can_be_held_out(share):
    with pytest.raises(DataError, match="have 1 to"):
        hold_out_kinds(share, 1)


def test_a_detail_that_is_not_there_is_one_line():
    with pytest.raises(DataError, match="detail 4"):
        draw_shapes(1, 8, 1).captions(detail=4)
