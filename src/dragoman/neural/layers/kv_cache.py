"""The KV cache of one attention layer while decoding: keys and values of what has been written.

Buffers grow in blocks of positions, so that one more position is written where it belongs and
nothing that is there already is copied. Rows that are picked anew, as a beam's, are copied once.

A cache never changes: where two continuations of it exist, the first takes the rest of the buffer
and the second gets a buffer of its own.

Caches of different length can be joined. What a row has seen then stands first, and the gap after
it holds zeros, which are masked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

BLOCK = 32
"""Positions by which a buffer grows."""

KeysValues = tuple[Float[Tensor, "b g s k"], Float[Tensor, "b g s w"]]
"""Keys and values of s positions."""

AnyKeysValues = tuple[Float[Tensor, "_ g _ k"], Float[Tensor, "_ g _ w"]]
"""Keys and values of any rows and positions."""


@dataclass(slots=True)
class CacheBuffer:
    """Memory for keys and values, of which the first positions are used."""

    keys: Float[Tensor, "b g r k"]
    values: Float[Tensor, "b g r w"]
    used: int


@dataclass(frozen=True, slots=True)
class KVCache:
    """The KV cache: the first positions of a buffer."""

    buffer: CacheBuffer
    length: int

    @classmethod
    def of(cls, keys_values: KeysValues) -> "KVCache":
        """Start a cache from keys and values."""
        keys, values = keys_values
        return cls(CacheBuffer(keys, values, keys.shape[2]), keys.shape[2])

    @property
    def keys_values(self) -> KeysValues:
        """The keys and values to attend to."""
        return self.buffer.keys[:, :, : self.length], self.buffer.values[:, :, : self.length]

    def extend(self, rows: Int[Tensor, " m"] | None, new: KeysValues) -> "KVCache":
        """Return the cache of the named rows, or of all, with the new positions appended."""
        buffer, place = self.buffer, self.length
        end = place + new[0].shape[2]
        if rows is not None or buffer.used > place or buffer.keys.shape[2] < end:
            buffer = self._copy_rows(rows, end - 1)
        buffer.keys[:, :, place:end] = new[0]
        buffer.values[:, :, place:end] = new[1]
        buffer.used = end
        return KVCache(buffer, end)

    def gather(self, rows: Int[Tensor, " m"] | None, columns: Int[Tensor, "m s"]) -> KeysValues:
        """Return the keys and values that stand at these columns of each of the named rows."""
        keys, values = (_gather(part, rows, columns) for part in self.keys_values)
        return keys, values

    def _copy_rows(self, rows: Int[Tensor, " m"] | None, last: int) -> CacheBuffer:
        """Copy the rows to a buffer of their own, with space for more."""
        keys, values = (
            _copy(old, rows, self.length, last) for old in (self.buffer.keys, self.buffer.values)
        )
        return CacheBuffer(keys, values, self.length)


def join_caches(parts: Sequence[AnyKeysValues], length: int) -> KVCache:
    """Join the rows of several caches, all padded to one length, with space for more."""
    keys, values = (_join([part[which] for part in parts], length) for which in (0, 1))
    return KVCache(CacheBuffer(keys, values, length), length)


def _join(parts: Sequence[Tensor], length: int) -> Tensor:
    first, count = parts[0], sum(map(len, parts))
    whole = first.new_zeros(count, first.shape[1], _buffer_length(length), first.shape[3])
    begin = 0
    for part in parts:
        whole[begin : begin + len(part), :, : part.shape[2]] = part
        begin += len(part)
    return whole


def _gather(part: Tensor, rows: Tensor | None, columns: Tensor) -> Tensor:
    own = part if rows is None else part[rows]
    wanted = columns[:, None, :, None].expand(-1, own.shape[1], -1, own.shape[3])
    return own.gather(2, wanted)


def _buffer_length(last: int) -> int:
    return (last // BLOCK + 1) * BLOCK


def _copy(old: Tensor, rows: Tensor | None, length: int, last: int) -> Tensor:
    count = len(old) if rows is None else len(rows)
    buffer = _buffer_length(last)
    copy = old.new_empty(count, old.shape[1], buffer, old.shape[3])
    if rows is None:
        copy[:, :, :length] = old[:, :, :length]
    else:
        torch.index_select(old[:, :, :length], 0, rows, out=copy[:, :, :length])
    return copy
