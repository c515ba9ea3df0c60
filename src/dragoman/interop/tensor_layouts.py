"""Tensor layouts of other libraries, and the way back; each layout undoes itself."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from dragoman.core.errors import ShapeError


class TensorLayout(ABC):
    """From one tensor of theirs to one or more of ours, and back."""

    @abstractmethod
    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Return our tensors."""

    @abstractmethod
    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Return their tensor."""


@dataclass(frozen=True)
class Scaled(TensorLayout):
    """The same numbers times a factor."""

    factor: float = 1.0

    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Multiply; a factor of one leaves every bit as it is."""
        return (theirs if self.factor == 1.0 else theirs * self.factor,)

    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Divide."""
        (one,) = ours
        return one if self.factor == 1.0 else one / self.factor


SAME = Scaled()


@dataclass(frozen=True)
class Transposed(TensorLayout):
    """A matrix whose rows are our columns."""

    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Turn."""
        return (_turned(theirs),)

    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Turn back."""
        (one,) = ours
        return _turned(one)


@dataclass(frozen=True)
class Concatenated(TensorLayout):
    """Several of ours in one, as many rows of each; GPT-2 keeps it turned besides."""

    count: int
    turned: bool = False

    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Take apart."""
        whole = _turned(theirs) if self.turned else theirs
        return tuple(torch.tensor_split(whole, self.count))

    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Put together."""
        whole = torch.cat(list(ours))
        return _turned(whole) if self.turned else whole


@dataclass(frozen=True)
class RotaryPairs(TensorLayout):
    """A head's rows in the order of llama.cpp: the two of each rotary pair side by side.

    We keep the first ones of all pairs, then the second ones, as transformers does.
    """

    heads: int

    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Lay the pairs apart."""
        return (self._swapped(theirs, self._half(theirs), 2),)

    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Lay the pairs together."""
        (one,) = ours
        return self._swapped(one, 2, self._half(one))

    def _half(self, matrix: Tensor) -> int:
        half, left = divmod(matrix.shape[0] if matrix.dim() else 0, 2 * self.heads)
        if left or not half:
            raise ShapeError(f"{list(matrix.shape)} does not hold pairs for {self.heads} heads")
        return half

    def _swapped(self, matrix: Tensor, outer: int, inner: int) -> Tensor:
        apart = matrix.reshape(self.heads, outer, inner, *matrix.shape[1:])
        return apart.transpose(1, 2).reshape(matrix.shape)


@dataclass(frozen=True)
class Repeated(TensorLayout):
    """One tensor of theirs that we keep several times."""

    count: int
    way: TensorLayout = SAME

    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Repeat."""
        (one,) = self.way.to_ours(theirs)
        return tuple(one.clone() for _ in range(self.count))

    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Take one of them, if all are alike."""
        first, *others = ours
        if not all(first.equal(other) for other in others):
            raise ShapeError("holds different numbers in what is one tensor there")
        return self.way.to_theirs((first,))


@dataclass(frozen=True)
class ReversedRows(TensorLayout):
    """The rows in reverse: two answers that are told in the other order."""

    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Reverse."""
        return (theirs.flip(0),)

    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Reverse."""
        (one,) = ours
        return one.flip(0)


@dataclass(frozen=True)
class WithoutFirst(TensorLayout):
    """All rows but the first few, which are never used; going back they are zero."""

    count: int

    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Leave the first rows out."""
        return (theirs[self.count :],)

    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Put zeros before."""
        (one,) = ours
        return torch.cat((one.new_zeros(self.count, *one.shape[1:]), one))


@dataclass(frozen=True)
class OneRow(TensorLayout):
    """A vector that they keep as a matrix of one row."""

    def to_ours(self, theirs: Tensor) -> tuple[Tensor, ...]:
        """Take the row."""
        if theirs.dim() != 2 or len(theirs) != 1:
            raise ShapeError(f"{list(theirs.shape)} is no matrix of one row")
        return (theirs[0],)

    def to_theirs(self, ours: Sequence[Tensor]) -> Tensor:
        """Make it a row."""
        (one,) = ours
        return one.unsqueeze(0)


def _turned(matrix: Tensor) -> Tensor:
    if matrix.dim() != 2:
        raise ShapeError(f"{list(matrix.shape)} is no matrix that could be turned")
    return matrix.T
