"""Claims on shifts and rotations: how the output changes when the image is moved."""

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, below, equal, largest_difference, same
from dragoman.lab.sampling import seeded
from dragoman.lab.topics.convolution.random_maps import whole_numbers, with_whole_numbers
from dragoman.neural.layers.images.convolution import convolve_written_out
from dragoman.neural.layers.images.group_convolution import (
    GroupConvolution,
    LiftingConvolution,
    pool_turns,
    rotate_maps,
)
from dragoman.plots.lab import Panel, curve

CHANNELS = 2


class ShiftSettings(Settings):
    """An image of integers with circular borders, so that nothing is lost there."""

    size: int = Field(default=12, ge=8, le=32)
    """Side of the image; odd ones cannot be halved evenly."""
    kernel: int = Field(default=3, ge=1, le=7)
    """Side of the filters; an even number is rounded up to the next odd one."""
    shift: int = Field(default=3, ge=1, le=7)
    """Pixels by which the image is moved to the right."""
    seed: int = Field(default=1, ge=0)
    """Seed of image and filters."""

    def image(self) -> Tensor:
        """Return the image."""
        return whole_numbers(1, CHANNELS, self.size, self.size, seed=self.seed)

    def look(self, image: Tensor, stride: int = 1) -> Tensor:
        """Return the maps of a convolution with circular padding and a ReLU."""
        kernel = self.kernel | 1
        weight = whole_numbers(3, CHANNELS, kernel, kernel, seed=self.seed + 1)
        padding = kernel // 2
        return convolve_written_out(
            image, weight, stride=stride, padding=padding, margin="circular"
        ).relu()

    def moved(self, maps: Tensor) -> Tensor:
        """Move images or maps to the right."""
        return maps.roll(self.shift, dims=3)


@claim(
    "E43",
    "A function is invariant to shifts if it gives the same output for an image and for the "
    "shifted image. A convolution followed by the maximum over all positions is invariant.",
    r"f(g(I)) = f(I)",
)
def shift_invariance(settings: ShiftSettings) -> Evidence:
    """Compare the largest value of each map, and the map itself, before and after a shift."""
    image = settings.image()
    still, moved = settings.look(image), settings.look(settings.moved(image))
    return Evidence(
        stated=[
            same("change of each map's maximum", still.amax((2, 3)), moved.amax((2, 3))),
            same("change of each map's sum", still.sum((2, 3)), moved.sum((2, 3))),
            apart("change of the maps themselves", still, moved, 1.0),
        ]
    )


@claim(
    "E44",
    "A function is equivariant to shifts if its output for a shifted image is the shifted "
    "output. A convolution is equivariant, because the same filter is applied at every "
    "position.",
    r"f(g(I)) = g(f(I))",
)
def shift_equivariance(settings: ShiftSettings) -> Evidence:
    """Shift before and after our convolution, torch's, and a dense layer."""
    image = settings.image()
    kernel = settings.kernel | 1
    layer = nn.Conv2d(
        CHANNELS, 3, kernel, padding=kernel // 2, padding_mode="circular", device="meta"
    )
    theirs = with_whole_numbers(layer.to_empty(device="cpu"), settings.seed)
    mixing = whole_numbers(settings.size**2, settings.size**2, seed=settings.seed + 2)
    dense = (image.flatten(2) @ mixing).view_as(image)
    dense_moved = (settings.moved(image).flatten(2) @ mixing).view_as(image)
    with torch.no_grad():
        found = largest_difference(theirs(settings.moved(image)), settings.moved(theirs(image)))
    return Evidence(
        stated=[
            same(
                "difference between convolving the shifted image and shifting the convolution",
                settings.look(settings.moved(image)),
                settings.moved(settings.look(image)),
            ),
            equal("the same difference for torch's convolution", found, 0.0),
            apart("the same difference for a dense layer", dense_moved, settings.moved(dense), 1.0),
        ]
    )


@claim(
    "E45",
    "A convolution with stride 1 is *exactly* equivariant to shifts, apart from the borders, "
    "and not invariant at all: its maps shift along. Strides leave only part of the "
    "equivariance, and pooling adds part of an invariance.",
    r"f(g(I)) = g(f(I)) \neq f(I)",
    notes="convolution is partially invariant as well as partially equivariant.",
)
def exactly_equivariant(settings: ShiftSettings) -> Evidence:
    """Measure by how much shift and convolution fail to commute, with stride 1 and stride 2."""
    image = settings.image()
    maps, moved_maps = settings.look(image), settings.look(settings.moved(image))
    scale = maps.abs().mean()
    off = (moved_maps - settings.moved(maps)).abs().mean() / scale
    changed = (moved_maps - maps).abs().mean() / scale
    once = image.roll(1, dims=3)
    every_second = settings.look(once, stride=2)
    nearest = min(
        largest_difference(every_second, settings.look(image, stride=2).roll(back, dims=3))
        for back in range(every_second.shape[3])
    )
    windows = range(1, 6)
    pooled = [_change(image, once, settings, window) for window in windows]
    return Evidence(
        stated=[above("difference between shift-then-convolve and convolve-then-shift", off, 0.0)],
        corrected=[
            equal("difference between shift-then-convolve and convolve-then-shift", off, 0.0),
            above("relative change of the maps by the shift", changed, 0.0),
            above("stride 2: smallest difference from any shift of the maps", nearest, 0.0),
            below("change after 5 × 5 pooling, and without pooling", pooled[-1], pooled[0]),
        ],
        plot=[
            Panel(
                "Relative change of pooled maps by a shift of 1",
                [curve("max pooling, stride 1", windows, pooled)],
                "side of the pooling window",
                lowest=0,
            )
        ],
    )


def _change(image: Tensor, moved: Tensor, settings: ShiftSettings, window: int) -> float:
    """Return how much pooled maps change with a shift, in standard deviations."""
    still, other = (F.max_pool2d(settings.look(one), window, 1) for one in (image, moved))
    return float((other - still).abs().mean() / still.std())


@claim(
    "E46",
    "If a function is equivariant, shifting the image shifts the output. Only if it is "
    "invariant does the shift leave the output unchanged.",
    r"f(g(I)) = g(f(I)) \quad \mathrm{and} \quad h(g(I)) = h(I)",
    notes="equivariance means that a shift does not affect the result.",
)
def equivariance_moves_along(settings: ShiftSettings) -> Evidence:
    """Shift the image: the maps of a convolution move along, their largest values stay."""
    image = settings.image()
    maps, moved = settings.look(image), settings.look(settings.moved(image))
    invariant = same("change of each map's maximum", moved.amax((2, 3)), maps.amax((2, 3)))
    return Evidence(
        stated=[same("difference of the maps from the unshifted ones", moved, maps), invariant],
        corrected=[
            same("difference of the maps from the shifted ones", moved, settings.moved(maps)),
            invariant,
        ],
    )


class TurnSettings(Settings):
    """An image that is rotated, and convolutions over rotations by 90°."""

    size: int = Field(default=7, ge=3, le=24)
    """Side of the image."""
    kernel: int = Field(default=3, ge=1, le=7)
    """Side of the filters; an even number is rounded up to the next odd one."""
    turns: int = Field(default=1, ge=1, le=3)
    """Rotations of the image by 90°."""
    seed: int = Field(default=1, ge=0)
    """Seed of image and filters."""


@claim(
    "E39",
    "A convolution can be equivariant to more than shifts. If every filter is used in its four "
    "orientations (the group *p4*), rotating the image by 90° rotates the maps and moves them "
    "along the axis of orientations; the maximum over this axis and all positions does not "
    "change at all. A plain convolution does not rotate with the image.",
    r"f(R_{90} I)_{r} = R_{90} \, f(I)_{r-1}",
)
def turn_equivariance(settings: TurnSettings) -> Evidence:
    """Rotate an image before and after two group convolutions, and a plain one."""
    kernel, turns = settings.kernel | 1, settings.turns
    with seeded(settings.seed):
        lift = with_whole_numbers(LiftingConvolution(2, 3, kernel), settings.seed)
        group = with_whole_numbers(GroupConvolution(3, 2, kernel), settings.seed + 1)
    image = whole_numbers(1, 2, settings.size, settings.size, seed=settings.seed)
    turned_image = image.rot90(turns, dims=(2, 3))
    weight = whole_numbers(3, 2, 3, 3, seed=settings.seed + 2)
    with torch.no_grad():
        maps, turned = (group(lift(one).relu()) for one in (image, turned_image))
        plain, plain_turned = (F.conv2d(one, weight, padding=1) for one in (image, turned_image))
    wanted = maps
    for _ in range(turns):
        wanted = rotate_maps(wanted)
    by_hand = maps.rot90(turns, dims=(3, 4))[:, :, [(r - turns) % 4 for r in range(4)]]
    return Evidence(
        stated=[
            same(
                "difference between the maps of the rotated image and the rotated maps",
                turned,
                wanted,
            ),
            same("the same, rotated by hand", turned, by_hand),
            same(
                "change of the maximum over rotations and positions",
                pool_turns(turned).amax((2, 3)),
                pool_turns(maps).amax((2, 3)),
            ),
            apart(
                "the same difference for a plain convolution",
                plain_turned,
                plain.rot90(turns, dims=(2, 3)),
                1.0,
            ),
        ]
    )
