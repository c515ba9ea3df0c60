"""Claims on derivatives of scalars, vectors and matrices with respect to one another."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.lab.topics.matrix_calculus.layouts import change_along, derivative, shape_by_rule
from dragoman.plots.lab import HeatMap


class PointSettings(Settings):
    """A point in space."""

    x: float = Field(default=1.0, ge=-5, le=5)
    """First coordinate of the point."""
    y: float = Field(default=2.0, ge=-5, le=5)
    """Second coordinate of the point."""
    z: float = Field(default=0.5, ge=-5, le=5)
    """Third coordinate of the point."""


class CurveSettings(Settings):
    """A moment on a curve."""

    time: float = Field(default=0.7, ge=-10, le=10)
    """Time at which the curve is differentiated."""
    length: int = Field(default=4, ge=1, le=50)
    """Entries of the vector."""


class MatrixSettings(Settings):
    """Random matrices of one shape."""

    rows: int = Field(default=4, ge=1, le=40)
    """Rows of the matrix."""
    columns: int = Field(default=3, ge=1, le=40)
    """Columns of the matrix."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the random entries."""


@claim(
    "E1",
    "The gradient of a scalar function $f(x, y, z)$ is the column of its partial derivatives. "
    "It has the same shape as the point, so the two can be added. In the language of layouts it "
    "is the derivative in *denominator* layout.",
    r"\nabla f = \begin{pmatrix} \partial f / \partial x \\ \partial f / \partial y \\ "
    r"\partial f / \partial z \end{pmatrix}",
)
def gradient_is_a_column(settings: PointSettings) -> Evidence:
    """Differentiate x²y + y sin z by hand and by autograd."""

    def f(r: Tensor) -> Tensor:
        return r[0] ** 2 * r[1] + r[1] * r[2].sin()

    point = torch.tensor([settings.x, settings.y, settings.z], dtype=torch.float64)
    x, y, z = point
    column = torch.stack([2 * x * y, x**2 + z.sin(), y * z.cos()])[:, None]
    leaf = point.clone().requires_grad_()
    (backward,) = torch.autograd.grad(f(leaf), leaf)
    return Evidence(
        stated=[
            same(
                "difference from the derivative in denominator layout",
                column,
                derivative(f, point, "denominator"),
            ),
            same("difference from the gradient of a backward pass", column[:, 0], backward),
        ],
        numbers={"df/dx": float(column[0]), "df/dy": float(column[1]), "df/dz": float(column[2])},
    )


@claim(
    "E2",
    "The derivative of a vector with respect to a scalar is, in numerator layout, the column of "
    "the derivatives of its entries. For a moving point it is the velocity.",
    r"\frac{\partial \mathbf{y}}{\partial x} = \begin{pmatrix} \partial y_1 / \partial x \\ "
    r"\vdots \\ \partial y_m / \partial x \end{pmatrix} \in \mathbb{R}^{m \times 1}",
)
def vector_by_scalar(settings: CurveSettings) -> Evidence:
    """Differentiate the vector of sin(kt), k = 1 … m, by hand and by autograd."""
    time = torch.tensor(settings.time, dtype=torch.float64)
    k = torch.arange(1, settings.length + 1, dtype=torch.float64)
    found = derivative(lambda t: (k * t).sin(), time)
    column = torch.stack([each * (each * time).cos() for each in k])[:, None]
    return Evidence(
        stated=[same("difference from the column of k cos(kt)", found, column)],
        numbers={"rows": found.shape[0], "columns": found.shape[1]},
    )


@claim(
    "E3",
    "The derivative of a scalar with respect to a vector is, in numerator layout, a row. The "
    "gradient holds the same numbers in a column.",
    r"\frac{\partial y}{\partial \mathbf{x}} = \begin{pmatrix} \partial y / \partial x_1 & \cdots "
    r"& \partial y / \partial x_m \end{pmatrix} \in \mathbb{R}^{1 \times m}",
)
def scalar_by_vector(settings: MatrixSettings) -> Evidence:
    """Differentiate log Σ exp(xᵢ): its derivative is the softmax."""
    x = NumberSampler(settings.seed).normal(settings.columns)
    found = derivative(lambda one: one.logsumexp(0), x)
    row = (x.exp() / x.exp().sum())[None, :]
    return Evidence(
        stated=[same("difference from the row of softmax(x)", found, row)],
        numbers={"rows": found.shape[0], "columns": found.shape[1]},
    )


@claim(
    "E4",
    "The derivative of a vector of $m$ entries with respect to a vector of $n$ entries is the "
    r"Jacobian, an $m \times n$ matrix with a row for each output and a column for each "
    "input.",
    r"J_{ij} = \frac{\partial y_i}{\partial x_j}, \qquad J \in \mathbb{R}^{m \times n}",
)
def vector_by_vector(settings: MatrixSettings) -> Evidence:
    """Differentiate tanh(Ax) by hand, by autograd, and along each input in turn."""
    sampler = NumberSampler(settings.seed)
    a, x = sampler.normal(settings.rows, settings.columns), sampler.normal(settings.columns)

    def layer(one: Tensor) -> Tensor:
        return (a.to(one.dtype) @ one).tanh()

    found, y = derivative(layer, x), layer(x)
    entries = torch.stack([(1 - y[i] ** 2) * a[i] for i in range(settings.rows)])
    inputs = torch.eye(settings.columns, dtype=torch.float64)
    columns = torch.stack([change_along(layer, x, one) for one in inputs], dim=1)
    return Evidence(
        stated=[
            same("difference from (1 - yᵢ²) Aᵢⱼ", found, entries),
            same("difference from the directional derivatives along each input", found, columns),
        ],
        plot=[HeatMap("Jacobian of tanh(Ax)", found.tolist(), "input j", "output i")],
    )


@claim(
    "E5",
    "The derivative of a matrix with respect to a scalar has the shape of the matrix and is "
    "taken entry by entry.",
    r"\left( \frac{\partial Y}{\partial x} \right)_{ij} = \frac{\partial Y_{ij}}{\partial x}, "
    r"\qquad \frac{\partial Y}{\partial x} \in \mathbb{R}^{m \times n}",
)
def matrix_by_scalar(settings: MatrixSettings) -> Evidence:
    """Differentiate exp(aᵢⱼ t) at t = ½ by hand and by autograd."""
    a = NumberSampler(settings.seed).normal(settings.rows, settings.columns)
    time = torch.tensor(0.5, dtype=torch.float64)
    found = derivative(lambda t: (a * t).exp(), time)
    entries = torch.stack([torch.stack([one * (one * time).exp() for one in row]) for row in a])
    return Evidence(stated=[same("difference from aᵢⱼ exp(aᵢⱼ t)", found, entries)])


@claim(
    "E6",
    "In numerator layout a derivative has the dimensions of the numerator, followed by those of "
    "the denominator, transposed. Denominator layout is the transpose of that. Both are in use "
    "and equally right as long as they are not mixed: in one the chain rule multiplies new "
    "factors from the left, in the other from the right.",
    r"\frac{\partial \mathbf{z}}{\partial \mathbf{x}} = "
    r"\frac{\partial \mathbf{z}}{\partial \mathbf{y}} "
    r"\frac{\partial \mathbf{y}}{\partial \mathbf{x}} \quad \text{or} \quad "
    r"\frac{\partial \mathbf{z}}{\partial \mathbf{x}} = "
    r"\frac{\partial \mathbf{y}}{\partial \mathbf{x}} "
    r"\frac{\partial \mathbf{z}}{\partial \mathbf{y}}",
)
def two_layouts(settings: MatrixSettings) -> Evidence:
    """Compare shapes with the rule, and the chain rule in both layouts with autograd."""
    m, n = settings.rows, settings.columns
    sampler = NumberSampler(settings.seed)
    a, b, x = sampler.normal(m, n), sampler.normal(m, m), sampler.normal(n)
    number = x.sum()
    by_kind = [
        (derivative(lambda t: a[:, 0] * t, number), shape_by_rule((m, 1), (1, 1))),
        (derivative(lambda v: v.square().sum(), x), shape_by_rule((1, 1), (n, 1))),
        (derivative(lambda v: a @ v, x), shape_by_rule((m, 1), (n, 1))),
        (derivative(lambda t: a * t, number), shape_by_rule((m, n), (1, 1))),
        (derivative(lambda one: one.square().sum(), a), shape_by_rule((1, 1), (m, n))),
    ]
    by_rule = sum(tuple(found.shape) == rule for found, rule in by_kind)

    def first(one: Tensor) -> Tensor:
        return (a @ one).tanh()

    def second(one: Tensor) -> Tensor:
        return (b @ one).sin()

    whole = torch.func.jacrev(lambda one: second(first(one)))(x)  # m n
    inner, outer = derivative(first, x), derivative(second, first(x))
    inner_t = derivative(first, x, "denominator")
    outer_t = derivative(second, first(x), "denominator")
    return Evidence(
        conventions=[
            equal("kinds of derivative whose shape follows the rule", by_rule, len(by_kind)),
            same("chain rule in numerator layout, factors from the left", outer @ inner, whole),
            same(
                "chain rule in denominator layout, factors from the right",
                inner_t @ outer_t,
                whole.T,
            ),
        ]
    )


@claim(
    "E7",
    r"The derivative of a scalar with respect to an $m \times n$ matrix is $n \times m$ in "
    "numerator layout. It is the transpose of what autograd stores in `.grad`, which has the "
    "shape of the matrix.",
    r"\left( \frac{\partial y}{\partial X} \right)_{ji} = \frac{\partial y}{\partial X_{ij}}, "
    r"\qquad \frac{\partial\, \mathrm{tr}(AX)}{\partial X} = A",
)
def scalar_by_matrix(settings: MatrixSettings) -> Evidence:
    """Differentiate the trace of AX by hand, by torch's Jacobian and by a backward pass."""
    sampler = NumberSampler(settings.seed)
    a = sampler.normal(settings.columns, settings.rows)
    x = sampler.normal(settings.rows, settings.columns).requires_grad_()
    (grad,) = torch.autograd.grad((a @ x).trace(), x)
    found = derivative(lambda one: (a @ one).trace(), x.detach())
    return Evidence(
        stated=[
            same("difference from A", found, a),
            same("difference from the transpose of .grad", found, grad.T),
        ],
        numbers={"rows": found.shape[0], "columns": found.shape[1]},
    )
