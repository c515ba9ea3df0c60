"""Image classifiers without skips as their forward passes: CNN, AlexNet, VGG, GoogLeNet."""

from dragoman.config.vision import AlexNetSettings, CnnSettings, GoogLeNetSettings, VggSettings
from dragoman.config.vision_shapes import (
    BASE,
    BEHIND,
    VGG_STAGES,
    VGG_WIDER,
    WIDTHS,
    InceptionWidths,
)
from dragoman.neural.layers.images.geometry import Window
from dragoman.planner.count.layers import bend, linear
from dragoman.planner.count.maps import (
    batch_norm,
    bent_convolution,
    convolution,
    flat,
    global_mean,
    local_response,
    pool,
    same,
)
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tape import INTEGER, Signal, Tape

HALVES, OVERLAPS, PADDED = Window(2, 2), Window(3, 2), Window(3, 2, 1)
"""Poolings: of squares, and of windows that overlap, without and with a margin."""


def images_of(tape: Tape, sizes: Sizes) -> Signal:
    """Return a batch of images, into which no gradient flows."""
    size = sizes.image_size
    return tape.signal(sizes.batch, sizes.channels, size, size, slope=False)


def cnn(tape: Tape, settings: CnnSettings, sizes: Sizes) -> Signal:
    """Count a plain convolutional network."""
    x = images_of(tape, sizes)
    for number, filters in enumerate(settings.channels):
        with tape.part(f"stages.{number}", "stage"):
            x = _cnn_stage(tape, settings, x, filters, first=number == 0)
    match settings.summary:
        case "flat":
            x = flat(x)
        case "average":
            x = global_mean(tape, x)
        case "max":
            if x.slope:
                tape.keep_bytes(INTEGER * x.shape[0] * x.shape[1])
            x = global_mean(tape, x)
    if settings.hidden_width:
        x = linear(tape, "hidden.0", x, settings.hidden_width)
        x = bend(tape, x, settings.activation)
    return linear(tape, "output", tape.dropout(x, settings.dropout), sizes.classes)


def _cnn_stage(
    tape: Tape, settings: CnnSettings, x: Signal, filters: int, *, first: bool
) -> Signal:
    strided, place = settings.pooling == "stride", 0
    if settings.order == "pooling-first":
        x, place = pool(tape, x, HALVES, settings.pooling), 1
    for number in range(settings.convolutions):
        kind = settings.first_filters if first and not number else settings.further_filters
        window = same(settings.kernel_size, 2 if strided and not number else 1)
        x = convolution(
            tape,
            str(place),
            x,
            filters,
            window,
            bias=not settings.batch_norm,
            fixed=kind != "learned",
        )
        place += 1
        if settings.order == "between" and not number:
            x, place = pool(tape, x, HALVES, settings.pooling), place + 1
        if settings.batch_norm:
            x, place = batch_norm(tape, str(place), x), place + 1
        x, place = bend(tape, x, settings.activation), place + 1
    if settings.order == "convolution-first" and not strided:
        x = pool(tape, x, HALVES, settings.pooling)
    return x


def alexnet(tape: Tape, settings: AlexNetSettings, sizes: Sizes) -> Signal:
    """Count AlexNet, in one tower or in two."""
    windows = (Window(11, 4), same(5), same(3), same(3), same(3))
    places, grouped = (0, 4, 8, 10, 12), (1, 3, 4)
    x = images_of(tape, sizes)
    for number, (filters, window) in enumerate(zip(settings.channels, windows, strict=True)):
        groups = settings.groups if number in grouped else 1
        x = convolution(tape, f"body.{places[number]}", x, filters, window, groups=groups)
        x = bend(tape, x, "relu")
        if number < 2:
            x = pool(tape, local_response(tape, x), OVERLAPS)
    x = flat(pool(tape, x, OVERLAPS))
    for name in ("hidden.2", "hidden.5"):
        x = linear(tape, name, tape.dropout(x, settings.dropout), settings.hidden_width)
        x = bend(tape, x, "relu")
    return linear(tape, "output", x, sizes.classes)


def vgg(tape: Tape, settings: VggSettings, sizes: Sizes) -> Signal:
    """Count VGG: stages of 3×3 convolutions."""
    x, place = images_of(tape, sizes), 0
    for convolutions, wider in zip(VGG_STAGES[settings.depth], VGG_WIDER, strict=True):
        for _ in range(convolutions):
            filters, normed = wider * settings.width, settings.batch_norm
            x = bent_convolution(tape, f"body.{place}", x, filters, same(3), normed=normed)
            place += 1
        x, place = pool(tape, x, HALVES), place + 1
    x = flat(x)
    for name in ("hidden.1", "hidden.4"):
        x = bend(tape, linear(tape, name, x, settings.hidden_width), "relu")
        x = tape.dropout(x, settings.dropout)
    return linear(tape, "output", x, sizes.classes)


def googlenet(tape: Tape, settings: GoogLeNetSettings, sizes: Sizes) -> Signal:
    """Count GoogLeNet; its auxiliary heads work in training only."""
    width, normed = settings.width, settings.batch_norm
    x = images_of(tape, sizes)
    with tape.part("stem", "stem"):
        if settings.stem == "small":
            x = bent_convolution(tape, "0", x, 3 * width, same(3), normed=normed)
        else:
            x = bent_convolution(tape, "0", x, width, same(7, 2), normed=normed)
            x = local_response(tape, pool(tape, x, PADDED))
            x = bent_convolution(tape, "3", x, width, same(1), normed=normed)
            x = bent_convolution(tape, "4", x, 3 * width, same(3), normed=normed)
            x = pool(tape, local_response(tape, x), PADDED)
    for name, widths in WIDTHS.items():
        if name in ("4a", "5a"):
            x = pool(tape, x, PADDED)
        with tape.part(f"stages.{name}", "inception"):
            x = inception(
                tape, x, widths.times(width, BASE), bottleneck=settings.bottleneck, normed=normed
            )
        if settings.auxiliary and name in BEHIND:
            with tape.part(f"auxiliary.{BEHIND[name]}", "auxiliary head"):
                _auxiliary_head(tape, settings, x, sizes)
    x = tape.dropout(global_mean(tape, x), settings.dropout)
    return linear(tape, "output", x, sizes.classes)


def inception(
    tape: Tape, x: Signal, widths: InceptionWidths, *, bottleneck: bool, normed: bool = False
) -> Signal:
    """Count the four branches of an inception module."""

    def branch(name: str, x: Signal, filters: int, kernel: int) -> Signal:
        return bent_convolution(tape, f"branches.{name}", x, filters, same(kernel), normed=normed)

    pooled = pool(tape, x, Window(3, 1, 1))
    if bottleneck:
        three = branch("1.0", x, widths.narrow_three, 1)
        five = branch("2.0", x, widths.narrow_five, 1)
        found = [
            branch("0", x, widths.one, 1),
            branch("1.1", three, widths.three, 3),
            branch("2.1", five, widths.five, 5),
            branch("3.1", pooled, widths.pooled, 1),
        ]
    else:
        found = [
            branch("0", x, widths.one, 1),
            branch("1", x, widths.three, 3),
            branch("2", x, widths.five, 5),
            pooled,
        ]
    channels = sum(one.shape[1] for one in found)
    slope = any(one.slope for one in found)
    return tape.signal(x.shape[0], channels, *x.shape[2:], slope=slope)


def _auxiliary_head(tape: Tape, settings: GoogLeNetSettings, x: Signal, sizes: Sizes) -> None:
    """Count a head in the middle; outside training it has weights and does nothing."""
    width = settings.width
    if not tape.training:
        x = tape.signal(0, *x.shape[1:], slope=False)
    x = pool(tape, x, Window(5, 3), "average")
    x = bent_convolution(tape, "body.1", x, 2 * width, same(1), normed=settings.batch_norm)
    x = bend(tape, linear(tape, "body.3", _row(x), 16 * width), "relu")
    linear(tape, "output", tape.dropout(x, settings.auxiliary_dropout), sizes.classes)


def _row(x: Signal) -> Signal:
    batch, *rest = x.shape
    return x.view(batch, rest[0] * rest[1] * rest[2])
