"""Back-propagation through a whole LSTM sequence, by hand.

One sequence, a vector at each position, in the letters of the notes:

    z_t = [a_{t-1}; x_t]                       what every layer of the cell sees
    Γ_g = σ(γ_g),    γ_g = W_g z_t + b_g       gates: update u, forget f, output o
    ĉ_t = tanh(γ_c), γ_c = W_c z_t + b_c       candidate
    c_t = Γ_f ∘ c_{t-1} + Γ_u ∘ ĉ_t            cell state
    a_t = Γ_o ∘ tanh(c_t)                      activation
    ŷ_t = softmax(W_y a_t + b_y)               prediction
    L   = −Σ_t log ŷ_t[label_t]                loss

`d_x` stands for the derivative of L with respect to x, in the shape of x. What flows back from the
step after is `d_a_next` and `d_c_next`: without these two, each step would be on its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from dragoman.neural.layers.recurrent.cells import RecurrentCell

Block = Literal["u", "f", "c", "o"]
BLOCKS: tuple[Block, ...] = ("u", "f", "c", "o")
"""In the order in which our cell stores their weights."""


@dataclass(frozen=True)
class LstmWeights:
    """The matrices [n_a, n_a + n_x] and biases of the four layers of a cell."""

    w: dict[Block, Tensor]
    b: dict[Block, Tensor]

    @classmethod
    def of(cls, cell: RecurrentCell) -> "LstmWeights":
        """Take the weights of a cell, the state's columns first."""
        whole = torch.cat((cell.weight_hh, cell.weight_ih), dim=1).detach()
        bias = (cell.bias_ih + cell.bias_hh).detach()
        return cls(
            dict(zip(BLOCKS, whole.chunk(4), strict=True)),
            dict(zip(BLOCKS, bias.chunk(4), strict=True)),
        )


@dataclass(frozen=True)
class OutputWeights:
    """The output layer: W_y [n_y, n_a] and b_y."""

    w: Tensor
    b: Tensor


@dataclass(frozen=True)
class LstmStep:
    """All that one position has computed."""

    z: Tensor
    sums: dict[Block, Tensor]
    """γ of each layer."""
    update: Tensor
    forget: Tensor
    output: Tensor
    candidate: Tensor
    c_before: Tensor
    c: Tensor
    a: Tensor


@dataclass(frozen=True)
class StepGradients:
    """The derivatives of the loss at one position."""

    d_a: Tensor
    d_c: Tensor
    d_gates: dict[Block, Tensor]
    """dΓ of each gate, and dĉ."""
    d_sums: dict[Block, Tensor]
    """dγ of each layer."""
    d_x: Tensor


@dataclass
class LstmGradients:
    """The derivatives of the loss: of each position, and of the weights, summed over positions."""

    steps: list[StepGradients] = field(default_factory=list)
    d_w: dict[Block, Tensor] = field(default_factory=dict)
    d_b: dict[Block, Tensor] = field(default_factory=dict)


def read_sequence(weights: LstmWeights, x: Tensor, a: Tensor, c: Tensor) -> list[LstmStep]:
    """Run the cell along the inputs, one position after the other."""
    steps = []
    for x_t in x:
        z = torch.cat((a, x_t))
        sums = {block: weights.w[block] @ z + weights.b[block] for block in BLOCKS}
        update, forget, output = (torch.sigmoid(sums[gate]) for gate in ("u", "f", "o"))
        candidate = torch.tanh(sums["c"])
        c_before, c = c, forget * c + update * candidate
        a = output * torch.tanh(c)
        steps.append(LstmStep(z, sums, update, forget, output, candidate, c_before, c, a))
    return steps


def output_errors(out: OutputWeights, steps: Sequence[LstmStep], labels: Tensor) -> list[Tensor]:
    """Return ŷ − y at each position: the derivative with respect to W_y a + b_y."""
    errors = []
    for one, label in zip(steps, labels.tolist(), strict=True):
        exponentials = (out.w @ one.a + out.b).exp()
        y = torch.zeros_like(out.b)
        y[label] = 1.0
        errors.append(exponentials / exponentials.sum() - y)
    return errors


def derivative_of_tanh(step: LstmStep) -> Tensor:
    """Return dĉ/dγ_c = 1 − ĉ²."""
    return 1 - step.candidate**2


def back_propagate(
    weights: LstmWeights,
    out: OutputWeights,
    steps: Sequence[LstmStep],
    labels: Tensor,
    *,
    candidate_derivative: Callable[[LstmStep], Tensor] = derivative_of_tanh,
    through_time: bool = True,
) -> LstmGradients:
    """Go back from the last position to the first; `through_time=False` isolates each step."""
    n_a = len(steps[0].a)
    d_a_next, d_c_next = torch.zeros_like(steps[0].a), torch.zeros_like(steps[0].c)
    gradients = LstmGradients(
        d_w={block: torch.zeros_like(weights.w[block]) for block in BLOCKS},
        d_b={block: torch.zeros_like(weights.b[block]) for block in BLOCKS},
    )
    errors = output_errors(out, steps, labels)
    for one, d_scores in zip(reversed(steps), reversed(errors), strict=True):
        d_a = out.w.T @ d_scores + d_a_next
        d_c = d_a * one.output * (1 - torch.tanh(one.c) ** 2) + d_c_next

        d_gates: dict[Block, Tensor] = {
            "o": d_a * torch.tanh(one.c),
            "u": d_c * one.candidate,
            "f": d_c * one.c_before,
            "c": d_c * one.update,
        }
        d_sums: dict[Block, Tensor] = {
            "o": d_gates["o"] * one.output * (1 - one.output),
            "u": d_gates["u"] * one.update * (1 - one.update),
            "f": d_gates["f"] * one.forget * (1 - one.forget),
            "c": d_gates["c"] * candidate_derivative(one),
        }
        for block in BLOCKS:
            gradients.d_w[block] += torch.outer(d_sums[block], one.z)
            gradients.d_b[block] += d_sums[block]

        d_z = torch.stack([weights.w[block].T @ d_sums[block] for block in BLOCKS]).sum(dim=0)
        if through_time:
            d_a_next, d_c_next = d_z[:n_a], d_c * one.forget
        gradients.steps.insert(0, StepGradients(d_a, d_c, d_gates, d_sums, d_z[n_a:]))
    return gradients
