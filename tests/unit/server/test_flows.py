"""Items of many requests in one search: nothing lost, nothing crossed, nobody kept waiting."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.serving import ServingSettings
from dragoman.data.documents.document import Segment
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.server.scheduler.continuous_batching import FlowLane
from dragoman.server.scheduler.jobs import Busy, Closed
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.server.translators import TranslationOptions, load_translator, translating
from dragoman.tasks.translation.continuous_batching import PendingRequest
from dragoman.tasks.translation.requests import TranslationRequest, ask
from dragoman.tasks.translation.translation import Translation


class Doubler:
    """A flow that doubles numbers, each some goes after it was asked; waits while it is held."""

    def __init__(self):
        self.translator, self.searches = self, []
        self.under_way, self.order, self.dropped, self.cleared = {}, [], [], 0
        self.go, self.began, self.broken = threading.Event(), threading.Event(), False
        self.go.set()

    def candidates(self, texts, **_):
        self.searches.append(list(texts))
        if "96" in texts:
            raise ValueError("96")
        return [[Translation(str(2 * int(text)), 0.0, 0.0)] for text in texts]

    def takes(self, question):
        return question.nbest == 1

    def ask(self, question):
        asked = PendingRequest([[[]] for _ in question.texts], missing=len(question.texts))
        if asked.missing:
            self.under_way[asked] = [int(question.texts[0]), int(question.texts[0]) % 3]
        return asked

    def go_on(self):
        self.began.set()
        self.go.wait(10)
        if self.broken:
            raise ValueError("broken")
        done = [asked for asked, (_, left) in self.under_way.items() if not left]
        for asked in done:
            number, _ = self.under_way.pop(asked)
            asked.answers, asked.missing = [[[Translation(str(2 * number), 0.0, 0.0)]]], 0
            self.order.append(number)
        for waiting in self.under_way.values():
            waiting[1] -= 1
        return done

    def clear(self):
        self.under_way.clear()
        self.cleared += 1

    def drop(self, gone):
        self.dropped += [self.under_way.pop(asked)[0] for asked in list(gone)]


class Work:
    """Doubles each number by asking for it, once or often, and counts how many are under way."""

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
def engine():
    made = Engine()
    yield made
    made.stop(5)


def lane_of(engine, work=None, together=4, most=9999):
    return FlowLane(engine, Doubler(), work or Work(), together=together, most_waiting=most)


def held(engine, *others, **sizes):
    """Begin with 30, and wait in the search, so that what comes next must wait."""
    lane = lane_of(engine, *others, **sizes)
    engine.start()
    lane.flow.go.clear()
    job = lane.ask([30])
    assert lane.flow.began.wait(10)
    return lane, job


@given(st.lists(st.lists(st.integers(20, 90))), st.integers(1, 7), st.booleans())
@settings(max_examples=30, deadline=None)
def test_each_request_gets_the_results_of_its_own_items(requests, together, special):
    engine, work = Engine(), Work(often=True, special=special)
    lane = lane_of(engine, work, together)
    jobs = [lane.ask(items, number) for number, items in enumerate(requests)]
    engine.start()
    found = [job.future.result(10) for job in jobs]
    engine.stop(5)
    assert found == [[(key, 2 * one) for one in items] for key, items in enumerate(requests)]
    assert sorted(work.begun) == sorted(sum(requests, []))
    assert lane.done == len(work.begun)
    assert (lane.has_work(), lane.flow.under_way, lane.flow.dropped) == (False, {}, [])


@pytest.mark.parametrize("special", [False, True])
def test_never_are_more_items_under_way_than_may_be(engine, special):
    lane = lane_of(engine, Work(often=True, special=special), together=3)
    jobs = [lane.ask(list(range(20, 50))), lane.ask([24, 28, 48])]
    engine.start()
    assert [len(job.future.result(10)) for job in jobs] == [30, 3]
    assert lane.begin.most == 3


def test_a_long_list_does_not_keep_a_short_one_waiting(engine):
    lane, _ = held(engine)
    long, short = lane.ask(list(range(31, 90))), lane.ask([21, 24])
    lane.flow.go.set()
    assert short.future.result(10) == [42, 48]
    assert len(long.future.result(10)) == 59
    assert max(lane.flow.order.index(21), lane.flow.order.index(24)) < 12


def test_more_than_may_wait_is_turned_away_and_the_rest_is_done(engine):
    lane, first = held(engine, most=3)
    jobs = [lane.ask([1]), lane.ask([2, 3])]
    with pytest.raises(Busy):
        lane.ask([4])
    lane.flow.go.set()
    assert [job.future.result(10) for job in (first, *jobs)] == [[60], [2], [4, 6]]
    assert lane.ask([1, 2, 3, 4, 5]).future.result(10) == [2, 4, 6, 8, 10]


def test_what_nobody_wants_any_more_is_dropped_and_not_done(engine):
    work = Work()
    lane, under_way = held(engine, work, together=2)
    other, waiting = lane.ask([6]), lane.ask([2, 3])
    under_way.cancel()
    waiting.cancel()
    assert lane.waiting == 1
    lane.flow.under_way = {asked: [30, 9] for asked in lane.flow.under_way}
    lane.flow.go.set()
    assert other.future.result(10) == [12]
    assert (lane.flow.dropped, lane.flow.order, work.begun) == ([30], [6], [30, 6])


@pytest.mark.parametrize("bad", [11, 13])
def test_an_item_that_fails_is_told_to_its_own_request_only(engine, bad):
    lane, _ = held(engine)
    failing, fine = lane.ask([5, bad, 8]), lane.ask([1, 2])
    lane.flow.go.set()
    with pytest.raises(ValueError, match=str(bad)):
        failing.future.result(10)
    assert fine.future.result(10) == [2, 4]
    assert lane.ask([3]).future.result(10) == [6]


def test_a_step_that_fails_is_told_to_those_under_way_and_the_lane_goes_on(engine):
    lane, first = held(engine, together=2)
    lane.flow.broken = True
    later = lane.ask([1])
    lane.flow.go.set()
    for job in (first, later):
        with pytest.raises(ValueError, match="broken"):
            job.future.result(10)
    lane.flow.broken = False
    assert lane.ask([3, 4]).future.result(10) == [6, 8]
    assert lane.flow.cleared == 2


def test_what_the_search_does_not_take_is_answered_together(engine):
    lane, _ = held(engine, Work(special=True))
    jobs = [lane.ask([number]) for number in (4, 8, 5)]
    lane.flow.go.set()
    assert [job.future.result(10) for job in jobs] == [[8], [16], [10]]
    assert lane.flow.searches == [["4", "8"]]
    assert lane.ask([5, 40]).future.result(10) == [10, 80]


def test_what_cannot_be_answered_fails_and_the_lane_goes_on(engine):
    lane = lane_of(engine, Work(special=True))
    engine.start()
    with pytest.raises(ValueError, match="96"):
        lane.ask([4, 96]).future.result(10)
    assert lane.ask([4]).future.result(10) == [8]


def test_an_engine_that_stops_finishes_what_it_accepted():
    engine = Engine()
    lane, first = held(engine, Work(special=True))
    jobs = [first, lane.ask(list(range(20, 40)))]
    threading.Timer(0.1, lane.flow.go.set).start()
    engine.stop(10)
    assert [job.future.result(0) for job in jobs] == [[60], [2 * one for one in range(20, 40)]]
    assert not engine.alive


def test_what_is_not_done_in_time_fails_with_a_word(caplog):
    engine = Engine()
    lane, first = held(engine)
    jobs = [first, lane.ask([1])]
    engine.stop(0.05)
    for job in jobs:
        with pytest.raises(Closed):
            job.future.result(1)
    lane.flow.go.set()
    engine.stop(10)
    assert caplog.text == ""


def test_a_served_translator_says_what_it_says_alone(engine, english_spanish):
    few = ServingSettings(max_batch_sentences=3)
    served = load_translator("one", RunFolder(english_spanish), engine, few)
    assert isinstance(served.lane, FlowLane)
    texts = ["sun moon", "sea", "", "Red 12 blue cat. Dog!", "sky sea song. " * 6, "cat cat cat"]
    segments = [Segment(text) for text in texts]
    jobs = [served.lane.ask([one], TranslationOptions("es")) for one in segments]
    jobs += [served.file_lane.ask(segments), served.lane.ask(segments, TranslationOptions("es", 2))]
    engine.start()
    *each, in_file, said = [job.future.result(60) for job in jobs]
    alone = ask(served.translator, translating(served.careful["es"], segments, 2))
    texts = [one.text for one in alone]
    assert [one.text for (one,) in each] == texts
    assert [[one.text for one in found] for found in (in_file, said)] == [texts, texts]
    for rank in (0, 1):
        assert [one.other(rank) for one in said] == [one.other(rank) for one in alone]
