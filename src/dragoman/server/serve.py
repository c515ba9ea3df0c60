"""Running the server: the socket, the worker processes, and the shutdown."""

import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from dragoman.config.serving import ServingSettings
from dragoman.core.addresses import is_loopback
from dragoman.core.console import say
from dragoman.core.errors import ConfigError, DragomanError
from dragoman.engine.runtime import cores
from dragoman.server.metrics import MULTIPROCESS_DIR
from dragoman.server.middleware.api_keys import load_keys
from dragoman.server.middleware.http_protocol import LimitedHttpProtocol
from dragoman.server.plan import ServerPlan
from dragoman.server.scratch import scratch_folder

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
    with _bind(settings) as listener, scratch_folder() as scratch:
        threads = settings.threads or max(1, cores() // settings.workers)
        files = _make_folder(scratch / "files")
        plan = ServerPlan(settings, runs, files, runs_folder, lab_folder, threads)
        if settings.workers == 1:
            from dragoman.server.app import create_app

            app = create_app(plan)
            _tune_garbage_collection()
            _print_address(listener, settings)
            server = uvicorn.Server(_config(app, settings))
            _stop_at_signals(server)
            server.run([listener])
            return
        os.environ[MULTIPROCESS_DIR] = str(_make_folder(scratch / "counted"))
        _check_runs(plan)
        _print_address(listener, settings)
        supervisor = _Supervisor(_config(partial(worker, plan), settings), [listener])
        supervisor.run()
        if any(one.exitcode == STARTUP_FAILURE for one in supervisor.processes):
            sys.exit(2)  # the worker has said why


class _Supervisor(Multiprocess):
    """uvicorn's supervisor of workers, which replaces those that have died.

    uvicorn's own also kills one that does not respond for 5 seconds. On a busy machine no worker
    responds while it imports torch, so all are killed again and again, and none ever starts.
    """

    def keep_subprocess_alive(self) -> None:
        """Replace dead workers, but for one that cannot start, which ends the server."""
        for place, one in enumerate(self.processes):
            if one.exitcode == STARTUP_FAILURE:
                self.should_exit.set()
            elif one.exitcode is not None:
                self.processes[place] = Process(self.config, self.sockets)
                self.processes[place].start()


def worker(plan: ServerPlan) -> ASGIApp:
    """Make the application of a worker process; an error in it is not retried."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from dragoman.server.app import create_app

    try:
        app = create_app(plan)
    except (DragomanError, OSError, MemoryError) as error:
        say(f"dragoman: a worker cannot start: {error or 'not enough memory'}", "red")
        sys.exit(STARTUP_FAILURE)
    _tune_garbage_collection()
    return app


def _end_with_parent() -> None:
    """End this worker as soon as the process that started it is gone, however that was killed.

    Else it would go on listening at the port, and nobody could stop it by the server's own pid.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


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


def _stop_at_signals(server: uvicorn.Server) -> None:
    """Stop at a signal that comes before uvicorn waits for one, or that it raises again later."""

    def stop(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def _print_address(listener: socket.socket, settings: ServingSettings) -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    say(f"studio and API at http://{shown}:{port}/   (stop with Ctrl-C)")
    if not is_loopback(settings.host):
        say(
            "without TLS, keys and texts can be read on the way; see docs/how-to/deploying.md",
            "yellow",
        )
