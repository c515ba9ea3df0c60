"""Claims on shifts and turns: what a network's answer does when the image is moved."""

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
    """An image of whole numbers, on a torus so that nothing is lost at the border."""

    size: int = Field(default=12, ge=8, le=32)
    """Side of the image; odd ones cannot be halved evenly."""
    kernel: int = Field(default=3, ge=1, le=7)
    """Side of the filters; an even one has no middle, and the next odd one serves."""
    shift: int = Field(default=3, ge=1, le=7)
    """Pixels by which the image is moved to the right."""
    seed: int = Field(default=1, ge=0)
    """Seed of image and filters."""

    def image(self) -> Tensor:
        """Return the image."""
        return whole_numbers(1, CHANNELS, self.size, self.size, seed=self.seed)

    def look(self, image: Tensor, stride: int = 1) -> Tensor:
        """Return the maps of a convolution and a ReLU; what leaves on one side returns."""
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
    "A function is invariant to shifts if it says the same of an image and of the moved image. A "
    "convolution followed by the maximum over all places is invariant.",
    r"f(g(I)) = f(I)",
)
def shift_invariance(settings: ShiftSettings) -> Evidence:
    """Compare the largest value of each map before and after a shift; and a single place of it."""
    image = settings.image()
    still, moved = settings.look(image), settings.look(settings.moved(image))
    return Evidence(
        stated=[
            same("largest value of each map, difference", still.amax((2, 3)), moved.amax((2, 3))),
            same("sum of each map, difference", still.sum((2, 3)), moved.sum((2, 3))),
            apart("the maps themselves, difference", still, moved, 1.0),
        ]
    )


@claim(
    "E44",
    "A function is equivariant to shifts if its answer to a moved image is the moved answer. A "
    "convolution is: the same filter looks at every place.",
    r"f(g(I)) = g(f(I))",
)
def shift_equivariance(settings: ShiftSettings) -> Evidence:
    """Shift before and after our convolution and torch's; what mixes all places cannot do that."""
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
                "convolution of the moved image, difference from the moved convolution",
                settings.look(settings.moved(image)),
                settings.moved(settings.look(image)),
            ),
            equal("the same of torch's convolution", found, 0.0),
            apart("of a dense layer, difference", dense_moved, settings.moved(dense), 1.0),
        ]
    )


@claim(
    "E45",
    "A convolution with stride 1 is *exactly* equivariant to shifts, borders aside, and not "
    "invariant at all: its maps move along. It is strides that leave only part of the "
    "equivariance, and pooling that adds part of an invariance.",
    r"f(g(I)) = g(f(I)) \neq f(I)",
    notes="convolution is partially invariant as well as partially equivariant",
)
def exactly_equivariant(settings: ShiftSettings) -> Evidence:
    """Measure by how much shifting and convolving do not commute: with stride 1, and with 2."""
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
        stated=[above("share by which shift and convolution fail to commute", off, 0.0)],
        corrected=[
            equal("share by which shift and convolution fail to commute", off, 0.0),
            above("change of the maps by the shift, relative to what they are", changed, 0.0),
            above("stride 2: least difference from any shift of the maps", nearest, 0.0),
            below("change after pooling 5 × 5", pooled[-1], pooled[0]),
        ],
        plot=[
            Panel(
                "Change of pooled maps by a shift of 1, relative",
                [curve("max pooling, stride 1", windows, pooled)],
                "side of the pooling window",
                lowest=0,
            )
        ],
    )


def _change(image: Tensor, moved: Tensor, settings: ShiftSettings, window: int) -> float:
    """Return how much pooled maps change with a shift, in deviations of the pooled maps."""
    still, other = (F.max_pool2d(settings.look(one), window, 1) for one in (image, moved))
    return float((other - still).abs().mean() / still.std())


@claim(
    "E46",
    "Under an equivariant function a shift of the image shifts the answer; only under an invariant "
    "one does the shift not show.",
    r"f(g(I)) = g(f(I)) \quad \mathrm{and} \quad h(g(I)) = h(I)",
    notes="equivariance means that a shift does not affect the result",
)
def equivariance_moves_along(settings: ShiftSettings) -> Evidence:
    """Shift the image: the maps of a convolution move along, their largest values stay."""
    image = settings.image()
    maps, moved = settings.look(image), settings.look(settings.moved(image))
    invariant = same("largest value of each map, difference", moved.amax((2, 3)), maps.amax((2, 3)))
    return Evidence(
        stated=[same("equivariant maps, difference from the unmoved ones", moved, maps), invariant],
        corrected=[
            same("equivariant maps, difference from the moved ones", moved, settings.moved(maps)),
            invariant,
        ],
    )


class TurnSettings(Settings):
    """An image that is turned, and convolutions over quarter turns."""

    size: int = Field(default=7, ge=3, le=24)
    """Side of the image."""
    kernel: int = Field(default=3, ge=1, le=7)
    """Side of the filters; an even one has no middle, and the next odd one serves."""
    turns: int = Field(default=1, ge=1, le=3)
    """Quarter turns of the image."""
    seed: int = Field(default=1, ge=0)
    """Seed of image and filters."""


@claim(
    "E39",
    "A convolution can be made equivariant to more than shifts. With every filter in its four "
    "quarter turns (the group *p4*), turning the image turns the maps and moves them on along the "
    "axis of turns; the maximum over that axis and all places does not change at all. A plain "
    "convolution does not turn with the image.",
    r"f(R_{90} I)_{r} = R_{90} \, f(I)_{r-1}",
)
def turn_equivariance(settings: TurnSettings) -> Evidence:
    """Turn an image before and after two group convolutions, and before and after a plain one."""
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
            same("maps of the turned image, difference from the turned maps", turned, wanted),
            same("the same, turned by hand", turned, by_hand),
            same(
                "maximum over turns and places, difference",
                pool_turns(turned).amax((2, 3)),
                pool_turns(maps).amax((2, 3)),
            ),
            apart(
                "plain convolution, difference",
                plain_turned,
                plain.rot90(turns, dims=(2, 3)),
                1.0,
            ),
        ]
    )
