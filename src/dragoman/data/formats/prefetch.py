"""Work on many files at once, whose results come in the files' order, as one by one they would.

Pillow lets other threads run while it decodes and resizes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

THREADS = 2
AHEAD = 16
"""Results that wait at most, so that a folder need not fit into memory."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    items: Iterable[Item], work: Callable[[Item], Result]
) -> Iterator[tuple[Item, Callable[[], Result]]]:
    """Yield each item with what gives its result, or raises what the work on it raised."""
    begun: deque[tuple[Item, Future[Result]]] = deque()
    pool = ThreadPoolExecutor(THREADS, "files")
    try:
        for item in items:
            begun.append((item, pool.submit(work, item)))
            if len(begun) > AHEAD:
                yield _next(begun)
        while begun:
            yield _next(begun)
    finally:
        pool.shutdown(cancel_futures=True)


def _next(begun: deque[tuple[Item, Future[Result]]]) -> tuple[Item, Callable[[], Result]]:
    item, future = begun.popleft()
    future.exception()  # waits
    return item, future.result
