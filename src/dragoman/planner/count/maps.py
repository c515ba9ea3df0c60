"""Closed forms of the layers of image networks: convolution, batch norm, pooling.

convolution   parameters c·k²·f / groups, and f biases    FLOPs 2·c·k²·f / groups at each place
"""

from dragoman.core.errors import ConfigError
from dragoman.neural.layers.images.geometry import Window
from dragoman.planner.count.layers import bend
from dragoman.planner.count.tape import FLOAT, INTEGER, Signal, Tape


def convolution(
    tape: Tape,
    name: str,
    x: Signal,
    filters: int,
    window: Window,
    *,
    bias: bool = True,
    groups: int = 1,
    fixed: bool = False,
) -> Signal:
    """Count a convolution of maps (b c h h); `fixed` filters are no parameters."""
    batch, channels, size = x.shape[:3]
    places = _places(window, size)
    with tape.part(name, "fixed convolution" if fixed else "convolution"):
        count = channels // groups * filters * window.kernel**2
        trained = False if fixed else tape.weight(count, "matrix", "weight")
        biased = tape.weight(filters, "bias", "bias") if bias and not fixed else False
        tape.product(2 * batch * places**2 * count, x.slope, trained)
        if trained:
            tape.keep(x)
        return tape.signal(batch, filters, places, places, slope=x.slope or trained or biased)


def _places(window: Window, size: int) -> int:
    """Return the side of the maps after a window; refuse images of which nothing is left."""
    if not (places := window.output(size)):
        raise ConfigError(
            f"model: nothing is left of maps of {size}×{size} under a window of {window.kernel}. "
            "Use larger images, or a network for small ones."
        )
    return places


def batch_norm(tape: Tape, name: str, x: Signal) -> Signal:
    """Count a batch norm: a gain and a bias for each map; running statistics are no parameters."""
    with tape.part(name, "batch norm"):
        channels = x.shape[1]
        trained = tape.weight(channels, "other", "weight")
        trained |= tape.weight(channels, "other", "bias")
        if x.slope or trained:
            tape.keep(x)
            tape.keep_bytes(2 * FLOAT * channels)
        return tape.signal(*x.shape, slope=x.slope or trained)


def pool(tape: Tape, x: Signal, window: Window, kind: str = "max") -> Signal:
    """Pool maps; a maximum keeps the place of each value besides what it reads."""
    places = _places(window, x.shape[2])
    y = tape.signal(*x.shape[:2], places, places, slope=x.slope)
    if x.slope:
        tape.keep(x)
        if kind == "max":
            tape.keep_bytes(INTEGER * y.elements)
    return y


def bent_convolution(
    tape: Tape, name: str, x: Signal, filters: int, window: Window, *, normed: bool
) -> Signal:
    """Count a convolution, a batch norm if there is one, and a ReLU."""
    x = convolution(tape, f"{name}.0", x, filters, window, bias=not normed)
    if normed:
        x = batch_norm(tape, f"{name}.1", x)
    return bend(tape, x, "relu")


def local_response(tape: Tape, x: Signal) -> Signal:
    """Normalize over neighbouring maps; its squares, their means and its powers are kept."""
    if x.slope:
        tape.keep(x)
        tape.keep_bytes(3 * FLOAT * x.elements)
    return tape.signal(*x.shape, slope=x.slope)


def global_mean(tape: Tape, x: Signal) -> Signal:
    """Return the mean of each map: b c h h -> b c."""
    return tape.signal(*x.shape[:2], slope=x.slope)


def flat(x: Signal) -> Signal:
    """Lay the maps of an image side by side: b c h h -> b f."""
    return x.view(x.shape[0], x.elements // x.shape[0])


def same(kernel: int, stride: int = 1) -> Window:
    """Return the window of a convolution that keeps the size of an image but for its stride."""
    return Window(kernel, stride, kernel // 2)
