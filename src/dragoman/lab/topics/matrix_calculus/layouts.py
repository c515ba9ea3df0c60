"""Derivatives as matrices, in either layout.

For y and x, each a number, a column vector or a matrix:

    numerator layout      dy/dx has the dimensions of y, then those of x transposed
    denominator layout    the transpose of that
"""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor

Layout = Literal["numerator", "denominator"]
Function = Callable[[Tensor], Tensor]
Shape = tuple[int, int]


def derivative(function: Function, at: Tensor, layout: Layout = "numerator") -> Tensor:
    """Return dy/dx as a matrix, from torch's Jacobian, whose dimensions are those of y then x."""
    jacobian = torch.func.jacrev(function)(at)
    y_dimensions = jacobian.ndim - at.ndim
    if y_dimensions < 2 and at.ndim < 2:
        matrix = jacobian.reshape(jacobian.shape[0] if y_dimensions else 1, -1)
    elif (y_dimensions, at.ndim) == (2, 0):
        matrix = jacobian
    elif (y_dimensions, at.ndim) == (0, 2):
        matrix = jacobian.T
    else:
        raise ValueError(
            f"A tensor of {y_dimensions} dimensions by one of {at.ndim} has no derivative that is "
            "a matrix; take numbers, vectors, or a matrix and a number."
        )
    return matrix if layout == "numerator" else matrix.T


def change_along(function: Function, at: Tensor, direction: Tensor) -> Tensor:
    """Return the directional derivative of a function, without autograd.

    f(x + ihd) = f(x) + ih f'(x)d + …: the imaginary part holds the derivative. As nothing is
    subtracted, h can be so small that all further terms of the series vanish.
    """
    step = 1e-20
    return function(at + 1j * step * direction).imag / step


def shape_by_rule(y: Shape, x: Shape) -> Shape:
    """Return the shape in numerator layout of the derivative of one matrix by another.

    Vectors are columns, numbers 1 × 1; either y or x has to be 1 wherever both meet.
    """
    (y_rows, y_columns), (x_rows, x_columns) = y, x
    return y_rows * x_columns, y_columns * x_rows
