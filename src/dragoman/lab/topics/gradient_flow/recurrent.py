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
    """Standard deviation of the inputs."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of weights and inputs."""


class VanishingSettings(RecurrentChainSettings):
    """Recurrent cells whose recurrent matrices shrink the state."""

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
    "The derivative of a hidden state with respect to an earlier one is the product of the "
    "Jacobians of all steps in between. This holds for plain and for gated cells; for an LSTM "
    "the state includes the cell state.",
    r"\frac{\partial \mathbf{h}_t}{\partial \mathbf{h}_k} = \prod_{i=k+1}^{t} "
    r"\frac{\partial \mathbf{h}_i}{\partial \mathbf{h}_{i-1}}",
)
def product_of_jacobians(settings: RecurrentChainSettings) -> Evidence:
    """Multiply the Jacobians of single steps; compare with differentiating through all steps."""
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
            same(f"{name}: product against the whole Jacobian", found[-1] / size, whole / size),
            same(
                f"{name}: product against that of torch's cell", found[-1] / size, by_torch / size
            ),
        ]
        curves[name] = [float(torch.linalg.svdvals(one)[0]) for one in found]
    return Evidence(
        stated=stated,
        numbers={f"{name}: σmax over all steps": values[-1] for name, values in curves.items()},
        plot=[norm_curves(curves, settings.radius)],
    )


@claim(
    "E86",
    "If the state is stored before the activation, the Jacobian of a step is $W$ times the "
    "diagonal matrix of slopes; in denominator layout it is that diagonal matrix times $W^T$. "
    "Transposing $W$ and swapping the factors go together.",
    r"\mathbf{h}_i = W \varphi(\mathbf{h}_{i-1}) + U\mathbf{x}_i, \qquad "
    r"\frac{\partial \mathbf{h}_i}{\partial \mathbf{h}_{i-1}} = "
    r"W\, \mathrm{diag}(\varphi'(\mathbf{h}_{i-1}))",
    notes=r"the Jacobian is $W^T \mathrm{diag}(\varphi'(\mathbf{h}_{i-1}))$, which is right in "
    "neither layout.",
)
def layout_of_a_step(settings: StepLayoutSettings) -> Evidence:
    """Compare both forms with the Jacobian of the cell that stores its state this way."""
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
            same("diag(φ′) Wᵀ against the transpose of that", slopes @ w.T, jacobian.T),
        ],
        numbers={
            "largest difference of Wᵀ diag(φ′) from denominator layout": float(
                (w.T @ slopes - jacobian.T).abs().max()
            ),
        },
    )


@claim(
    "E87",
    "If every factor is smaller than 1, the gradient vanishes. If the norm of $W$ is below 1, "
    "the gradient from $n$ steps back shrinks at least as fast as the power $n$ of that norm, "
    "and the weights learn nothing from long distances.",
    r"\left\lVert \frac{\partial \mathbf{h}_t}{\partial \mathbf{h}_k} \right\rVert \le "
    r"\lVert W \rVert^{\,t-k} \to 0 \quad \text{for} \quad \lVert W \rVert < 1",
)
def vanishing(settings: VanishingSettings) -> Evidence:
    """Follow the norm of the Jacobian back through a plain RNN, with gated cells to compare."""
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
            at_most("largest norm of the Jacobian over ‖W‖ⁿ", max(shares), 1 + ROUNDING),
            below("largest factor of one more step", max(kept), 1),
            at_most(
                "largest gradient of W from one step, over its bound",
                (lessons / bounds).nan_to_num().max(),
                1 + ROUNDING,
            ),
        ],
        numbers={
            **{f"{name}: σmax over all steps": values[-1] for name, values in curves.items()},
            "fraction of W's gradient from the first half of the steps": float(
                lessons[:half].sum() / lessons.sum()
            ),
        },
        plot=[norm_curves(curves, settings.radius)],
    )


def _lessons(settings: VanishingSettings) -> tuple[Tensor, Tensor, Tensor]:
    """Return the norm of W, the norm of its gradient from each step, and bounds on these.

    The loss is the first entry of the last state. To separate the steps, each has its own W.
    The bound for step k is ‖W‖ to the power of the steps after it, times the norm of the state
    that the step reads.
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
    "The short memory of a plain RNN is a problem of learning. It *can* hold information for a "
    "long time, but trained on long lags alone it does not learn to. Trained on short lags as "
    "well, it does.",
    r"\mathbf{h}_t = \varphi(W \mathbf{h}_{t-1} + U \mathbf{x}_t), \qquad "
    r"\frac{\partial \mathbf{h}_t}{\partial \mathbf{h}_k} = \prod_{i=k+1}^{t} "
    r"\frac{\partial \mathbf{h}_i}{\partial \mathbf{h}_{i-1}}",
    notes="a basic RNN suffers from short-term memory, whatever it is trained on.",
    experiment="memory",
)

LONG_SENTENCES = measured(
    "E99",
    "In a long sentence, information about the beginning fades from the hidden state of a "
    "recurrent network unless training has taught it to keep it. How soon is measured with a "
    "cue whose effect comes a given number of words later.",
    r"P(\text{right} \mid \text{lag}) \to \frac{1}{\text{classes}} \quad \text{as the lag grows}",
    notes="knowledge of the beginning fades in long sentences, whatever the network has learned.",
    experiment="memory",
)
