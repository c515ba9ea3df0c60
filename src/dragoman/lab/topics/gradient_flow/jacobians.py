"""Jacobians of recurrent cells over many steps."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from dragoman.config.cells import CellSettings, GruCell, LstmCell, RnnCell
from dragoman.lab.sampling import NumberSampler
from dragoman.neural.layers.recurrent.cells import Gru, Lstm, Parts, RecurrentCell, Rnn, build_cell
from dragoman.neural.layers.recurrent.initialize import initialize_cells
from dragoman.plots.lab import Panel, curve

CELLS: dict[str, CellSettings] = {"RNN": RnnCell(), "GRU": GruCell(), "LSTM": LstmCell()}


def first_cell(settings: CellSettings, width: int, radius: float, seed: int) -> RecurrentCell:
    """Return a cell as initialized for training, with its recurrent matrices scaled.

    These start out orthogonal, so the factor is both their spectral radius and their norm.
    """
    cell = build_cell(settings, width, width).double()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        initialize_cells(cell)
    with torch.no_grad():
        cell.weight_hh.mul_(radius)
    return cell.requires_grad_(False)


def random_words(cell: RecurrentCell, steps: int, scale: float, seed: int) -> Tensor:
    """Return random inputs: [steps i]."""
    return scale * NumberSampler(seed).normal(steps, cell.weight_ih.shape[1])


def inputs(cell: RecurrentCell, steps: int, scale: float, seed: int) -> Tensor:
    """Return what random inputs add to the gates: [steps g]."""
    return cell.project(random_words(cell, steps, scale, seed))


def whole_jacobian(cell: RecurrentCell, x: Tensor) -> Tensor:
    """Return the Jacobian of the last state with respect to the first, a zero state, by torch."""
    kinds: dict[type, type[nn.RNNCell | nn.GRUCell | nn.LSTMCell]] = {
        Rnn: nn.RNNCell,
        Gru: nn.GRUCell,
        Lstm: nn.LSTMCell,
    }
    with torch.random.fork_rng(devices=[]):
        theirs = kinds[type(cell)](x.shape[1], cell.width).double()
    theirs.load_state_dict(cell.state_dict())
    size = cell.parts * cell.width
    first = torch.zeros(
        size, size, dtype=torch.float64, requires_grad=True
    )  # a row for each output
    parts: Parts = first.chunk(cell.parts, dim=1)
    for each in x:
        after = theirs(each.repeat(size, 1), parts if cell.parts > 1 else parts[0])
        parts = after if cell.parts > 1 else (after,)
    last = torch.cat(parts, dim=1)
    (jacobian,) = torch.autograd.grad(last, first, torch.eye(size, dtype=torch.float64))
    return jacobian


def step(cell: RecurrentCell, projected: Tensor, state: Tensor) -> Tensor:
    """Return the state after one step; all its parts are one vector: [parts · d]."""
    parts = tuple(part[None, :] for part in state.chunk(cell.parts))
    return torch.cat(cell.step(projected[None, :], parts)[1], dim=1)[0]


def step_jacobian(cell: RecurrentCell, projected: Tensor, state: Tensor) -> Tensor:
    """Return the Jacobian of one step, by one backward pass: as many rows as there are outputs."""
    size = len(state)
    rows = state.repeat(size, 1).requires_grad_()
    parts: Parts = rows.chunk(cell.parts, dim=1)
    after = torch.cat(cell.step(projected.repeat(size, 1), parts)[1], dim=1)
    (jacobian,) = torch.autograd.grad(after, rows, torch.eye(size, dtype=state.dtype))
    return jacobian


def products(cell: RecurrentCell, projected: Tensor, state: Tensor) -> list[Tensor]:
    """Return the Jacobian of the state after 1, 2, … steps with respect to the first state."""
    found, product = [], torch.eye(len(state), dtype=state.dtype)
    for each in projected:
        product = step_jacobian(cell, each, state) @ product
        state = step(cell, each, state)
        found.append(product)
    return found


def run(cell: RecurrentCell, projected: Tensor) -> Callable[[Tensor], Tensor]:
    """Return the function from the first state to the last."""

    def last(state: Tensor) -> Tensor:
        for each in projected:
            state = step(cell, each, state)
        return state

    return last


def norms(cell: RecurrentCell, projected: Tensor) -> list[float]:
    """Return the largest singular value of the Jacobian over 1, 2, … steps, from a zero state."""
    first = torch.zeros(cell.parts * cell.width, dtype=torch.float64)
    return [float(torch.linalg.svdvals(one)[0]) for one in products(cell, projected, first)]


def norm_curves(by_cell: dict[str, list[float]], radius: float) -> Panel:
    """Return how the Jacobians of several cells shrink or grow, with powers of the radius."""
    steps = range(1, len(next(iter(by_cell.values()))) + 1)
    lines = [
        curve(name, steps, [max(one, 1e-300) for one in values], place)
        for place, (name, values) in enumerate(by_cell.items())
    ]
    powers = [max(radius**each, 1e-300) for each in steps]
    lines.append(curve("powers of the radius", steps, powers, len(by_cell), dashed=True))
    return Panel("Largest singular value of the Jacobian", lines, "steps back", logarithmic=True)
