"""Layers that are fed, beside each word, what only the step before it has brought forth."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.recurrent.cells import (
    GruBefore,
    Lstm,
    Parts,
    RecurrentCell,
    Rnn,
    SimpleGru,
)
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.layers.recurrent.state import RecurrentState
from dragoman.neural.models.recurrent.decoder import decoder_stack
from dragoman.neural.models.recurrent.late import Late


class FedStack(nn.Module):
    """A decoder's layers on [word; fed]."""

    def __init__(self, settings: RecurrentSettings, fed_width: int) -> None:
        super().__init__()
        self.layers = decoder_stack(settings, settings.word_width + fed_width)

    def step(
        self, words: Float[Tensor, "n m"], fed: Float[Tensor, "n f"], state: RecurrentState
    ) -> tuple[Float[Tensor, "n d"], RecurrentState]:
        """Read one more position of each row; return its output and the state after it."""
        return self.layers.step(torch.cat((words, fed), dim=1), state)

    def along(self, words: Float[Tensor, "b t m"], state: RecurrentState) -> "Along":
        """Make ready to read words that are all known, one position after the other."""
        return Along(self.layers, words, state)


class Along:
    """One pass along known words: `step` again, with all that can be done for all positions done.

    What the words add to the first cell is one product, and so are the gradients of its matrices.
    """

    def __init__(
        self, stack: RecurrentStack, words: Float[Tensor, "b t m"], state: RecurrentState
    ) -> None:
        self.stack = stack
        self.cells = [cell for cell in stack.cells if isinstance(cell, RecurrentCell)]
        self.matrices = [cell.matrices() for cell in self.cells]
        self.parts: list[Parts] = [
            tuple(part[number] for part in state.parts) for number in range(len(self.cells))
        ]
        cell, known = self.cells[0], words.shape[2]
        weight = cell.weight_ih
        bias = cell.project(weight.new_zeros(weight.shape[1]))
        inputs = F.linear(words.transpose(0, 1), weight[:, :known], bias)  # t b g
        self.fed = Late(weight[:, known:])
        inputs = self.fed.prepare(inputs)
        self.recurrent = late_matrix(cell)
        if self.recurrent is not None:
            self.matrices[0] = (self.recurrent.matrix, *self.matrices[0][1:])
            inputs = self.recurrent.prepare(inputs)
        self.inputs = inputs.unbind()

    @property
    def top(self) -> Float[Tensor, "b d"]:
        """The present state of the last layer."""
        return self.parts[-1][0]

    def step(self, position: int, fed: Float[Tensor, "b f"]) -> Float[Tensor, "b d"]:
        """Read the word at a position; return the output."""
        self.fed.meet(fed)
        if self.recurrent is not None:
            self.recurrent.meet(self.parts[0][0])
        x = fed
        for number, cell in enumerate(self.cells):
            if number:
                projected = cell.project(self.stack.dropout(x))
            else:
                projected = torch.addmm(self.inputs[position], fed, self.fed.matrix)
            above, self.parts[number] = cell.advance(
                projected, self.parts[number], self.matrices[number]
            )
            x = x + above if self.stack.residual and number else above
        return x


def late_matrix(cell: RecurrentCell) -> Late | None:
    """Return the matrix of a cell that adds Wh to its input and does nothing else with it."""
    match cell:
        case Lstm() | Rnn() | SimpleGru():
            return Late(cell.weight_hh)
        case GruBefore():  # the gates; the new state is made from r∘h
            return Late(cell.weight_hh[: 2 * cell.width])
        case _:
            return None
