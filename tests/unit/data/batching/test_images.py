"""Images on disk and in batches."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.images import ImageSettings
from dragoman.core.errors import CheckpointError, DataError
from dragoman.data.batching.endless import Position
from dragoman.data.batching.image_store import ImageStore, write_images
from dragoman.data.batching.images import ImageStream, augment_images, in_order
from dragoman.data.batching.pixels import Pixels, as_bytes, normalize

GROUND = np.array([9, 8, 7], dtype=np.uint8)


def drawn(count=10, size=6, channels=3):
    random = np.random.default_rng(1)
    return random.integers(10, 256, (count, size, size, channels), dtype=np.uint8)


def stored(folder, images):
    return write_images(folder, "train", ((one, number % 3) for number, one in enumerate(images)))


def test_a_store_gives_back_what_was_written(tmp_path):
    images = drawn()
    stored(tmp_path, images)
    again = ImageStore.open(tmp_path, "train")
    assert np.array_equal(again.images, images)
    assert again.classes.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]


def test_a_store_that_was_cut_off_is_not_opened(tmp_path):
    stored(tmp_path, drawn())
    file = tmp_path / "train.images.bin"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match="cut off"):
        ImageStore.open(tmp_path, "train")


def test_images_of_two_sizes_are_not_stored_together(tmp_path):
    odd = [(drawn()[0], 0), (drawn(size=7)[0], 0)]
    with pytest.raises(DataError, match=r"\(6, 6, 3\) and \(7, 7, 3\)"):
        write_images(tmp_path, "train", odd)
    with pytest.raises(DataError, match="no images"):
        write_images(tmp_path, "train", [])


def test_each_color_gets_mean_nought_and_deviation_one():
    images = drawn(50)
    pixels = Pixels.of(images)
    read = normalize(images, pixels)
    assert read.shape == (50, 3, 6, 6)
    assert read.dtype == np.float32
    np.testing.assert_allclose(read.mean(axis=(0, 2, 3)), 0, atol=1e-4)
    np.testing.assert_allclose(read.std(axis=(0, 2, 3)), 1, atol=1e-4)
    assert read.strides[1] == 4  # the colours of a pixel stay side by side


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3]))
def test_what_was_normed_comes_back_exactly(seed, channels):
    random = np.random.default_rng(seed)
    images = random.integers(0, 256, (4, 5, 5, channels), dtype=np.uint8)
    pixels = Pixels.of(images)
    assert np.array_equal(as_bytes(normalize(images, pixels), pixels), images)
    assert Pixels.from_json(pixels.to_json(), "here") == pixels


@pytest.mark.parametrize("shape", [(3, 4, 7, 3), (2, 5, 5, 1), (0, 4, 4, 3)])
def test_pixels_are_normed_as_the_equation_says_bit_for_bit(shape):
    images = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    pixels = Pixels(4, (0.4, 0.5, 0.6)[: shape[3]], (0.2, 0.3, 0.1)[: shape[3]])
    scale = (1 / (255 * np.array(pixels.deviation))).astype(np.float32)
    offset = (-np.array(pixels.mean) / np.array(pixels.deviation)).astype(np.float32)
    found = normalize(images, pixels)
    assert np.array_equal(found, (images * scale + offset).transpose(0, 3, 1, 2))
    assert found.dtype == np.float32
    assert found.transpose(0, 2, 3, 1).flags["C_CONTIGUOUS"]


@pytest.mark.parametrize(
    "fit",
    ["cut", {"sides": [1, 2, 3], "resampling": "box"}, {"sides": [0], "resampling": "box"}]
    + [{"sides": [4], "resampling": "best"}, {"sides": "x"}, None],
)
def test_an_unknown_way_to_bring_pictures_to_a_size_is_damage(fit):
    told = {"size": 4, "mean": [0.5], "deviation": [0.2], "fit": fit}
    with pytest.raises(DataError, match="what is said of its pixels is damaged"):
        Pixels.from_json(json.dumps(told), "here")


def test_images_of_one_color_do_not_divide_by_nothing():
    flat = np.full((3, 4, 4, 1), 77, dtype=np.uint8)
    assert np.isfinite(normalize(flat, Pixels.of(flat))).all()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"size": 8, "mean": [0.5, 0.5], "deviation": [1, 1], "fit": "crop"}']
)
def test_damaged_words_about_pixels_are_refused(text):
    with pytest.raises(DataError, match=r"^run: what is said of its pixels is damaged"):
        Pixels.from_json(text, "run")


BEGIN = Position()


def take(stream, count, position=BEGIN):
    batches = stream.at(position)
    try:
        return [next(batches) for _ in range(count)]
    finally:
        batches.close()


@pytest.mark.parametrize("together", [2, 3, 4, 64])
def test_every_image_stands_in_every_epoch_once(tmp_path, together):
    store = stored(tmp_path, drawn())
    stream = ImageStream(store, ImageSettings(batch_size=together), 1, GROUND)
    first, second = stream.plan(0), stream.plan(1)
    for plan in (first, second):
        assert sorted(np.concatenate(plan)) == [*range(10)]
        assert max(map(len, plan)) - min(map(len, plan)) <= 1
        assert max(map(len, plan)) <= together
    assert not np.array_equal(np.concatenate(first), np.concatenate(second))


def test_a_stream_goes_on_from_any_place(tmp_path):
    store = stored(tmp_path, drawn())
    settings_ = ImageSettings(batch_size=4, shift=1, horizontal_flip=True, cutout=2)
    stream = ImageStream(store, settings_, 1, GROUND)
    whole = take(stream, 7)
    for place in range(6):
        (later, _), *_ = take(stream, 1, whole[place][1])
        assert np.array_equal(later.images, whole[place + 1][0].images)
        assert np.array_equal(later.classes, whole[place + 1][0].classes)


def test_a_batch_knows_the_classes_of_its_images(tmp_path):
    images = drawn()
    store = stored(tmp_path, images)
    for batch, _ in take(ImageStream(store, ImageSettings(batch_size=4), 1, GROUND), 5):
        assert np.array_equal(batch.images, images[batch.examples])
        assert np.array_equal(batch.classes, batch.examples % 3)
    assert np.array_equal(np.concatenate([one.images for one in in_order(store, 4)]), images)


def vary(images, seed=1, **changes):
    return augment_images(images, ImageSettings(**changes), np.random.default_rng(seed), GROUND)


def test_an_image_is_moved_by_so_much_at_most_and_the_ground_shows():
    images = drawn(200)
    moved = vary(images, shift=2)
    seen = set()
    for before, after in zip(images, moved, strict=True):
        wide = np.pad(before, ((2, 2), (2, 2), (0, 0)))
        wide[:2], wide[-2:], wide[:, :2], wide[:, -2:] = GROUND, GROUND, GROUND, GROUND
        places = [
            (down, right)
            for down in range(5)
            for right in range(5)
            if np.array_equal(wide[down : down + 6, right : right + 6], after)
        ]
        assert len(places) == 1
        seen |= set(places)
    assert len(seen) == 25  # every way to move it


def test_about_every_other_image_is_mirrored():
    images = drawn(400)
    mirrored = vary(images, horizontal_flip=True)
    turned = [np.array_equal(a[:, ::-1], b) for a, b in zip(images, mirrored, strict=True)]
    kept = [np.array_equal(a, b) for a, b in zip(images, mirrored, strict=True)]
    assert all(a != b for a, b in zip(turned, kept, strict=True))
    assert 150 < sum(turned) < 250


def test_a_square_is_blotted_out_and_the_image_itself_is_left_alone():
    images = drawn(100)
    before = images.copy()
    blotted = vary(images, cutout=2)
    assert np.array_equal(images, before)
    grounds = (blotted == GROUND).all(axis=3).sum(axis=(1, 2))
    assert set(grounds.tolist()) <= {1, 2, 4}
    assert 4 in grounds
    assert (blotted != images).any(axis=3).sum() == grounds.sum()


def test_without_any_wish_images_stay_as_they_are():
    images = drawn()
    assert vary(images) is images
