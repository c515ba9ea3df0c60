"""Claims on networks with sigmoids: slopes of at most a quarter, and what follows for products."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, at_most, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.neural.layers.recurrent.cells import ACTIVATIONS, Rnn
from dragoman.plots.lab import Panel, curve

ROUNDING = 1e-12


class SigmoidChainSettings(Settings):
    """A recurrent network with sigmoids and without inputs."""

    width: int = Field(default=6, ge=1, le=40)
    """Entries of the state."""
    steps: int = Field(default=10, ge=1, le=40)
    """Steps, which is n - 1 for n states."""
    largest: float = Field(default=0.25, ge=0.01, le=8)
    """Largest singular value of W."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of W and of the first state."""


class SigmoidSlopeSettings(Settings):
    """A range of numbers."""

    reach: float = Field(default=6.0, ge=0.1, le=30)
    """How far from 0 the numbers go on either side."""


class MatrixPairSettings(Settings):
    """Pairs of random matrices."""

    size: int = Field(default=6, ge=1, le=30)
    """Rows and columns of a matrix."""
    pairs: int = Field(default=200, ge=1, le=500)
    """How many pairs are tried."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the matrices."""


def _network(settings: SigmoidChainSettings) -> tuple[Tensor, Tensor]:
    """Return W, scaled to its largest singular value, and the first state."""
    sampler = NumberSampler(settings.seed)
    w = sampler.orthogonal(settings.width)
    shrunk = w @ torch.diag(sampler.uniform(settings.width, low=0.5))
    shrunk = settings.largest * shrunk / torch.linalg.matrix_norm(shrunk, 2)
    return shrunk, sampler.uniform(settings.width)


def _step(w: Tensor, x: Tensor) -> Tensor:
    """Return σ(Wx), from the recurrent cell."""
    cell = Rnn(1, len(x), "sigmoid")
    nothing = torch.zeros(1, len(x), dtype=x.dtype)
    return cell.advance(nothing, (x[None, :],), (w.T,))[0][0]


@claim(
    "A5",
    "One step of a recurrent network with sigmoids has a Jacobian of two factors: the weights, and "
    "before them the slopes of the sigmoids as a diagonal matrix.",
    r"\mathbf{x}_{t+1} = \sigma(W \mathbf{x}_t), \qquad \frac{\partial \mathbf{x}_{t+1}}"
    r"{\partial \mathbf{x}_t} = \mathrm{diag}(\sigma'(W\mathbf{x}_t))\, W",
)
def jacobian_of_a_step(settings: SigmoidChainSettings) -> Evidence:
    """Compare the two factors with autograd, for one step and for the product of all."""
    w, first = _network(settings)
    x, product = first, torch.eye(settings.width, dtype=torch.float64)
    gaps = []
    for _ in range(settings.steps):
        s = 1 / (1 + (-w @ x).exp())
        jacobian = torch.diag(s * (1 - s)) @ w
        found = torch.func.jacrev(lambda one: _step(w, one))(x)
        gaps.append((jacobian - found).abs().max())
        x, product = _step(w, x), jacobian @ product

    def whole(one: Tensor) -> Tensor:
        for _ in range(settings.steps):
            one = _step(w, one)
        return one

    total = torch.func.jacrev(whole)(first)
    size = max(1.0, float(total.abs().max()))
    return Evidence(
        stated=[
            at_most("largest difference from autograd in one step", torch.stack(gaps).max(), 1e-10),
            same("difference of the product from autograd", product / size, total / size),
        ],
        numbers={"factors from the first state to the last": settings.steps},
    )


@claim(
    "A6",
    "The slope of the sigmoid is $\\sigma(1 - \\sigma)$. It is never more than a quarter, and that "
    "much only at 0.",
    r"\sigma'(z) = \sigma(z)(1 - \sigma(z)) \le \frac{1}{4}",
)
def slope_of_the_sigmoid(settings: SigmoidSlopeSettings) -> Evidence:
    """Compare the formula with autograd over a range, and look for its largest value."""
    z = torch.linspace(-settings.reach, settings.reach, 2001, dtype=torch.float64)
    leaf = z.clone().requires_grad_()
    (slope,) = torch.autograd.grad(ACTIVATIONS["sigmoid"](leaf).sum(), leaf)
    s = 1 / (1 + (-z).exp())
    at = z[slope.argmax()]
    shown = slice(None, None, 10)
    return Evidence(
        stated=[
            same("difference of σ(1 - σ) from autograd", s * (1 - s), slope),
            at_most("largest slope", slope.max(), 0.25),
            equal("slope at 0", slope[1000], 0.25),
            equal("place of the largest slope", at, 0.0),
        ],
        numbers={"slope at the end of the range": float(slope[-1])},
        plot=[
            Panel(
                "the sigmoid",
                [
                    curve("σ", z[shown].tolist(), s[shown].tolist(), 0),
                    curve("σ′", z[shown].tolist(), slope[shown].tolist(), 1),
                    curve("¼", [-settings.reach, settings.reach], [0.25, 0.25], 2, dashed=True),
                ],
                "z",
            )
        ],
    )


@claim(
    "A7",
    "The largest singular value of a product is at most the product of the largest singular "
    "values: two matrices cannot stretch more together than one after the other at their best.",
    r"\sigma_{\max}(AB) \le \sigma_{\max}(A)\, \sigma_{\max}(B)",
)
def singular_values_of_products(settings: MatrixPairSettings) -> Evidence:
    """Try many pairs by SVD; a matrix and its own transpose reach the bound."""
    a, b = NumberSampler(settings.seed).normal(2, settings.pairs, settings.size, settings.size)

    def largest(one: Tensor) -> Tensor:
        return torch.linalg.svdvals(one)[..., 0]

    shares = largest(a @ b) / (largest(a) * largest(b))
    reached = largest(a.mT @ a) / largest(a) ** 2
    return Evidence(
        stated=[
            at_most("largest share of the bound", shares.max(), 1 + ROUNDING),
            same("share of a matrix with its transpose", reached, torch.ones_like(reached)),
        ],
        numbers={"mean share of the bound": float(shares.mean())},
    )


@claim(
    "A8",
    "Each step of a network with sigmoids stretches a gradient at most by a quarter of the largest "
    "singular value of $W$. If that is a quarter itself, $n - 1$ steps leave at most "
    "$(1/16)^{n-1}$.",
    r"0 \le \sigma_{\max}\!\left(\frac{\partial \mathbf{x}_n}{\partial \mathbf{x}_1}\right) \le "
    r"\left(\frac{\sigma_{\max}(W)}{4}\right)^{n-1}",
    notes="the bound is $(1/16)^{n-1}$, which needs $\\sigma_{\\max}(W) \\le 1/4$",
)
def bound_of_a_product(settings: SigmoidChainSettings) -> Evidence:
    """Multiply Jacobians that autograd takes, and compare with both bounds at every length."""
    w, x = _network(settings)
    product = torch.eye(settings.width, dtype=torch.float64)
    values = []
    for _ in range(settings.steps):
        product = torch.func.jacrev(lambda one: _step(w, one))(x) @ product
        x = _step(w, x)
        values.append(float(torch.linalg.svdvals(product)[0]))
    steps = range(1, settings.steps + 1)
    general = [(settings.largest / 4) ** each for each in steps]
    sixteenth = [(1 / 16) ** each for each in steps]

    def worst(bounds: list[float]) -> float:
        return max(value / bound for value, bound in zip(values, bounds, strict=True))

    return Evidence(
        stated=[at_most("largest share of (1/16)ⁿ⁻¹", worst(sixteenth), 1 + ROUNDING)],
        corrected=[at_most("largest share of (σmax(W)/4)ⁿ⁻¹", worst(general), 1 + ROUNDING)],
        numbers={"σmax after one step": values[0], "σmax after all steps": values[-1]},
        plot=[
            Panel(
                "largest singular value",
                [
                    curve("Jacobian", steps, values, 0),
                    curve("(σmax(W)/4)ⁿ⁻¹", steps, general, 1, dashed=True),
                    curve("(1/16)ⁿ⁻¹", steps, sixteenth, 2, dashed=True),
                ],
                "n - 1",
                logarithmic=True,
            )
        ],
    )
