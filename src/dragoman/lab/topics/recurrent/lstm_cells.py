"""Claims on the LSTM as a whole, its variants and its size."""

import torch
from pydantic import Field
from torch import nn

from dragoman.config.cells import GruCell, LstmCell
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, equal, same
from dragoman.lab.topics.recurrent.drawn import (
    OPEN,
    DrawnCellSettings,
    RandomNumbers,
    UnrolledCellSettings,
    cell_of,
    gate_sums,
    hold_gate,
    step,
    with_weights_of,
)
from dragoman.lab.topics.recurrent.lstm_by_hand import LstmWeights, read_sequence
from dragoman.lab.topics.recurrent.lstm_gates import FORGET, OUTPUT
from dragoman.neural.layers.recurrent.cells import RecurrentCell, build_cell
from dragoman.neural.layers.recurrent.reading import read_by_kernel
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel
from dragoman.plots.lab import Panel, curve

VOCAB = 7


class MemorySizeSettings(DrawnCellSettings):
    """An LSTM whose cell state is set by hand."""

    memory: float = Field(default=5.0, ge=0.0, le=1000.0)
    """The value of every entry of the cell state before the step."""


class CellCountSettings(Settings):
    """The sizes of a cell."""

    width: int = Field(default=256, ge=1, le=1024)
    """Size of the state, H."""
    input_width: int = Field(default=128, ge=1, le=1024)
    """Size of the input, D."""


@claim(
    "C5",
    "An LSTM has a cell state $c_t$, which is written and erased through gates, and an "
    "activation $a_t$, which is the part of it that the output gate shows.",
    r"c_t = \Gamma_f \odot c_{t-1} + \Gamma_u \odot \tanh(W_c [a_{t-1};\, x_t] + b_c), \qquad "
    r"a_t = \Gamma_o \odot \tanh(c_t)",
)
def lstm_equations(settings: UnrolledCellSettings) -> Evidence:
    """Compare a written-out loop, torch's LSTM, and our cell along a whole sequence."""
    draw = RandomNumbers(settings.seed)
    cell = draw.cell(LstmCell(), settings.input_width, settings.width)
    x, (h, c) = draw(settings.steps, settings.input_width), draw.state(cell)
    outputs, (_, memory) = read_by_kernel(cell, x.unsqueeze(1), None, (h, c))
    loop = read_sequence(LstmWeights.of(cell), x, h[0], c[0])
    with torch.random.fork_rng(devices=[]):
        theirs = nn.LSTM(settings.input_width, settings.width).double()
    theirs.load_state_dict({f"{name}_l0": weight for name, weight in cell.state_dict().items()})
    wanted, (_, their_memory) = theirs(x.unsqueeze(1), (h.unsqueeze(0), c.unsqueeze(0)))
    activations = torch.stack([one.a for one in loop])
    return Evidence(
        stated=[
            same("difference of a from a loop", outputs[:, 0], activations),
            same("difference of c from a loop", memory[0], loop[-1].c),
            same("difference of a from nn.LSTM", outputs, wanted),
            same("difference of c from nn.LSTM", memory, their_memory[0]),
        ]
    )


@claim(
    "C6",
    "The prediction at each position is a softmax over a linear layer on the activation, which "
    "is the part of the cell state that the output gate shows.",
    r"\hat{y}_t = \mathrm{softmax}(W_y (\Gamma_o \odot \tanh(c_t)) + b_y)",
)
def lstm_prediction(settings: UnrolledCellSettings) -> Evidence:
    """Compare the probabilities of a recurrent language model with the written-out equation."""
    draw = RandomNumbers(settings.seed)
    chosen = RecurrentLanguageSettings(
        embedding_width=settings.input_width, width=settings.width, tied=False, dropout=0.0
    )
    model = draw.network(lambda: RecurrentLanguageModel(chosen, VOCAB))
    tokens = torch.randint(1, VOCAB, (settings.steps,), generator=draw.generator)
    state, said = model.begin(1), []
    for token in tokens:
        log_probabilities, state = model.step(token.unsqueeze(0), state)
        said.append(log_probabilities[0].exp())
    zeros = torch.zeros(settings.width, dtype=torch.float64)
    loop = read_sequence(
        LstmWeights.of(cell_of(model.layers)), model.embedding(tokens), zeros, zeros
    )
    printed = []
    for one in loop:
        exponentials = (model.output.weight @ (one.output * one.c.tanh()) + model.output.bias).exp()
        printed.append(exponentials / exponentials.sum())
    probabilities = torch.stack(said)
    return Evidence(
        stated=[
            same("difference from the equation", probabilities, torch.stack(printed)),
            equal("mean sum of the probabilities", probabilities.sum(dim=1).mean(), 1.0),
        ]
    )


@claim(
    "C2",
    "A GRU has exactly three quarters of the parameters of an LSTM of the same sizes, because "
    "it has three layers where the LSTM has four. It is the cheaper choice where both perform "
    "equally well.",
    r"\frac{3\,(H(H + D) + 2H)}{4\,(H(H + D) + 2H)} = \frac{3}{4}",
)
def gru_is_smaller(settings: CellCountSettings) -> Evidence:
    """Count the parameters of both cells, ours and torch's."""

    def count(cell: nn.Module) -> int:
        return sum(weight.numel() for weight in cell.parameters())

    h, d = settings.width, settings.input_width
    with torch.device("meta"):
        gru, lstm = build_cell(GruCell(), d, h), build_cell(LstmCell(), d, h)
        theirs = count(nn.GRUCell(d, h)) / count(nn.LSTMCell(d, h))
    return Evidence(
        stated=[
            equal(
                "parameters of a GRU / parameters of an LSTM", count(gru) / count(lstm), 3 / 4, 0.0
            ),
            equal("the same ratio for torch's cells", theirs, 3 / 4, 0.0),
            equal("parameters of an LSTM", count(lstm), 4 * (h * (h + d) + 2 * h), 0.0),
        ],
        numbers={"parameters of the GRU": count(gru), "parameters of the LSTM": count(lstm)},
    )


@claim(
    "E107",
    "In an LSTM the output may differ from the cell state. The cell of Hochreiter and "
    "Schmidhuber (1997) can only add to its cell state; the forget gate was introduced by Gers "
    "et al. (2000).",
    r"m_t = m_{t-1} + \Gamma_u \odot \tilde{m}_t \quad (1997), \qquad "
    r"m_t = \Gamma_f \odot m_{t-1} + \Gamma_u \odot \tilde{m}_t \quad (2000)",
    notes="the cell with all three gates, including the forget gate, is the one of 1997.",
)
def forget_gate_came_later(settings: UnrolledCellSettings) -> Evidence:
    """Compare the cell of 1997 with one that can forget, and with its forget gate held open."""
    draw = RandomNumbers(settings.seed)
    forgetful = draw.cell(LstmCell(), settings.input_width, settings.width)
    plain = _without_forget_gate(forgetful)
    x, state = draw(settings.steps, 1, settings.input_width), draw.state(plain)
    with torch.no_grad():
        outputs, (_, added) = read_by_kernel(plain, x, None, state)
        _, (_, gated) = read_by_kernel(forgetful, x, None, state)
        hold_gate(forgetful, FORGET, OPEN)
        held, (_, kept) = read_by_kernel(forgetful, x, None, state)
    return Evidence(
        stated=[
            same("difference between the cell states of 1997 and with a forget gate", added, gated)
        ],
        corrected=[
            same("difference of the cell states, forget gate held open", added, kept),
            same("difference of the outputs, forget gate held open", outputs, held),
            apart("difference between output and cell state", outputs[-1], added, 1e-3),
        ],
        numbers={
            "largest cell state, 1997": float(added.abs().max()),
            "largest cell state, with a forget gate": float(gated.abs().max()),
        },
    )


def _without_forget_gate(cell: RecurrentCell) -> RecurrentCell:
    """Return the cell of 1997 with the same weights, those of the forget gate left out."""
    input_width = cell.weight_ih.shape[1]
    plain = build_cell(LstmCell(forget_gate=False), input_width, cell.width).double()
    with torch.no_grad():
        for name, weight in plain.named_parameters():
            i, _, g, o = cell.get_parameter(name).chunk(4)
            weight.copy_(torch.cat((i, g, o)))
    return plain


@claim(
    "E108",
    "The LSTM shows its cell state through a tanh, so the output stays between −1 and 1 however "
    "large the cell state becomes.",
    r"h_t = \Gamma_o \odot \tanh(m_t)",
    notes=r"the output is $h_t = \Gamma_o \odot m_t$, without a tanh, which makes it unbounded.",
)
def output_tanh(settings: MemorySizeSettings) -> Evidence:
    """Compare both forms of the output with torch's cell, at a cell state of any size."""
    draw = RandomNumbers(settings.seed)
    bent = draw.cell(LstmCell(), settings.input_width, settings.width)
    straight = build_cell(LstmCell(output_tanh=False), settings.input_width, settings.width)
    straight = straight.double()
    straight.load_state_dict(bent.state_dict())
    theirs = with_weights_of(bent, lambda: nn.LSTMCell(settings.input_width, settings.width))
    x, (h, _) = draw(1, settings.input_width), draw.state(bent)

    def largest(cell: RecurrentCell, memory: float) -> float:
        state = (h, torch.full_like(h, memory))
        return float(step(cell, x, state)[0].detach().abs().max())

    c = torch.full_like(h, settings.memory)
    wanted, _ = theirs(x, (h, c))
    output, (_, m) = step(straight, x, (h, c))
    gate = torch.sigmoid(gate_sums(straight, h, x)[OUTPUT])
    sizes = [settings.memory * part / 20 for part in range(21)]
    return Evidence(
        stated=[same("difference of h = Γ_o ∘ m from nn.LSTMCell", output, wanted)],
        corrected=[
            same(
                "difference of h = Γ_o ∘ tanh(m) from nn.LSTMCell", step(bent, x, (h, c))[0], wanted
            ),
            same("difference of our cell without tanh from Γ_o ∘ m", output, gate * m),
            above("1 minus the largest output", 1 - largest(bent, settings.memory), 0.0),
        ],
        numbers={
            "largest output with tanh": largest(bent, settings.memory),
            "largest output without tanh": largest(straight, settings.memory),
        },
        plot=[
            Panel(
                "Largest output",
                [
                    curve("with tanh", sizes, [largest(bent, one) for one in sizes]),
                    curve("without tanh", sizes, [largest(straight, one) for one in sizes], 1),
                ],
                "cell state before the step",
            )
        ],
    )
