"""The ASGI application: model registry, scheduler, routes, error handlers and middleware."""

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
from dragoman.server.api.libretranslate import files, routes
from dragoman.server.api.libretranslate.files import FileStore
from dragoman.server.api.openai import routes as openai
from dragoman.server.api.plain import routes as plain
from dragoman.server.deadlines import ClientDisconnected
from dragoman.server.errors import ApiError
from dragoman.server.metrics import Metrics, MetricsMiddleware
from dragoman.server.middleware.api_keys import load_keys
from dragoman.server.middleware.error_responses import error_body, request_id_of
from dragoman.server.middleware.stack import with_middleware
from dragoman.server.model_registry import load_models
from dragoman.server.plan import ServerPlan
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.server.studio import routes as studio
from dragoman.server.studio import static

log = logging.getLogger("dragoman.server")

MAX_FILES = 2
"""Uploaded files that are translated at the same time."""

CLIENT_CLOSED_REQUEST = 499
"""The status of a response that no client waits for, as nginx logs it."""

NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""No telemetry, whatever the environment says."""


def create_app(plan: ServerPlan) -> ASGIApp:
    """Load the runs and make the whole application, with its middleware."""
    app = create_routes(plan)
    settings = plan.settings
    return MetricsMiddleware(with_middleware(app, settings, load_keys(settings)), app.state.metrics)


def create_routes(plan: ServerPlan) -> FastAPI:
    """Load the runs and make the routes, without middleware."""
    if plan.threads:
        torch.set_num_threads(plan.threads)
    keep_freed_memory()
    scheduler = Scheduler()
    models = load_models(plan.runs, scheduler, plan.settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        scheduler.start()
        yield
        await asyncio.to_thread(scheduler.stop, plan.settings.shutdown_timeout)

    app = FastAPI(
        title="Dragoman",
        version=dragoman.__version__,
        description="Your own translators and language models, served from your own machine.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        telemetry=NO_TELEMETRY,
    )
    app.state.plan, app.state.settings = plan, plan.settings
    app.state.scheduler, app.state.models = scheduler, models
    app.state.metrics = Metrics(scheduler, models)
    app.state.file_store = FileStore(plan.scratch, plan.settings)
    app.state.file_slots = asyncio.Semaphore(MAX_FILES)
    app.state.runs_folder, app.state.lab_folder = plan.runs_folder, plan.lab_folder
    plain.install(app)
    studio.install(app)
    _add_routes(app)
    _add_error_handlers(app)
    return app


def _add_routes(app: FastAPI) -> None:
    app.include_router(routes.router)
    app.include_router(files.router)
    app.include_router(openai.router)
    app.include_router(plain.router)
    app.include_router(studio.router)

    @app.get("/metrics", tags=["operating"], summary="Prometheus metrics")
    async def metrics(request: Request) -> Response:
        """Return all metrics in the exposition format of Prometheus."""
        own: Metrics = request.app.state.metrics
        return Response(own.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")

    app.include_router(static.router)  # last, for it matches every path below /studio


def _add_error_handlers(app: FastAPI) -> None:
    """Give every error the same form, with the request id and no internals."""

    @app.exception_handler(ApiError)
    async def api_error(request: Request, error: ApiError) -> Response:
        return _error_response(request, error)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        messages = {404: "Not found.", 405: "Method not allowed."}
        message = messages.get(error.status_code, "The request cannot be understood.")
        return _error_response(request, ApiError(error.status_code, message, headers=error.headers))

    @app.exception_handler(RequestValidationError)
    async def validation_error(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "body"
        return _error_response(request, ApiError(422, f"Invalid request: {where}: {first['msg']}"))

    @app.exception_handler(ClientDisconnected)
    async def client_disconnected(request: Request, error: ClientDisconnected) -> Response:
        return Response(status_code=CLIENT_CLOSED_REQUEST)


def _error_response(request: Request, error: ApiError) -> Response:
    body = error_body(request.url.path, error, request_id_of(request.scope))
    return JSONResponse(body, error.status, headers=error.headers)
