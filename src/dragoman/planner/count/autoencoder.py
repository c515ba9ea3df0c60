"""Autoencoders as their forward passes: each layer of the way down is mirrored on the way back."""

from math import prod

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.planner.count.images import images_of
from dragoman.planner.count.layers import bend, linear
from dragoman.planner.count.maps import convolution, flat, same
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tape import Signal, Tape


def autoencoder(tape: Tape, settings: AutoencoderSettings, sizes: Sizes) -> Signal:
    """Count an autoencoder; where it is tied, the way back has no matrices of its own."""
    x, bent = images_of(tape, sizes), settings.activation
    convolutional = settings.form == "convolutional"
    sides = [x.shape[1:]]
    for number, filters in enumerate(settings.widths if convolutional else ()):
        x = convolution(tape, f"convolutions.{number}", x, filters, same(3, 2))
        x = bend(tape, x, bent)
        sides.append(x.shape[1:])
    inside = settings.widths if settings.form == "deep" else ()
    widths = (prod(sides[-1]), *inside, settings.code)
    y = flat(x)
    for number, width in enumerate(widths[1:]):
        y = linear(tape, f"layers.{number}", bend(tape, y, bent) if number else y, width)
    for number, width in enumerate(reversed(widths[:-1])):
        read = bend(tape, y, bent) if number else y
        y = _mirrored_linear(tape, f"mirrored_layers.{number}", read, width, settings.tied)
    x = y.view(sizes.batch, *sides[-1])
    for number, shape in enumerate(reversed(sides[:-1])):
        read = bend(tape, x, bent)
        x = _mirrored_convolution(
            tape, f"mirrored_convolutions.{number}", read, shape, settings.tied
        )
    if x.slope:
        tape.keep(tape.signal(*x.shape, slope=True))  # the error, which is squared
    return x


def _mirrored_linear(tape: Tape, name: str, x: Signal, width: int, tied: bool) -> Signal:
    """Count Wᵀz + b."""
    rows, before = x.shape
    with tape.part(name, "mirrored linear"):
        trained = _mirrored_weight(tape, before * width, tied)
        tape.weight(width, "bias", "bias")
        tape.product(2 * rows * before * width, x.slope, trained)
        if trained:
            tape.keep(x)
        return tape.signal(rows, width, slope=True)


def _mirrored_convolution(
    tape: Tape, name: str, x: Signal, shape: tuple[int, ...], tied: bool
) -> Signal:
    """Count a transposed convolution of 3×3: as much work as the convolution that it mirrors."""
    batch, before, side = x.shape[:3]
    count = before * shape[0] * 9
    with tape.part(name, "transposed convolution"):
        trained = _mirrored_weight(tape, count, tied)
        tape.weight(shape[0], "bias", "bias")
        tape.product(2 * batch * side**2 * count, x.slope, trained)
        if trained:
            tape.keep(x)
        return tape.signal(batch, *shape, slope=True)


def _mirrored_weight(tape: Tape, count: int, tied: bool) -> bool:
    if not tied:
        return tape.weight(count, "matrix", "weight")
    tape.note("tied")
    return tape.start is None or tape.start.method == "full"
