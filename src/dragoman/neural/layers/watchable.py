"""The one seam through which attention is seen.

A layer that looks at things tells its watcher, where it has one, how much it looks at each: seeing
changes nothing, because the weights are only handed over and never taken back.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jaxtyping import Float
from torch import Tensor, nn

Watcher = Callable[[Float[Tensor, "b h t s"]], None]


class Watchable(nn.Module):
    """A layer with attention: weights [b, h, t, s], each row of which sums to one."""

    watcher: Watcher | None = None
    """Told the weights of every pass; a recurrent decoder tells those of all its steps at once."""


@contextmanager
def watching(layer: Watchable, watcher: Watcher) -> Iterator[None]:
    """Have a layer tell a watcher for a while, and then whom it told before."""
    before, layer.watcher = layer.watcher, watcher
    try:
        yield
    finally:
        layer.watcher = before
