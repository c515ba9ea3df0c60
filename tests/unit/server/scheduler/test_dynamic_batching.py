"""Items of many requests, done together: nothing lost, nothing crossed, nobody kept waiting."""

import threading
import time
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.server.scheduler import dynamic_batching
from dragoman.server.scheduler.dynamic_batching import DynamicBatchQueue
from dragoman.server.scheduler.jobs import QueueFull, SchedulerStopped
from dragoman.server.scheduler.scheduler import Scheduler


class Worker:
    """Doubles numbers, and remembers the passes; waits while it is held."""

    def __init__(self) -> None:
        self.passes: list[tuple[object, list[int]]] = []
        self.go = threading.Event()
        self.go.set()
        self.began = threading.Event()

    def __call__(self, key: object, items: Sequence[int]) -> list[int]:
        self.began.set()
        self.go.wait(10)
        self.passes.append((key, list(items)))
        if 13 in items:
            raise ValueError("13")
        return [2 * item for item in items]


@pytest.fixture
def worker() -> Worker:
    return Worker()


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    made = Scheduler()
    yield made
    made.stop(5)


def queue_of(
    scheduler: Scheduler, worker: Worker, max_cost: int = 4, most: int = 100
) -> DynamicBatchQueue:
    return DynamicBatchQueue(
        scheduler, worker, cost=lambda _: 1, max_cost=max_cost, max_waiting=most
    )


def hold(queue: DynamicBatchQueue, worker: Worker) -> None:
    """Let the scheduler begin a pass and wait in it, so that what comes next must wait."""
    worker.go.clear()
    queue.submit([0])
    assert worker.began.wait(10)


@given(st.lists(st.lists(st.integers(20, 99), max_size=9), max_size=12), st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_each_request_gets_the_results_of_its_own_items_in_their_order(requests, max_cost):
    scheduler, worker = Scheduler(), Worker()
    queue = queue_of(scheduler, worker, max_cost, most=1000)
    jobs = [queue.submit(items) for items in requests]
    scheduler.start()
    found = [job.future.result(10) for job in jobs]
    scheduler.stop(5)
    assert found == [[2 * item for item in items] for items in requests]
    assert sorted(i for _, items in worker.passes for i in items) == sorted(sum(requests, []))
    assert all(len(items) <= max_cost for _, items in worker.passes)


def test_what_waits_is_done_together(scheduler, worker):
    queue = queue_of(scheduler, worker)
    scheduler.start()
    hold(queue, worker)
    jobs = [queue.submit([number]) for number in (1, 2, 3, 4)]
    worker.go.set()
    assert [job.future.result(10) for job in jobs] == [[2], [4], [6], [8]]
    assert [items for _, items in worker.passes] == [[0], [1, 2, 3, 4]]


def test_what_comes_one_by_one_after_a_large_pass_is_done_together(scheduler, worker, monkeypatch):
    monkeypatch.setattr(dynamic_batching, "POLL_SECONDS", 0.2)  # patient, so that on a busy
    monkeypatch.setattr(dynamic_batching, "MAX_WAIT_SECONDS", 10)  # machine the same happens
    queue = queue_of(scheduler, worker, max_cost=100)
    scheduler.start()
    hold(queue, worker)
    first = [queue.submit([number]) for number in range(20, 40)]
    worker.go.set()
    for job in first:
        job.future.result(10)
    later = []
    for _ in range(20):  # as clients do that have just been answered
        later.append(queue.submit([99]))
        time.sleep(0.001)
    for job in later:
        job.future.result(10)
    assert [len(items) for _, items in worker.passes] == [1, 20, 20]


def test_a_lone_item_after_a_large_pass_is_not_held_up_for_long(scheduler, worker):
    queue = queue_of(scheduler, worker, max_cost=100)
    scheduler.start()
    hold(queue, worker)
    first = [queue.submit([number]) for number in range(20, 40)]
    worker.go.set()
    for job in first:
        job.future.result(10)
    began = time.monotonic()
    assert queue.submit([7]).future.result(10) == [14]
    assert time.monotonic() - began < 5
    assert queue.submit([8]).future.result(10) == [16]


def test_items_of_different_keys_are_never_in_one_pass(scheduler, worker):
    queue = queue_of(scheduler, worker)
    scheduler.start()
    hold(queue, worker)
    jobs = [queue.submit([number], key=number % 2) for number in (1, 2, 3, 4)]
    worker.go.set()
    assert [job.future.result(10) for job in jobs] == [[2], [4], [6], [8]]
    assert [pair for pair in worker.passes if pair[0] is not None] == [(1, [1, 3]), (0, [2, 4])]


def test_a_long_list_does_not_keep_a_short_one_waiting(scheduler, worker):
    queue = queue_of(scheduler, worker)
    scheduler.start()
    hold(queue, worker)
    long, short = queue.submit(list(range(20, 60))), queue.submit([1, 2])
    worker.go.set()
    long.future.result(10), short.future.result(10)
    turns = [items for _, items in worker.passes]
    assert next(n for n, items in enumerate(turns) if 2 in items) == 1
    assert len(turns) > 8


def test_an_item_heavier_than_a_pass_is_done_all_the_same(scheduler):
    worker = Worker()
    queue = DynamicBatchQueue(scheduler, worker, cost=lambda item: item, max_cost=5, max_waiting=9)
    scheduler.start()
    assert queue.submit([50, 60]).future.result(10) == [100, 120]


def test_more_than_may_wait_is_turned_away_and_the_rest_is_done(scheduler, worker):
    queue = queue_of(scheduler, worker, most=3)
    scheduler.start()
    hold(queue, worker)
    jobs = [queue.submit([1]), queue.submit([2, 3])]
    with pytest.raises(QueueFull):
        queue.submit([4])
    worker.go.set()
    assert [job.future.result(10) for job in jobs] == [[2], [4, 6]]
    assert queue.submit([5]).future.result(10) == [10]


def test_a_list_larger_than_the_queue_is_taken_when_nobody_waits(scheduler, worker):
    queue = queue_of(scheduler, worker, most=3)
    scheduler.start()
    assert queue.submit([1, 2, 3, 4, 5]).future.result(10) == [2, 4, 6, 8, 10]


def test_what_nobody_wants_any_more_is_not_done(scheduler, worker):
    queue = queue_of(scheduler, worker)
    scheduler.start()
    hold(queue, worker)
    gone, other = queue.submit([1, 2]), queue.submit([3])
    gone.cancel()
    assert queue.waiting == 1
    worker.go.set()
    assert other.future.result(10) == [6]
    assert [items for _, items in worker.passes] == [[0], [3]]


def test_a_pass_that_fails_is_told_to_its_own_requests_only(scheduler, worker):
    queue = queue_of(scheduler, worker)
    scheduler.start()
    with pytest.raises(ValueError, match="13"):
        queue.submit([13, 14]).future.result(10)
    assert queue.submit([1]).future.result(10) == [2]
    assert scheduler.alive


def test_a_scheduler_that_stops_finishes_what_it_accepted(worker):
    scheduler = Scheduler()
    queue = queue_of(scheduler, worker)
    scheduler.start()
    hold(queue, worker)
    job = queue.submit(list(range(20, 40)))
    threading.Timer(0.1, worker.go.set).start()
    scheduler.stop(10)
    assert job.future.result(0) == [2 * item for item in range(20, 40)]
    assert not scheduler.alive


def test_what_is_not_done_in_time_fails_with_a_word(worker):
    scheduler = Scheduler()
    queue = queue_of(scheduler, worker)
    scheduler.start()
    hold(queue, worker)
    job = queue.submit([1])
    scheduler.stop(0.05)
    with pytest.raises(SchedulerStopped):
        job.future.result(1)
    worker.go.set()


def test_queues_take_turns(scheduler):
    order: list[str] = []

    def noting(name: str) -> DynamicBatchQueue:
        def work(key: object, items: Sequence[int]) -> list[int]:
            time.sleep(0.001)
            order.append(name)
            return list(items)

        return DynamicBatchQueue(scheduler, work, cost=lambda _: 1, max_cost=1, max_waiting=99)

    one, two = noting("one"), noting("two")
    jobs = [one.submit([1, 2, 3, 4]), two.submit([1, 2, 3, 4])]
    scheduler.start()
    for job in jobs:
        job.future.result(10)
    assert order == ["one", "two"] * 4
