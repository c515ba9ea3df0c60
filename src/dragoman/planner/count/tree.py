"""The tree of counts: parameters, FLOPs and activation memory of each part of a network.

A FLOP is a multiplication or an addition of a matrix product, a convolution or attention, so that
one multiplication with its addition is two, as torch's own counter has it. Norms, activations,
softmax and additions of vectors are not counted. The backward pass makes one product of the same
size for the gradient of what a layer reads, and one for that of its weights, where they are wanted.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """Parameters, FLOPs and memory of a part of a network for one training step."""

    parameters: int = 0
    trained: int = 0
    """Parameters that training changes; fewer than all where some are frozen."""
    forward: int = 0
    """FLOPs of the forward pass."""
    backward: int = 0
    """FLOPs of the backward pass."""
    activations: int = 0
    """Bytes that the forward pass keeps for the backward pass."""
    workspace: int = 0
    """Bytes that a part needs besides while it runs; of several parts, the most."""

    @property
    def multiplications(self) -> int:
        """Multiplications of the forward pass: half of its FLOPs."""
        return self.forward // 2

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.parameters + other.parameters,
            self.trained + other.trained,
            self.forward + other.forward,
            self.backward + other.backward,
            self.activations + other.activations,
            max(self.workspace, other.workspace),
        )


@dataclass(frozen=True, slots=True)
class CountNode:
    """One part of a network with its counts, and the parts that it is made of."""

    name: str
    """The part's name inside the part around it, as in the network."""
    kind: str
    own: Cost
    """What is counted here and not in a part below."""
    parts: tuple["CountNode", ...] = ()
    shape: tuple[int, ...] = ()
    """Shape of the result for a whole batch; empty for parts that are made of others."""
    note: str = ""

    @property
    def total(self) -> Cost:
        """The counts of this part and of all below it."""
        total = self.own
        for part in self.parts:
            total = total + part.total
        return total

    def leaves(self, prefix: str = "") -> Iterator[tuple[str, "CountNode"]]:
        """Yield the parts that are not made of others, in the order of the forward pass."""
        path = f"{prefix}.{self.name}".lstrip(".")
        if not self.parts:
            yield path, self
        for part in self.parts:
            yield from part.leaves(path)

    def find(self, path: str) -> "CountNode":
        """Return the part of a name with dots, as `decoder.0.attention`."""
        for part in self.parts:
            if part.name == path:
                return part
            if path.startswith(f"{part.name}."):
                return part.find(path.removeprefix(f"{part.name}."))
        raise KeyError(f"{self.name or 'the network'} has no part {path!r}.")
