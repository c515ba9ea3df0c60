"""Convolution: one small filter, the same at every place of an image.

    y[o, i, j] = bias[o] + Σ over channels c and offsets u, v of
                 weight[o, c, u, v] · x[c, i·stride + u·dilation, j·stride + v·dilation]

Networks call this convolution, though the filter is not flipped (it is a cross-correlation). Before
that the image is given a margin: zeros, or what stands at the other side (circular), as if it
were a tile. With groups, each group of filters reads its own share of the channels. Torch's kernel
is what runs; the sum stands here, and a test keeps them equal.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from dragoman.neural.layers.images.geometry import Window

Margin = Literal["zeros", "circular"]


def pad(
    x: Float[Tensor, "b c h w"], padding: int, margin: Margin = "zeros"
) -> Float[Tensor, "b c m n"]:
    """Put a margin around images."""
    sides = (padding, padding, padding, padding)
    return F.pad(x, sides, mode="constant" if margin == "zeros" else "circular")


def convolve_written_out(
    x: Float[Tensor, "b c h w"],
    weight: Float[Tensor, "d e p q"],
    bias: Float[Tensor, " d"] | None = None,
    *,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    margin: Margin = "zeros",
) -> Float[Tensor, "b d m n"]:
    """Sum over the offsets of a filter: each sees the whole image, moved by the offset."""
    x = pad(x, padding, margin).unflatten(1, (groups, weight.shape[1]))  # b g e h w
    filters = weight.unflatten(0, (groups, len(weight) // groups))  # g d/g e p q
    rows, columns = (
        Window(kernel, stride, dilation=dilation).output(size)
        for kernel, size in zip(weight.shape[2:], x.shape[3:], strict=True)
    )
    total = x.new_zeros(len(x), len(weight), rows, columns)
    for u in range(weight.shape[2]):
        for v in range(weight.shape[3]):
            down, right = u * dilation, v * dilation
            seen = x[..., down : down + stride * rows : stride, :]
            seen = seen[..., right : right + stride * columns : stride]
            found = torch.einsum("bgehw,gde->bgdhw", seen, filters[..., u, v])
            total = total + found.flatten(1, 2)
    return total if bias is None else total + bias[:, None, None]


def likeness(
    x: Float[Tensor, "b c h w"], template: Float[Tensor, "c p q"]
) -> Float[Tensor, "b m n"]:
    """Return the cosine between a template and the patch at each place.

    A convolution is the same dot product, but unnormed: a bright patch may beat a like one.
    """
    products = F.conv2d(x, template[None])
    squares = F.conv2d(x**2, torch.ones_like(template)[None])
    lengths = squares.clamp(min=0).sqrt() * template.norm()
    return (products / lengths.clamp(min=torch.finfo(x.dtype).tiny))[:, 0]
