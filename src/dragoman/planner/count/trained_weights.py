"""Trainable weights by name: which of a network's weights a run that starts from another trains."""

from collections.abc import Sequence

from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart, StartSettings

ROLES = {"embeddings": "embedding", "norms": "norm"}
"""Words of `start.trainable` that mean all weights of one role."""


class TrainedWeights:
    """Says of each weight whether it is trained; `new` names parts that always are."""

    def __init__(self, start: StartSettings | None, new: Sequence[str] = ()) -> None:
        self.start = start
        self.all = start is None or isinstance(start, FullStart)
        named = start.trainable if isinstance(start, FrozenStart | LoraStart | PrefixStart) else ()
        self.names = (*named, *new)

    def __call__(self, names: Sequence[str], role: str, *, last_layer: bool) -> bool:
        """Judge a weight by the names it has in the network, its role and its layer."""
        return self.all or last_layer or any(self._named(name, role) for name in names)

    def is_last_layer(self, from_end: int) -> bool:
        """Say whether a layer, numbered from the end of its stack, is trained as such."""
        last = self.start.last_layers if isinstance(self.start, FrozenStart) else 0
        return 0 < from_end <= last

    def _named(self, name: str, role: str) -> bool:
        bias = name.rpartition(".")[2].startswith("bias")
        return any(
            wanted == name
            or name.startswith(f"{wanted}.")
            or ROLES.get(wanted) == role
            or (wanted == "biases" and bias)
            for wanted in self.names
        )
