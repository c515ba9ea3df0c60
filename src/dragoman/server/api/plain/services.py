"""Classification and embedding of texts and images, those of many requests in one batch."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.scheduler.dynamic_batching import TEXT_OVERHEAD, DynamicBatchQueue
from dragoman.server.scheduler.jobs import ScheduledJob
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.tasks.common.classes import ClassPrediction

Vector = NDArray[np.float32]  # v
Vectors = NDArray[np.float32]  # n v
Result = TypeVar("Result")

IMAGE_BATCH = 32


@dataclass(frozen=True, slots=True)
class NearestMatch:
    """A candidate, and how well it matches a query."""

    number: int
    likeness: float
    """The cosine similarity of the two embeddings."""

    probability: float
    """The softmax over all candidates: one of them must be right."""


class ClassificationService:
    """Work queues of all classifiers."""

    def __init__(
        self, scheduler: Scheduler, models: ModelRegistry, settings: ServingSettings
    ) -> None:
        self._models = models
        self._texts = _text_queue(scheduler, self._classify_texts, settings)
        self._images = _image_queue(scheduler, self._classify_images, settings)

    def texts(self, name: str, texts: Sequence[str]) -> ScheduledJob[list[ClassPrediction]]:
        """Submit texts to a classifier."""
        return self._texts.submit(texts, name)

    def images(self, name: str, images: Sequence[Bytes]) -> ScheduledJob[list[ClassPrediction]]:
        """Submit images to a classifier."""
        return self._images.submit(images, name)

    def _classify_texts(self, name: Hashable, texts: Sequence[str]) -> list[ClassPrediction]:
        return self._models.classifiers[str(name)].classifier.classify(texts)

    def _classify_images(self, name: Hashable, images: Sequence[Bytes]) -> list[ClassPrediction]:
        return self._models.image_classifiers[str(name)].classifier.classify(np.stack(images))


class EmbeddingService:
    """Work queues of all matching networks."""

    def __init__(
        self, scheduler: Scheduler, models: ModelRegistry, settings: ServingSettings
    ) -> None:
        self._models = models
        self._texts = _text_queue(scheduler, self._embed_texts, settings)
        self._images = _image_queue(scheduler, self._embed_images, settings)

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


def _text_queue(
    scheduler: Scheduler,
    work: Callable[[Hashable, Sequence[str]], list[Result]],
    settings: ServingSettings,
) -> DynamicBatchQueue[str, Result]:
    most, waiting = settings.max_batch_characters, settings.max_queued_texts
    return DynamicBatchQueue(
        scheduler, work, cost=lambda t: len(t) + TEXT_OVERHEAD, max_cost=most, max_waiting=waiting
    )


def _image_queue(
    scheduler: Scheduler,
    work: Callable[[Hashable, Sequence[Bytes]], list[Result]],
    settings: ServingSettings,
) -> DynamicBatchQueue[Bytes, Result]:
    return DynamicBatchQueue(
        scheduler,
        work,
        cost=lambda _: 1,
        max_cost=IMAGE_BATCH,
        max_waiting=settings.max_queued_texts,
    )
