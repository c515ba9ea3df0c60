"""The cells that a recurrent network may be made of, each chosen by its kind.

A recipe writes `cell = "lstm"`, or a table where a habit of the cell is to differ:

    [model.cell]
    kind = "lstm"
    forget_gate = false
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from dragoman.config.settings import Settings


class RnnCell(Settings):
    """The plain recurrent cell (Elman 1990): one layer that sees its own last state."""

    kind: Literal["rnn"] = "rnn"

    activation: Literal["tanh", "relu", "sigmoid"] = "tanh"
    """The function φ that bends the sum of input and state."""

    state: Literal["after", "before"] = "after"
    """Keep the state after the activation, h = φ(Ux + Wh), or before it, h = Ux + Wφ(h)."""


class GruCell(Settings):
    """A state with a reset and an update gate (Cho et al. 2014)."""

    kind: Literal["gru"] = "gru"

    reset: Literal["after", "before"] = "after"
    """Reset what the matrix has made of the state, r∘(Uh), as the fast kernels do, or the state
    itself, U(r∘h), as in the paper."""


class SimpleGruCell(Settings):
    """A state with an update gate and no other."""

    kind: Literal["gru-update"] = "gru-update"


class LstmCell(Settings):
    """A memory behind gates (Hochreiter & Schmidhuber 1997)."""

    kind: Literal["lstm"] = "lstm"

    forget_gate: bool = True
    """Let the memory forget (Gers et al. 2000); the cell of 1997 only adds to it."""

    output_tanh: bool = True
    """Show the memory bent by tanh, h = o∘tanh(c), or as it is, h = o∘c, without a bound."""


def _by_name(value: object) -> object:
    return {"kind": value} if isinstance(value, str) else value


CellSettings = Annotated[
    Annotated[RnnCell | GruCell | SimpleGruCell | LstmCell, Field(discriminator="kind")],
    BeforeValidator(_by_name),
]
"""Any cell; its name alone stands for the cell with its usual habits."""
