"""Claims on products and their derivatives."""

import torch
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.neural.layers.recurrent.cells import Lstm


class VectorSettings(Settings):
    """Two random vectors."""

    length: int = Field(default=5, ge=1, le=1000)
    """Entries of each vector."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the random entries."""


class FactorSettings(Settings):
    """Two numbers to multiply."""

    a: float = Field(default=3.0, ge=-100, le=100)
    """The first factor."""
    b: float = Field(default=-2.0, ge=-100, le=100)
    """The second factor."""


@claim(
    "E101",
    "The Hadamard product multiplies two vectors entry by entry. It equals multiplying one "
    "vector by the diagonal matrix of the other, and it is what the forget gate of an LSTM does "
    "to the cell state.",
    r"(a \odot b)_i = a_i b_i, \qquad a \odot b = \mathrm{diag}(a)\, b",
)
def hadamard_product(settings: VectorSettings) -> Evidence:
    """Compare the product with a loop, a diagonal matrix and the forget gate of an LSTM."""
    a, b = NumberSampler(settings.seed).normal(2, settings.length)
    entries = torch.stack([x * y for x, y in zip(a, b, strict=True)])
    return Evidence(
        stated=[
            same("difference from a loop over the entries", a * b, entries),
            same("difference from diag(a) b", a * b, torch.diag(a) @ b),
            same("σ(a) ⊙ b against an LSTM whose forget gate is σ(a)", *_forgotten(a, b)),
        ]
    )


def _forgotten(gate: torch.Tensor, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return σ(gate) ⊙ memory, and the cell state of an LSTM that gets no input at all."""
    size = len(memory)
    cell = Lstm(1, size).double()
    nothing = torch.zeros(1, size, dtype=torch.float64)
    sums = torch.cat([nothing, gate[None, :], nothing, nothing], dim=1)  # i f g o; tanh(0) = 0
    matrices = (torch.zeros(size, 4 * size, dtype=torch.float64),)
    _, (_, after) = cell.advance(sums, (nothing, memory[None, :]), matrices)
    return torch.sigmoid(gate) * memory, after[0]


@claim(
    "E150",
    "The product rule: in $L = ab$, the derivative with respect to each factor is the other "
    "factor. So a gate's gradient is proportional to the signal it multiplies, and the signal's "
    "gradient to the gate.",
    r"L = ab \;\Rightarrow\; \frac{\partial L}{\partial a} = b, \quad "
    r"\frac{\partial L}{\partial b} = a, \quad dL = b\, da + a\, db",
)
def product_rule(settings: FactorSettings) -> Evidence:
    """Differentiate a product by autograd and by finite differences."""
    a = torch.tensor(settings.a, dtype=torch.float64, requires_grad=True)
    b = torch.tensor(settings.b, dtype=torch.float64, requires_grad=True)
    by_a, by_b = torch.autograd.grad(a * b, (a, b))
    step = 0.5  # L is linear in each factor, so a step of any length gives the exact slope
    with torch.no_grad():
        rise_a = ((a + step) * b - a * b) / step
        rise_b = (a * (b + step) - a * b) / step
        both = (a + step) * (b + step) - a * b
    return Evidence(
        stated=[
            equal("dL/da by autograd", by_a, settings.b),
            equal("dL/db by autograd", by_b, settings.a),
            equal("finite difference in a", rise_a, settings.b),
            equal("finite difference in b", rise_b, settings.a),
            equal(
                "change of L for both steps, minus b da + a db",
                both - (by_a + by_b) * step,
                step**2,
            ),
        ],
        numbers={"L": settings.a * settings.b, "dL/da": float(by_a), "dL/db": float(by_b)},
    )
