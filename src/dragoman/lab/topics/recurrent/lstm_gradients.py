"""Claims on the derivatives of an LSTM: by hand, compared with autograd through our own cell."""

import torch
from torch import Tensor

from dragoman.lab.claims import claim
from dragoman.lab.evidence import Criterion, Evidence, equal, same
from dragoman.lab.topics.recurrent.lstm_autograd import LstmGradientSettings, LstmRun, run_both
from dragoman.lab.topics.recurrent.lstm_by_hand import (
    BLOCKS,
    Block,
    LstmGradients,
    back_propagate,
    output_errors,
)
from dragoman.plots.lab import Panel, curve


def _block(name: str, hand: LstmGradients, run: LstmRun, block: Block) -> list[Criterion]:
    """Compare dγ at every position, dW and db of one layer with autograd."""
    d_sums = torch.stack([one.d_sums[block] for one in hand.steps])
    found = run.by_autograd
    return [
        same(f"difference of dγ of the {name} from autograd", d_sums, found.d_sums[block]),
        same(f"difference of dW of the {name} from autograd", hand.d_w[block], found.d_w[block]),
        same(f"difference of db of the {name} from autograd", hand.d_b[block], found.d_b[block]),
    ]


@claim(
    "C7",
    r"The gradient of the activation is $W_y^\top$ times the error of the prediction, plus the "
    "gradient from the next step. As a row vector, the error multiplies $W_y$ itself, without a "
    "transpose.",
    r"\frac{\partial L}{\partial a_t} = W_y^\top (\hat{y}_t - y_t) + \mathrm{d}a_{\mathrm{next}}, "
    r"\qquad \left(\frac{\partial L_t}{\partial a_t}\right)^\top = (\hat{y}_t - y_t)^\top W_y",
    notes=r"the row vector is $(\hat{y} - y)^\top W_y^\top$, although the shapes $1 \times n_y$ "
    r"and $n_a \times n_y$ do not match.",
)
def activation_gradient(settings: LstmGradientSettings) -> Evidence:
    """Multiply the errors with W_yᵀ as printed, and with W_y."""
    run = run_both(settings)
    w = run.out.w
    errors = torch.stack(output_errors(run.out, run.steps, run.labels))
    steps = run.by_hand().steps
    back = [weights_back(run, one.d_sums) for one in steps[1:]]
    next_ = torch.stack([*back, torch.zeros_like(run.steps[0].a)])
    fits = w.shape[0] == w.shape[1]
    printed = errors @ w.T + next_ if fits else w.new_empty(0)
    return Evidence(
        stated=[
            equal("inner dimensions of (ŷ − y)ᵀ W_yᵀ, n_y and n_a", w.shape[0], w.shape[1]),
            same("difference of the printed form from autograd", printed, run.by_autograd.d_a),
        ],
        corrected=[
            same(
                "difference of (ŷ − y)ᵀ W_y from autograd", errors @ w + next_, run.by_autograd.d_a
            )
        ],
    )


def weights_back(run: LstmRun, d_sums: dict[Block, Tensor]) -> Tensor:
    """Return Σ_g W_gᵀ dγ_g in the columns of the state: what a step sends to the one before."""
    n_a = run.out.w.shape[1]
    parts = [run.weights.w[block][:, :n_a].T @ d_sums[block] for block in BLOCKS]
    return torch.stack(parts).sum(dim=0)


@claim(
    "C8",
    "The gradient of the output matrix is the outer product of the error and the activation, "
    "summed over the positions.",
    r"\frac{\partial L}{\partial W_y} = \sum_t (\hat{y}_t - y_t)\, a_t^\top",
)
def output_matrix_gradient(settings: LstmGradientSettings) -> Evidence:
    """Sum the outer products."""
    run = run_both(settings)
    errors = output_errors(run.out, run.steps, run.labels)
    total = torch.zeros_like(run.out.w)
    for one, error in zip(run.steps, errors, strict=True):
        total += torch.outer(error, one.a)
    return Evidence(stated=[same("difference from autograd", total, run.by_autograd.d_output.w)])


@claim(
    "C9",
    "The gradient of the output bias is the error itself, summed over the positions.",
    r"\frac{\partial L}{\partial b_y} = \sum_t (\hat{y}_t - y_t)",
    notes=r"it is $(\hat{y} - y)\, a^\top$, as for the matrix, although that has the shape of "
    "$W_y$.",
)
def output_bias_gradient(settings: LstmGradientSettings) -> Evidence:
    """Sum the errors, with and without the activation."""
    run = run_both(settings)
    errors = output_errors(run.out, run.steps, run.labels)
    outer = [torch.outer(error, one.a) for error, one in zip(errors, run.steps, strict=True)]
    found = run.by_autograd.d_output.b
    return Evidence(
        stated=[same("difference of Σ (ŷ − y) aᵀ from autograd", sum_of(outer), found)],
        corrected=[same("difference of Σ (ŷ − y) from autograd", sum_of(errors), found)],
        numbers={"entries of b_y": found.numel(), "entries of (ŷ − y) aᵀ": outer[0].numel()},
    )


def sum_of(parts: list[Tensor]) -> Tensor:
    """Return the sum of tensors of one shape."""
    return torch.stack(parts).sum(dim=0)


@claim(
    "C10",
    "The gradient of the output gate is the gradient of the activation times the tanh of the "
    r"cell state; the derivative of the sigmoid contributes the factor $\Gamma_o(1 - \Gamma_o)$.",
    r"\mathrm{d}\Gamma_o = \mathrm{d}a \odot \tanh(c), \quad "
    r"\mathrm{d}\gamma_o = \mathrm{d}\Gamma_o \odot \Gamma_o \odot (1 - \Gamma_o), \quad "
    r"\mathrm{d}W_o = \sum_t \mathrm{d}\gamma_o\, [a_{t-1};\, x_t]^\top",
)
def output_gate_gradient(settings: LstmGradientSettings) -> Evidence:
    """Compare the output gate's part of the whole pass."""
    run = run_both(settings)
    return Evidence(stated=_block("output gate", run.by_hand(), run, "o"))


@claim(
    "C11",
    "The gradient of the cell state has two parts: one from the activation at the same step, "
    "and one from the next cell state.",
    r"\mathrm{d}c = \mathrm{d}a \odot \Gamma_o \odot (1 - \tanh^2 c) + \mathrm{d}c_{\mathrm{next}}",
)
def cell_state_gradient(settings: LstmGradientSettings) -> Evidence:
    """Compare the memory's derivative at every position."""
    run = run_both(settings)
    d_c = torch.stack([one.d_c for one in run.by_hand().steps])
    return Evidence(stated=[same("difference of dc from autograd", d_c, run.by_autograd.d_c)])


@claim(
    "C12",
    r"The candidate is $\hat{c} = \tanh(p)$, so the derivative of its activation is $1 - "
    r"\hat{c}^2$.",
    r"\mathrm{d}\hat{c} = \mathrm{d}c \odot \Gamma_u, \qquad "
    r"\mathrm{d}p = \mathrm{d}\hat{c} \odot (1 - \hat{c}^2)",
    notes=r"the factor is $1 - p$, with the pre-activation $p$ in place of $\tanh^2 p$.",
)
def candidate_gradient(settings: LstmGradientSettings) -> Evidence:
    """Run the whole pass with the printed factor and with the right one."""
    run = run_both(settings)
    printed = back_propagate(
        run.weights,
        run.out,
        run.steps,
        run.labels,
        candidate_derivative=lambda one: 1 - one.sums["c"],
    )
    return Evidence(
        stated=_block("candidate, with 1 − p,", printed, run, "c"),
        corrected=_block("candidate, with 1 − ĉ²,", run.by_hand(), run, "c"),
    )


@claim(
    "C13",
    "The gradient of the update gate is the gradient of the cell state times the candidate. The "
    r"gradient of its bias is just $\mathrm{d}\gamma_u$, which already contains the derivative "
    "of the sigmoid.",
    r"\mathrm{d}\Gamma_u = \mathrm{d}c \odot \hat{c}, \quad "
    r"\mathrm{d}\gamma_u = \mathrm{d}\Gamma_u \odot \Gamma_u \odot (1 - \Gamma_u), \quad "
    r"\mathrm{d}b_u = \sum_t \mathrm{d}\gamma_u",
    notes=r"the gradient of the bias is $\partial\Gamma_u / \partial\gamma_u$, the derivative of "
    "the gate alone.",
)
def update_gate_gradient(settings: LstmGradientSettings) -> Evidence:
    """Compare the update gate's part, with the printed bias and with the right one."""
    run = run_both(settings)
    *others, bias = _block("update gate", run.by_hand(), run, "u")
    printed = sum_of([one.update * (1 - one.update) for one in run.steps])
    return Evidence(
        stated=[
            *others,
            same("difference of the printed db from autograd", printed, run.by_autograd.d_b["u"]),
        ],
        corrected=[*others, bias],
    )


@claim(
    "C14",
    "The gradient of the forget gate is the gradient of the cell state times the previous cell "
    r"state. The gradient of its bias is just $\mathrm{d}\gamma_f$.",
    r"\mathrm{d}\Gamma_f = \mathrm{d}c \odot c_{t-1}, \quad "
    r"\mathrm{d}\gamma_f = \mathrm{d}\Gamma_f \odot \Gamma_f \odot (1 - \Gamma_f), \quad "
    r"\mathrm{d}b_f = \sum_t \mathrm{d}\gamma_f",
    notes=r"the gradient of the bias is $\partial\Gamma_f / \partial\gamma_f$, the derivative of "
    "the gate alone.",
)
def forget_gate_gradient(settings: LstmGradientSettings) -> Evidence:
    """Compare the forget gate's part, with the printed bias and with the right one."""
    run = run_both(settings)
    *others, bias = _block("forget gate", run.by_hand(), run, "f")
    printed = sum_of([one.forget * (1 - one.forget) for one in run.steps])
    return Evidence(
        stated=[
            *others,
            same("difference of the printed db from autograd", printed, run.by_autograd.d_b["f"]),
        ],
        corrected=[*others, bias],
    )


@claim(
    "C15",
    "Between two steps the gradient takes two paths: through the four layers to the previous "
    "activation, and through the forget gate to the previous cell state. The gradient of the "
    "weights is the sum over all positions.",
    r"\mathrm{d}a_{t-1} = \sum_g W_g[:, 1..n_a]^\top \mathrm{d}\gamma_g, \quad "
    r"\mathrm{d}c_{t-1} = \mathrm{d}c_t \odot \Gamma_f, \quad "
    r"\mathrm{d}x_t = \sum_g W_g[:, n_a{+}1..]^\top \mathrm{d}\gamma_g",
    notes="the gradients within one step are all there is; how they reach the previous step is "
    "left out.",
)
def whole_sequence_gradient(settings: LstmGradientSettings) -> Evidence:
    """Compare every derivative of the whole sequence, and those of steps on their own."""
    run = run_both(settings)
    alone = back_propagate(run.weights, run.out, run.steps, run.labels, through_time=False)
    whole = run.by_hand()
    sizes = [
        [float(part.norm()) for part in parts]
        for parts in ([one.d_a for one in whole.steps], [one.d_c for one in whole.steps])
    ]
    places = list(range(1, settings.steps + 1))
    return Evidence(
        stated=_everything(alone, run),
        corrected=_everything(whole, run),
        plot=[
            Panel(
                "Norm of the derivative by position",
                [curve("da", places, sizes[0]), curve("dc", places, sizes[1], 1)],
                "position",
            )
        ],
    )


def _everything(hand: LstmGradients, run: LstmRun) -> list[Criterion]:
    found = run.by_autograd
    by_position = (
        ("da", [one.d_a for one in hand.steps], found.d_a),
        ("dc", [one.d_c for one in hand.steps], found.d_c),
        ("dx", [one.d_x for one in hand.steps], found.d_x),
    )
    return [
        *(
            same(f"difference of {one} from autograd", torch.stack(h), a)
            for one, h, a in by_position
        ),
        *(same(f"difference of dW_{g} from autograd", hand.d_w[g], found.d_w[g]) for g in BLOCKS),
        *(same(f"difference of db_{g} from autograd", hand.d_b[g], found.d_b[g]) for g in BLOCKS),
    ]
