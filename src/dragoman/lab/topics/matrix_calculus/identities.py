"""Claims on derivatives of products of matrices and vectors."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, same
from dragoman.lab.sampling import NumberSampler
from dragoman.lab.topics.matrix_calculus.layouts import Function, derivative


class InnerFunctionSettings(Settings):
    """Vectors x(z) and y(z) that depend on a third one."""

    inputs: int = Field(default=3, ge=1, le=30)
    """Entries of z."""
    hidden: int = Field(default=4, ge=1, le=30)
    """Entries of x(z) and of y(z)."""
    outputs: int = Field(default=5, ge=1, le=30)
    """Rows of the constant matrix A."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the random entries."""


def _bent(weights: Tensor) -> tuple[Function, Function]:
    """Return tanh(Bz) and its derivative with respect to z, written out."""

    def value(z: Tensor) -> Tensor:
        return (weights @ z).tanh()

    def slope(z: Tensor) -> Tensor:
        return torch.diag(1 - value(z) ** 2) @ weights

    return value, slope


@claim(
    "E8",
    r"A constant matrix can be pulled out of a derivative: if $\mathbf{y} = A\mathbf{x}$ and $A$ "
    r"does not depend on $\mathbf{z}$, then the derivative of $\mathbf{y}$ with respect to "
    r"$\mathbf{z}$ is $A$ times that of $\mathbf{x}$.",
    r"\mathbf{y} = A\mathbf{x} \;\Rightarrow\; \frac{\partial \mathbf{y}}{\partial \mathbf{z}} = "
    r"A \frac{\partial \mathbf{x}}{\partial \mathbf{z}}",
)
def constant_matrix(settings: InnerFunctionSettings) -> Evidence:
    """Differentiate A tanh(Bz) as a whole and by the identity, in both layouts."""
    sampler = NumberSampler(settings.seed)
    a = sampler.normal(settings.outputs, settings.hidden)
    x, dx_dz = _bent(sampler.normal(settings.hidden, settings.inputs))
    z = sampler.normal(settings.inputs)
    return Evidence(
        stated=[
            same(
                "difference from autograd, numerator layout",
                a @ dx_dz(z),
                derivative(lambda one: a @ x(one), z),
            ),
            same(
                "difference from autograd, denominator layout",
                dx_dz(z).T @ a.T,
                derivative(lambda one: a @ x(one), z, "denominator"),
            ),
        ]
    )


@claim(
    "E9",
    "The derivative of an inner product has one term for each factor, like the product rule for "
    r"numbers. Both terms are differentiated with respect to the same $\mathbf{z}$.",
    r"\alpha = \mathbf{y}^T \mathbf{x} \;\Rightarrow\; "
    r"\frac{\partial \alpha}{\partial \mathbf{z}} = "
    r"\mathbf{x}^T \frac{\partial \mathbf{y}}{\partial \mathbf{z}} + "
    r"\mathbf{y}^T \frac{\partial \mathbf{x}}{\partial \mathbf{z}}",
    notes="each term is differentiated with respect to its own entry $z_k$ in an intermediate "
    "line, although the result is right.",
)
def inner_product(settings: InnerFunctionSettings) -> Evidence:
    """Differentiate an inner product as a whole and by the identity, in both layouts."""
    sampler = NumberSampler(settings.seed)
    x, dx_dz = _bent(sampler.normal(settings.hidden, settings.inputs))
    y, dy_dz = _bent(sampler.normal(settings.hidden, settings.inputs))
    z = sampler.normal(settings.inputs)

    def alpha(one: Tensor) -> Tensor:
        return y(one) @ x(one)

    identity = x(z)[None, :] @ dy_dz(z) + y(z)[None, :] @ dx_dz(z)  # 1 n
    terms = x(z)[:, None] * dy_dz(z) + y(z)[:, None] * dx_dz(z)  # a row for each k
    return Evidence(
        stated=[
            same("difference from autograd, numerator layout", identity, derivative(alpha, z)),
            same(
                "difference from autograd, denominator layout",
                dy_dz(z).T @ x(z)[:, None] + dx_dz(z).T @ y(z)[:, None],
                derivative(alpha, z, "denominator"),
            ),
        ],
        numbers={
            "∂α/∂z₁, every term with respect to z₁": float(identity[0, 0]),
            "the notes' intermediate line, term k with respect to zₖ": float(
                terms.diagonal().sum()
            ),
        },
    )
