"""The past of one attention layer while decoding: keys and values of what has been written.

Room is taken in blocks of positions, so that one more position is written where it belongs and
nothing that is there already is copied. Rows that are picked anew, as a beam's, are copied once.

A past never changes: where two ways on from it exist, the first takes the room and the second gets
room of its own.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

BLOCK = 32
"""Positions that room is taken for at once."""

Offered = tuple[Float[Tensor, "b g n k"], Float[Tensor, "b g n w"]]
"""Keys and values of n positions."""


@dataclass(slots=True)
class Room:
    """Memory for keys and values, of which the first positions are taken."""

    keys: Float[Tensor, "b g r k"]
    values: Float[Tensor, "b g r w"]
    taken: int


@dataclass(frozen=True, slots=True)
class Past:
    """The first positions of a room."""

    room: Room
    length: int

    @classmethod
    def of(cls, offered: Offered) -> "Past":
        """Begin with keys and values that are there already."""
        keys, values = offered
        return cls(Room(keys, values, keys.shape[2]), keys.shape[2])

    @property
    def offered(self) -> Offered:
        """What may be looked at."""
        return self.room.keys[:, :, : self.length], self.room.values[:, :, : self.length]

    def grown(self, rows: Int[Tensor, " m"] | None, new: Offered) -> "Past":
        """Return the past of the named rows, or of all, with one more position."""
        room, place = self.room, self.length
        if rows is not None or room.taken > place or room.keys.shape[2] == place:
            room = self._moved(rows)
        room.keys[:, :, place : place + 1] = new[0]
        room.values[:, :, place : place + 1] = new[1]
        room.taken = place + 1
        return Past(room, place + 1)

    def _moved(self, rows: Int[Tensor, " m"] | None) -> Room:
        """Copy the rows to a room of their own, with place for more."""
        keys, values = (
            _copied(old, rows, self.length) for old in (self.room.keys, self.room.values)
        )
        return Room(keys, values, self.length)


def _copied(old: Tensor, rows: Tensor | None, length: int) -> Tensor:
    count = len(old) if rows is None else len(rows)
    room = (length // BLOCK + 1) * BLOCK
    copy = old.new_empty(count, old.shape[1], room, old.shape[3])
    if rows is None:
        copy[:, :, :length] = old[:, :, :length]
    else:
        torch.index_select(old[:, :, :length], 0, rows, out=copy[:, :, :length])
    return copy
