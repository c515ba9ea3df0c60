"""Claims on the derivative with respect to a matrix that is used at every step."""

from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.cells import RnnCell
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, apart, same
from dragoman.lab.topics.recurrent.drawn import RandomNumbers, SquareCellSettings
from dragoman.neural.layers.recurrent.reading import read_by_loop
from dragoman.neural.objectives.cross_entropy import cross_entropy
from dragoman.plots.lab import HeatMap

CLASSES = 4
APART = 1e-4


class ThroughTimeSettings(SquareCellSettings):
    """A plain recurrent network that is asked for something at every step."""

    width: int = Field(default=4, ge=1, le=12)
    """Size of the state and of the input."""
    steps: int = Field(default=6, ge=1, le=16)
    """Positions of the sequence."""


@claim(
    "B24",
    "The derivative with respect to the recurrent matrix is a sum over the steps' losses, where "
    r"$\mathrm{d}h_t / \mathrm{d}W_h$ is the *total* derivative: it counts that $h_{t-1}$, too, "
    "was made with this matrix. With the immediate derivative alone the sum is wrong.",
    r"\frac{\mathrm{d}L}{\mathrm{d}W_h} = \sum_t \frac{\partial L_t}{\partial h_t} "
    r"\frac{\mathrm{d}h_t}{\mathrm{d}W_h}, \qquad \frac{\mathrm{d}h_t}{\mathrm{d}W_h} = "
    r"\frac{\partial h_t}{\partial W_h} + \frac{\partial h_t}{\partial h_{t-1}} "
    r"\frac{\mathrm{d}h_{t-1}}{\mathrm{d}W_h}",
    notes=r"the factor is $\partial h_t / \partial W_h$, without a word on which derivative that "
    r"is",
)
def total_derivative(settings: ThroughTimeSettings) -> Evidence:
    """Carry the total derivative forward beside the state; compare both sums with autograd."""
    draw, d = RandomNumbers(settings.seed), settings.width
    cell = draw.cell(RnnCell(), d, d)
    w_y = draw(CLASSES, d)
    x, (h,) = draw(settings.steps, 1, d), draw.state(cell)
    labels = torch.randint(CLASSES, (settings.steps,), generator=draw.generator)
    outputs, _ = read_by_loop(cell, x, None, (h,))
    loss = cross_entropy(outputs.transpose(0, 1), w_y, labels.unsqueeze(0), padding=-1)
    (found,) = torch.autograd.grad(loss.smoothed, cell.weight_hh)

    before = h[0]
    total = torch.zeros(d, d, d, dtype=torch.float64)  # dh_i / dW_jk
    by_total, by_immediate = torch.zeros(d, d).double(), torch.zeros(d, d).double()
    for after, label in zip(outputs[:, 0].detach(), labels.tolist(), strict=True):
        bend = 1 - after**2  # tanh'
        immediate = torch.einsum("i,ij,k->ijk", bend, torch.eye(d).double(), before)
        carried = torch.einsum("i,il,ljk->ijk", bend, cell.weight_hh.detach(), total)
        total = immediate + carried
        error = (w_y @ after).softmax(dim=0)
        error[label] -= 1
        by_total += torch.einsum("i,ijk->jk", error @ w_y, total)
        by_immediate += torch.einsum("i,ijk->jk", error @ w_y, immediate)
        before = after
    return Evidence(
        stated=[
            same("sum with total derivatives minus autograd", by_total, found),
            apart("sum with immediate derivatives minus autograd", by_immediate, found, APART),
        ],
        numbers={"size of the right derivative": float(found.norm())},
    )


@dataclass(frozen=True)
class Unrolled:
    """The states of h_t = U x_t + W φ(h_{t-1}) and the slopes of the errors with respect to y."""

    w: Tensor
    v: Tensor
    states: Tensor
    """From h_0 on: one more than there are steps."""
    slopes: Tensor

    def between(self, t: int, k: int) -> Tensor:
        """Return ∂h_t/∂h_k = Π W diag(φ'(h_i)), i from t − 1 down to k."""
        product = torch.eye(len(self.w), dtype=torch.float64)
        for i in range(k, t):
            product = self.w @ torch.diag(1 - self.states[i].tanh() ** 2) @ product
        return product

    def back_to(self, t: int, k: int) -> Tensor:
        """Return ∂E_t/∂y_t ∂y_t/∂h_t ∂h_t/∂h_k as a row."""
        bend = torch.diag(1 - self.states[t].tanh() ** 2)
        return self.slopes[t - 1] @ self.v @ bend @ self.between(t, k)

    def share(self, t: int, k: int) -> Tensor:
        """Return what step k adds to the derivative of E_t with respect to W."""
        return torch.outer(self.back_to(t, k), self.states[k - 1].tanh())


@claim(
    "E84",
    "Written out, the derivative with respect to the recurrent matrix is a double sum: over the "
    "errors of all steps, and over all earlier steps at which the matrix was used. Here the last "
    "factor is the *immediate* derivative, for the way from $k$ to $t$ stands before it already.",
    r"\frac{\mathrm{d}E}{\mathrm{d}W} = \sum_t \sum_{k \le t} \frac{\partial E_t}{\partial y_t} "
    r"\frac{\partial y_t}{\partial h_t} \frac{\partial h_t}{\partial h_k} "
    r"\frac{\partial^{+} h_k}{\partial W}",
)
def double_sum(settings: ThroughTimeSettings) -> Evidence:
    """Add up all pairs of steps; compare with autograd, and with total derivatives as factors."""
    draw, d, count = RandomNumbers(settings.seed), settings.width, settings.steps
    cell = draw.cell(RnnCell(state="before"), d, d)
    v, targets = draw(CLASSES, d), draw(count, CLASSES)
    x, (h,) = draw(count, 1, d), draw.state(cell)
    outputs, _ = read_by_loop(cell, x, None, (h,))
    error = 0.5 * (outputs[:, 0] @ v.t() - targets).square().sum()
    (found,) = torch.autograd.grad(error, cell.weight_hh)

    states, w = [h[0]], cell.weight_hh.detach()
    for x_t in cell.project(x[:, 0]).detach():
        states.append(x_t + w @ states[-1].tanh())
    run = Unrolled(w, v, torch.stack(states), (outputs[:, 0] @ v.t() - targets).detach())
    pairs = [(t, k) for t in range(1, count + 1) for k in range(1, t + 1)]
    shares = {(t, k): run.share(t, k) for t, k in pairs}
    total = torch.stack(list(shares.values())).sum(dim=0)
    # with total derivatives as the last factor, step i is counted once for every k it comes before
    counted = torch.stack([(t - k + 1) * shares[t, k] for t, k in pairs]).sum(dim=0)
    sizes = [
        [float(shares[t, k].norm()) if k <= t else 0.0 for k in range(1, count + 1)]
        for t in range(1, count + 1)
    ]
    names = [str(number) for number in range(1, count + 1)]
    return Evidence(
        stated=[
            same("double sum minus autograd", total, found),
            apart("with total derivatives in it, minus autograd", counted, found, APART),
        ],
        numbers={"pairs of steps": len(pairs)},
        plot=[HeatMap("size of each share", sizes, "step k", "error of step t", names, names)],
    )
