"""The lane of a language model: what breaks, what is dropped, and what is told at the end."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from dragoman.config.sampling import SamplingSettings
from dragoman.core.errors import DivergedError
from dragoman.server.scheduler.generation import WritingLane
from dragoman.server.scheduler.jobs import Busy, Closed
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.tasks.language_model.continuous_batching import ContinuousWriter
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.language_model.requests import GenerationRequest


@pytest.fixture
def lane(counting_runs):
    machine = ContinuousWriter(LanguageModel.load(counting_runs[0], device="cpu"), most_rows=2)
    return WritingLane(Engine(), machine, most_waiting=3)


def wish(lane, prompt="one", longest=5, **more):
    settings = SamplingSettings(temperature=0.0, max_tokens=longest, min_tokens=longest)
    return GenerationRequest(lane.machine.tokens_of(prompt), settings, **more)


def in_a_loop(work):
    """Run a coroutine on a thread of its own: a browser under test may have a loop on this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def text_of(writing, patience=20.0):
    texts = [""] * writing.texts
    async for piece in writing.pieces(patience):
        texts[piece.row] += piece.text
    return texts


def turns(lane):
    """Take all turns, on a thread that is not the loop's."""

    def work():
        while lane.has_work():
            lane.turn()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_several_wishes_of_one_request_come_together(lane):
    async def run():
        writing = lane.ask([wish(lane, "one", choices=2), wish(lane, "two three")])
        turns(lane)
        return await text_of(writing)

    first, second, third = in_a_loop(run())
    alone = lane.machine.writer.generate(["one", "two three"], wish(lane).settings)
    assert [first, third] == alone
    assert first == second  # without chance


def test_what_breaks_is_told_and_the_lane_goes_on(lane):
    weight = lane.machine.writer.model.output.weight

    async def run():
        whole = weight.detach().clone()
        with torch.no_grad():
            weight.fill_(torch.nan)
        both = [lane.ask([wish(lane)]), lane.ask([wish(lane, "two")])]
        first = turns(lane)
        told = await asyncio.gather(*map(text_of, both), return_exceptions=True)
        await asyncio.to_thread(first.join)  # two threads must not take turns at one lane
        with torch.no_grad():
            weight.copy_(whole)
        writing = lane.ask([wish(lane)])
        turns(lane)
        return told, await text_of(writing)

    told, after = in_a_loop(run())
    assert [type(one) for one in told] == [DivergedError, DivergedError]
    assert after == lane.machine.writer.generate(["one"], wish(lane).settings)


def test_what_is_cancelled_while_it_waits_is_never_begun(lane):
    async def run():
        gone, stays = lane.ask([wish(lane)]), lane.ask([wish(lane, "two")])
        gone.cancel()
        turns(lane)
        return await text_of(stays)

    in_a_loop(run())
    assert lane.tokens == 5


def test_more_than_may_wait_is_turned_away(lane):
    async def run():
        lane.ask([wish(lane, choices=4)])  # an empty lane takes anything
        with pytest.raises(Busy):
            lane.ask([wish(lane)])
        assert lane.waiting == 4

    in_a_loop(run())


def test_a_lane_that_closes_tells_all(lane):
    async def run():
        writing, waits = lane.ask([wish(lane, longest=50)]), lane.ask([wish(lane, choices=2)])
        lane.turn()
        lane.close()
        return await asyncio.gather(text_of(writing), text_of(waits), return_exceptions=True)

    assert [type(one) for one in in_a_loop(run())] == [Closed, Closed]
    assert not lane.has_work()


def test_who_hears_nothing_for_long_gives_up(lane):
    async def run():
        writing = lane.ask([wish(lane)])
        with pytest.raises(TimeoutError):
            await text_of(writing, patience=0.05)
        return writing.cancelled

    assert in_a_loop(run())


def test_who_stops_listening_lets_the_rest_go(lane):
    async def run():
        writing = lane.ask([wish(lane, longest=50)])
        lane.turn()
        pieces = writing.pieces(5)
        await anext(pieces)
        await pieces.aclose()
        lane.turn()
        return lane.rows, lane.has_work()

    assert in_a_loop(run()) == (0, False)
