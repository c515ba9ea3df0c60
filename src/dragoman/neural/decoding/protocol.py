"""What a search needs of a model, and what it gives back.

A model that can begin, take one step and reorder its rows can be searched, whatever it is made of:
the state is its own affair (keys and values, a hidden vector, the prefix itself).
"""

from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

State = TypeVar("State")


@runtime_checkable
class NextToken(Protocol[State]):
    """A model that tells how likely each token is to come next."""

    def begin(self, source: Int[Tensor, "b s"]) -> State:
        """Read the padded sources; the state has one row for each."""
        ...

    def step(self, tokens: Int[Tensor, " n"], state: State) -> tuple[Float[Tensor, "n v"], State]:
        """Append one token to each row; return the log-probabilities of the token after it."""
        ...

    def reorder(self, state: State, rows: Int[Tensor, " m"]) -> State:
        """Make a state of the named rows, in that order; rows may repeat or be left out."""
        ...


@runtime_checkable
class Bounded(Protocol):
    """A model that knows only so many positions."""

    def room(self, source: Int[Tensor, "b s"]) -> Int[Tensor, " b"] | None:
        """Return how many steps may follow each source, or None where there is no limit."""
        ...


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One output the search has come to."""

    tokens: tuple[int, ...]
    """The tokens, without START and without END."""

    log_probability: float
    """Sum over the tokens, END included if it came."""

    score: float
    """The log-probability divided by length ** length_penalty; END counts in the length."""

    finished: bool
    """Whether it ended with END; otherwise it was cut at the longest length."""
