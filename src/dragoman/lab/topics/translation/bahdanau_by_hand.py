"""The network of Bahdanau et al. 2015, one vector at a time, in the letters of the paper.

    h_j  = [h→_j; h←_j]                                    both directions of the encoder
    s_0  = tanh(W_s h←_1 + b_s)
    e_ij = v_aᵀ tanh(W_a s_{i-1} + U_a h_j),  α_i = softmax(e_i),  c_i = Σ_j α_ij h_j
    t̃_i  = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i + b_o,  t_ik = max(t̃_i,2k-1, t̃_i,2k)
    s_i  = (1 − z_i) ∘ s_{i-1} + z_i ∘ s̃_i                 a GRU that reads E y_{i-1} and c_i

It takes the weights of one of our own translators and no padding, and is as slow as it is plain.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dragoman.neural.layers.alignment import AdditiveAlignment
from dragoman.neural.layers.embedding import TokenEmbedding
from dragoman.neural.layers.recurrent.cells import RecurrentCell
from dragoman.neural.models.recurrent.additive import AdditiveDecoder
from dragoman.neural.models.recurrent.model import RecurrentTranslator


class GatedUnit:
    """The gated unit of the paper: (1 − z)∘h + z∘h̃, every gate with matrices of its own.

    Ours keeps the share z of the old state, so the paper's z has our weights with the sign changed.
    Our two biases add up.
    """

    def __init__(self, cell: RecurrentCell, *widths: int) -> None:
        signs = (1, -1, 1)  # r, z, and the candidate
        self.u_r, self.u_z, self.u = (
            s * w for s, w in zip(signs, cell.weight_hh.chunk(3), strict=True)
        )
        biases = (cell.bias_ih + cell.bias_hh).chunk(3)
        self.b_r, self.b_z, self.b = (s * b for s, b in zip(signs, biases, strict=True))
        gates = [s * w for s, w in zip(signs, cell.weight_ih.chunk(3), strict=True)]
        self.w_r, self.w_z, self.w = (gate.split(widths, dim=1) for gate in gates)

    def __call__(self, h: Tensor, *inputs: Tensor) -> Tensor:
        """Return the state after inputs, each with a matrix of its own in every gate."""

        def heard(matrices: Sequence[Tensor]) -> Tensor:
            return torch.stack([w @ x for w, x in zip(matrices, inputs, strict=True)]).sum(dim=0)

        r = torch.sigmoid(heard(self.w_r) + self.u_r @ h + self.b_r)
        z = torch.sigmoid(heard(self.w_z) + self.u_z @ h + self.b_z)
        new = torch.tanh(heard(self.w) + self.u @ (r * h) + self.b)
        return (1 - z) * h + z * new


@dataclass(frozen=True)
class BahdanauStep:
    """All that the decoder computes for one word."""

    energies: Tensor
    weights: Tensor
    context: Tensor
    mixed: Tensor
    """t̃, of twice the width of t."""
    scores: Tensor
    state: Tensor
    """After the step."""


def embed(embedding: TokenEmbedding, tokens: Sequence[int]) -> list[Tensor]:
    """Look words up; the table is scaled when it is looked up in, so E is the scaled one."""
    return [math.sqrt(embedding.table.embedding_dim) * embedding.table.weight[x] for x in tokens]


def encode(model: RecurrentTranslator, source: Sequence[int]) -> tuple[list[Tensor], list[Tensor]]:
    """Return the states of both directions, in the order of the source."""
    words, width = embed(model.source_embedding, source), model.settings.word_width
    onward, backward = (
        GatedUnit(cell, width) for cell in model.encoder.cells if isinstance(cell, RecurrentCell)
    )
    ahead: list[Tensor] = []
    behind: list[Tensor] = []
    h = words[0].new_zeros(model.settings.width)
    for x in words:
        h = onward(h, x)
        ahead.append(h)
    h = torch.zeros_like(h)
    for x in reversed(words):
        h = backward(h, x)
        behind.insert(0, h)
    return ahead, behind


def first_state(model: RecurrentTranslator, behind: Sequence[Tensor]) -> Tensor:
    """Return s_0, from where the backward direction ended: at the first word."""
    bridge = _decoder(model).start.maps[0]
    if not isinstance(bridge, nn.Linear):
        raise TypeError("the bridge is not linear.")
    return torch.tanh(bridge.weight @ behind[0] + bridge.bias)


def energies(attention: AdditiveAlignment, s: Tensor, states: Sequence[Tensor]) -> Tensor:
    """Return e_j = v_aᵀ tanh(W_a s + U_a h_j), one position after the other."""
    w_a, u_a, v_a = attention.query.weight, attention.key.weight, attention.energy.weight[0]
    return torch.stack([v_a @ torch.tanh(w_a @ s + u_a @ h_j) for h_j in states])


def maxout(mixed: Tensor) -> Tensor:
    """Return the larger of each two entries."""
    pairs = zip(mixed[::2], mixed[1::2], strict=True)
    return torch.stack([torch.maximum(one, other) for one, other in pairs])


def write(
    model: RecurrentTranslator, source: Sequence[int], target: Sequence[int]
) -> list[BahdanauStep]:
    """Write the words after each of the target's, given the right ones before them."""
    chosen, decoder = model.settings, _decoder(model)
    ahead, behind = encode(model, source)
    states = [torch.cat(pair) for pair in zip(ahead, behind, strict=True)]
    parts = (chosen.width, chosen.word_width, 2 * chosen.width)
    u_o, v_o, c_o = decoder.readout.mix.weight.split(parts, dim=1)
    cell = decoder.layers.layers.cells[0]
    if not isinstance(cell, RecurrentCell):
        raise TypeError("the decoder is not made of recurrent cells.")
    unit = GatedUnit(cell, chosen.word_width, 2 * chosen.width)
    s, steps = first_state(model, behind), []
    for y in embed(model.target_embedding, target):
        e = energies(decoder.source_attention, s, states)
        alpha = e.exp() / e.exp().sum()
        c = torch.stack([a * h_j for a, h_j in zip(alpha, states, strict=True)]).sum(dim=0)
        mixed = u_o @ s + v_o @ y + c_o @ c + decoder.readout.mix.bias
        scores = model.output.weight @ (maxout(mixed) if chosen.readout == "maxout" else mixed)
        s = unit(s, y, c)
        steps.append(BahdanauStep(e, alpha, c, mixed, scores, s))
    return steps


def _decoder(model: RecurrentTranslator) -> AdditiveDecoder:
    if not isinstance(model.decoder, AdditiveDecoder):
        raise TypeError("this is not the decoder of Bahdanau et al.")
    return model.decoder
