"""A small application behind the whole middleware."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Form, Request
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel
from starlette.responses import Response
from tests.served import Served, served

from dragoman.config.serving import ServingSettings
from dragoman.server.middleware.api_keys import KeyFile, add_key
from dragoman.server.middleware.stack import with_middleware

work_done: list[str] = []
"""The paths whose routes were really entered."""


class Said(BaseModel):
    text: str


def small_app() -> FastAPI:
    """Routes under the names that the middleware knows, and some that go wrong."""
    app = FastAPI()

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/echo")
    async def echo(said: Said) -> Said:
        work_done.append("/echo")
        return said

    @app.post("/form")
    async def form(text: Annotated[str, Form()]) -> str:
        return text

    @app.api_route("/translate", methods=["GET", "POST"])
    @app.api_route("/languages", methods=["GET", "POST"])
    @app.post("/translate_file")
    @app.post("/raw")
    @app.post("/v1/completions")
    async def raw(request: Request) -> JSONResponse:
        body = await request.body()
        work_done.append(request.url.path)
        key = request.scope["state"].get("key")
        return JSONResponse({"bytes": len(body), "query": request.url.query, "key": key})

    _put_odd_routes(app)
    _put_streams(app)
    _put_long_answers(app)
    return app


def _put_odd_routes(app: FastAPI) -> None:
    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("the secret of the house")

    @app.get("/studio/page.js")
    async def page() -> Response:
        return Response("1", media_type="text/javascript")


def _put_long_answers(app: FastAPI) -> None:
    @app.get("/large")
    async def large() -> Response:
        return Response(b"x" * 50_000_000)

    @app.get("/long")
    async def long() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            for _ in range(50):
                yield b"x" * 1_000_000

        return StreamingResponse(parts())


def _put_streams(app: FastAPI) -> None:
    @app.get("/breaks-later")
    async def breaks_later() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"so far so good"
            raise RuntimeError("the secret of the house")

        return StreamingResponse(parts())

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            for number in range(3):
                yield f"data: {number}\n\n".encode()
                await asyncio.sleep(0.01)

        return StreamingResponse(parts(), media_type="text/event-stream")


Behind = Callable[..., Served]


@pytest.fixture(scope="session")
def running() -> Iterator[dict[str, Served]]:
    """Give the servers that run already, by their settings, and a place for more."""
    servers = _Running()
    with servers.stack:
        yield servers


class _Running(dict[str, Served]):
    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()

    def __missing__(self, settings: str) -> Served:
        wanted = ServingSettings.model_validate_json(settings)
        known = KeyFile.load(wanted.keys) if wanted.keys else None
        app = with_middleware(small_app(), wanted, known)
        self[settings] = self.stack.enter_context(served(app, wanted))
        return self[settings]


@pytest.fixture
def behind_middleware(running: dict[str, Served]) -> Behind:
    """Give the function that serves the small application with some settings, and perhaps keys."""

    def start(keys: Path | None = None, **settings: Any) -> Served:
        work_done.clear()
        return running[ServingSettings(keys=keys, **settings).model_dump_json()]

    return start


@pytest.fixture
def keys(tmp_path: Path) -> SimpleNamespace:
    """Give a file with one key, that of ada, and the key."""
    path = tmp_path / "keys.json"
    return SimpleNamespace(path=path, key=add_key(path, "ada"))
