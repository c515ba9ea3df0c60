"""Claims on the output size of a convolution, and on the padding that keeps it."""

from collections.abc import Iterator
from itertools import product

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal, same
from dragoman.neural.layers.images.geometry import Window, padding_that_keeps
from dragoman.plots.lab import Panel, curve


class ConvolutionSizeSettings(Settings):
    """The largest image, filter, stride and padding; all smaller combinations are tried."""

    size: int = Field(default=12, ge=1, le=30)
    """Side of the largest image."""
    kernel: int = Field(default=5, ge=1, le=9)
    """Side of the largest filter."""
    stride: int = Field(default=3, ge=1, le=4)
    """The largest stride."""
    padding: int = Field(default=2, ge=0, le=3)
    """The largest padding."""

    def grid(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield each size, filter, stride and padding where the filter fits into the image."""
        sides, filters = range(1, self.size + 1), range(1, self.kernel + 1)
        for n, f, s, p in product(
            sides, filters, range(1, self.stride + 1), range(self.padding + 1)
        ):
            if n + 2 * p >= f:
                yield n, f, s, p


def side_by_torch(n: int, f: int, s: int, p: int) -> int:
    """Return the side of the output of torch's convolution, without computing it."""
    image, weight = (torch.empty(1, 1, side, side, device="meta") for side in (n, f))
    return F.conv2d(image, weight, stride=s, padding=p).shape[2]


def sides(grid: list[tuple[int, int, int, int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the output sides by our formula and by torch."""
    ours = torch.tensor([Window(f, s, p).output(n) for n, f, s, p in grid])
    return ours, torch.tensor([side_by_torch(*one) for one in grid])


@claim(
    "E37",
    r"A filter of $F \times F$ fits into a row of an $N \times N$ image at $N-F+1$ positions. "
    "With stride $s$ it takes every $s$-th of them; if $s$ does not divide $N-F$, the number is "
    "rounded down.",
    r"\left( \left\lfloor \frac{N-F}{s} \right\rfloor + 1 \right)^2",
)
def output_size_without_padding(settings: ConvolutionSizeSettings) -> Evidence:
    """Compare the formulas with our windows and with the shapes of torch."""
    grid = [one for one in settings.grid() if one[3] == 0]
    ours, theirs = sides(grid)
    dense = [place for place, (_, _, s, _) in enumerate(grid) if s == 1]
    even = [place for place, (n, f, s, _) in enumerate(grid) if (n - f) % s == 0]
    plain = torch.tensor([n - f + 1 for n, f, _, _ in grid])
    strided = torch.tensor([(n - f) / s + 1 for n, f, s, _ in grid])
    return Evidence(
        stated=[
            same("difference of our sizes from torch", ours, theirs),
            same("difference of N − F + 1, stride 1", plain[dense], theirs[dense]),
            same("difference of (N − F)/s + 1, where s divides N − F", strided[even], theirs[even]),
            same("difference of the same rounded down, everywhere", strided.floor(), theirs),
        ],
        numbers={"sizes tried": len(grid), "of these, with a rest": len(grid) - len(even)},
    )


@claim(
    "E52",
    "With a padding of $p$ on each side the image is $n+2p$ wide. The output is $n+2p-f+1$ wide "
    r"with stride 1, and $\lfloor (n+2p-f)/s \rfloor + 1$ in general.",
    r"\left( \left\lfloor \frac{n+2p-f}{s} \right\rfloor + 1 \right)^2",
    notes="the output is $(n+2p-f+1)^2$, which holds only for stride 1.",
)
def output_size_with_padding(settings: ConvolutionSizeSettings) -> Evidence:
    """Compare both formulas with our windows and with the shapes of torch, over all strides."""
    grid = [*settings.grid()]
    ours, theirs = sides(grid)
    printed = torch.tensor([n + 2 * p - f + 1 for n, f, _, p in grid])
    mended = torch.tensor([(n + 2 * p - f) // s + 1 for n, f, s, p in grid])
    dense = [place for place, (_, _, s, _) in enumerate(grid) if s == 1]
    return Evidence(
        premises=[same("difference of our sizes from torch", ours, theirs)],
        stated=[same("difference of n + 2p − f + 1, any stride", printed, theirs)],
        corrected=[
            same("difference of ⌊(n + 2p − f)/s⌋ + 1", mended, theirs),
            same("difference of n + 2p − f + 1, stride 1", printed[dense], theirs[dense]),
        ],
        numbers={"sizes tried": len(grid)},
    )


@claim(
    "E53",
    "With stride 1 and an odd filter size, a padding of half the filter keeps the size of the "
    "image.",
    r"p = \frac{f-1}{2}",
)
def padding_for_the_same_size(settings: ConvolutionSizeSettings) -> Evidence:
    """Pad images of all sizes for all odd filters, and compare the sizes."""
    grid = [(n, f) for n in range(1, settings.size + 1) for f in range(1, settings.kernel + 1, 2)]
    halves = torch.tensor([(f - 1) // 2 for _, f in grid])
    ours = torch.tensor([padding_that_keeps(n, f) for n, f in grid])
    kept = torch.tensor([side_by_torch(n, f, 1, (f - 1) // 2) for n, f in grid])
    return Evidence(
        stated=[
            same("difference of our padding from (f − 1)/2", ours, halves),
            same("change of the size with this padding", kept, torch.tensor([n for n, _ in grid])),
        ],
        numbers={"sizes tried": len(grid)},
    )


@claim(
    "E54",
    "To keep the size with a stride $s$, solve the formula for the output size for the padding.",
    r"\frac{n+2p-f}{s} + 1 = n \quad \Rightarrow \quad p = \frac{ns - (n+s) + f}{2}",
    notes="the equation to solve is $(n+2p-f+1)/s = n$; their boxed $p$ is right, but does not "
    "solve it.",
)
def padding_for_a_stride(settings: ConvolutionSizeSettings) -> Evidence:
    """Put the boxed padding into both equations, and into torch's convolution."""
    grid = [
        (n, f, s, (n * s - (n + s) + f) // 2)
        for n, f, s in product(
            range(1, settings.size + 1),
            range(1, settings.kernel + 1),
            range(1, settings.stride + 1),
        )
        if (n * s - (n + s) + f) % 2 == 0 and n * s - (n + s) + f >= 0
    ]
    wanted = torch.tensor([float(n) for n, _, _, _ in grid])
    measured = torch.tensor([float(side_by_torch(*one)) for one in grid])
    ours = torch.tensor([padding_that_keeps(n, f, s) for n, f, s, _ in grid])
    printed = torch.tensor([(n + 2 * p - f + 1) / s for n, f, s, p in grid])
    mended = torch.tensor([(n + 2 * p - f) / s + 1 for n, f, s, p in grid])
    return Evidence(
        premises=[
            same("difference of the size with the boxed padding from n", measured, wanted),
            same(
                "difference of our padding from the box", ours, torch.tensor([p for *_, p in grid])
            ),
        ],
        stated=[same("difference of (n + 2p − f + 1)/s from the size", printed, measured, 1e-6)],
        corrected=[same("difference of (n + 2p − f)/s + 1 from the size", mended, measured, 1e-6)],
        numbers={"sizes tried": len(grid)},
    )


class PaddingSettings(Settings):
    """A row of an image, and a filter that moves over it."""

    size: int = Field(default=12, ge=8, le=100)
    """Pixels of the row."""
    kernel: int = Field(default=3, ge=3, le=7)
    """Width of the filter."""


@claim(
    "E51",
    "Without padding, pixels at the border are covered by fewer windows than pixels in the "
    "middle, and the image shrinks. Padding repairs both: $(f-1)/2$ keeps the size, and $f-1$ "
    "covers all pixels equally often.",
    r"\#\{ \mathrm{windows\ over\ } i \} = \min(i+1,\ f,\ n-i,\ n-f+1) \quad \mathrm{with\ } p = "
    "0",
)
def border_pixels(settings: PaddingSettings) -> Evidence:
    """Count the windows over each pixel, and compare with the gradient of the sum over windows."""
    n, f = settings.size, settings.kernel
    counts = {p: torch.tensor(Window(f, padding=p).touches(n)) for p in (0, (f - 1) // 2, f - 1)}
    slopes = {p: _windows_by_gradient(n, f, p) for p in counts}
    closed = torch.tensor([min(i + 1, f, n - i, n - f + 1) for i in range(n)])
    kept = f if f % 2 else f - 1
    return Evidence(
        stated=[
            *(
                same(f"padding {p}: windows, difference from the gradient", counts[p], slopes[p])
                for p in counts
            ),
            same("difference from min(i + 1, f, n − i, n − f + 1), no padding", counts[0], closed),
            below(
                "windows over the first pixel, and the middle one", counts[0][0], counts[0][n // 2]
            ),
            below("size without padding", Window(f).output(n), n),
            equal("size with padding (f − 1)/2", Window(kept, padding=kept // 2).output(n), n),
            above(
                "windows over the first pixel, with padding and without",
                counts[(f - 1) // 2][0],
                counts[0][0],
            ),
            equal(
                "windows over the first pixel and the middle one, padding f − 1",
                counts[f - 1][0],
                counts[f - 1][n // 2],
            ),
        ],
        plot=[
            Panel(
                f"Windows of {f} over each pixel",
                [
                    curve(f"padding {p}", range(n), counts[p].tolist(), color)
                    for color, p in enumerate(counts)
                ],
                "pixel",
                lowest=0,
            )
        ],
    )


def _windows_by_gradient(n: int, f: int, p: int) -> torch.Tensor:
    """Return how often each pixel enters the sum of all windows."""
    row = torch.zeros(1, 1, n, dtype=torch.float64, requires_grad=True)
    ones = torch.ones(1, 1, f, dtype=torch.float64)
    return torch.autograd.grad(F.conv1d(row, ones, padding=p).sum(), row)[0].flatten()
