"""Embeddings of texts and images, with queues in the scheduler, and nearest neighbours."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes
from dragoman.server.api.plain.queues import image_queue, text_queue
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.scheduler.jobs import ScheduledJob
from dragoman.server.scheduler.scheduler import Scheduler

Vector = NDArray[np.float32]  # v
Vectors = NDArray[np.float32]  # n v


@dataclass(frozen=True, slots=True)
class NearestMatch:
    """A candidate, and how well it matches a query."""

    number: int
    likeness: float
    """The cosine similarity of the two embeddings."""

    probability: float
    """The softmax over all candidates: one of them must be right."""


class EmbeddingService:
    """Embeds texts and images, those of many requests in one batch."""

    def __init__(
        self, scheduler: Scheduler, models: ModelRegistry, settings: ServingSettings
    ) -> None:
        self._models = models
        self._texts = text_queue(scheduler, self._embed_texts, settings)
        self._images = image_queue(scheduler, self._embed_images, settings)

    def texts(self, name: str, texts: Sequence[str]) -> ScheduledJob[list[Vector]]:
        """Submit texts to a network."""
        return self._texts.submit(texts, name)

    def images(self, name: str, images: Sequence[Bytes]) -> ScheduledJob[list[Vector]]:
        """Submit images to a network."""
        return self._images.submit(images, name)

    def scale(self, name: str) -> float:
        """Return the learned scale (inverse temperature) of a network's similarities."""
        return float(self._models.matchers[name].matcher.model.scale.detach())

    def _embed_texts(self, name: Hashable, texts: Sequence[str]) -> list[Vector]:
        return [*self._models.matchers[str(name)].matcher.read(texts).cpu().numpy()]

    def _embed_images(self, name: Hashable, images: Sequence[Bytes]) -> list[Vector]:
        return [*self._models.matchers[str(name)].matcher.see(np.stack(images)).cpu().numpy()]


def nearest(query: Vector, candidates: Vectors, scale: float, count: int) -> list[NearestMatch]:
    """Return the candidates that match best, best first."""
    likeness = candidates.astype(np.float64) @ query.astype(np.float64)
    probabilities = np.exp(scale * (likeness - likeness.max(initial=-1.0)))
    probabilities /= probabilities.sum()
    order = np.argsort(-likeness, kind="stable")[:count]
    return [NearestMatch(int(i), float(likeness[i]), float(probabilities[i])) for i in order]
