"""Output sizes and receptive fields of convolutions and poolings.

A window of f places, with dilation d between them, reaches over r = d(f - 1) + 1. Moved by s over
n places with p more at both ends, it stands in

    floor((n + 2p - r) / s) + 1

positions (Dumoulin & Visin 2016). Over a chain of layers, in places of the first image, a unit's
field, the step between the fields of neighbours, and the first place of the first field are

    field = 1 + Σ (rᵢ - 1) · s₁…sᵢ₋₁        step = s₁…sₙ        start = - Σ pᵢ · s₁…sᵢ₋₁
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dragoman.core.errors import ShapeError


@dataclass(frozen=True, slots=True)
class Window:
    """The window of a convolution or a pooling, in one direction."""

    kernel: int
    stride: int = 1
    padding: int = 0
    dilation: int = 1

    @property
    def reach(self) -> int:
        """Return how many places lie between the window's ends, both counted."""
        return self.dilation * (self.kernel - 1) + 1

    def output(self, size: int) -> int:
        """Return in how many positions the window stands on so many places."""
        return max(0, (size + 2 * self.padding - self.reach) // self.stride + 1)

    def smallest(self, output: int = 1) -> int:
        """Return the fewest places on which the window stands in so many positions."""
        return max(1, (output - 1) * self.stride + self.reach - 2 * self.padding)

    def touches(self, size: int) -> tuple[int, ...]:
        """Return how many positions of the window see each place; without padding, few the ends."""
        counts = [0] * size
        for position in range(self.output(size)):
            for part in range(self.kernel):
                place = position * self.stride + part * self.dilation - self.padding
                if 0 <= place < size:
                    counts[place] += 1
        return tuple(counts)


def output_size(windows: Iterable[Window], size: int) -> int:
    """Return what is left of so many places after several windows, one after the other."""
    for window in windows:
        size = window.output(size)
    return size


def smallest_size(windows: Sequence[Window], output: int = 1) -> int:
    """Return the fewest places of which so many are left after several windows."""
    for window in reversed(windows):
        output = window.smallest(output)
    return output


def padding_that_keeps(size: int, kernel: int, stride: int = 1) -> int:
    """Return the least padding after which as many places come out as go in.

    (n + 2p - f)/s + 1 = n gives p = (ns - n - s + f)/2, that is (f - 1)/2 with stride 1. Where that
    is no whole number, the next one serves, as the size is rounded down; with stride 1 none does.
    """
    twice = size * stride - size - stride + kernel
    padding = max(0, -(-twice // 2))
    if Window(kernel, stride, padding).output(size) != size:
        raise ShapeError(
            f"no padding keeps {size} places under a window of {kernel} that moves by {stride}. "
            "Use an odd window."
        )
    return padding


@dataclass(frozen=True, slots=True)
class Field:
    """The receptive field of the units of a layer, in one direction."""

    size: int = 1
    """Places that one unit sees."""
    step: int = 1
    """Places between the fields of two neighbours."""
    start: int = 0
    """First place that the first unit sees; below zero where that is padding."""

    def seen(self, unit: int) -> tuple[int, int]:
        """Return the first and the last place that a unit sees."""
        first = self.start + unit * self.step
        return first, first + self.size - 1

    def after(self, window: Window) -> "Field":
        """Return the field of the units one layer on."""
        return Field(
            self.size + (window.reach - 1) * self.step,
            self.step * window.stride,
            self.start - window.padding * self.step,
        )


def receptive_field(windows: Iterable[Window]) -> Field:
    """Return what the units at the end of a chain of layers see of its beginning."""
    field = Field()
    for window in windows:
        field = field.after(window)
    return field
