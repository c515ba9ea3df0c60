"""Images made a little larger or smaller around their middle, each by a share of its own.

Height and width are stretched one after the other, each by a matrix whose rows say which two pixels
a new pixel lies between; what lies outside has the colour of the edge.
"""

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]


def stretch(images: Bytes, most: float, random: np.random.Generator) -> Bytes:
    """Return images (b h w c) each stretched by a share of its own, up or down."""
    if not most:
        return images
    shares = np.exp(random.uniform(-1, 1, len(images)) * np.log1p(most))
    count, height, width, channels = images.shape
    down, across = between(height, shares), between(width, shares)  # b h h, b w w
    rows = down @ images.reshape(count, height, -1).astype(np.float32)  # b h wc
    turned = rows.reshape(count, height, width, channels).transpose(0, 2, 1, 3)  # b w h c
    columns = across @ turned.reshape(count, width, -1)  # b w hc
    found = columns.reshape(count, width, height, channels).transpose(0, 2, 1, 3)
    return np.rint(found).clip(0, 255).astype(np.uint8)


def between(size: int, shares: NDArray[np.float64]) -> Floats:
    """Return for each share the matrix (n n) that stretches a line of n pixels by it."""
    middle = (size - 1) / 2
    places = (np.arange(size) - middle) / shares[:, None] + middle  # b n
    places = places.clip(0, size - 1)
    before = np.floor(places).astype(np.int64).clip(0, max(0, size - 2))
    after = np.minimum(before + 1, size - 1)
    share = (places - before).astype(np.float32)
    matrix = np.zeros((len(shares), size, size), dtype=np.float32)
    which, row = np.indices(places.shape)
    matrix[which, row, before] = 1 - share
    matrix[which, row, after] += share
    return matrix
