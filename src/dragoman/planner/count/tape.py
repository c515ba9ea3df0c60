"""The tape: a forward pass on shapes alone, which notes parameters, FLOPs and kept activations.

Each family of networks is described once, as its forward pass; layers note on the tape what their
closed forms come to. A signal is a tensor without numbers: its shape, whether a gradient flows back
through it, and the storage that its views share, so that what two layers keep is counted once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod
from typing import Literal

from dragoman.config.start import LoraStart, Matrix, PrefixStart, StartSettings
from dragoman.core.errors import ConfigError
from dragoman.planner.count.trained_weights import TrainedWeights
from dragoman.planner.count.tree import Cost, CountNode

FLOAT, INTEGER = 4, 8
"""Bytes of a float32 number, and of a token number or an index."""

Role = Literal["matrix", "bias", "embedding", "norm", "other"]


@dataclass(eq=False, slots=True)
class Storage:
    """The memory of a tensor and of its views."""

    elements: int


@dataclass(frozen=True, eq=False, slots=True)
class Signal:
    """A tensor without numbers."""

    shape: tuple[int, ...]
    slope: bool
    """Whether a gradient flows back through it."""
    storage: Storage

    @property
    def elements(self) -> int:
        """Numbers of the tensor."""
        return prod(self.shape)

    def view(self, *shape: int) -> "Signal":
        """Return the same numbers, or some of them, in another shape."""
        return replace(self, shape=shape)


def in_one_storage(*signals: Signal) -> tuple[Signal, ...]:
    """Return signals as views of one tensor: who keeps one of them keeps all."""
    storage = Storage(sum(one.elements for one in signals))
    return tuple(replace(one, storage=storage) for one in signals)


@dataclass(frozen=True, slots=True)
class Table:
    """An embedding table, which the output may share."""

    rows: int
    width: int
    trained: bool


@dataclass(slots=True)
class _Frame:
    """A part that is being counted."""

    name: str
    kind: str
    last: bool
    cost: Cost = field(default_factory=Cost)
    parts: list[CountNode] = field(default_factory=list)
    shape: tuple[int, ...] = ()
    note: str = ""

    def node(self) -> CountNode:
        return CountNode(self.name, self.kind, self.cost, tuple(self.parts), self.shape, self.note)


class Tape:
    """Notes what each layer of one training step costs."""

    def __init__(
        self,
        kind: str,
        start: StartSettings | None = None,
        new: tuple[str, ...] = (),
        *,
        checkpointing: bool = False,
        training: bool = True,
    ) -> None:
        self.start = start
        self.checkpointing = checkpointing and training
        self.training = training
        self._trains = TrainedWeights(start, new)
        self._frames = [_Frame("", kind, last=False)]
        self._kept: set[Storage] = set()
        self._shared: dict[str, bool] = {}
        self._adapted: set[str] = set()

    @property
    def root(self) -> CountNode:
        """The network as counted so far."""
        return self._frames[0].node()

    def check_adapters(self) -> None:
        """Refuse adapters for which the network has no place."""
        start = self.start
        wanted = set(start.target_modules) if isinstance(start, LoraStart) else set[str]()
        wanted |= {"prefix"} if isinstance(start, PrefixStart) else set()
        if start is not None and (missing := sorted(wanted - self._adapted)):
            raise ConfigError(
                f"start.method = {start.method!r}: this network has no layer for "
                f"{', '.join(missing)}. Use 'full' or 'frozen', or other target_modules."
            )

    @contextmanager
    def part(self, name: str, kind: str, *, last_layers: int = 0) -> Iterator[_Frame]:
        """Count what follows as a part; `last_layers` numbers layers from the end of a stack."""
        last = self._frames[-1].last or self._trains.is_last_layer(last_layers)
        frame = _Frame(name, kind, last)
        self._frames.append(frame)
        yield frame
        self._frames.pop()
        self._frames[-1].parts.append(frame.node())

    @contextmanager
    def layer(self, name: str, kind: str, x: Signal, *, from_end: int) -> Iterator[None]:
        """Count a layer of a stack, which gradient checkpointing runs a second time."""
        kept = set(self._kept)
        with self.part(name, kind, last_layers=from_end):
            yield
        if not self.checkpointing:
            return
        parts = self._frames[-1].parts
        self._kept = kept
        parts[-1] = _run_again(parts[-1])
        self.keep(x)

    def signal(self, *shape: int, slope: bool) -> Signal:
        """Return a new tensor; in the backward pass its gradient meets that of what made it."""
        made = self.scores(*shape, slope=slope)
        if slope:
            self.work_in(2 * FLOAT * made.elements)
        return made

    def scores(self, *shape: int, slope: bool) -> Signal:
        """Return a tensor that is never there as a whole."""
        self._frames[-1].shape = shape
        return Signal(shape, slope, Storage(prod(shape)))

    def weight(self, count: int, role: Role = "matrix", *names: str) -> bool:
        """Count a weight under the name, or the names, it has here; say whether it is trained.

        A name is that within the present part, or with "/" before it that within the network.
        """
        path = ".".join(frame.name for frame in self._frames[1:])
        within = [name.removeprefix("/") if name[:1] == "/" else f"{path}.{name}" for name in names]
        trained = self._trains(within, role, last_layer=self._frames[-1].last)
        self._add(Cost(parameters=count, trained=count if trained else 0))
        return trained

    def adapter_weight(self, count: int) -> None:
        """Count a weight of an adapter, which is always trained."""
        self._add(Cost(parameters=count, trained=count))

    def shared_weight(self, key: str, count: int, *names: str, adapter: bool = False) -> bool:
        """Count a weight that several parts share where it is met first."""
        if key in self._shared:
            self.note("shared")
        elif adapter:
            self._shared[key] = True
            self.adapter_weight(count)
        else:
            self._shared[key] = self.weight(count, "other", *names)
        return self._shared[key]

    def product(self, flops: int, *slopes: bool) -> None:
        """Count a product, and one more for each gradient that is wanted of it."""
        self._add(Cost(forward=flops, backward=flops * sum(slopes)))

    def keep(self, *signals: Signal) -> None:
        """Keep tensors for the backward pass, each storage once."""
        for signal in signals:
            if signal.storage not in self._kept:
                self._kept.add(signal.storage)
                self.keep_bytes(FLOAT * signal.storage.elements)

    def keep_bytes(self, count: int) -> None:
        """Keep something else for the backward pass."""
        self._add(Cost(activations=count))

    def work_in(self, count: int) -> None:
        """Note the bytes that a part needs besides while it runs."""
        self._add(Cost(workspace=count))

    def note(self, text: str) -> None:
        """Say something about the present part."""
        self._frames[-1].note = text

    def dropout(self, x: Signal, rate: float) -> Signal:
        """Drop numbers at random; the mask is kept as numbers."""
        if not rate or not x.slope or not self.training:
            return x
        self.keep_bytes(FLOAT * x.elements)
        return self.signal(*x.shape, slope=True)

    def lora_rank(self, target: Matrix | None) -> int:
        """Return the rank of the difference that a matrix learns; 0 where it learns none."""
        start = self.start
        if not isinstance(start, LoraStart) or target not in start.target_modules:
            return 0
        self._adapted.add(target)
        return start.rank

    def prefix(self) -> PrefixStart | None:
        """Return the settings of the virtual positions before each attention, if there are any."""
        if not isinstance(self.start, PrefixStart):
            return None
        self._adapted.add("prefix")
        return self.start

    def _add(self, cost: Cost) -> None:
        frame = self._frames[-1]
        frame.cost = frame.cost + cost


def _run_again(layer: CountNode) -> CountNode:
    """Return a layer that keeps nothing, and runs again before its backward pass."""
    total = layer.total
    return replace(
        _without_activations(layer),
        own=replace(
            layer.own,
            activations=0,
            backward=layer.own.backward + total.forward,
            workspace=max(total.workspace, total.activations),
        ),
        note="runs again",
    )


def _without_activations(node: CountNode) -> CountNode:
    return replace(
        node,
        own=replace(node.own, activations=0),
        parts=tuple(_without_activations(part) for part in node.parts),
    )
