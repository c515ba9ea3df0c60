"""Claims on sigmoid networks: slopes of at most 1/4, and what follows for products."""

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
    """Number of steps: n - 1 for n states."""
    largest: float = Field(default=0.25, ge=0.01, le=8)
    """Largest singular value of W."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of W and of the first state."""


class SigmoidSlopeSettings(Settings):
    """A range of numbers."""

    reach: float = Field(default=6.0, ge=0.1, le=30)
    """Largest absolute value in the range."""


class MatrixPairSettings(Settings):
    """Pairs of random matrices."""

    size: int = Field(default=6, ge=1, le=30)
    """Rows and columns of a matrix."""
    pairs: int = Field(default=200, ge=1, le=500)
    """Number of pairs to try."""
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
    "The Jacobian of one step of a sigmoid RNN has two factors: the weight matrix, and to its "
    "left the diagonal matrix of the sigmoid's derivatives.",
    r"\mathbf{x}_{t+1} = \sigma(W \mathbf{x}_t), \qquad \frac{\partial \mathbf{x}_{t+1}}"
    r"{\partial \mathbf{x}_t} = \mathrm{diag}(\sigma'(W\mathbf{x}_t))\, W",
)
def jacobian_of_a_step(settings: SigmoidChainSettings) -> Evidence:
    """Compare the two factors with autograd, for one step and for the product of all steps."""
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
            at_most(
                "one step against autograd, largest difference", torch.stack(gaps).max(), 1e-10
            ),
            same("product of all steps against autograd", product / size, total / size),
        ],
        numbers={"factors from the first state to the last": settings.steps},
    )


@claim(
    "A6",
    r"The derivative of the sigmoid is $\sigma(1 - \sigma)$. It never exceeds $1/4$, and reaches "
    "this value only at 0.",
    r"\sigma'(z) = \sigma(z)(1 - \sigma(z)) \le \frac{1}{4}",
)
def slope_of_the_sigmoid(settings: SigmoidSlopeSettings) -> Evidence:
    """Compare the formula with autograd over a range, and find its maximum."""
    z = torch.linspace(-settings.reach, settings.reach, 2001, dtype=torch.float64)
    leaf = z.clone().requires_grad_()
    (slope,) = torch.autograd.grad(ACTIVATIONS["sigmoid"](leaf).sum(), leaf)
    s = 1 / (1 + (-z).exp())
    at = z[slope.argmax()]
    shown = slice(None, None, 10)
    return Evidence(
        stated=[
            same("σ(1 - σ) against autograd", s * (1 - s), slope),
            at_most("largest slope", slope.max(), 0.25),
            equal("slope at 0", slope[1000], 0.25),
            equal("position of the largest slope", at, 0.0),
        ],
        numbers={"slope at the end of the range": float(slope[-1])},
        plot=[
            Panel(
                "The sigmoid and its derivative",
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
    "values: two matrices applied in turn cannot stretch a vector by more than the product of "
    "their maximal stretches.",
    r"\sigma_{\max}(AB) \le \sigma_{\max}(A)\, \sigma_{\max}(B)",
)
def singular_values_of_products(settings: MatrixPairSettings) -> Evidence:
    """Try many pairs by SVD; a matrix and its own transpose attain the bound."""
    a, b = NumberSampler(settings.seed).normal(2, settings.pairs, settings.size, settings.size)

    def largest(one: Tensor) -> Tensor:
        return torch.linalg.svdvals(one)[..., 0]

    shares = largest(a @ b) / (largest(a) * largest(b))
    reached = largest(a.mT @ a) / largest(a) ** 2
    return Evidence(
        stated=[
            at_most("largest σmax(AB) over its bound", shares.max(), 1 + ROUNDING),
            same("σmax(AᵀA) over its bound, minus 1", reached, torch.ones_like(reached)),
        ],
        numbers={"mean of σmax(AB) over its bound": float(shares.mean())},
    )


@claim(
    "A8",
    "Each step of a sigmoid RNN stretches a gradient by at most a quarter of the largest "
    "singular value of $W$. If that singular value is at most $1/4$, then $n - 1$ steps leave "
    "at most $(1/16)^{n-1}$.",
    r"0 \le \sigma_{\max}\!\left(\frac{\partial \mathbf{x}_n}{\partial \mathbf{x}_1}\right) \le "
    r"\left(\frac{\sigma_{\max}(W)}{4}\right)^{n-1}",
    notes=r"the bound is $(1/16)^{n-1}$, which needs $\sigma_{\max}(W) \le 1/4$.",
)
def bound_of_a_product(settings: SigmoidChainSettings) -> Evidence:
    """Multiply Jacobians from autograd, and compare with both bounds at every length."""
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

    zero = torch.zeros(settings.width, dtype=torch.float64)  # where every slope is 1/4
    at_zero = torch.linalg.svdvals(torch.func.jacrev(lambda one: _step(w, one))(zero))[0]
    attained = equal("σmax of a step from a zero state, over σmax(W)/4",
                     at_zero / (settings.largest / 4), 1)  # fmt: skip

    def worst(bounds: list[float]) -> float:
        return max(value / bound for value, bound in zip(values, bounds, strict=True))

    return Evidence(
        stated=[at_most("largest σmax over (1/16)ⁿ⁻¹", worst(sixteenth), 1 + ROUNDING), attained],
        corrected=[
            at_most("largest σmax over (σmax(W)/4)ⁿ⁻¹", worst(general), 1 + ROUNDING),
            attained,
        ],
        numbers={"σmax after one step": values[0], "σmax after all steps": values[-1]},
        plot=[
            Panel(
                "Largest singular value of the Jacobian",
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
