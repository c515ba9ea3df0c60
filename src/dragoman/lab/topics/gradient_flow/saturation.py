"""Claims on saturation: of activations, which stops learning, and of gates, which keep a state."""

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.cells import CellSettings, GruCell, SimpleGruCell
from dragoman.config.settings import Settings
from dragoman.config.vision import CnnSettings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import (
    EXACT,
    Criterion,
    Evidence,
    above,
    at_least,
    below,
    differ,
    equal,
    same,
)
from dragoman.lab.sampling import NumberSampler
from dragoman.lab.topics.gradient_flow.jacobians import first_cell, inputs, run, step_jacobian
from dragoman.neural.layers.recurrent.cells import ACTIVATIONS, RecurrentCell
from dragoman.neural.models.images.cnn import Cnn
from dragoman.plots.lab import Panel, curve

IMAGES, CLASSES = 16, 4
FAR = 12.0
UPDATE = {"update gate alone": 0, "GRU": 1, "GRU, reset before": 1}
"""Which block of a cell's weights is its update gate."""


class ActivationDepthSettings(Settings):
    """Plain convolutional networks without normalization."""

    depth: int = Field(default=12, ge=6, le=16)
    """Layers of the deepest network."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of weights and images."""


class ShutGateSettings(Settings):
    """Gated cells whose update gate is closed by a bias."""

    logit: float = Field(default=-800.0, ge=-1000, le=0)
    """Bias of the update gate."""
    steps: int = Field(default=50, ge=1, le=100)
    """Steps for which the state is kept."""
    width: int = Field(default=5, ge=1, le=12)
    """Entries of the state."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of weights, state and inputs."""


def _gradients(activation: str, depth: int, seed: int, scale: float = 1.0) -> tuple[float, float]:
    """Return the norm of the gradient at the first and the last filters of a network."""
    settings = CnnSettings.model_validate(
        {
            "channels": (8,),
            "convolutions": depth,
            "activation": activation,
            "batch_norm": False,
            "hidden_width": 0,
            "dropout": 0.0,
        }
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Cnn(settings, 3, 8, CLASSES).double()
    images = scale * NumberSampler(seed).normal(IMAGES, 3, 8, 8)
    filters = [one.weight for one in model.modules() if isinstance(one, nn.Conv2d)]
    loss = nn.functional.cross_entropy(model(images), torch.arange(IMAGES) % CLASSES)
    first, last = torch.autograd.grad(loss, (filters[0], filters[-1]))
    return float(first.norm()), float(last.norm())


def _slope(activation: str, at: float) -> Tensor:
    z = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(ACTIVATIONS[activation](z), z)[0]


@claim(
    "E47",
    "ReLU works well because it does not saturate: while it is active, its slope is 1 however "
    "large the input. Sigmoid and tanh are flat far from 0, and the slope of the sigmoid never "
    "exceeds $1/4$, so gradients shrink from layer to layer.",
    r"\mathrm{ReLU}'(z) = 1 \;\; (z > 0), \qquad \tanh'(z), \, \sigma'(z) \to 0 \;\; "
    r"(|z| \to \infty)",
)
def saturation(settings: ActivationDepthSettings) -> Evidence:
    """Compare gradients at the first and the last layer, and for normal and huge inputs."""
    depths = [2, 4, *range(6, settings.depth + 1, 2)]
    ratios: dict[str, list[float]] = {}
    for activation in ACTIVATIONS:
        pairs = [_gradients(activation, depth, settings.seed) for depth in depths]
        ratios[activation] = [first / last for first, last in pairs]
    criteria = [equal(f"slope of ReLU at {FAR:g}", _slope("relu", FAR), 1)]
    for activation in ("tanh", "sigmoid"):
        criteria.append(below(f"slope of {activation} at {FAR:g}", _slope(activation, FAR), 1e-4))
        criteria.append(
            below(
                f"{activation}: first layer's gradient, huge over normal inputs",
                _under_huge_inputs(activation, settings.seed),
                0.15,
            )
        )
    criteria += [
        above(
            "ReLU: first layer's gradient, huge over normal inputs",
            _under_huge_inputs("relu", settings.seed),
            0.3,
        ),
        below(
            "sigmoid: first over last layer's gradient, deepest over shallowest network",
            ratios["sigmoid"][-1] / ratios["sigmoid"][0],
            0.1,
        ),
        at_least(
            "ReLU: first over last layer's gradient in the deepest network", ratios["relu"][-1], 0.1
        ),
    ]
    return Evidence(
        stated=criteria,
        numbers={
            f"{name}: first over last layer's gradient": one[-1] for name, one in ratios.items()
        },
        plot=[
            Panel(
                "Gradient norm, first layer over last layer",
                [
                    curve(name, depths, values, place)
                    for place, (name, values) in enumerate(ratios.items())
                ],
                "layers",
                logarithmic=True,
            )
        ],
    )


def _under_huge_inputs(activation: str, seed: int, scale: float = 1000.0) -> float:
    """Return the ratio of the first layer's gradients; the scale of the input is divided out."""
    usual, _ = _gradients(activation, 3, seed)
    huge, _ = _gradients(activation, 3, seed, scale)
    return huge / scale / usual


def _cells(settings: ShutGateSettings) -> dict[str, RecurrentCell]:
    """Return cells whose update gate is closed by a bias, so that nothing new comes in."""
    kinds: dict[str, CellSettings] = {
        "update gate alone": SimpleGruCell(),
        "GRU": GruCell(),
        "GRU, reset before": GruCell(reset="before"),
    }
    cells = {}
    for name, kind in kinds.items():
        cell = first_cell(kind, settings.width, 1.0, settings.seed)
        old = name != "update gate alone"  # torch's gate is the weight of the old state
        gate = cell.bias_ih.chunk(cell.gates)[UPDATE[name]]
        gate.fill_(-settings.logit if old else settings.logit)
        cells[name] = cell
    return cells


@claim(
    "E104",
    "An update gate at 0 is saturated, and this is how a memory is kept: the state is copied "
    "exactly, and the Jacobian of the step is the identity. So the gradient with respect to the "
    "state does not vanish, however many steps the gate stays closed.",
    r"G_u = 0 \;\Rightarrow\; \mathbf{m}_t = (1 - G_u) \odot \mathbf{m}_{t-1} + G_u \odot "
    r"\tilde{\mathbf{m}}_t = \mathbf{m}_{t-1}, \qquad "
    r"\frac{\partial \mathbf{m}_t}{\partial \mathbf{m}_{t-1}} = I",
    notes="the gate goes to 0 “due to vanishing gradients” and that the state is nevertheless "
    "not 0.",
)
def shut_gate(settings: ShutGateSettings) -> Evidence:
    """Run the cells with a closed gate: an exact copy, and the identity as Jacobian."""
    state = NumberSampler(settings.seed).normal(settings.width)
    identity = torch.eye(settings.width, dtype=torch.float64)
    gate = torch.sigmoid(torch.tensor(settings.logit, dtype=torch.float64))
    tolerance = EXACT if gate > 0 else 0.0  # fully closed, it copies bit for bit
    stated: list[Criterion] = []
    corrected: list[Criterion] = []
    for name, cell in _cells(settings).items():
        projected = inputs(cell, settings.steps, 1.0, settings.seed + 1)
        last = run(cell, projected)
        whole = torch.func.jacrev(last)(state)
        stated += [
            differ(f"{name}: norm of the final state", last(state).norm(), 0),
            equal(
                f"{name}: norm of its Jacobian, if gradients vanish",
                torch.linalg.matrix_norm(whole, 2),
                0,
            ),
        ]
        corrected += [
            same(f"{name}: final state against the first", last(state), state, tolerance),
            same(f"{name}: Jacobian against the identity", whole, identity, tolerance),
        ]
    return Evidence(
        premises=[below("update gate", gate, 1e-16)],
        stated=stated,
        corrected=corrected,
        plot=[_gate_curve(settings, state)],
    )


def _gate_curve(settings: ShutGateSettings, state: Tensor) -> Panel:
    """Return how far the Jacobian of one step is from the identity, for several biases."""
    logits = [0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -10.0]
    values = []
    for logit in logits:
        cell = _cells(settings.model_copy(update={"logit": logit}))["GRU"]
        jacobian = step_jacobian(cell, inputs(cell, 1, 1.0, settings.seed + 1)[0], state)
        values.append(float((jacobian - torch.eye(len(state))).norm()))
    return Panel(
        "Distance of a step's Jacobian from the identity",
        [curve("GRU", logits, values, 0)],
        "bias of the update gate",
        logarithmic=True,
    )
