"""Protocols of decoding: what a search needs of a model, and what it gives back.

A model that can begin, take one step and reorder its rows can be searched, whatever it is made of:
the state is its own affair (keys and values, a hidden vector, the prefix itself).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

State = TypeVar("State")
Handle = TypeVar("Handle", contravariant=True)
Output = TypeVar("Output", covariant=True)


@runtime_checkable
class Incremental(Protocol[State]):
    """A model of incremental decoding: one token a step, one row for each output."""

    def step(self, tokens: Int[Tensor, " n"], state: State) -> tuple[Float[Tensor, "n v"], State]:
        """Append one token to each row; return the log-probabilities of the token after it."""

    def reorder(self, state: State, rows: Int[Tensor, " m"]) -> State:
        """Make a state of the named rows, in that order; rows may repeat or be left out."""


@runtime_checkable
class NextToken(Incremental[State], Protocol[State]):
    """A model that tells how likely each token is to come next."""

    def begin(self, source: Int[Tensor, "b s"]) -> State:
        """Read the padded sources; the state has one row for each."""


@runtime_checkable
class Joinable(Incremental[State], Protocol[State]):
    """A model whose rows share a step with others that began earlier, for continuous batching.

    What comes next in a row is the same alone and beside others, but for the last digits.
    """

    def join(self, states: Sequence[State]) -> State:
        """Make one state of the rows of several, in that order."""


@runtime_checkable
class JoinableTranslator(NextToken[State], Joinable[State], Protocol[State]):
    """A translator for continuous batching; joined states have as many rows for each source."""


@runtime_checkable
class JoinableLanguageModel(Joinable[State], Protocol[State]):
    """A language model for continuous batching: prompts are read (prefill) before rows join."""

    def go_on_from(self, prompt: Int[Tensor, "b n"], lengths: Int[Tensor, " b"]) -> State:
        """Read the tokens of each row but its last, which the first step is to be given."""

    def read_on(
        self, tokens: Int[Tensor, "b n"], state: State
    ) -> tuple[Float[Tensor, "b n d"], State]:
        """Read a further portion of each row, as long in all; return also its last states."""


class ContinuousBatch(Protocol[Handle, Output]):
    """A batch that requests join and leave between any two steps (continuous batching).

    Each kind has its own `add`, which takes requests and returns their handles.
    """

    def step(self) -> Output:
        """Take one step with every request; return what it brought."""

    def remove(self, handles: Iterable[Handle]) -> None:
        """Drop requests before they are finished."""

    def clear(self) -> None:
        """Drop all requests, after a step that failed."""


@runtime_checkable
class Bounded(Protocol):
    """A model that knows only so many positions."""

    def room(self, source: Int[Tensor, "b s"]) -> Int[Tensor, " b"] | None:
        """Return how many steps may follow each source, or None where there is no limit."""


@runtime_checkable
class AttentionTracking(Protocol[State]):
    """A model that can tell what in the source it has attended to."""

    def track_attention(self, state: State) -> State | None:
        """Return a state whose steps keep attention weights; None where there is no attention."""

    def last_attention(self, state: State) -> Float[Tensor, "n s"]:
        """Return how much the last step of such a state attended to each source position.

        Padding, which nobody needs to attend to, has 1.
        """


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One output the search has come to."""

    tokens: tuple[int, ...]
    """The tokens, without START and without END."""

    log_probability: float
    """Sum over the tokens, END included if it came: the model's own, whatever the search adds."""

    score: float
    """The log-probability divided by length ** length_penalty; END counts in the length. A penalty
    of coverage, where there is one, is added to it."""

    finished: bool
    """Whether it ended with END; otherwise it was cut at the longest length."""

    unmet: int = 0
    """How many of the constraints it does not meet: it was cut, or its sentence had ended."""
