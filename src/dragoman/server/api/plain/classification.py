"""Classifiers of texts and of images, with their queues in the scheduler."""

from collections.abc import Hashable, Sequence

import numpy as np

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes
from dragoman.server.api.plain.queues import picture_lane, text_lane
from dragoman.server.model_registry import Shelf
from dragoman.server.scheduler.jobs import ScheduledJob
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.tasks.common.classes import ClassPrediction


class Sorting:
    """Says which class texts and pictures belong to, those of many requests together."""

    def __init__(self, engine: Engine, shelf: Shelf, settings: ServingSettings) -> None:
        self._shelf = shelf
        self._texts = text_lane(engine, self._sort_texts, settings)
        self._pictures = picture_lane(engine, self._sort_pictures, settings)

    def texts(self, name: str, texts: Sequence[str]) -> ScheduledJob[list[ClassPrediction]]:
        """Have texts classified by a run."""
        return self._texts.ask(texts, name)

    def pictures(self, name: str, pictures: Sequence[Bytes]) -> ScheduledJob[list[ClassPrediction]]:
        """Have pictures classified by a run."""
        return self._pictures.ask(pictures, name)

    def _sort_texts(self, name: Hashable, texts: Sequence[str]) -> list[ClassPrediction]:
        return self._shelf.classifiers[str(name)].classifier.classify(texts)

    def _sort_pictures(self, name: Hashable, pictures: Sequence[Bytes]) -> list[ClassPrediction]:
        return self._shelf.image_classifiers[str(name)].classifier.classify(np.stack(pictures))
