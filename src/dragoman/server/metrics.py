"""Metrics for Prometheus."""

import os
import time
from collections.abc import Iterable, Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.model_registry import ModelRegistry
from dragoman.server.scheduler.scheduler import Scheduler

MULTIPROCESS_DIR = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder in which several workers count together."""

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The metrics of one server."""

    def __init__(self, scheduler: Scheduler, models: ModelRegistry) -> None:
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
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._own = _SchedulerCollector(scheduler, models)

    def exposition(self) -> bytes:
        """Return all metrics in the exposition format, those of other workers included."""
        registry = self.registry
        if os.environ.get(MULTIPROCESS_DIR):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        own = CollectorRegistry()
        own.register(self._own)
        return generate_latest(registry) + generate_latest(own)


class _SchedulerCollector:
    """The metrics of this process's scheduler, read when they are scraped."""

    def __init__(self, scheduler: Scheduler, models: ModelRegistry) -> None:
        self.scheduler, self.models = scheduler, models

    def collect(self) -> Iterator[Metric]:
        """Yield the current values."""
        worker = str(os.getpid())
        busy = CounterMetricFamily(
            "dragoman_engine_busy_seconds", "Time the scheduler has worked.", labels=["worker"]
        )
        busy.add_metric([worker], self.scheduler.busy_seconds)
        yield busy
        yield from self._translators(worker)
        yield from self._language_models(worker)

    def _translators(self, worker: str) -> Iterable[Metric]:
        labels = ["worker", "run", "lane"]
        waiting = GaugeMetricFamily("dragoman_waiting_texts", "Texts that wait.", labels=labels)
        texts = CounterMetricFamily("dragoman_texts", "Texts translated.", labels=labels)
        passes = CounterMetricFamily(
            "dragoman_passes", "Passes, or turns of a search, that did them.", labels=labels
        )
        for name, one in self.models.translators.items():
            for kind, queue in (("texts", one.queue), ("files", one.file_queue)):
                waiting.add_metric([worker, name, kind], queue.waiting)
                texts.add_metric([worker, name, kind], queue.done)
                passes.add_metric([worker, name, kind], queue.passes)
        return waiting, texts, passes

    def _language_models(self, worker: str) -> Iterable[Metric]:
        labels = ["worker", "run"]
        waiting = GaugeMetricFamily(
            "dragoman_waiting_writing", "Texts that wait to be begun.", labels=labels
        )
        rows = GaugeMetricFamily("dragoman_writing", "Texts that are written.", labels=labels)
        tokens = CounterMetricFamily("dragoman_tokens", "Tokens written.", labels=labels)
        steps = CounterMetricFamily("dragoman_steps", "Steps that wrote them.", labels=labels)
        for name, one in self.models.language_models.items():
            waiting.add_metric([worker, name], one.queue.waiting)
            rows.add_metric([worker, name], one.queue.rows)
            tokens.add_metric([worker, name], one.queue.tokens)
            steps.add_metric([worker, name], one.queue.steps)
        return waiting, rows, tokens, steps


class MetricsMiddleware:
    """Metrics middleware: counts and times every request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, and count its response by route."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def send_and_count(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_count)
        finally:
            route = _route(scope)
            self.metrics.requests.labels(route, _method(scope), str(status)).inc()
            self.metrics.seconds.labels(route).observe(time.perf_counter() - began)


def _route(scope: Scope) -> str:
    """Return the path pattern of a route; all unknown paths count as one."""
    route: Any = scope.get("route")
    return str(getattr(route, "path", "other"))


def _method(scope: Scope) -> str:
    known = ("GET", "HEAD", "POST", "OPTIONS")
    return scope["method"] if scope["method"] in known else "other"
