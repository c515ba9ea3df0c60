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
    """A plain recurrent network with a loss at every step."""

    width: int = Field(default=4, ge=1, le=12)
    """Size of the state and of the input."""
    steps: int = Field(default=6, ge=2, le=16)
    """Positions of the sequence."""


@claim(
    "B24",
    "The gradient of the recurrent matrix is a sum over the losses of all steps, in which "
    r"$\mathrm{d}h_t / \mathrm{d}W_h$ is the *total* derivative: it takes into account that "
    "$h_{t-1}$ also depends on the matrix. (Read as the immediate derivative, the factor would "
    "give a wrong sum.)",
    r"\frac{\mathrm{d}L}{\mathrm{d}W_h} = \sum_t \frac{\partial L_t}{\partial h_t} "
    r"\frac{\mathrm{d}h_t}{\mathrm{d}W_h}, \qquad \frac{\mathrm{d}h_t}{\mathrm{d}W_h} = "
    r"\frac{\partial h_t}{\partial W_h} + \frac{\partial h_t}{\partial h_{t-1}} "
    r"\frac{\mathrm{d}h_{t-1}}{\mathrm{d}W_h}",
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
        d_tanh = 1 - after**2
        immediate = torch.einsum("i,ij,k->ijk", d_tanh, torch.eye(d).double(), before)
        carried = torch.einsum("i,il,ljk->ijk", d_tanh, cell.weight_hh.detach(), total)
        total = immediate + carried
        error = (w_y @ after).softmax(dim=0)
        error[label] -= 1
        by_total += torch.einsum("i,ijk->jk", error @ w_y, total)
        by_immediate += torch.einsum("i,ijk->jk", error @ w_y, immediate)
        before = after
    return Evidence(
        stated=[
            same("difference of the sum with total derivatives from autograd", by_total, found),
            apart(
                "difference of the sum with immediate derivatives from autograd",
                by_immediate,
                found,
                APART,
            ),
        ],
        numbers={"norm of the derivative": float(found.norm())},
    )


@dataclass(frozen=True)
class Unrolled:
    """The states of h_t = U x_t + W φ(h_{t-1}), and the derivatives of the errors E_t."""

    w: Tensor
    v: Tensor
    states: Tensor
    """From h_0 on: one more than there are steps."""
    d_y: Tensor
    """∂E_t/∂y_t, a row for each step."""

    def between(self, t: int, k: int) -> Tensor:
        """Return ∂h_t/∂h_k = Π W diag(φ'(h_i)), i from t − 1 down to k."""
        product = torch.eye(len(self.w), dtype=torch.float64)
        for i in range(k, t):
            product = self.w @ torch.diag(1 - self.states[i].tanh() ** 2) @ product
        return product

    def back_to(self, t: int, k: int) -> Tensor:
        """Return ∂E_t/∂y_t ∂y_t/∂h_t ∂h_t/∂h_k as a row."""
        d_tanh = torch.diag(1 - self.states[t].tanh() ** 2)
        return self.d_y[t - 1] @ self.v @ d_tanh @ self.between(t, k)

    def term(self, t: int, k: int) -> Tensor:
        """Return the term of the double sum for steps t and k."""
        return torch.outer(self.back_to(t, k), self.states[k - 1].tanh())


@claim(
    "E84",
    "Written out, the gradient of the recurrent matrix is a double sum: over the losses of all "
    "steps, and over all earlier steps at which the matrix was used. Here the last factor is "
    "the *immediate* derivative, because the factor before it already contains the path from "
    "$k$ to $t$.",
    r"\frac{\mathrm{d}E}{\mathrm{d}W} = \sum_t \sum_{k \le t} \frac{\partial E_t}{\partial y_t} "
    r"\frac{\partial y_t}{\partial h_t} \frac{\partial h_t}{\partial h_k} "
    r"\frac{\partial^{+} h_k}{\partial W}",
)
def double_sum(settings: ThroughTimeSettings) -> Evidence:
    """Sum over all pairs of steps, with immediate and with total derivatives, beside autograd."""
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
    terms = {(t, k): run.term(t, k) for t, k in pairs}
    total = torch.stack(list(terms.values())).sum(dim=0)
    # with total derivatives as the last factor, the term of step k is counted t - k + 1 times
    counted = torch.stack([(t - k + 1) * terms[t, k] for t, k in pairs]).sum(dim=0)
    sizes = [
        [float(terms[t, k].norm()) if k <= t else 0.0 for k in range(1, count + 1)]
        for t in range(1, count + 1)
    ]
    names = [str(number) for number in range(1, count + 1)]
    return Evidence(
        stated=[
            same("difference of the double sum from autograd", total, found),
            apart(
                "difference of the double sum with total derivatives from autograd",
                counted,
                found,
                APART,
            ),
        ],
        numbers={"pairs of steps": len(pairs)},
        plot=[
            HeatMap(
                "Norm of each term of the double sum",
                sizes,
                "step k",
                "loss of step t",
                names,
                names,
            )
        ],
    )
