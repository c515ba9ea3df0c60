"""Tensor tables: which tensor of theirs is which of ours, and the account of all of them.

A table is a list of rows (their name, our name, the way between), written once for all layers with
`{n}` for the layer's number. Every tensor of a checkpoint must have its row, and every row its
tensor: what is left over on either side is an error, unless it is allowed by name.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from dragoman.core.errors import CheckpointError
from dragoman.interop.tensor_layouts import SAME, TensorLayout


@dataclass(frozen=True)
class TensorRow:
    """One tensor of theirs, and what it is here."""

    theirs: str
    ours: tuple[str, ...]
    way: TensorLayout = SAME


def row(theirs: str, ours: str | Sequence[str], way: TensorLayout = SAME) -> TensorRow:
    """Write a row; several names of ours are parts of one tensor of theirs."""
    return TensorRow(theirs, (ours,) if isinstance(ours, str) else tuple(ours), way)


def both(theirs: str, ours: str, way: TensorLayout = SAME) -> tuple[TensorRow, TensorRow]:
    """Write the rows of a weight and its bias."""
    weight, bias = (row(f"{theirs}.{part}", f"{ours}.{part}", way) for part in ("weight", "bias"))
    return weight, bias


def in_layers(rows: Iterable[TensorRow], layers: int) -> tuple[TensorRow, ...]:
    """Repeat rows for each layer's number."""
    written = tuple(rows)
    return tuple(
        TensorRow(one.theirs.format(n=n), tuple(name.format(n=n) for name in one.ours), one.way)
        for n in range(layers)
        for one in written
    )


@dataclass(frozen=True)
class TensorTable:
    """All rows of a checkpoint."""

    rows: tuple[TensorRow, ...]
    prefix: str = ""
    """What stands before a name, or not: a network was saved with a head around it, or alone."""
    bare: tuple[str, ...] = ()
    """How the names begin that never have the prefix: those of the heads."""
    renamed: tuple[tuple[str, str], ...] = ()
    """Ends of names that older files have, with what they are called now."""
    dropped: tuple[str, ...] = ()
    """Patterns of tensors that are no weights (masks, counted positions), and are left out."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """Tensors that repeat another, where weights are tied; they must be equal to it."""

    def plain(self, stored: str) -> str:
        """Return a stored name as the rows have it."""
        plain = stored.removeprefix(self.prefix)
        for old, new in self.renamed:
            if plain.endswith(old):
                return plain.removesuffix(old) + new
        return plain

    def full(self, plain: str) -> str:
        """Return a name as a network with a head around it stores it."""
        return plain if plain.startswith(self.bare) else self.prefix + plain


@dataclass(frozen=True)
class AllowedNames:
    """Names that may be missing or left over; `*` stands for anything."""

    missing: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


NOTHING = AllowedNames()


@dataclass(frozen=True)
class Account:
    """The account of every tensor: found, copied, missing, unused or dropped."""

    found: dict[str, str]
    """The stored name of each row that has its tensor, by the row's name."""
    copies: dict[str, str]
    """Stored names of repeated tensors, with the rows' names of what they repeat."""
    missing: tuple[str, ...] = ()
    """Rows without a tensor, as allowed."""
    unused: tuple[str, ...] = ()
    """Stored names without a row, as allowed."""
    dropped: tuple[str, ...] = ()
    """Stored names of what is no weight."""


def account_for(
    stored: Iterable[str],
    table: TensorTable,
    allowed: AllowedNames = NOTHING,
    where: str = "checkpoint",
) -> Account:
    """Give every tensor its row and every row its tensor, or name all that are left over."""
    rows = {one.theirs for one in table.rows}
    found: dict[str, str] = {}
    copies: dict[str, str] = {}
    dropped: list[str] = []
    left: list[str] = []
    for name in sorted(stored):
        plain = table.plain(name)
        if plain in rows and plain not in found:
            found[plain] = name
        elif plain in table.copies:
            copies[name] = table.copies[plain]
        elif any(re.fullmatch(pattern, plain) for pattern in table.dropped):
            dropped.append(name)
        else:
            left.append(name)
    lacking = [one.theirs for one in table.rows if one.theirs not in found]
    missing, unmissed = _sorted_out(lacking, allowed.missing)
    unused, unexpected = _sorted_out(left, allowed.unused)
    _check_allowed(allowed, lacking, left, where)
    if unmissed or unexpected:
        raise CheckpointError(_told(where, unmissed, unexpected))
    return Account(found, copies, missing, unused, tuple(dropped))


def _sorted_out(names: list[str], patterns: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Return the names that are allowed, and those that are not."""
    fine = tuple(name for name in names if any(fnmatchcase(name, one) for one in patterns))
    return fine, [name for name in names if name not in fine]


def _check_allowed(allowed: AllowedNames, lacking: list[str], left: list[str], where: str) -> None:
    """Refuse a permission that nothing needs: it is a slip, or hides the next one."""
    for option, patterns, names in (
        ("--allow-missing", allowed.missing, lacking),
        ("--allow-unused", allowed.unused, left),
    ):
        for one in patterns:
            if not any(fnmatchcase(name, one) for name in names):
                raise CheckpointError(f"{where}: {option} {one} fits no such tensor. Leave it out.")


def _told(where: str, missing: list[str], unexpected: list[str]) -> str:
    parts = []
    if missing:
        parts.append(f"{len(missing)} missing: {', '.join(missing)}")
    if unexpected:
        parts.append(f"{len(unexpected)} unexpected: {', '.join(unexpected)}")
    return (
        f"{where}: not every tensor has its place ({'; '.join(parts)}). Take the checkpoint that "
        "belongs to its config.json, or allow these by name: --allow-missing NAME begins with "
        "fresh numbers, --allow-unused NAME leaves a tensor out."
    )
