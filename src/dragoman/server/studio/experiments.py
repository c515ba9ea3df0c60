"""Results of the lab, for the studio: what was measured, and what became of the statements."""

import asyncio
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from dragoman.server.refusal import Refusal
from dragoman.server.studio.json_response import Json
from dragoman.server.studio.safe_reading import file_facts, folders_in, plain, read_file, read_json
from dragoman.server.studio.safe_reading import read_text as text_of

router = APIRouter(prefix="/studio/api", tags=["studio"])

RESULT, TABLE, FIGURE = "result.json", "table.md", "picture.png"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
TOLD = ("verdict", "notes", "because")
Told = dict[str, Any]


@router.get("/experiments", summary="List experiments")
async def list_experiments(request: Request) -> Json:
    """List the experiments that have a result, the latest first."""
    return Json(await asyncio.to_thread(listed, request.app.state.lab_folder))


@router.get("/experiments/{name}", summary="Tell all of an experiment")
async def show_experiment(request: Request, name: str) -> Json:
    """Return the tables and the verdicts of an experiment."""
    told = await asyncio.to_thread(shown, request.app.state.lab_folder, name)
    if told is None:
        raise _unknown()
    return Json(told)


@router.get("/experiments/{name}/picture.png", summary="Show an experiment")
async def show_picture(request: Request, name: str) -> Response:
    """Return the picture of an experiment."""
    content = await asyncio.to_thread(_picture, request.app.state.lab_folder, name)
    if not content:
        raise _unknown()
    return Response(content, media_type="image/png", headers={"Cache-Control": "no-cache"})


def listed(folder: Path | None) -> list[Told]:
    """Tell of every experiment below a folder that has a result."""
    told = [_summary(name, path) for name, path in folders_in(folder).items()]
    return sorted(filter(None, told), key=lambda one: -one["updated"])


def shown(folder: Path | None, name: str) -> Told | None:
    """Tell all of one experiment; None where there is none of this name."""
    path = folders_in(folder).get(name)
    summary = None if path is None else _summary(name, path)
    if path is None or summary is None:
        return None
    drawn = file_facts(path / FIGURE) is not None
    return {
        **summary,
        "markdown": text_of(path / TABLE),
        "findings": _findings(read_json(path / RESULT)),
        "picture": f"/studio/api/experiments/{quote(name)}/{FIGURE}" if drawn else None,
    }


def _summary(name: str, path: Path) -> Told | None:
    facts = file_facts(path / RESULT)
    known = None if facts is None else _known(path, facts.st_mtime_ns, facts.st_size)
    if facts is None or known is None:
        return None
    return {"name": name, "updated": facts.st_mtime, **known, "title": known["title"] or name}


@lru_cache(maxsize=256)
def _known(path: Path, changed: int, size: int) -> Told | None:
    """Read the beginning of a result anew only if it has changed."""
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


def _findings(result: Any) -> list[Told]:
    findings = result.get("findings") if isinstance(result, dict) else None
    some = findings if isinstance(findings, list) else []
    return [_finding(one) for one in some if isinstance(one, dict)]


def _finding(one: Told) -> Told:
    ledger = one.get("ledger")
    rows = [str(plain(row)) for row in ledger] if isinstance(ledger, list) else []
    return {"ledger": rows, **{key: str(plain(one.get(key)) or "") for key in TOLD}}


def _picture(folder: Path | None, name: str) -> bytes:
    path = folders_in(folder).get(name)
    content = b"" if path is None else read_file(path / FIGURE)
    return content if content.startswith(SIGNATURE) else b""


def _unknown() -> Refusal:
    return Refusal(404, "There is no experiment of this name.")
