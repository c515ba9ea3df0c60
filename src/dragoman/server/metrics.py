"""What there is to count, for Prometheus."""

import os
import time
from collections.abc import Iterable, Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.model_registry import Shelf
from dragoman.server.scheduler.worker_thread import Engine

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder in which several workers count together."""

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The counters of one server."""

    def __init__(self, engine: Engine, shelf: Shelf) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "dragoman_requests",
            "Requests answered.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "dragoman_request_seconds",
            "Time from a request to the end of its answer.",
            ("route",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self._own = _Engine(engine, shelf)

    def told(self) -> bytes:
        """Return all figures as Prometheus reads them, those of other workers included."""
        registry = self.registry
        if os.environ.get(SHARED):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        own = CollectorRegistry()
        own.register(self._own)
        return generate_latest(registry) + generate_latest(own)


class _Engine:
    """The figures of this process's engine, read when they are asked for."""

    def __init__(self, engine: Engine, shelf: Shelf) -> None:
        self.engine, self.shelf = engine, shelf

    def collect(self) -> Iterator[Metric]:
        """Give the figures of this moment."""
        worker = str(os.getpid())
        busy = CounterMetricFamily(
            "dragoman_engine_busy_seconds", "Time the engine has worked.", labels=["worker"]
        )
        busy.add_metric([worker], self.engine.busy_seconds)
        yield busy
        yield from self._lanes(worker)
        yield from self._writers(worker)

    def _lanes(self, worker: str) -> Iterable[Metric]:
        labels = ["worker", "run", "lane"]
        waiting = GaugeMetricFamily("dragoman_waiting_texts", "Texts that wait.", labels=labels)
        texts = CounterMetricFamily("dragoman_texts", "Texts translated.", labels=labels)
        passes = CounterMetricFamily(
            "dragoman_passes", "Passes, or turns of a search, that did them.", labels=labels
        )
        for name, one in self.shelf.translators.items():
            for kind, lane in (("texts", one.lane), ("files", one.file_lane)):
                waiting.add_metric([worker, name, kind], lane.waiting)
                texts.add_metric([worker, name, kind], lane.done)
                passes.add_metric([worker, name, kind], lane.passes)
        return waiting, texts, passes

    def _writers(self, worker: str) -> Iterable[Metric]:
        labels = ["worker", "run"]
        waiting = GaugeMetricFamily(
            "dragoman_waiting_writing", "Texts that wait to be begun.", labels=labels
        )
        rows = GaugeMetricFamily("dragoman_writing", "Texts that are written.", labels=labels)
        tokens = CounterMetricFamily("dragoman_tokens", "Tokens written.", labels=labels)
        steps = CounterMetricFamily("dragoman_steps", "Steps that wrote them.", labels=labels)
        for name, one in self.shelf.writers.items():
            waiting.add_metric([worker, name], one.lane.waiting)
            rows.add_metric([worker, name], one.lane.rows)
            tokens.add_metric([worker, name], one.lane.tokens)
            steps.add_metric([worker, name], one.lane.steps)
        return waiting, rows, tokens, steps


class Counted:
    """Counts what passes."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count its answer by the route that gave it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            route = _route(scope)
            self.metrics.requests.labels(route, _method(scope), str(status)).inc()
            self.metrics.seconds.labels(route).observe(time.perf_counter() - began)


def _route(scope: Scope) -> str:
    """Return the pattern that was matched; whatever strangers make up counts as one."""
    route: Any = scope.get("route")
    return str(getattr(route, "path", "other"))


def _method(scope: Scope) -> str:
    known = ("GET", "HEAD", "POST", "OPTIONS")
    return scope["method"] if scope["method"] in known else "other"
