"""The application: routes, and who stands behind them."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import torch
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

import dragoman
from dragoman.engine.runtime import keep_freed_memory
from dragoman.server.access import keys_for
from dragoman.server.api.libretranslate import files, routes
from dragoman.server.api.libretranslate.file_store import KeptFiles
from dragoman.server.api.openai import routes as openai
from dragoman.server.api.plain import routes as plain
from dragoman.server.deadlines import ClientGone
from dragoman.server.metrics import Counted, Metrics
from dragoman.server.middleware.error_responses import identity_of, refusal_body
from dragoman.server.middleware.stack import guarded
from dragoman.server.model_registry import fill_shelf
from dragoman.server.plan import ServerPlan
from dragoman.server.refusal import Refusal
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.server.studio import routes as studio
from dragoman.server.studio import static

log = logging.getLogger("dragoman.server")

FILES_AT_ONCE = 2
"""Uploaded files that are taken apart and translated at the same time."""

GONE = 499
"""What is written into the log of a client that did not wait."""

UNSPOKEN: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""Nothing is told to anybody else, and the environment is not asked whether it should be."""


def create_app(plan: ServerPlan) -> ASGIApp:
    """Load the runs and put the whole server together, the middleware first."""
    app = create_routes(plan)
    settings = plan.settings
    return Counted(guarded(app, settings, keys_for(settings)), app.state.metrics)


def create_routes(plan: ServerPlan) -> FastAPI:
    """Load the runs, and make the routes that ask them."""
    if plan.threads:
        torch.set_num_threads(plan.threads)
    keep_freed_memory()
    engine = Engine()
    shelf = fill_shelf(plan.runs, engine, plan.settings)

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        engine.start()
        yield
        await asyncio.to_thread(engine.stop, plan.settings.shutdown_timeout)

    app = FastAPI(
        title="Dragoman",
        version=dragoman.__version__,
        description="Your own translators and language models, served from your own machine.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=alive,
        telemetry=UNSPOKEN,
    )
    app.state.plan, app.state.settings = plan, plan.settings
    app.state.engine, app.state.shelf = engine, shelf
    app.state.metrics = Metrics(engine, shelf)
    app.state.kept_files = KeptFiles(plan.scratch, plan.settings)
    app.state.files_at_once = asyncio.Semaphore(FILES_AT_ONCE)
    app.state.runs_folder, app.state.lab_folder = plan.runs_folder, plan.lab_folder
    plain.furnish(app)
    studio.furnish(app)
    _put_routes(app)
    _put_handlers(app)
    return app


def _put_routes(app: FastAPI) -> None:
    app.include_router(routes.router)
    app.include_router(files.router)
    app.include_router(openai.router)
    app.include_router(plain.router)
    app.include_router(studio.router)

    @app.get("/metrics", tags=["operating"], summary="Figures for Prometheus")
    async def metrics(request: Request) -> Response:
        """Give all counters as Prometheus reads them."""
        told: Metrics = request.app.state.metrics
        return Response(told.told(), media_type="text/plain; version=0.0.4; charset=utf-8")

    app.include_router(static.router)  # last, for it answers every name below /studio


def _put_handlers(app: FastAPI) -> None:
    """Have every refusal look alike, with the request's id and nothing of ours."""

    @app.exception_handler(Refusal)
    async def refused(request: Request, error: Refusal) -> Response:
        return _told(request, error)

    @app.exception_handler(HTTPException)
    async def unknown(request: Request, error: HTTPException) -> Response:
        words = {404: "There is nothing here.", 405: "This is not how to ask here."}
        message = words.get(error.status_code, "The request cannot be understood.")
        return _told(request, Refusal(error.status_code, message, headers=error.headers))

    @app.exception_handler(RequestValidationError)
    async def misspelt(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "body"
        return _told(request, Refusal(422, f"Invalid request: {where}: {first['msg']}"))

    @app.exception_handler(ClientGone)
    async def gone(request: Request, error: ClientGone) -> Response:
        return Response(status_code=GONE)


def _told(request: Request, refusal: Refusal) -> Response:
    body = refusal_body(request.url.path, refusal, identity_of(request.scope))
    return JSONResponse(body, refusal.status, headers=refusal.headers)
