"""The runs of a folder, for the studio: a list, and each with its curves while it trains."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request

from dragoman.server.refusal import Refusal
from dragoman.server.studio.json_response import Json
from dragoman.server.studio.runs import Runs

router = APIRouter(prefix="/studio/api", tags=["studio"])


@router.get("/runs", summary="List runs")
async def list_runs(request: Request) -> Json:
    """List the runs of the folder that is shown, the one that changed last first."""
    runs: Runs = request.app.state.runs
    return await asyncio.to_thread(lambda: Json({"runs": runs.listed()}))


@router.get("/runs/{name}", summary="Tell all of a run")
async def show_run(
    request: Request, name: str, after: Annotated[int, Query(ge=0, le=1 << 31)] = 0
) -> Json:
    """Return a run's log from a line on, with its samples, its card and what was found.

    `next` is the line to ask for the next time. Where the log has fewer lines than were known, it
    was begun again: `restarted` says so, and all its lines are given.
    """
    runs: Runs = request.app.state.runs
    return await asyncio.to_thread(_shown, runs, name, after)


def _shown(runs: Runs, name: str, after: int) -> Json:
    told = runs.shown(name, after)
    if told is None:
        raise Refusal(404, "There is no run of this name.")
    return Json(told)
