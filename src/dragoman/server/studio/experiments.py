"""Experiments of the lab, for the studio: results, and the verdicts on claims."""

import asyncio
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from dragoman.server.errors import ApiError
from dragoman.server.studio.json_response import JsonResponse
from dragoman.server.studio.safe_reading import file_stat, folders_in, plain, read_file, read_json
from dragoman.server.studio.safe_reading import read_text as text_of

router = APIRouter(prefix="/studio/api", tags=["studio"])

RESULT, TABLE, PLOT = "result.json", "table.md", "picture.png"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
FINDING_KEYS = ("verdict", "notes", "because")
JsonObject = dict[str, Any]


@router.get("/experiments", summary="List experiments")
async def list_experiments(request: Request) -> JsonResponse:
    """List the experiments that have a result, the latest first."""
    return JsonResponse(await asyncio.to_thread(list_experiments_in, request.app.state.lab_folder))


@router.get("/experiments/{name}", summary="Describe an experiment")
async def show_experiment(request: Request, name: str) -> JsonResponse:
    """Return the tables and the verdicts of an experiment."""
    described = await asyncio.to_thread(describe_experiment, request.app.state.lab_folder, name)
    if described is None:
        raise _not_found()
    return JsonResponse(described)


@router.get("/experiments/{name}/picture.png", summary="The plot of an experiment")
async def show_picture(request: Request, name: str) -> Response:
    """Return the plot of an experiment."""
    content = await asyncio.to_thread(_plot, request.app.state.lab_folder, name)
    if not content:
        raise _not_found()
    return Response(content, media_type="image/png", headers={"Cache-Control": "no-cache"})


def list_experiments_in(folder: Path | None) -> list[JsonObject]:
    """Return a summary of every experiment of a folder that has a result."""
    described = [_summary(name, path) for name, path in folders_in(folder).items()]
    return sorted(filter(None, described), key=lambda one: -one["updated"])


def describe_experiment(folder: Path | None, name: str) -> JsonObject | None:
    """Return all of one experiment; None where there is none of this name."""
    path = folders_in(folder).get(name)
    summary = None if path is None else _summary(name, path)
    if path is None or summary is None:
        return None
    plotted = file_stat(path / PLOT) is not None
    return {
        **summary,
        "markdown": text_of(path / TABLE),
        "findings": _findings(read_json(path / RESULT)),
        "picture": f"/studio/api/experiments/{quote(name)}/{PLOT}" if plotted else None,
    }


def _summary(name: str, path: Path) -> JsonObject | None:
    facts = file_stat(path / RESULT)
    known = None if facts is None else _read_summary(path, facts.st_mtime_ns, facts.st_size)
    if facts is None or known is None:
        return None
    return {"name": name, "updated": facts.st_mtime, **known, "title": known["title"] or name}


@lru_cache(maxsize=256)
def _read_summary(path: Path, changed: int, size: int) -> JsonObject | None:
    """Read the summary of a result; again only if it has changed."""
    result = read_json(path / RESULT)
    if not isinstance(result, dict):
        return None
    seeds = result.get("seeds")
    return {
        "title": str(plain(result.get("title")) or ""),
        "size": str(plain(result.get("size")) or ""),
        "seeds": [plain(one) for one in seeds] if isinstance(seeds, list) else [],
        "verdicts": dict(Counter(one["verdict"] for one in _findings(result))),
    }


def _findings(result: Any) -> list[JsonObject]:
    findings = result.get("findings") if isinstance(result, dict) else None
    listed = findings if isinstance(findings, list) else []
    return [_finding(one) for one in listed if isinstance(one, dict)]


def _finding(one: JsonObject) -> JsonObject:
    ledger = one.get("ledger")
    rows = [str(plain(row)) for row in ledger] if isinstance(ledger, list) else []
    return {"ledger": rows, **{key: str(plain(one.get(key)) or "") for key in FINDING_KEYS}}


def _plot(folder: Path | None, name: str) -> bytes:
    path = folders_in(folder).get(name)
    content = b"" if path is None else read_file(path / PLOT)
    return content if content.startswith(SIGNATURE) else b""


def _not_found() -> ApiError:
    return ApiError(404, "There is no experiment of this name.")
