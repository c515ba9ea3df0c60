"""Claims on the gradient, level surfaces and the direction of fastest change."""

import math

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, at_most, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.lab.topics.matrix_calculus.layouts import Function, change_along
from dragoman.plots.lab import Panel, curve

ROUNDING = 1e-12


class LevelSurfaceSettings(Settings):
    """A random ellipsoid."""

    dimensions: int = Field(default=3, ge=2, le=20)
    """Dimensions of the space."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the random surface."""


class LevelSetSettings(Settings):
    """Random directions from a random point."""

    dimensions: int = Field(default=2, ge=2, le=20)
    """Dimensions of the space."""
    directions: int = Field(default=720, ge=8, le=5000)
    """Directions to try."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the function, the point and the directions."""


@claim(
    "E18",
    r"A small step $d\mathbf{r}$ changes $\varphi$ by $\nabla\varphi \cdot d\mathbf{r}$. Along a "
    r"level surface $\varphi$ does not change, so the gradient is perpendicular to every tangent "
    "of the surface.",
    r"d\varphi = \nabla\varphi \cdot d\mathbf{r} = 0 \quad \text{on} \quad "
    r"\varphi(\mathbf{r}) = \text{const}",
)
def gradient_and_level_surface(settings: LevelSurfaceSettings) -> Evidence:
    """Walk around an ellipsoid: φ stays constant, and ∇φ is perpendicular to the path."""
    sampler, size = NumberSampler(settings.seed), settings.dimensions
    drawn = sampler.normal(size, size)
    matrix = drawn @ drawn.T / size + torch.eye(size, dtype=torch.float64)
    root = torch.linalg.cholesky(matrix)
    u, v = sampler.orthogonal(size)[:2]

    def phi(r: Tensor) -> Tensor:
        return 0.5 * r @ matrix.to(r.dtype) @ r

    t = torch.linspace(0, 2 * math.pi, 60, dtype=torch.float64)[:, None]
    inverse = torch.linalg.inv(root)  # maps a great circle to a closed path on the ellipsoid
    points = (t.cos() * u + t.sin() * v) @ inverse
    tangents = (-t.sin() * u + t.cos() * v) @ inverse
    gradients = torch.stack([torch.func.grad(phi)(point) for point in points])
    step = sampler.normal(size)
    values = torch.stack([phi(point) for point in points])
    return Evidence(
        premises=[at_most("change of φ along the path", values.max() - values.min(), ROUNDING)],
        stated=[
            at_most(
                "largest ∇φ · tangent", (gradients * tangents).sum(1).abs().max(), 100 * ROUNDING
            ),
            equal(
                "first-order change of φ along a random step",
                change_along(phi, points[0], step),
                gradients[0] @ step,
            ),
        ],
        numbers={"smallest |∇φ| on the path": float(gradients.norm(dim=1).min())},
        plot=[_changes(phi, points[0], tangents[0], gradients[0])],
    )


def _changes(phi: Function, at: Tensor, tangent: Tensor, gradient: Tensor) -> Panel:
    """Return how much φ changes for steps of several lengths, tangent and normal to the surface."""
    halvings = range(1, 11)

    def changes(direction: Tensor) -> list[float]:
        unit = direction / direction.norm()
        return [float((phi(at + 0.5**each * unit) - phi(at)).abs()) for each in halvings]

    lines = [
        curve("along the gradient", halvings, changes(gradient), 0),
        curve("along a tangent", halvings, changes(tangent), 1),
    ]
    return Panel("change of φ", lines, "number of halvings of a unit step", logarithmic=True)


@claim(
    "E19",
    r"In a direction at angle $\theta$ to the gradient, $\varphi$ changes at the rate "
    r"$|\nabla\varphi| \cos\theta$ per unit length. This is largest along the gradient itself, "
    "which is therefore the direction of fastest increase.",
    r"\frac{d\varphi}{dr} = |\nabla\varphi| \cos\theta \;\le\; \frac{d\varphi}{dN} = "
    r"|\nabla\varphi|",
)
def fastest_change(settings: LevelSetSettings) -> Evidence:
    """Try many directions: φ changes in none of them faster than along the gradient."""
    sampler, size = NumberSampler(settings.seed), settings.dimensions
    weights, point = sampler.normal(size, size), sampler.normal(size)

    def phi(r: Tensor) -> Tensor:
        return (weights.to(r.dtype) @ r).sin().sum() + 0.5 * r.square().sum()

    drawn = sampler.normal(settings.directions, size)
    units = drawn / drawn.norm(dim=1, keepdim=True)
    changes = torch.stack([change_along(phi, point, unit) for unit in units])
    gradient = torch.func.grad(phi)(point)
    steepest = gradient.norm()
    angles = (units @ gradient / steepest).clamp(-1, 1).acos()
    order = angles.argsort()
    degrees = (angles[order] * 180 / math.pi).tolist()
    return Evidence(
        stated=[
            same("difference from |∇φ| cos θ in all directions", changes, steepest * angles.cos()),
            at_most("largest rate of change found", changes.max(), steepest * (1 + ROUNDING)),
            equal(
                "rate of change along the gradient",
                change_along(phi, point, gradient / steepest),
                steepest,
            ),
        ],
        numbers={
            "|∇φ|": float(steepest),
            "angle of the steepest direction tried, degrees": float(degrees[0]),
        },
        plot=[
            Panel(
                "rate of change of φ",
                [
                    curve("measured", degrees, changes[order].tolist(), 0),
                    curve("|∇φ|", [0.0, 180.0], [float(steepest)] * 2, 1, dashed=True),
                ],
                "angle to the gradient, degrees",
            )
        ],
    )
