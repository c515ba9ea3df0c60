"""Running the server: the socket, the worker processes, and the shutdown."""

import gc
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from dragoman.config.serving import ServingSettings
from dragoman.core.addresses import is_loopback
from dragoman.core.console import say
from dragoman.core.errors import ConfigError, DragomanError
from dragoman.engine.runtime import cores
from dragoman.server.metrics import MULTIPROCESS_DIR
from dragoman.server.middleware.api_keys import load_keys
from dragoman.server.middleware.http_protocol import LimitedHttpProtocol
from dragoman.server.plan import ServerPlan

BACKLOG = 128

GC_THRESHOLD = 50_000
"""New objects after which garbage is collected."""


def serve(
    settings: ServingSettings,
    runs: tuple[Path, ...],
    *,
    runs_folder: Path | None,
    lab_folder: Path | None,
) -> None:
    """Serve runs until a signal comes; accepted requests are finished."""
    load_keys(settings)
    with _scratch_folder() as scratch, _bind(settings) as listener:
        threads = settings.threads or max(1, cores() // settings.workers)
        plan = ServerPlan(settings, runs, scratch, runs_folder, lab_folder, threads)
        if settings.workers == 1:
            from dragoman.server.app import create_app

            app = create_app(plan)
            _tune_garbage_collection()
            _print_address(listener, settings)
            _ignore_repeated_signals()
            uvicorn.Server(_config(app, settings)).run([listener])
            return
        os.environ[MULTIPROCESS_DIR] = str(_make_folder(scratch.parent / "counted"))
        _check_runs(plan)
        _print_address(listener, settings)
        Multiprocess(_config(partial(worker, plan), settings), [listener]).run()


def worker(plan: ServerPlan) -> ASGIApp:
    """Make the application of a worker process; an error in it is not retried."""
    from dragoman.server.app import create_app

    try:
        app = create_app(plan)
    except DragomanError as error:
        say(f"dragoman: {error}", "red")
        sys.exit(STARTUP_FAILURE)
    _tune_garbage_collection()
    return app


def _tune_garbage_collection() -> None:
    """Collect garbage seldom, and never among all that is loaded by now.

    Else every request pays for walks through what torch has imported.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)


def _config(app: object, settings: ServingSettings) -> uvicorn.Config:
    is_factory = isinstance(app, partial)
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        factory=is_factory,
        workers=settings.workers,
        http=LimitedHttpProtocol,
        ws="none",
        lifespan="on",
        h11_max_incomplete_event_size=settings.max_head_bytes,
        limit_concurrency=settings.max_connections,
        timeout_keep_alive=max(1, int(settings.read_timeout)),
        timeout_graceful_shutdown=int(settings.shutdown_timeout) or None,
        server_header=False,
        access_log=False,
        log_level=logging.WARNING,
        backlog=BACKLOG,
    )


def _check_runs(plan: ServerPlan) -> None:
    """Load everything once here, so that an error is reported once and not by every worker."""
    from dragoman.server.app import create_routes

    create_routes(plan)


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    whole = Path(tempfile.mkdtemp(prefix="dragoman-"))
    try:
        yield _make_folder(whole / "files")
    finally:
        shutil.rmtree(whole, ignore_errors=True)


def _make_folder(path: Path) -> Path:
    path.mkdir(mode=0o700)
    return path


@contextmanager
def _bind(settings: ServingSettings) -> Iterator[socket.socket]:
    """Bind the port before the networks are loaded, so that a port in use is reported at once."""
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, settings.port))
        except OSError as error:
            raise ConfigError(
                f"cannot listen at {settings.host} port {settings.port} ({error.strerror}). "
                "Choose another --port, or 0 for any that is free."
            ) from None
        listener.set_inheritable(True)
        yield listener


def _ignore_repeated_signals() -> None:
    """Ignore a signal that uvicorn raises again after the shutdown."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)


def _print_address(listener: socket.socket, settings: ServingSettings) -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    say(f"studio and API at http://{shown}:{port}/   (stop with Ctrl-C)")
    if not is_loopback(settings.host):
        say(
            "without TLS, keys and texts can be read on the way; see docs/how-to/deploying.md",
            "yellow",
        )
