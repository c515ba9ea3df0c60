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
    """How many entries each vector has."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the random entries."""


class FactorSettings(Settings):
    """Two numbers that are multiplied."""

    a: float = Field(default=3.0, ge=-100, le=100)
    """The first factor."""
    b: float = Field(default=-2.0, ge=-100, le=100)
    """The second factor."""


@claim(
    "E101",
    "The Hadamard product multiplies two vectors entry by entry; it is what the diagonal matrix of "
    "one does to the other, and what a gate does to the memory of an LSTM.",
    r"(a \odot b)_i = a_i b_i, \qquad a \odot b = \mathrm{diag}(a)\, b",
)
def hadamard_product(settings: VectorSettings) -> Evidence:
    """Compare the product with one entry after the other, a diagonal matrix and an LSTM's gate."""
    a, b = NumberSampler(settings.seed).normal(2, settings.length)
    entries = torch.stack([x * y for x, y in zip(a, b, strict=True)])
    return Evidence(
        stated=[
            same("difference from entry by entry", a * b, entries),
            same("difference from diag(a) b", a * b, torch.diag(a) @ b),
            same("difference of σ(a) ⊙ b from a memory b that forgets", *_forgotten(a, b)),
        ]
    )


def _forgotten(gate: torch.Tensor, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return σ(gate) ⊙ memory, and the memory of an LSTM without matrices that is told nothing."""
    size = len(memory)
    cell = Lstm(1, size).double()
    nothing = torch.zeros(1, size, dtype=torch.float64)
    sums = torch.cat([nothing, gate[None, :], nothing, nothing], dim=1)  # i f g o; tanh(0) = 0
    matrices = (torch.zeros(size, 4 * size, dtype=torch.float64),)
    _, (_, after) = cell.advance(sums, (nothing, memory[None, :]), matrices)
    return torch.sigmoid(gate) * memory, after[0]


@claim(
    "E150",
    "The product rule: each factor of $L = ab$ is the derivative by the other one. So a gate "
    "learns from the size of what it lets through, and the other way round.",
    r"L = ab \;\Rightarrow\; \frac{\partial L}{\partial a} = b, \quad "
    r"\frac{\partial L}{\partial b} = a, \quad dL = b\, da + a\, db",
)
def product_rule(settings: FactorSettings) -> Evidence:
    """Differentiate a product by autograd, and by a step that is long enough to be exact."""
    a = torch.tensor(settings.a, dtype=torch.float64, requires_grad=True)
    b = torch.tensor(settings.b, dtype=torch.float64, requires_grad=True)
    by_a, by_b = torch.autograd.grad(a * b, (a, b))
    step = 0.5  # the product is linear in each factor, so that any step gives its slope
    with torch.no_grad():
        rise_a = ((a + step) * b - a * b) / step
        rise_b = (a * (b + step) - a * b) / step
        both = (a + step) * (b + step) - a * b
    return Evidence(
        stated=[
            equal("dL/da by autograd", by_a, settings.b),
            equal("dL/db by autograd", by_b, settings.a),
            equal("rise of L per step of a", rise_a, settings.b),
            equal("rise of L per step of b", rise_b, settings.a),
            equal(
                "rise of L for both steps, less b da + a db",
                both - (by_a + by_b) * step,
                step**2,
            ),
        ],
        numbers={"L": settings.a * settings.b, "dL/da": float(by_a), "dL/db": float(by_b)},
    )
