"""Routes of the studio for runs: a list, and the log of each while it trains."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request

from dragoman.server.errors import ApiError
from dragoman.server.studio.json_response import JsonResponse
from dragoman.server.studio.runs import RunIndex

router = APIRouter(prefix="/studio/api", tags=["studio"])


@router.get("/runs", summary="List runs")
async def list_runs(request: Request) -> JsonResponse:
    """List the runs of the folder, the one that changed last first."""
    runs: RunIndex = request.app.state.runs
    return await asyncio.to_thread(lambda: JsonResponse({"runs": runs.summaries()}))


@router.get("/runs/{name}", summary="Describe a run")
async def show_run(
    request: Request, name: str, after: Annotated[int, Query(ge=0, le=1 << 31)] = 0
) -> JsonResponse:
    """Return a run's log from a line on, with its samples, model card and corpus findings.

    `next` is the line for the next request. Where the log has fewer lines than before, it was
    restarted: `restarted` says so, and all its lines are returned.
    """
    runs: RunIndex = request.app.state.runs
    return await asyncio.to_thread(_describe, runs, name, after)


def _describe(runs: RunIndex, name: str, after: int) -> JsonResponse:
    description = runs.describe(name, after)
    if description is None:
        raise ApiError(404, "There is no run of this name.")
    return JsonResponse(description)
