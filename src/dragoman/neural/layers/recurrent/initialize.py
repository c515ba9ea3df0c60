"""The first weights of recurrent cells."""

import torch
from torch import nn

from dragoman.neural.layers.recurrent.cells import Lstm, RecurrentCell

FORGET = 1.0
"""First bias of an LSTM's forget gate: σ(1) ≈ 0.73 of the memory stays, so that gradients reach
back from the first step on (Gers et al. 2000; Jozefowicz et al. 2015)."""


@torch.no_grad()
def initialize_cells(module: nn.Module) -> None:
    """Draw the matrices of every cell in a module, gate by gate.

    Matrices of the input are Xavier-uniform; those of the state are orthogonal (Saxe et al. 2014),
    as they are applied over and over and must neither stretch nor shrink. Biases are 0 but for the
    forget gate's.
    """
    for cell in module.modules():
        if not isinstance(cell, RecurrentCell):
            continue
        for block in cell.weight_ih.chunk(cell.gates):
            nn.init.xavier_uniform_(block)
        for block in cell.weight_hh.chunk(cell.gates):
            nn.init.orthogonal_(block)
        cell.bias_ih.zero_()
        cell.bias_hh.zero_()
        if isinstance(cell, Lstm) and cell.forget_gate:
            cell.bias_ih.chunk(cell.gates)[1].fill_(FORGET)
