"""Applications behind a real uvicorn on loopback, and talking to it down to the bytes."""

import json
import logging
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from dragoman.config.serving import ServingSettings
from dragoman.server.middleware.http_protocol import LimitedHttpProtocol


@dataclass(frozen=True)
class Answer:
    """What came back: its status, its headers in small letters, and its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """A server that runs in a thread of this process."""

    port: int
    server: uvicorn.Server

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connections(self) -> int:
        return len(self.server.server_state.connections)

    def connect(self, timeout: float = 20.0) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def say(self, request: bytes) -> bytes:
        """Send bytes and return all that comes back until the server closes."""
        with self.connect() as client:
            client.sendall(request)
            return heard(client)

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """Ask once, with exactly these headers besides Host, Content-Length and Connection."""
        said = {"Host": f"127.0.0.1:{self.port}", "Connection": "close", **(headers or {})}
        if body is not None:
            said.setdefault("Content-Length", str(len(body)))
        lines = "".join(f"{name}: {value}\r\n" for name, value in said.items() if value)
        head = f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1")
        return parsed(self.say(head + (body or b"")))


def heard(client: socket.socket) -> bytes:
    """Return what a server says until it closes; what it said before it cut the line too."""
    parts = []
    with suppress(ConnectionResetError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def parsed(answer: bytes) -> Answer:
    """Read one answer as HTTP/1.1 writes it; a body in chunks stays in chunks."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    return Answer(int(first.split()[1]), headers, body)


@contextmanager
def served(app: ASGIApp, settings: ServingSettings | None = None) -> Iterator[Served]:
    """Serve an application at a free port until the block ends."""
    settings = settings or ServingSettings()
    config = uvicorn.Config(
        app,
        http=LimitedHttpProtocol,
        ws="none",
        h11_max_incomplete_event_size=settings.max_head_bytes,
        limit_concurrency=settings.max_connections,
        timeout_keep_alive=settings.read_timeout,  # type: ignore[arg-type]
        timeout_graceful_shutdown=5,
        server_header=False,
        access_log=False,
        log_config=None,
        log_level=logging.ERROR,
    )
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            waited_for(lambda: server.started or not thread.is_alive())
            yield Served(listener.getsockname()[1], server)
        finally:
            server.should_exit = True
            thread.join()


def waited_for(holds: Any, seconds: float = 20.0) -> bool:
    """Wait until something holds; say whether it came to that."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
