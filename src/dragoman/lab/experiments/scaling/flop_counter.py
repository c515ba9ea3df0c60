"""FLOPs of any work by torch's counter, fused kernels taken apart into matrix products."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode


def _added_product(
    total: Sequence[int], first: Sequence[int], second: Sequence[int], *, out_shape: object = None
) -> int:
    return 2 * first[0] * first[1] * second[1]


IN_PLACE = {torch.ops.aten.addmm_: _added_product}
"""Torch's counter passes over it; the cross entropy adds up its matrix' gradient so."""


def count_flops(work: Callable[[], None]) -> int:
    """Count the FLOPs of matrix products and convolutions that some work does."""
    counter = FlopCounterMode(display=False, custom_mapping=IN_PLACE)
    with _without_fused_cells(), sdpa_kernel(SDPBackend.MATH), counter:
        work()
    return counter.get_total_flops()


@contextmanager
def _without_fused_cells() -> Iterator[None]:
    """Run an LSTM as matrix products; its fused kernel counts as nothing."""
    before = torch.backends.mkldnn.enabled
    torch.backends.mkldnn.enabled = False  # type: ignore[assignment]
    try:
        yield
    finally:
        torch.backends.mkldnn.enabled = before
