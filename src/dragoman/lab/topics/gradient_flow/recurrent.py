"""Claims on gradients through the states of recurrent networks."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim, measured
from dragoman.lab.evidence import Evidence, at_most, below, same
from dragoman.lab.sampling import NumberSampler
from dragoman.lab.topics.gradient_flow.jacobians import (
    CELLS,
    first_cell,
    inputs,
    norm_curves,
    norms,
    products,
    random_words,
    run,
    whole_jacobian,
)
from dragoman.neural.layers.recurrent.cells import RnnBefore

ROUNDING = 1e-9


class RecurrentChainSettings(Settings):
    """Recurrent cells that read random inputs."""

    radius: float = Field(default=1.0, ge=0, le=2)
    """Spectral radius of the recurrent matrices, which is their norm as well."""
    steps: int = Field(default=20, ge=2, le=60)
    """Steps from the first state to the last."""
    width: int = Field(default=6, ge=2, le=16)
    """Entries of a state."""
    scale: float = Field(default=1.0, ge=0, le=5)
    """Deviation of the inputs."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of weights and inputs."""


class VanishingSettings(RecurrentChainSettings):
    """Recurrent cells whose matrices shrink what they are given."""

    radius: float = Field(default=0.8, ge=0.01, le=2)
    """Spectral radius of the recurrent matrices, which is their norm as well."""


class StepLayoutSettings(Settings):
    """One step of a network that keeps its state before the activation."""

    width: int = Field(default=4, ge=2, le=16)
    """Entries of a state."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the weights and of the state."""


@claim(
    "E85",
    "What a state owes to an earlier one is the product of the Jacobians of all steps between "
    "them, in plain networks and in those with gates alike; of an LSTM the memory is part of the "
    "state.",
    r"\frac{\partial \mathbf{h}_t}{\partial \mathbf{h}_k} = \prod_{i=k+1}^{t} "
    r"\frac{\partial \mathbf{h}_i}{\partial \mathbf{h}_{i-1}}",
)
def product_of_jacobians(settings: RecurrentChainSettings) -> Evidence:
    """Multiply the Jacobians of single steps; differentiate through all steps at once."""
    stated, curves = [], {}
    for name, kind in CELLS.items():
        cell = first_cell(kind, settings.width, settings.radius, settings.seed)
        projected = inputs(cell, settings.steps, settings.scale, settings.seed + 1)
        first = torch.zeros(cell.parts * cell.width, dtype=torch.float64)
        x = random_words(cell, settings.steps, settings.scale, settings.seed + 1)
        whole = torch.func.jacrev(run(cell, projected))(first)
        found = products(cell, projected, first)
        size = max(1e-30, float(whole.abs().max()))
        by_torch = whole_jacobian(cell, x)
        stated += [
            same(f"{name}: relative difference from all at once", found[-1] / size, whole / size),
            same(f"{name}: from all at once in torch's cell", found[-1] / size, by_torch / size),
        ]
        curves[name] = [float(torch.linalg.svdvals(one)[0]) for one in found]
    return Evidence(
        stated=stated,
        numbers={f"{name} over all steps": values[-1] for name, values in curves.items()},
        plot=[norm_curves(curves, settings.radius)],
    )


@claim(
    "E86",
    "With the state kept before its activation, the Jacobian of a step is $W$ times the slopes; in "
    "denominator layout that is the slopes times $W^T$. The transpose and the order of the factors "
    "turn round together, or not at all.",
    r"\mathbf{h}_i = W \varphi(\mathbf{h}_{i-1}) + U\mathbf{x}_i, \qquad "
    r"\frac{\partial \mathbf{h}_i}{\partial \mathbf{h}_{i-1}} = "
    r"W\, \mathrm{diag}(\varphi'(\mathbf{h}_{i-1}))",
    notes=r"the Jacobian is $W^T \mathrm{diag}(\varphi'(\mathbf{h}_{i-1}))$, which is right in "
    "neither layout",
)
def layout_of_a_step(settings: StepLayoutSettings) -> Evidence:
    """Compare both forms with the Jacobian of the cell that keeps its state in this way."""
    sampler = NumberSampler(settings.seed)
    cell = RnnBefore(1, settings.width, "tanh")
    w, h = sampler.normal(settings.width, settings.width), sampler.normal(settings.width)
    nothing = torch.zeros(1, settings.width, dtype=torch.float64)

    def after(state: Tensor) -> Tensor:
        return cell.advance(nothing, (state[None, :],), (w.T,))[1][0][0]

    jacobian = torch.func.jacrev(after)(h)
    slopes = torch.diag(1 - h.tanh() ** 2)
    return Evidence(
        stated=[same("Wᵀ diag(φ′) against autograd", w.T @ slopes, jacobian)],
        corrected=[
            same("W diag(φ′) against autograd", w @ slopes, jacobian),
            same("diag(φ′) Wᵀ against its transpose", slopes @ w.T, jacobian.T),
        ],
        numbers={
            "Wᵀ diag(φ′) from the transpose": float((w.T @ slopes - jacobian.T).abs().max()),
        },
    )


@claim(
    "E87",
    "If every factor is less than 1, the gradient vanishes: with a norm of $W$ below 1, what is "
    "learned from $n$ steps back shrinks at least as fast as its $n$-th power, and weights that "
    "only matter over long distances stay as they are.",
    r"\left\lVert \frac{\partial \mathbf{h}_t}{\partial \mathbf{h}_k} \right\rVert \le "
    r"\lVert W \rVert^{\,t-k} \to 0 \quad \text{for} \quad \lVert W \rVert < 1",
)
def vanishing(settings: VanishingSettings) -> Evidence:
    """Follow the norm of the Jacobian back through a plain network, with gated ones beside it."""
    curves = {}
    for name, kind in CELLS.items():
        cell = first_cell(kind, settings.width, settings.radius, settings.seed)
        projected = inputs(cell, settings.steps, settings.scale, settings.seed + 1)
        curves[name] = norms(cell, projected)
    plain = curves["RNN"]
    powers = [settings.radius**each for each in range(1, settings.steps + 1)]
    shares = [norm / power for norm, power in zip(plain, powers, strict=True)]
    kept = [after / before for before, after in zip(plain, plain[1:], strict=False) if before > 0]
    norm, lessons, bounds = _lessons(settings)
    half = settings.steps // 2
    return Evidence(
        premises=[below("norm of W", norm, 1)],
        stated=[
            at_most("largest share of the power of the norm", max(shares), 1 + ROUNDING),
            below("most that one more step leaves", max(kept), 1),
            at_most(
                "largest share of the bound on what W learns from a step",
                (lessons / bounds).nan_to_num().max(),
                1 + ROUNDING,
            ),
        ],
        numbers={
            **{f"{name} after all steps": values[-1] for name, values in curves.items()},
            "first half's share of what W learns": float(lessons[:half].sum() / lessons.sum()),
        },
        plot=[norm_curves(curves, settings.radius)],
    )


def _lessons(settings: VanishingSettings) -> tuple[Tensor, Tensor, Tensor]:
    """Return the norm of W, and the gradient that it gets from each step with its bound.

    The loss is the first entry of the last state. To tell the steps apart, each has a W of its own;
    the bound of step k is the norm of W to the power of the steps after it, times the state before.
    """
    cell = first_cell(CELLS["RNN"], settings.width, settings.radius, settings.seed)
    projected = inputs(cell, settings.steps, settings.scale, settings.seed + 1)
    own = [cell.weight_hh.t().clone().requires_grad_() for _ in projected]
    state, sizes = torch.zeros(1, settings.width, dtype=torch.float64), []
    for each, matrix in zip(projected, own, strict=True):
        sizes.append(state.norm().detach())
        state = cell.advance(each[None, :], (state,), (matrix,))[0]
    found = torch.autograd.grad(state[0, 0], own)
    norm = torch.linalg.matrix_norm(cell.weight_hh, 2)
    after = torch.arange(settings.steps - 1, -1, -1)
    return norm, torch.stack([one.norm() for one in found]), norm**after * torch.stack(sizes)


SHORT_MEMORY = measured(
    "B1",
    "A plain recurrent network has a short memory as far as learning goes: it can hold what it "
    "read long ago, but from long distances alone it does not learn to. Where short distances show "
    "the way, it does.",
    r"\mathbf{h}_t = \varphi(W \mathbf{h}_{t-1} + U \mathbf{x}_t), \qquad "
    r"\frac{\partial \mathbf{h}_t}{\partial \mathbf{h}_k} = \prod_{i=k+1}^{t} "
    r"\frac{\partial \mathbf{h}_i}{\partial \mathbf{h}_{i-1}}",
    experiment="memory",
)

LONG_SENTENCES = measured(
    "E99",
    "In a long sentence the knowledge of its beginning fades from the state of a recurrent network "
    "if nothing has taught the network to keep it; how soon is measured with a word whose effect "
    "comes so many words later.",
    r"P(\text{right} \mid \text{lag}) \to \frac{1}{\text{classes}} \quad \text{as the lag grows}",
    experiment="memory",
)
