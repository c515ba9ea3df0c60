"""Claims on products and their derivatives."""

import torch
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, same


class VectorSettings(Settings):
    """Two random vectors."""

    length: int = Field(default=5, ge=1, le=1000)
    """How many entries each vector has."""
    seed: int = Field(default=1, ge=0)
    """Seed of the random entries."""


@claim(
    "E101",
    "The Hadamard product multiplies two vectors entry by entry; it is what the diagonal matrix of "
    "one does to the other.",
    r"(a \odot b)_i = a_i b_i, \qquad a \odot b = \mathrm{diag}(a)\, b",
)
def hadamard_product(settings: VectorSettings) -> Evidence:
    """Compare the product with one entry after the other and with a diagonal matrix."""
    generator = torch.Generator().manual_seed(settings.seed)
    a, b = torch.randn(2, settings.length, generator=generator, dtype=torch.float64)
    entries = torch.stack([x * y for x, y in zip(a, b, strict=True)])
    return Evidence(
        stated=[
            same("difference from entry by entry", a * b, entries),
            same("difference from diag(a) b", a * b, torch.diag(a) @ b),
        ]
    )
