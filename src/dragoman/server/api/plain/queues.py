"""Lanes of the scheduler for texts and for images."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes
from dragoman.server.scheduler.batching import EVERY_TEXT, BatchLane
from dragoman.server.scheduler.worker_thread import Engine

Result = TypeVar("Result")

PICTURES_TOGETHER = 32


def text_lane(
    engine: Engine,
    work: Callable[[Hashable, Sequence[str]], list[Result]],
    settings: ServingSettings,
) -> BatchLane[str, Result]:
    """Return a lane whose passes hold so many characters."""
    return BatchLane(
        engine,
        work,
        weigh=lambda text: len(text) + EVERY_TEXT,
        together=settings.max_batch_characters,
        most_waiting=settings.max_queued_texts,
    )


def picture_lane(
    engine: Engine,
    work: Callable[[Hashable, Sequence[Bytes]], list[Result]],
    settings: ServingSettings,
) -> BatchLane[Bytes, Result]:
    """Return a lane whose passes hold so many pictures."""
    return BatchLane(
        engine,
        work,
        weigh=lambda _: 1,
        together=PICTURES_TOGETHER,
        most_waiting=settings.max_queued_texts,
    )
