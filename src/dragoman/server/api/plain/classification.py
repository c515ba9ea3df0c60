"""Classification of texts and images, with queues in the scheduler."""

from collections.abc import Hashable, Sequence

import numpy as np

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes
from dragoman.server.api.plain.queues import image_queue, text_queue
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.scheduler.jobs import ScheduledJob
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.tasks.common.classes import Classified


class ClassificationService:
    """Classifies texts and images, those of many requests in one batch."""

    def __init__(
        self, scheduler: Scheduler, models: ModelRegistry, settings: ServingSettings
    ) -> None:
        self._models = models
        self._texts = text_queue(scheduler, self._classify_texts, settings)
        self._images = image_queue(scheduler, self._classify_images, settings)

    def texts(self, name: str, texts: Sequence[str]) -> ScheduledJob[list[Classified]]:
        """Submit texts to a classifier."""
        return self._texts.submit(texts, name)

    def images(self, name: str, images: Sequence[Bytes]) -> ScheduledJob[list[Classified]]:
        """Submit images to a classifier."""
        return self._images.submit(images, name)

    def _classify_texts(self, name: Hashable, texts: Sequence[str]) -> list[Classified]:
        return self._models.classifiers[str(name)].classifier.classify(texts)

    def _classify_images(self, name: Hashable, images: Sequence[Bytes]) -> list[Classified]:
        return self._models.image_classifiers[str(name)].classifier.classify(np.stack(images))
