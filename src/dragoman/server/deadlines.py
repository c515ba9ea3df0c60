"""Deadlines: waiting for the scheduler as long as a client waits for us."""

import asyncio
from typing import Any, TypeVar

from starlette.requests import Request

from dragoman.server.refusal import Refusal
from dragoman.server.scheduler.jobs import Closed, ScheduledJob

T = TypeVar("T")


class ClientGone(Exception):  # noqa: N818 - not our failure
    """The client has closed the connection; nobody reads an answer."""


async def answered(request: Request, job: ScheduledJob[T], deadline: float) -> T:
    """Return the result of a job; drop the job when the client goes or the deadline passes.

    The request must have been read whole before, for its connection is listened to here.
    """
    try:
        return await awaited(request, asyncio.wrap_future(job.future), deadline)
    finally:
        job.drop()  # tells whoever works on it


async def awaited(request: Request, result: asyncio.Future[T], deadline: float) -> T:
    """Return what comes of a future; cancel it when the client goes or the deadline passes."""
    gone = asyncio.create_task(_disconnected(request))
    try:
        both: set[asyncio.Future[Any]] = {result, gone}
        await asyncio.wait(both, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
        if result.done():
            return result.result()
        if gone.done():
            raise ClientGone
        raise Refusal(504, "This took too long. Ask for less at a time.", kind="timeout_error")
    except Closed:
        raise Refusal(503, "The server is going down.", headers={"Retry-After": "5"}) from None
    finally:
        gone.cancel()
        result.cancel()


async def _disconnected(request: Request) -> None:
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            return
