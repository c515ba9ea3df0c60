"""The page itself: files of this package, each by its exact name, and plotly's bundle."""

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response

from dragoman.server.refusal import Refusal

PAGE = Path(__file__).parent / "page"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PLOTLY = "plotly.min.js"

router = APIRouter(include_in_schema=False)


@router.get("/")
async def index(request: Request) -> Response:
    """Give the studio."""
    return _file(request, "index.html")


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Give the page that describes the interface."""
    return _file(request, "api.html")


@router.get("/studio/{name:path}")
async def part(request: Request, name: str) -> Response:
    """Give a part of the page."""
    return _file(request, name)


def _file(request: Request, name: str) -> Response:
    found = _content(name)
    if found is None:
        raise Refusal(404, "There is nothing here.")
    data, mark = found
    headers = {"ETag": mark, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match", "").removeprefix("W/") == mark:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=KINDS[Path(name).suffix], headers=headers)


@lru_cache(maxsize=128)
def _content(name: str) -> tuple[bytes, str] | None:
    """Return a file of the page and its mark; names are looked up, and never made into paths."""
    if name == PLOTLY:
        data = files("plotly").joinpath("package_data", PLOTLY).read_bytes()
    elif name in _names():
        data = (PAGE / name).read_bytes()
    else:
        return None
    return data, f'"{hashlib.sha256(data).hexdigest()[:24]}"'


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    found = (path.relative_to(PAGE) for path in PAGE.rglob("*") if path.suffix in KINDS)
    return frozenset(path.as_posix() for path in found)
