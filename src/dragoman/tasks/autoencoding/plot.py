"""The figure of an autoencoder: what it rebuilds, what its code draws, and where the codes lie."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from dragoman.config.task import AutoencodingTaskSettings
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.batching.pixels import Bytes, Pixels, as_bytes, normalize
from dragoman.metrics.pca import Pca, fit_pca
from dragoman.plots.images import Plane, Strip, StripBlock, draw_images, signed_as_bytes
from dragoman.tasks.autoencoding.objective import corrupt_held_out
from dragoman.tasks.autoencoding.reconstructor import Reconstructor

ACROSS, ROWS = 12, 3
"""Images that are shown: a dozen in each row."""


def draw_rebuilt(
    reconstructor: Reconstructor,
    pca: Pca,
    store: ImageStore,
    names: Sequence[str],
    spoils: AutoencodingTaskSettings | None,
    path: Path,
    title: str,
) -> None:
    """Draw images of a store before and after, and the codes of all of them, by class."""
    shown = _spread(store, ACROSS * ROWS)
    rebuilt = _rebuilt(reconstructor, pca, shown, spoils)
    blocks = [
        StripBlock("" if row else "reconstructions", _cut(rebuilt, row))
        for row in range(-(-len(shown) // ACROSS))
    ]
    codes = reconstructor.encode(store.images)
    blocks.append(_what_codes_draw(reconstructor, pca, codes))
    planes = []
    if codes.shape[1] > 1 and len(codes) > 2:
        classes = [names[number] for number in store.classes]
        planes = _where_codes_lie(reconstructor.pixels, pca, store.images, codes, classes)
    draw_images(blocks, planes, path, title)


def _spread(store: ImageStore, count: int) -> Bytes:
    """Return some images, of each class in turn."""
    turn = np.zeros(len(store), dtype=np.int64)
    for number in np.unique(store.classes):
        members = np.flatnonzero(store.classes == number)
        turn[members] = np.arange(len(members))
    order = np.lexsort((store.classes, turn))
    return np.asarray(store.images[np.sort(order[:count])])


def _rebuilt(
    reconstructor: Reconstructor, pca: Pca, images: Bytes, spoils: AutoencodingTaskSettings | None
) -> list[Strip]:
    pixels = reconstructor.pixels
    given = normalize(images, pixels)
    strips = [Strip("original", images)]
    if spoils is not None:
        given = corrupt_held_out(torch.from_numpy(given), spoils, 0).numpy()
        strips.append(Strip("corrupted", as_bytes(given, pixels)))
    by_network = reconstructor.decode_normalized(reconstructor.encode_normalized(given))
    by_pca = pca.reconstruct(pca.transform(given.reshape(len(given), -1)))
    return [
        *strips,
        Strip("autoencoder", as_bytes(by_network, pixels)),
        Strip("PCA", as_bytes(by_pca.astype(np.float32).reshape(given.shape), pixels)),
    ]


def _cut(strips: Sequence[Strip], row: int) -> list[Strip]:
    """Return one row's part of each strip."""
    part = slice(row * ACROSS, (row + 1) * ACROSS)
    return [Strip(strip.label, strip.images[part]) for strip in strips]


def _what_codes_draw(
    reconstructor: Reconstructor, pca: Pca, codes: NDArray[np.float32]
) -> StripBlock:
    """Show what more of each number of a code adds to the mean image.

    For a linear network these are the rows of its last matrix. The numbers that vary most come
    first; those of the principal components do anyway.
    """
    middle, spread = codes.mean(axis=0), codes.std(axis=0)
    most = np.argsort(-spread, kind="stable")[:ACROSS]
    steps = np.zeros((len(most), codes.shape[1]), np.float32)
    steps[np.arange(len(most)), most] = spread[most]
    more, less = (reconstructor.decode_normalized(middle + way * steps) for way in (1, -1))
    axes = pca.components[:ACROSS].reshape(-1, *more.shape[1:])
    return StripBlock(
        "effect of each latent dimension: white adds, black subtracts",
        [
            Strip("autoencoder", signed_as_bytes((more - less).transpose(0, 2, 3, 1))),
            Strip("PCA", signed_as_bytes(axes.transpose(0, 2, 3, 1))),
        ],
    )


def _where_codes_lie(
    pixels: Pixels, pca: Pca, images: Bytes, codes: NDArray[np.float32], classes: Sequence[str]
) -> list[Plane]:
    """Show codes in a plane; of more than two numbers, the two directions that vary most."""
    flat = codes if codes.shape[1] == 2 else fit_pca(codes, 2).transform(codes)
    told = "latent space" if codes.shape[1] == 2 else "first two principal components of the codes"
    planes = [Plane(f"autoencoder: {told}", flat, classes)]
    if len(pca.components) > 1:
        rows = normalize(np.asarray(images), pixels).reshape(len(images), -1)
        planes.append(Plane("PCA: first two components", pca.transform(rows)[:, :2], classes))
    return planes
