"""Residual networks as their forward passes: basic and bottleneck blocks, stems, shortcuts."""

from dragoman.config.vision import ResNetForm, ResNetSettings
from dragoman.neural.layers.images.geometry import Window
from dragoman.planner.count.images import HALVES, images_of
from dragoman.planner.count.layers import linear
from dragoman.planner.count.maps import batch_norm, convolution, global_mean, pool, same
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tape import Signal, Tape

OUTSIDE = 4
"""How many times wider a bottleneck is outside than inside."""


def resnet(tape: Tape, settings: ResNetSettings, sizes: Sizes, width: int | None = None) -> Signal:
    """Count a residual or plain network with so many outputs, or one for each class."""
    form = settings.form
    x = _stem(tape, form, images_of(tape, sizes))
    for number, blocks in enumerate(form.stages):
        with tape.part(f"stages.{number}", f"stage of {blocks}"):
            for place in range(blocks):
                stride = 2 if number and not place else 1
                with tape.part(str(place), f"{form.block} block"):
                    x = _block(tape, form, x, form.width << number, stride, settings.residual)
    x = tape.dropout(global_mean(tape, x), settings.dropout)
    return linear(tape, "output", x, sizes.classes if width is None else width)


def _stem(tape: Tape, form: ResNetForm, x: Signal) -> Signal:
    with tape.part("stem", f"{form.stem} stem"):
        if form.stem == "large":
            x = _normed(tape, "", 0, x, form.width, same(7, 2))
            tape.keep(x)  # the ReLU
            return pool(tape, x, Window(3, 2, 1))
        if form.stem == "pooled":
            x = convolution(tape, "0", x, form.width, same(3), bias=False)
            x = batch_norm(tape, "2", pool(tape, x, HALVES))
        else:
            x = _normed(tape, "", 0, x, form.width, same(3))
        tape.keep(x)
        return x


def _block(
    tape: Tape, form: ResNetForm, x: Signal, inside: int, stride: int, residual: bool
) -> Signal:
    """Count a block; its ReLUs work in place, on what the norms say."""
    windows = [same(3, stride), same(3)]
    channels = [inside, inside]
    if form.block == "bottleneck":
        windows = [same(1), same(3, stride), same(1)]
        channels = [inside, inside, OUTSIDE * inside]
    y = x
    for number, (filters, window) in enumerate(zip(channels, windows, strict=True)):
        y = _normed(tape, "branch.", 3 * number, y, filters, window)
        tape.keep(y)
    matches = stride == 1 and x.shape[1] == y.shape[1]
    if residual and not matches and form.shortcut == "projection":
        _normed(tape, "shortcut.", 0, x, y.shape[1], same(1, stride))
    return y


def _normed(tape: Tape, prefix: str, place: int, x: Signal, filters: int, window: Window) -> Signal:
    """Count a convolution and its norm, whose bias serves for both."""
    x = convolution(tape, f"{prefix}{place}", x, filters, window, bias=False)
    return batch_norm(tape, f"{prefix}{place + 1}", x)
