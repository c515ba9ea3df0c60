"""Items of many requests in one search: nothing lost, nothing crossed, nobody kept waiting."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.serving import ServingSettings
from dragoman.data.documents.document import Segment
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.server.scheduler.jobs import QueueFull, SchedulerStopped
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.server.scheduler.translation import TranslationQueue
from dragoman.server.translators import TranslationOptions, load_translator, translate_segments
from dragoman.tasks.translation.continuous_batching import PendingRequest
from dragoman.tasks.translation.requests import TranslationRequest, run_coroutine
from dragoman.tasks.translation.translation import Translation


class Doubler:
    """A batch that doubles numbers, each some steps after it was added; waits while it is held."""

    def __init__(self):
        self.translator, self.searches = self, []
        self.under_way, self.order, self.removed, self.cleared = {}, [], [], 0
        self.go, self.began, self.broken = threading.Event(), threading.Event(), False
        self.go.set()

    def candidates(self, texts, **_):
        self.searches.append(list(texts))
        if "96" in texts:
            raise ValueError("96")
        return [[Translation(str(2 * int(text)), 0.0, 0.0)] for text in texts]

    def accepts(self, request):
        return request.nbest == 1

    def add(self, request):
        pending = PendingRequest([[[]] for _ in request.texts], missing=len(request.texts))
        if pending.missing:
            self.under_way[pending] = [int(request.texts[0]), int(request.texts[0]) % 3]
        return pending

    def step(self):
        self.began.set()
        self.go.wait(10)
        if self.broken:
            raise ValueError("broken")
        done = [pending for pending, (_, left) in self.under_way.items() if not left]
        for pending in done:
            number, _ = self.under_way.pop(pending)
            pending.results, pending.missing = [[[Translation(str(2 * number), 0.0, 0.0)]]], 0
            self.order.append(number)
        for waiting in self.under_way.values():
            waiting[1] -= 1
        return done

    def clear(self):
        self.under_way.clear()
        self.cleared += 1

    def remove(self, gone):
        self.removed += [self.under_way.pop(pending)[0] for pending in list(gone)]


class Work:
    """Doubles each number by requests, one or several, and counts how many are under way."""

    def __init__(self, *, often=False, special=False):
        self.often, self.special = often, special
        self.begun, self.at_once, self.most = [], 0, 0

    def __call__(self, key, item):
        self.begun.append(item)
        if item == 11:
            raise ValueError("11")
        return self.work(key, item)

    def work(self, key, item):
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            found = 2 * item
            for _ in range(item % 5 if self.often else 1):
                assert (yield TranslationRequest(texts=[])) == []
                nbest = 2 if self.special and item % 4 == 0 else 1
                ((best,),) = yield TranslationRequest(texts=[str(item)], nbest=nbest)
                found = int(best.text)
            if item == 13:
                raise ValueError("13")
            return found if key is None else (key, found)
        finally:
            self.at_once -= 1


@pytest.fixture
def scheduler():
    made = Scheduler()
    yield made
    made.stop(5)


def queue_of(scheduler, work=None, max_running=4, max_waiting=9999):
    return TranslationQueue(
        scheduler, Doubler(), work or Work(), max_running=max_running, max_waiting=max_waiting
    )


def held(scheduler, *others, **sizes):
    """Begin with 30, and wait in the search, so that what comes next must wait."""
    queue = queue_of(scheduler, *others, **sizes)
    scheduler.start()
    queue.batch.go.clear()
    job = queue.submit([30])
    assert queue.batch.began.wait(10)
    return queue, job


@given(st.lists(st.lists(st.integers(20, 90))), st.integers(1, 7), st.booleans())
@settings(max_examples=30, deadline=None)
def test_each_request_gets_the_results_of_its_own_items(requests, max_running, special):
    scheduler, work = Scheduler(), Work(often=True, special=special)
    queue = queue_of(scheduler, work, max_running)
    jobs = [queue.submit(items, number) for number, items in enumerate(requests)]
    scheduler.start()
    found = [job.future.result(10) for job in jobs]
    scheduler.stop(5)
    assert found == [[(key, 2 * one) for one in items] for key, items in enumerate(requests)]
    assert sorted(work.begun) == sorted(sum(requests, []))
    assert queue.done == len(work.begun)
    assert (queue.has_work(), queue.batch.under_way, queue.batch.removed) == (False, {}, [])


@pytest.mark.parametrize("special", [False, True])
def test_never_are_more_items_under_way_than_may_be(scheduler, special):
    queue = queue_of(scheduler, Work(often=True, special=special), max_running=3)
    jobs = [queue.submit(list(range(20, 50))), queue.submit([24, 28, 48])]
    scheduler.start()
    assert [len(job.future.result(10)) for job in jobs] == [30, 3]
    assert queue.begin.most == 3


def test_a_long_list_does_not_keep_a_short_one_waiting(scheduler):
    queue, _ = held(scheduler)
    long, short = queue.submit(list(range(31, 90))), queue.submit([21, 24])
    queue.batch.go.set()
    assert short.future.result(10) == [42, 48]
    assert len(long.future.result(10)) == 59
    assert max(queue.batch.order.index(21), queue.batch.order.index(24)) < 12


def test_more_than_may_wait_is_turned_away_and_the_rest_is_done(scheduler):
    queue, first = held(scheduler, max_waiting=3)
    jobs = [queue.submit([1]), queue.submit([2, 3])]
    with pytest.raises(QueueFull):
        queue.submit([4])
    queue.batch.go.set()
    assert [job.future.result(10) for job in (first, *jobs)] == [[60], [2], [4, 6]]
    assert queue.submit([1, 2, 3, 4, 5]).future.result(10) == [2, 4, 6, 8, 10]


def test_what_nobody_wants_any_more_is_dropped_and_not_done(scheduler):
    work = Work()
    queue, under_way = held(scheduler, work, max_running=2)
    other, waiting = queue.submit([6]), queue.submit([2, 3])
    under_way.cancel()
    waiting.cancel()
    assert queue.waiting == 1
    queue.batch.under_way = {pending: [30, 9] for pending in queue.batch.under_way}
    queue.batch.go.set()
    assert other.future.result(10) == [12]
    assert (queue.batch.removed, queue.batch.order, work.begun) == ([30], [6], [30, 6])


@pytest.mark.parametrize("bad", [11, 13])
def test_an_item_that_fails_is_told_to_its_own_request_only(scheduler, bad):
    queue, _ = held(scheduler)
    failing, fine = queue.submit([5, bad, 8]), queue.submit([1, 2])
    queue.batch.go.set()
    with pytest.raises(ValueError, match=str(bad)):
        failing.future.result(10)
    assert fine.future.result(10) == [2, 4]
    assert queue.submit([3]).future.result(10) == [6]


def test_a_step_that_fails_is_told_to_those_under_way_and_the_queue_goes_on(scheduler):
    queue, first = held(scheduler, max_running=2)
    queue.batch.broken = True
    later = queue.submit([1])
    queue.batch.go.set()
    for job in (first, later):
        with pytest.raises(ValueError, match="broken"):
            job.future.result(10)
    queue.batch.broken = False
    assert queue.submit([3, 4]).future.result(10) == [6, 8]
    assert queue.batch.cleared == 2


def test_what_the_search_does_not_accept_is_executed_together(scheduler):
    queue, _ = held(scheduler, Work(special=True))
    jobs = [queue.submit([number]) for number in (4, 8, 5)]
    queue.batch.go.set()
    assert [job.future.result(10) for job in jobs] == [[8], [16], [10]]
    assert queue.batch.searches == [["4", "8"]]
    assert queue.submit([5, 40]).future.result(10) == [10, 80]


def test_what_cannot_be_executed_fails_and_the_queue_goes_on(scheduler):
    queue = queue_of(scheduler, Work(special=True))
    scheduler.start()
    with pytest.raises(ValueError, match="96"):
        queue.submit([4, 96]).future.result(10)
    assert queue.submit([4]).future.result(10) == [8]


def test_a_scheduler_that_stops_finishes_what_it_accepted():
    scheduler = Scheduler()
    queue, first = held(scheduler, Work(special=True))
    jobs = [first, queue.submit(list(range(20, 40)))]
    threading.Timer(0.1, queue.batch.go.set).start()
    scheduler.stop(10)
    assert [job.future.result(0) for job in jobs] == [[60], [2 * one for one in range(20, 40)]]
    assert not scheduler.alive


def test_what_is_not_done_in_time_fails_with_a_word(caplog):
    scheduler = Scheduler()
    queue, first = held(scheduler)
    jobs = [first, queue.submit([1])]
    scheduler.stop(0.05)
    for job in jobs:
        with pytest.raises(SchedulerStopped):
            job.future.result(1)
    queue.batch.go.set()
    scheduler.stop(10)
    assert caplog.text == ""


def test_a_served_translator_says_what_it_says_alone(scheduler, english_spanish):
    few = ServingSettings(max_batch_sentences=3)
    served = load_translator("one", RunFolder(english_spanish), scheduler, few)
    assert isinstance(served.queue, TranslationQueue)
    texts = ["sun moon", "sea", "", "Red 12 blue cat. Dog!", "sky sea song. " * 6, "cat cat cat"]
    segments = [Segment(text) for text in texts]
    jobs = [served.queue.submit([one], TranslationOptions("es")) for one in segments]
    jobs += [
        served.file_queue.submit(segments),
        served.queue.submit(segments, TranslationOptions("es", 2)),
    ]
    scheduler.start()
    *each, in_file, with_alternatives = [job.future.result(60) for job in jobs]
    alone = run_coroutine(
        served.translator, translate_segments(served.pipelines["es"], segments, 2)
    )
    texts = [one.text for one in alone]
    assert [one.text for (one,) in each] == texts
    assert [[one.text for one in found] for found in (in_file, with_alternatives)] == [texts, texts]
    for rank in (0, 1):
        assert [one.alternative(rank) for one in with_alternatives] == [
            one.alternative(rank) for one in alone
        ]
