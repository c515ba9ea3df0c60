"""Work on several files at once gives what one after the other would."""

import threading
import time

import numpy as np
import pytest
from PIL import Image

from dragoman.config.images import ImageFolders
from dragoman.core.errors import DataError
from dragoman.data.corpus.images import open_images
from dragoman.data.formats.image_files import read_image
from dragoman.data.formats.prefetch import AHEAD, in_order


def test_results_come_in_the_order_of_their_items_whoever_is_first():
    def slow_if_even(number):
        time.sleep(0.004 if number % 2 == 0 else 0)
        return number * number

    found = [(item, result()) for item, result in in_order(range(40), slow_if_even)]
    assert found == [(number, number * number) for number in range(40)]


def test_two_are_worked_on_at_once():
    both = threading.Barrier(2, timeout=10)
    assert [result() for _, result in in_order("ab", lambda _: both.wait() >= 0)] == [True, True]


def test_an_error_stays_with_its_item():
    def work(number):
        if number == 3:
            raise DataError("three")
        return number

    results = dict(in_order(range(6), work))
    with pytest.raises(DataError, match="three"):
        results[3]()
    assert results[4]() == 4


def test_no_more_is_begun_than_is_soon_wanted_and_nothing_after_the_end():
    begun = []
    stream = in_order(range(1000), begun.append)
    for _ in range(3):
        next(stream)
    stream.close()
    assert len(begun) <= AHEAD + 3
    assert not any(thread.name.startswith("files") for thread in threading.enumerate())


def test_a_folder_is_read_as_one_picture_after_the_other_would_be(tmp_path):
    drawn = np.random.default_rng(4)
    for number in range(60):
        (tmp_path / f"{number % 2}").mkdir(exist_ok=True)
        shape = (*drawn.integers(9, 60, 2), 3)
        image = Image.fromarray(drawn.integers(0, 256, shape, dtype=np.uint8))
        image.save(tmp_path / f"{number % 2}" / f"{number}.jpg")
    for number in (7, 12, 33):
        path = tmp_path / f"{number % 2}" / f"{number}.jpg"
        path.write_bytes(path.read_bytes()[:90])
    files = sorted(tmp_path.rglob("*.jpg"))
    alone = {read_bytes(path) for path in files} - {None}
    corpus = open_images(ImageFolders(train=(tmp_path,), size=16, held_out=0.2), 1)
    found = [*corpus.read("train"), *corpus.read("valid"), *corpus.read("test")]
    assert len(found) == 57
    assert {image.tobytes() for image, _ in found} == alone
    again = open_images(ImageFolders(train=(tmp_path,), size=16, held_out=0.2), 1)
    for (image, number), (same, twin) in zip(
        corpus.read("train"), again.read("train"), strict=True
    ):
        assert number == twin
        assert np.array_equal(image, same)


def read_bytes(path):
    try:
        return read_image(path, size=16, channels=3).tobytes()
    except DataError:
        return None
