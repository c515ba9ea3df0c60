"""The KV cache of one attention layer while decoding: keys and values of what has been written.

Room is taken in blocks of positions, so that one more position is written where it belongs and
nothing that is there already is copied. Rows that are picked anew, as a beam's, are copied once.

A past never changes: where two ways on from it exist, the first takes the room and the second gets
room of its own.

Pasts of different length can be put side by side. What a row has seen then stands first, and the
gap after it holds zeros, which nobody sees.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

BLOCK = 32
"""Positions that room is taken for at once."""

Offered = tuple[Float[Tensor, "b g n k"], Float[Tensor, "b g n w"]]
"""Keys and values of n positions."""

AnyOffered = tuple[Float[Tensor, "_ g _ k"], Float[Tensor, "_ g _ w"]]
"""Keys and values of any rows and positions."""


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
        """Return the past of the named rows, or of all, with the new positions after it."""
        room, place = self.room, self.length
        end = place + new[0].shape[2]
        if rows is not None or room.taken > place or room.keys.shape[2] < end:
            room = self._moved(rows, end - 1)
        room.keys[:, :, place:end] = new[0]
        room.values[:, :, place:end] = new[1]
        room.taken = end
        return Past(room, end)

    def picked(self, rows: Int[Tensor, " m"] | None, columns: Int[Tensor, "m n"]) -> Offered:
        """Return the keys and values that stand at these columns of each of the named rows."""
        keys, values = (_picked(part, rows, columns) for part in self.offered)
        return keys, values

    def _moved(self, rows: Int[Tensor, " m"] | None, last: int) -> Room:
        """Copy the rows to a room of their own, with place for more."""
        keys, values = (
            _copied(old, rows, self.length, last) for old in (self.room.keys, self.room.values)
        )
        return Room(keys, values, self.length)


def side_by_side(parts: Sequence[AnyOffered], length: int) -> Past:
    """Make one past of the rows of several, all filled up to one length, with place for more."""
    keys, values = (_beside([part[which] for part in parts], length) for which in (0, 1))
    return Past(Room(keys, values, length), length)


def _beside(parts: Sequence[Tensor], length: int) -> Tensor:
    first, count = parts[0], sum(map(len, parts))
    whole = first.new_zeros(count, first.shape[1], _room_for(length), first.shape[3])
    begin = 0
    for part in parts:
        whole[begin : begin + len(part), :, : part.shape[2]] = part
        begin += len(part)
    return whole


def _picked(part: Tensor, rows: Tensor | None, columns: Tensor) -> Tensor:
    own = part if rows is None else part[rows]
    wanted = columns[:, None, :, None].expand(-1, own.shape[1], -1, own.shape[3])
    return own.gather(2, wanted)


def _room_for(last: int) -> int:
    return (last // BLOCK + 1) * BLOCK


def _copied(old: Tensor, rows: Tensor | None, length: int, last: int) -> Tensor:
    count = len(old) if rows is None else len(rows)
    room = _room_for(last)
    copy = old.new_empty(count, old.shape[1], room, old.shape[3])
    if rows is None:
        copy[:, :, :length] = old[:, :, :length]
    else:
        torch.index_select(old[:, :, :length], 0, rows, out=copy[:, :, :length])
    return copy
