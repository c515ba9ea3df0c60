"""Static files: the page of the studio, each file by its exact name, and plotly's bundle."""

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response

from dragoman.server.errors import ApiError

PAGE = Path(__file__).parent / "page"
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PLOTLY = "plotly.min.js"
SHARED = {
    "style/tokens.css": ("dragoman.plots", "tokens.css"),
    "style/claims.css": ("dragoman.lab.site", "claims.css"),
}
"""Style sheets that the studio shares with pages of others: the package and the file of each."""

router = APIRouter(include_in_schema=False)


@router.get("/")
async def index(request: Request) -> Response:
    """Return the page of the studio."""
    return _file(request, "index.html")


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Return the page of the API reference."""
    return _file(request, "api.html")


@router.get("/studio/{name:path}")
async def part(request: Request, name: str) -> Response:
    """Return a file of the page."""
    return _file(request, name)


def _file(request: Request, name: str) -> Response:
    found = _content(name)
    if found is None:
        raise ApiError(404, "Not found.")
    data, etag = found
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match", "").removeprefix("W/") == etag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=MEDIA_TYPES[Path(name).suffix], headers=headers)


@lru_cache(maxsize=128)
def _content(name: str) -> tuple[bytes, str] | None:
    """Return a file and its ETag; names are looked up, and never made into paths."""
    if name == PLOTLY:
        data = files("plotly").joinpath("package_data", PLOTLY).read_bytes()
    elif name in SHARED:
        package, file = SHARED[name]
        data = files(package).joinpath(file).read_bytes()
    elif name in _names():
        data = (PAGE / name).read_bytes()
    else:
        return None
    return data, f'"{hashlib.sha256(data).hexdigest()[:24]}"'


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    found = (path.relative_to(PAGE) for path in PAGE.rglob("*") if path.suffix in MEDIA_TYPES)
    return frozenset(path.as_posix() for path in found)
