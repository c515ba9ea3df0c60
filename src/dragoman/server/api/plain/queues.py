"""Work queues with dynamic batching, for texts and for images."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes
from dragoman.server.scheduler.dynamic_batching import TEXT_OVERHEAD, DynamicBatchQueue
from dragoman.server.scheduler.scheduler import Scheduler

Result = TypeVar("Result")

IMAGE_BATCH = 32


def text_queue(
    scheduler: Scheduler,
    work: Callable[[Hashable, Sequence[str]], list[Result]],
    settings: ServingSettings,
) -> DynamicBatchQueue[str, Result]:
    """Return a queue whose batches are limited by characters."""
    return DynamicBatchQueue(
        scheduler,
        work,
        cost=lambda text: len(text) + TEXT_OVERHEAD,
        max_cost=settings.together,
        max_waiting=settings.waiting,
    )


def image_queue(
    scheduler: Scheduler,
    work: Callable[[Hashable, Sequence[Bytes]], list[Result]],
    settings: ServingSettings,
) -> DynamicBatchQueue[Bytes, Result]:
    """Return a queue whose batches are limited by the number of images."""
    return DynamicBatchQueue(
        scheduler,
        work,
        cost=lambda _: 1,
        max_cost=IMAGE_BATCH,
        max_waiting=settings.waiting,
    )
