"""The whole of Bahdanau et al. 2015 against loops over the paper's own equations."""

import math

import pytest
import torch

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.models.recurrent.model import RecurrentTranslator

WIDTH, WORD, HIDDEN, SPOKEN = 4, 3, 5, 6
SOURCE, TARGET = 9, 11


def model():
    torch.manual_seed(3)
    settings = RecurrentSettings(
        cell={"kind": "gru", "reset": "before"},
        width=WIDTH,
        embedding_width=WORD,
        attention_width=HIDDEN,
        readout_width=SPOKEN,
        readout="maxout",
        context="additive",
        tied="none",
        dropout=0.0,
    )
    built = RecurrentTranslator(settings, SOURCE, TARGET).double()
    with torch.no_grad():
        for weight in built.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.3)
    return built


READ = torch.tensor([[4, 5, 6, 7, 3], [8, 4, 3, 0, 0], [3, 0, 0, 0, 0]])
WRITTEN = torch.tensor([[2, 4, 9, 10], [2, 5, 3, 0], [2, 8, 0, 0]])


class Unit:
    """The gated unit of the paper: (1 − z)∘h + z∘h̃, every gate with matrices of its own.

    Ours keeps the share z of the old state, so the paper's z has our weights with the sign changed.
    Our two biases add up.
    """

    def __init__(self, cell, *widths):
        signs = (1, -1, 1)  # r, z, and the candidate
        self.u_r, self.u_z, self.u = (
            s * w for s, w in zip(signs, cell.weight_hh.chunk(3), strict=True)
        )
        biases = (cell.bias_ih + cell.bias_hh).chunk(3)
        self.b_r, self.b_z, self.b = (s * b for s, b in zip(signs, biases, strict=True))
        gates = [s * w for s, w in zip(signs, cell.weight_ih.chunk(3), strict=True)]
        self.w_r, self.w_z, self.w = (list(gate.split(widths, dim=1)) for gate in gates)

    def __call__(self, h, *inputs):
        def heard(matrices):
            return sum(w @ x for w, x in zip(matrices, inputs, strict=True))

        r = torch.sigmoid(heard(self.w_r) + self.u_r @ h + self.b_r)
        z = torch.sigmoid(heard(self.w_z) + self.u_z @ h + self.b_z)
        new = torch.tanh(heard(self.w) + self.u @ (r * h) + self.b)
        return (1 - z) * h + z * new


def scores_of_one_sentence(built, source, target):
    """Return the scores of every step, for tokens without any padding."""
    onward, backward = (Unit(cell, WORD) for cell in built.encoder.cells)
    decoder, zeros = built.decoder, torch.zeros(WIDTH, dtype=torch.float64)
    # The table is scaled when it is looked up in, so E is the scaled one.
    words = [math.sqrt(WORD) * built.source_embedding.table.weight[x] for x in source]
    ahead, behind, h = [], [], zeros
    for x in words:
        h = onward(h, x)
        ahead.append(h)
    h = zeros
    for x in reversed(words):
        h = backward(h, x)
        behind.insert(0, h)
    states = [torch.cat(pair) for pair in zip(ahead, behind, strict=True)]

    attention, start = decoder.source_attention, decoder.start.maps[0]
    w_a, u_a, v_a = attention.query.weight, attention.key.weight, attention.energy.weight[0]
    u_o, v_o, c_o = decoder.readout.mix.weight.split((WIDTH, WORD, 2 * WIDTH), dim=1)
    unit = Unit(decoder.layers.layers.cells[0], WORD, 2 * WIDTH)
    s = torch.tanh(start.weight @ behind[0] + start.bias)
    found = []
    for token in target:
        y = math.sqrt(WORD) * built.target_embedding.table.weight[token]
        e = torch.stack([v_a @ torch.tanh(w_a @ s + u_a @ h_j) for h_j in states])
        alpha = e.exp() / e.exp().sum()
        c = sum(a * h_j for a, h_j in zip(alpha, states, strict=True))
        t = u_o @ s + v_o @ y + c_o @ c + decoder.readout.mix.bias
        t = torch.stack([torch.maximum(t[2 * j], t[2 * j + 1]) for j in range(SPOKEN)])
        found.append(built.output.weight @ t)
        s = unit(s, y, c)
    return torch.stack(found)


@pytest.mark.parametrize("row", [0, 1, 2])
def test_padded_rows_have_the_scores_of_the_equations(row):
    built = model()
    source = READ[row][READ[row].ne(0)].tolist()
    target = WRITTEN[row][WRITTEN[row].ne(0)].tolist()
    found = built(READ, WRITTEN)[row, : len(target)]
    torch.testing.assert_close(found, scores_of_one_sentence(built, source, target))


def test_the_gradients_are_those_of_the_equations():
    built = model()
    torch.manual_seed(5)
    weights = torch.randn(3, 4, TARGET, dtype=torch.float64) * WRITTEN.ne(0).unsqueeze(2)
    (built(READ, WRITTEN) * weights).sum().backward()
    found = {name: weight.grad.clone() for name, weight in built.named_parameters()}

    built.zero_grad()
    total = 0.0
    for source, target, weight in zip(READ, WRITTEN, weights, strict=True):
        tokens = target[target.ne(0)].tolist()
        scores = scores_of_one_sentence(built, source[source.ne(0)].tolist(), tokens)
        total = total + (scores * weight[: len(tokens)]).sum()
    total.backward()
    for name, weight in built.named_parameters():
        torch.testing.assert_close(found[name], weight.grad, msg=name)


def test_the_source_part_of_the_score_is_computed_once():
    built, calls = model().eval(), []
    built.decoder.source_attention.key.register_forward_hook(lambda *_: calls.append(1))
    built(READ, WRITTEN)
    assert len(calls) == 1
    state = built.begin(READ)
    for tokens in WRITTEN.unbind(1):
        _, state = built.step(tokens, state)
    assert len(calls) == 2
