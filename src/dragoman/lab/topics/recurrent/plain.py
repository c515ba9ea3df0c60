"""Claims on the plain recurrent cell, and on the forms in which it is written."""

import torch
from torch import Tensor, nn

from dragoman.config.cells import RnnCell
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.lab.topics.recurrent.drawn import (
    DrawnCellSettings,
    RandomNumbers,
    SquareCellSettings,
    UnrolledCellSettings,
    cell_of,
    step,
    with_weights_of,
)
from dragoman.neural.layers.recurrent.reading import read_by_loop
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel

ROWS = 3
VOCAB = 7


@claim(
    "B2",
    "The repeating module of a plain recurrent network is a single layer: one matrix applied to "
    "state and input together, and a tanh.",
    r"h_t = \tanh(W\,[h_{t-1};\, x_t] + b)",
)
def plain_module(settings: DrawnCellSettings) -> Evidence:
    """Compare the cell with torch's and with one linear layer and a tanh."""
    draw = RandomNumbers(settings.seed)
    cell = draw.cell(RnnCell(), settings.input_width, settings.width)
    x, state = draw(ROWS, settings.input_width), draw.state(cell, ROWS)
    output, _ = step(cell, x, state)
    theirs = with_weights_of(cell, lambda: nn.RNNCell(settings.input_width, settings.width))
    layer = nn.utils.skip_init(nn.Linear, settings.width + settings.input_width, settings.width)
    layer = layer.double()
    with torch.no_grad():
        layer.weight.copy_(torch.cat((cell.weight_hh, cell.weight_ih), dim=1))
        layer.bias.copy_(cell.bias_ih + cell.bias_hh)
    return Evidence(
        stated=[
            same("difference from nn.RNNCell", output, theirs(x, state[0])),
            same(
                "difference from one linear layer with a tanh",
                output,
                torch.tanh(layer(torch.cat((state[0], x), dim=1))),
            ),
        ],
        numbers={"weights": sum(weight.numel() for weight in cell.parameters())},
    )


@claim(
    "E83",
    "A recurrent network may keep its state before or after the activation function. Both forms "
    r"give the same outputs, by the change of variables $s_t = \varphi(h_t)$.",
    r"h_t = U x_t + W \varphi(h_{t-1}), \quad y_t = V \varphi(h_t)"
    r"\qquad\Leftrightarrow\qquad s_t = \varphi(U x_t + W s_{t-1}), \quad y_t = V s_t",
)
def state_before_activation(settings: UnrolledCellSettings) -> Evidence:
    """Run both forms along a sequence, and the equation as it is printed."""
    draw = RandomNumbers(settings.seed)
    before = draw.cell(RnnCell(state="before"), settings.input_width, settings.width)
    after = with_weights_of(
        before, lambda: draw.cell(RnnCell(), settings.input_width, settings.width)
    )
    v = draw(VOCAB, settings.width)
    x, (h,) = draw(settings.steps, 1, settings.input_width), draw.state(before)
    outputs, (last,) = read_by_loop(before, x, None, (h,))
    bent, (s,) = read_by_loop(after, x, None, (torch.tanh(h),))
    printed, bias = [], before.bias_ih + before.bias_hh
    for x_t in x:
        h = x_t @ before.weight_ih.t() + bias + torch.tanh(h) @ before.weight_hh.t()
        printed.append(torch.tanh(h) @ v.t())
    return Evidence(
        stated=[
            same("difference from the printed equations", outputs @ v.t(), torch.stack(printed)),
            same("difference between the two forms", outputs @ v.t(), bent @ v.t()),
            same("difference of the states, φ(h) and s", torch.tanh(last), s),
        ]
    )


@claim(
    "E90",
    "The matrices for the state and for the input can be placed side by side in one matrix, "
    "which multiplies the concatenation of state and input. If both have size $m$, the "
    "concatenation has $2m$ entries.",
    r"h_t = \varphi(W_a [h_{t-1};\, x_t] + b_a), \qquad W_a = [W \; U], \qquad "
    r"[h_{t-1};\, x_t] \in \mathbb{R}^{2m}",
)
def concatenated_form(settings: SquareCellSettings) -> Evidence:
    """Compare the cell, which has two matrices, with one matrix."""
    m, draw = settings.width, RandomNumbers(settings.seed)
    cell = draw.cell(RnnCell(), m, m)
    x, (h,) = draw(ROWS, m), draw.state(cell, ROWS)
    w_a = torch.cat((cell.weight_hh, cell.weight_ih), dim=1)
    joined = torch.cat((h, x), dim=1)
    output, _ = step(cell, x, (h,))
    return Evidence(
        stated=[
            same(
                "difference of two matrices from one",
                output,
                torch.tanh(joined @ w_a.t() + cell.bias_ih + cell.bias_hh),
            ),
            equal("entries of the concatenated vector", joined.shape[1], 2 * m),
        ]
    )


@claim(
    "E95",
    "The state is computed from the *previous* state, and the output from the current state.",
    r"h_t = \sigma_h(U x_t + W h_{t-1} + b_h), \qquad \hat{y}_t = \sigma_y(V h_t + b_y)",
    notes=r"the state is computed from itself: $h_t = \sigma_h(U x_t + W h_t + b_h)$.",
)
def index_of_the_state(settings: UnrolledCellSettings) -> Evidence:
    """Put the states of a recurrent language model into both equations."""
    draw = RandomNumbers(settings.seed)
    chosen = RecurrentLanguageSettings(
        cell=RnnCell(),
        embedding_width=settings.input_width,
        width=settings.width,
        tied=False,
        dropout=0.0,
    )
    model = draw.network(lambda: RecurrentLanguageModel(chosen, VOCAB))
    tokens = torch.randint(1, VOCAB, (1, settings.steps), generator=draw.generator)
    with torch.no_grad():
        states, said = model.states(tokens)[0][0], model(tokens)[0].softmax(dim=-1)
        x = model.embedding(tokens)[0]
    cell = cell_of(model.layers)
    earlier = torch.cat((states.new_zeros(1, settings.width), states[:-1]))

    def after(state: Tensor) -> Tensor:
        bias = cell.bias_ih + cell.bias_hh
        return torch.tanh(x @ cell.weight_ih.t() + state @ cell.weight_hh.t() + bias)

    scores = states @ model.output.weight.t() + model.output.bias
    probabilities = scores.exp() / scores.exp().sum(dim=1, keepdim=True)
    outputs = same("difference of the outputs from σ(V h_t + b)", said, probabilities)
    return Evidence(
        stated=[
            same("difference of h_t from σ(U x_t + W h_t + b)", states, after(states)),
            outputs,
        ],
        corrected=[
            same("difference of h_t from σ(U x_t + W h_{t-1} + b)", states, after(earlier)),
            outputs,
        ],
    )
