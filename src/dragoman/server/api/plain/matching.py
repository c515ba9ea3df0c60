"""Networks that match texts and images, with their queues in the scheduler."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes
from dragoman.server.api.plain.queues import picture_lane, text_lane
from dragoman.server.model_registry import Shelf
from dragoman.server.scheduler.jobs import ScheduledJob
from dragoman.server.scheduler.worker_thread import Engine

Vector = NDArray[np.float32]  # v
Vectors = NDArray[np.float32]  # n v


@dataclass(frozen=True, slots=True)
class Near:
    """A candidate, and how well it matches what was asked for."""

    number: int
    likeness: float
    """The cosine of the two vectors: 1 is the same direction."""

    probability: float
    """The share of this candidate, where one of all candidates must be right."""


class Matching:
    """Turns texts and pictures into vectors, those of many requests together."""

    def __init__(self, engine: Engine, shelf: Shelf, settings: ServingSettings) -> None:
        self._shelf = shelf
        self._texts = text_lane(engine, self._read, settings)
        self._pictures = picture_lane(engine, self._see, settings)

    def texts(self, name: str, texts: Sequence[str]) -> ScheduledJob[list[Vector]]:
        """Have texts read by a run."""
        return self._texts.ask(texts, name)

    def pictures(self, name: str, pictures: Sequence[Bytes]) -> ScheduledJob[list[Vector]]:
        """Have pictures looked at by a run."""
        return self._pictures.ask(pictures, name)

    def scale(self, name: str) -> float:
        """Return by how much a run's likeness is stretched before it becomes a probability."""
        return float(self._shelf.matchers[name].matcher.model.scale.detach())

    def _read(self, name: Hashable, texts: Sequence[str]) -> list[Vector]:
        return [*self._shelf.matchers[str(name)].matcher.read(texts).cpu().numpy()]

    def _see(self, name: Hashable, pictures: Sequence[Bytes]) -> list[Vector]:
        return [*self._shelf.matchers[str(name)].matcher.see(np.stack(pictures)).cpu().numpy()]


def nearest(asked: Vector, candidates: Vectors, scale: float, count: int) -> list[Near]:
    """Return the candidates that match best, the best first."""
    likeness = candidates.astype(np.float64) @ asked.astype(np.float64)
    shares = np.exp(scale * (likeness - likeness.max(initial=-1.0)))
    shares /= shares.sum()
    order = np.argsort(-likeness, kind="stable")[:count]
    return [Near(int(i), float(likeness[i]), float(shares[i])) for i in order]
