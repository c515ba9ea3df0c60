"""Packages of images become plain arrays; what is damaged is one clear line."""

import gzip
import io
import json
import struct

import numpy as np
import pytest
from PIL import Image

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.image_readers import (
    CIFAR_SIDE,
    DIGITS,
    OBJECTS,
    read_cifar,
    read_idx,
    read_idx_images,
)

PARTS = {"train": 5, "test": 2}


def idx(array, kind=8):
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return struct.pack(">HBB", 0, kind, array.ndim) + sizes + array.tobytes()


def drawn(count, *shape):
    return np.random.default_rng(count).integers(0, 256, (count, *shape), dtype=np.uint8)


def digits(count):
    return drawn(count, 4, 4), np.arange(count, dtype=np.uint8)


def idx_files(zipped=False):
    files = {}
    for name, count in (("train", PARTS["train"]), ("t10k", PARTS["test"])):
        images, labels = digits(count)
        files[f"package/data/{name}-images-idx3-ubyte"] = idx(images)
        files[f"package/data/{name}-labels-idx1-ubyte"] = idx(labels)
    if zipped:
        return {f"{name}.gz": gzip.compress(content) for name, content in files.items()}
    return files


def png(rows):
    stream = io.BytesIO()
    Image.fromarray(rows).save(stream, "PNG")
    return stream.getvalue()


def photographs(count):
    return drawn(count, CIFAR_SIDE, CIFAR_SIDE, 3)


def cifar_files():
    """Five batches of one image each to train on, and one of two images to test."""
    images = photographs(PARTS["train"])
    files = {
        f"package/data_batch_{turn + 1}.png": png(images[turn].reshape(1, -1, 3))
        for turn in range(5)
    }
    files["package/test_batch.png"] = png(photographs(PARTS["test"]).reshape(2, -1, 3))
    for part, count in PARTS.items():
        files[f"package/{part}_lables.json"] = json.dumps([*range(count)]).encode()
    return files


def read(files, reader, package, folder):
    path = folder / "a-1.tgz"
    path.write_bytes(package(files, "gz"))
    return dict(reader([path]))


def array(content):
    return np.load(io.BytesIO(content), allow_pickle=False)


@pytest.mark.parametrize("zipped", [False, True])
def test_idx_files_become_arrays_with_their_classes(zipped, tar, tmp_path):
    found = read(idx_files(zipped), read_idx_images(DIGITS), tar, tmp_path)
    for part, count in PARTS.items():
        images, labels = digits(count)
        assert np.array_equal(array(found[f"{part}-images.npy"]), images[..., None])
        assert np.array_equal(array(found[f"{part}-classes.npy"]), labels)
    assert json.loads(found["classes.json"]) == [*DIGITS]


def test_cifar_is_read_from_pictures_with_an_image_in_each_row(tar, tmp_path):
    found = read(cifar_files(), read_cifar, tar, tmp_path)
    for part, count in PARTS.items():
        assert np.array_equal(array(found[f"{part}-images.npy"]), photographs(count))
        assert array(found[f"{part}-classes.npy"]).tolist() == [*range(count)]
    assert json.loads(found["classes.json"]) == [*OBJECTS]


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"\0\0\x08", idx(drawn(3, 2))[:-1], idx(drawn(3, 2)) + b"x", idx(drawn(2), 9)]
    + [b"\0\0\x08\x03\0\0\0\x01", b"\x08" + idx(drawn(2))[1:], b"\0\0\x08\x02" + b"\xff" * 8],
)
def test_a_damaged_idx_file_is_refused(content):
    with pytest.raises(DataError, match="an IDX file is damaged"):
        read_idx(content)


IDX_NAME = "package/data/train-images-idx3-ubyte"
LABELS = "package/data/t10k-labels-idx1-ubyte"
DAMAGED_IDX = {
    "one is missing": ({IDX_NAME: None}, "there is no 'train-images-idx3-ubyte'"),
    "cut off": ({IDX_NAME: idx(digits(5)[0])[:40]}, "an IDX file is damaged"),
    "fewer classes than images": ({LABELS: idx(drawn(1))}, "2 images have 1 classes"),
    "a class that is none": ({LABELS: idx(np.array([1, 10], dtype=np.uint8))}, "class 10"),
}


@pytest.mark.parametrize(("changes", "word"), DAMAGED_IDX.values(), ids=DAMAGED_IDX)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_damaged_package_of_idx_files_is_refused(changes, word, zipped, tar, tmp_path):
    files = idx_files() | changes
    files = {name: content for name, content in files.items() if content is not None}
    if zipped:
        files = {f"{name}.gz": gzip.compress(content) for name, content in files.items()}
    with pytest.raises(DataError, match=word):
        read(files, read_idx_images(DIGITS), tar, tmp_path)


@pytest.mark.parametrize(
    "damage", [lambda c: c[:-9], lambda c: b"x" + c, lambda c: c[:20] + c[25:]]
)
def test_a_damaged_gz_file_is_refused(damage, tar, tmp_path):
    files = idx_files(zipped=True)
    files[f"{IDX_NAME}.gz"] = damage(files[f"{IDX_NAME}.gz"])
    with pytest.raises(DataError, match=r"a-1\.tgz:.*train-images.*cannot be read"):
        read(files, read_idx_images(DIGITS), tar, tmp_path)


BATCH, NAMES = "package/data_batch_3.png", "package/train_lables.json"
DAMAGED_CIFAR = {
    "a batch is missing": ({BATCH: None}, "there is no 'data_batch_3.png'"),
    "the classes are missing": ({NAMES: None}, "there is no 'train_lables.json'"),
    "a batch is cut off": (
        {BATCH: cifar_files()[BATCH][:60]},
        r"data_batch_3\.png: cannot be read",
    ),
    "a batch of another width": ({BATCH: png(drawn(1, 1000, 3))}, "rows of 1,000 pixels"),
    "classes that are no JSON": ({NAMES: b"[1, 2"}, "train_lables.json: cannot be read"),
    "classes that are no numbers": ({NAMES: b'["a"]'}, "train_lables.json: cannot be read"),
    "classes that are no list": ({NAMES: b"7"}, "train_lables.json: cannot be read"),
    "a class beyond a byte": ({NAMES: b"[0, 1, 2, 3, 999]"}, "train_lables.json: cannot be read"),
    "a class that is none": ({NAMES: b"[0, 1, 2, 3, 10]"}, "class 10"),
    "a class too few": ({NAMES: b"[0, 1, 2, 3]"}, "5 images have 4 classes"),
}


@pytest.mark.parametrize(("changes", "word"), DAMAGED_CIFAR.values(), ids=DAMAGED_CIFAR)
def test_a_damaged_package_of_cifar_is_refused(changes, word, tar, tmp_path):
    files = cifar_files() | changes
    files = {name: content for name, content in files.items() if content is not None}
    with pytest.raises(DataError, match=word):
        read(files, read_cifar, tar, tmp_path)
