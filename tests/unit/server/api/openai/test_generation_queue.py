"""The queue of a language model: what breaks, what is removed, and what is told at the end."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from dragoman.config.sampling import SamplingSettings
from dragoman.core.errors import DivergedError
from dragoman.server.scheduler.generation import GenerationQueue
from dragoman.server.scheduler.jobs import QueueFull, SchedulerStopped
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.tasks.language_model.continuous_batching import GenerationBatch
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.language_model.requests import GenerationRequest


@pytest.fixture
def queue(counting_runs):
    batch = GenerationBatch(LanguageModel.load(counting_runs[0], device="cpu"), max_rows=2)
    return GenerationQueue(Scheduler(), batch, max_waiting=3)


def request(queue, prompt="one", longest=5, **more):
    settings = SamplingSettings(temperature=0.0, max_tokens=longest, min_tokens=longest)
    return GenerationRequest(queue.batch.tokens_of(prompt), settings, **more)


def in_a_loop(work):
    """Run a coroutine on a thread of its own: a browser under test may have a loop on this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def text_of(job, timeout=20.0):
    texts = [""] * job.texts
    async for token in job.tokens(timeout):
        texts[token.row] += token.text
    return texts


def all_steps(queue):
    """Take all steps, on a thread that is not the loop's."""

    def work():
        while queue.has_work():
            queue.step()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_several_prompts_of_one_request_come_together(queue):
    async def run():
        job = queue.submit([request(queue, "one", choices=2), request(queue, "two three")])
        all_steps(queue)
        return await text_of(job)

    first, second, third = in_a_loop(run())
    alone = queue.batch.model.generate(["one", "two three"], request(queue).settings)
    assert [first, third] == alone
    assert first == second  # without chance


def test_what_breaks_is_told_and_the_queue_goes_on(queue):
    weight = queue.batch.model.model.output.weight

    async def run():
        whole = weight.detach().clone()
        with torch.no_grad():
            weight.fill_(torch.nan)
        both = [queue.submit([request(queue)]), queue.submit([request(queue, "two")])]
        first = all_steps(queue)
        results = await asyncio.gather(*map(text_of, both), return_exceptions=True)
        await asyncio.to_thread(first.join)  # two threads must not step one queue
        with torch.no_grad():
            weight.copy_(whole)
        job = queue.submit([request(queue)])
        all_steps(queue)
        return results, await text_of(job)

    results, after = in_a_loop(run())
    assert [type(one) for one in results] == [DivergedError, DivergedError]
    assert after == queue.batch.model.generate(["one"], request(queue).settings)


def test_what_is_cancelled_while_it_waits_is_never_begun(queue):
    async def run():
        gone, stays = queue.submit([request(queue)]), queue.submit([request(queue, "two")])
        gone.cancel()
        all_steps(queue)
        return await text_of(stays)

    in_a_loop(run())
    assert queue.tokens == 5


def test_more_than_may_wait_is_turned_away(queue):
    async def run():
        queue.submit([request(queue, choices=4)])  # an empty queue accepts anything
        with pytest.raises(QueueFull):
            queue.submit([request(queue)])
        assert queue.waiting == 4

    in_a_loop(run())


def test_a_queue_that_closes_tells_all(queue):
    async def run():
        job = queue.submit([request(queue, longest=50)])
        waits = queue.submit([request(queue, choices=2)])
        queue.step()
        queue.close()
        return await asyncio.gather(text_of(job), text_of(waits), return_exceptions=True)

    assert [type(one) for one in in_a_loop(run())] == [SchedulerStopped, SchedulerStopped]
    assert not queue.has_work()


def test_who_hears_nothing_for_long_gives_up(queue):
    async def run():
        job = queue.submit([request(queue)])
        with pytest.raises(TimeoutError):
            await text_of(job, timeout=0.05)
        return job.cancelled

    assert in_a_loop(run())


def test_who_stops_listening_lets_the_rest_go(queue):
    async def run():
        job = queue.submit([request(queue, longest=50)])
        queue.step()
        tokens = job.tokens(5)
        await anext(tokens)
        await tokens.aclose()
        queue.step()
        return queue.rows, queue.has_work()

    assert in_a_loop(run()) == (0, False)
