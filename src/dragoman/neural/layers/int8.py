"""A matrix of whole numbers of 8 bits, for networks that only read.

Each row of the weights has a scale of its own, by which its largest number becomes 127:

    w ≈ s ∘ W,  s = max |w| / 127 row by row        y = x wᵀ ≈ (x̂ Wᵀ) ∘ s

The inputs are rounded alike as they come, all of one call by one scale, so that the product is of
whole numbers: a quarter of the memory to go through, and several products in one instruction. The
price is a small error, which depends a little on what else is in the batch.
"""

import warnings

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.core.errors import ConfigError

LARGEST = 127


class Int8Linear(nn.Module):
    """A quantized `nn.Linear` with nearly the same output, on a processor."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach().float()
        if weight.device.type != "cpu":
            raise ConfigError(
                f"decoding.precision = 'int8' is for processors, not for {weight.device.type}. "
                "Use 'float32'."
            )
        self.out_features, self.in_features = weight.shape
        self.original = (linear.weight, linear.bias)
        """What was rounded: a picked row is rounded anew. The weights are shared, not copied."""
        self.packed = _packed(weight, linear.bias)

    def forward(self, x: Float[Tensor, "*n i"]) -> Float[Tensor, "*n o"]:
        """Return the product with the matrix, and the bias added."""
        # With 8 bits on both sides, two products overflow the 16 bits that older processors
        # add them up in; so the inputs have 7.
        return torch.ops.quantized.linear_dynamic.default(x, self.packed, True)


def has_int8_kernels() -> bool:
    """Say whether this torch can multiply in 8 bits here; it is to lose these kernels one day."""
    try:
        packed = _packed(torch.ones(2, 2), None)
        torch.ops.quantized.linear_dynamic.default(torch.ones(1, 2), packed, True)
    except (AttributeError, RuntimeError):  # gone, or made without an engine for this processor
        return False
    return True


def quantize(weight: Float[Tensor, "o i"]) -> tuple[Tensor, Float[Tensor, " o"]]:
    """Return a matrix in whole numbers from -127 to 127, and the scale of each row."""
    scales = weight.abs().amax(1).clamp(min=torch.finfo(weight.dtype).tiny) / LARGEST
    return (weight / scales[:, None]).round().to(torch.int8), scales


def _packed(weight: Float[Tensor, "o i"], bias: Tensor | None) -> torch.ScriptObject:
    _, scales = quantize(weight)
    with warnings.catch_warnings():  # of their end
        warnings.simplefilter("ignore", UserWarning)
        whole = torch.quantize_per_channel(
            weight, scales.double(), torch.zeros(len(weight), dtype=torch.long), 0, torch.qint8
        )
        return torch.ops.quantized.linear_prepack(whole, None if bias is None else bias.detach())
