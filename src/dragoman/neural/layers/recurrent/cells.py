"""One position of each recurrent cell, as its equations.

x is the input, h the state before and after, σ the logistic function, ∘ the product of elements.
Each equation's U and W, its matrices for x and h, lie gate above gate in one weight, named and
ordered as in torch's own layers, so that the same weights serve torch's kernels:

    weight_ih [g i]   weight_hh [g d]   bias_ih, bias_hh [g]      g = gates · d, i = width of x

[U W] times x and h put one below the other is the same sum, as some books write it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, assert_never

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.cells import CellSettings, GruCell, LstmCell, RnnCell, SimpleGruCell

Parts = tuple[Tensor, ...]
"""The state of one cell: (h,) or (h, c), each [b d]."""

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": torch.tanh,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
}


class RecurrentCell(nn.Module, ABC):
    """The weights of a cell, and the part of its work that does not wait for the state."""

    parts: ClassVar[int] = 1
    """Vectors that the state is made of."""

    def __init__(self, input_width: int, width: int, gates: int) -> None:
        super().__init__()
        self.width = width
        self.gates = gates
        self.weight_ih = nn.Parameter(torch.empty(gates * width, input_width))
        self.weight_hh = nn.Parameter(torch.empty(gates * width, width))
        self.bias_ih = nn.Parameter(torch.zeros(gates * width))
        self.bias_hh = nn.Parameter(torch.zeros(gates * width))

    def project(self, x: Float[Tensor, "*n i"]) -> Float[Tensor, "*n g"]:
        """Return what the inputs of any number of positions add to the gates: Ux + b."""
        return F.linear(x, self.weight_ih, self.bias_ih + self.bias_hh)

    def step(self, projected: Float[Tensor, "b g"], state: Parts) -> tuple[Tensor, Parts]:
        """Return the output of one position and the state after it."""
        return self.advance(projected, state, self.matrices())

    def matrices(self) -> tuple[Tensor, ...]:
        """Return the recurrent matrices as `advance` wants them; a loop asks for them once."""
        return (self.weight_hh.t(),)

    @abstractmethod
    def advance(
        self, projected: Float[Tensor, "b g"], state: Parts, matrices: tuple[Tensor, ...]
    ) -> tuple[Float[Tensor, "b d"], Parts]:
        """Return the output of one position and the state after it: the equations."""


class Rnn(RecurrentCell):
    """h = φ(Ux + Wh + b), the output being h."""

    def __init__(self, input_width: int, width: int, activation: str) -> None:
        super().__init__(input_width, width, gates=1)
        self.activation = activation

    def advance(
        self, projected: Float[Tensor, "b g"], state: Parts, matrices: tuple[Tensor, ...]
    ) -> tuple[Float[Tensor, "b d"], Parts]:
        """Return the output of one position and the state after it."""
        (h,), (w,) = state, matrices
        h = ACTIVATIONS[self.activation](torch.addmm(projected, h, w))
        return h, (h,)


class RnnBefore(RecurrentCell):
    """h = Ux + Wφ(h) + b, the output being φ(h): the state before its activation.

    Its outputs are those of `Rnn` with the same weights if that begins from φ(h) instead of h;
    with a logistic φ the two differ when both begin from zeros, as φ(0) is ½.
    """

    def __init__(self, input_width: int, width: int, activation: str) -> None:
        super().__init__(input_width, width, gates=1)
        self.activation = activation

    def advance(
        self, projected: Float[Tensor, "b g"], state: Parts, matrices: tuple[Tensor, ...]
    ) -> tuple[Float[Tensor, "b d"], Parts]:
        """Return the output of one position and the state after it."""
        (h,), (w,) = state, matrices
        activation = ACTIVATIONS[self.activation]
        h = torch.addmm(projected, activation(h), w)
        return activation(h), (h,)


class Gru(RecurrentCell):
    """r, z = σ(Ux + Wh + b);  n = tanh(Ux + b + r∘(Wh + b'));  h = (1 − z)∘n + z∘h.

    z is the share of the old state that stays, as in torch; where a text writes
    h = (1 − z)∘h + z∘n, its z is our 1 − z, and its weights of z are ours with the sign changed.
    """

    def __init__(self, input_width: int, width: int) -> None:
        super().__init__(input_width, width, gates=3)

    def project(self, x: Float[Tensor, "*n i"]) -> Float[Tensor, "*n g"]:
        """Return Ux + b; the other bias stands behind the reset gate."""
        return F.linear(x, self.weight_ih, self.bias_ih)

    def advance(
        self, projected: Float[Tensor, "b g"], state: Parts, matrices: tuple[Tensor, ...]
    ) -> tuple[Float[Tensor, "b d"], Parts]:
        """Return the output of one position and the state after it."""
        (h,), (w,) = state, matrices
        x_gates, x_new = projected.split((2 * self.width, self.width), dim=1)
        h_gates, h_new = torch.addmm(self.bias_hh, h, w).split((2 * self.width, self.width), dim=1)
        r, z = torch.sigmoid(x_gates + h_gates).chunk(2, dim=1)
        n = torch.tanh(torch.addcmul(x_new, r, h_new))
        h = torch.lerp(n, h, z)
        return h, (h,)


class GruBefore(RecurrentCell):
    """r, z = σ(Ux + Wh + b);  n = tanh(Ux + W(r∘h) + b);  h = (1 − z)∘n + z∘h.

    The state is reset before its matrix (Cho et al. 2014); z is as in `Gru`.
    """

    def __init__(self, input_width: int, width: int) -> None:
        super().__init__(input_width, width, gates=3)

    def matrices(self) -> tuple[Tensor, ...]:
        """Return the matrix of both gates and that of the new state."""
        gates, new = self.weight_hh.split((2 * self.width, self.width))
        return gates.t(), new.t()

    def advance(
        self, projected: Float[Tensor, "b g"], state: Parts, matrices: tuple[Tensor, ...]
    ) -> tuple[Float[Tensor, "b d"], Parts]:
        """Return the output of one position and the state after it."""
        (h,), (w_gates, w_new) = state, matrices
        x_gates, x_new = projected.split((2 * self.width, self.width), dim=1)
        r, z = torch.sigmoid(torch.addmm(x_gates, h, w_gates)).chunk(2, dim=1)
        n = torch.tanh(torch.addmm(x_new, r * h, w_new))
        h = torch.lerp(n, h, z)
        return h, (h,)


class SimpleGru(RecurrentCell):
    """u = σ(Ux + Wh + b);  n = tanh(Ux + Wh + b);  h = u∘n + (1 − u)∘h.

    u is the share that is new, as the texts on this cell have it: the opposite of z in `Gru`.
    """

    def __init__(self, input_width: int, width: int) -> None:
        super().__init__(input_width, width, gates=2)

    def advance(
        self, projected: Float[Tensor, "b g"], state: Parts, matrices: tuple[Tensor, ...]
    ) -> tuple[Float[Tensor, "b d"], Parts]:
        """Return the output of one position and the state after it."""
        (h,), (w,) = state, matrices
        u, n = torch.addmm(projected, h, w).chunk(2, dim=1)
        h = torch.lerp(h, torch.tanh(n), torch.sigmoid(u))
        return h, (h,)


class Lstm(RecurrentCell):
    """i, f, o = σ(Ux + Wh + b);  g = tanh(Ux + Wh + b);  c = f∘c + i∘g;  h = o∘tanh(c).

    Without the forget gate, c = c + i∘g, and the blocks are i, g, o. Without the last tanh,
    h = o∘c, which has no bound.
    """

    parts = 2

    def __init__(
        self, input_width: int, width: int, *, forget_gate: bool = True, output_tanh: bool = True
    ) -> None:
        super().__init__(input_width, width, gates=4 if forget_gate else 3)
        self.forget_gate = forget_gate
        self.output_tanh = output_tanh

    def advance(
        self, projected: Float[Tensor, "b g"], state: Parts, matrices: tuple[Tensor, ...]
    ) -> tuple[Float[Tensor, "b d"], Parts]:
        """Return the output of one position and the state after it."""
        (h, c), (w,) = state, matrices
        i, *f, g, o = torch.addmm(projected, h, w).chunk(self.gates, dim=1)
        kept = torch.sigmoid(f[0]) * c if self.forget_gate else c
        c = torch.addcmul(kept, torch.sigmoid(i), torch.tanh(g))
        h = torch.sigmoid(o) * (torch.tanh(c) if self.output_tanh else c)
        return h, (h, c)


def build_cell(settings: CellSettings, input_width: int, width: int) -> RecurrentCell:
    """Return the cell that the settings describe, its matrices still to be drawn."""
    match settings:
        case RnnCell():
            rnn = Rnn if settings.state == "after" else RnnBefore
            return rnn(input_width, width, settings.activation)
        case GruCell():
            return (Gru if settings.reset == "after" else GruBefore)(input_width, width)
        case SimpleGruCell():
            return SimpleGru(input_width, width)
        case LstmCell():
            return Lstm(
                input_width,
                width,
                forget_gate=settings.forget_gate,
                output_tanh=settings.output_tanh,
            )
        case _:
            assert_never(settings)
