"""Deadlines: waiting for a job until it is done, the client disconnects or the time is up."""

import asyncio
from typing import Any, TypeVar

from starlette.requests import Request

from dragoman.server.errors import ApiError
from dragoman.server.scheduler.jobs import ScheduledJob, SchedulerStopped

T = TypeVar("T")


class ClientDisconnected(Exception):  # noqa: N818 - not our failure
    """The client has closed the connection; no response is needed."""


async def wait_for_job(request: Request, job: ScheduledJob[T], deadline: float) -> T:
    """Return the result of a job; cancel it when the client disconnects or the deadline passes.

    The request must have been read whole before, for this reads from its connection.
    """
    try:
        return await wait_for_result(request, asyncio.wrap_future(job.future), deadline)
    finally:
        job.drop()  # the queue stops working on it


async def wait_for_result(request: Request, result: asyncio.Future[T], deadline: float) -> T:
    """Return the result of a future; cancel it when the client disconnects or time is up."""
    disconnect = asyncio.create_task(_disconnected(request))
    try:
        futures: set[asyncio.Future[Any]] = {result, disconnect}
        await asyncio.wait(futures, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
        if result.done():
            return result.result()
        if disconnect.done():
            raise ClientDisconnected
        raise ApiError(504, "This took too long. Ask for less at a time.", kind="timeout_error")
    except SchedulerStopped:
        raise ApiError(503, "The server is going down.", headers={"Retry-After": "5"}) from None
    finally:
        disconnect.cancel()
        result.cancel()


async def _disconnected(request: Request) -> None:
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            return
