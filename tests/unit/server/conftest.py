"""A server for tests: `serve(app, settings)` starts one, and it is stopped when the test ends."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import ASGIApp
from tests.served import Served, served
from tests.translated_runs import in_languages

from dragoman.config.serving import ServingSettings
from dragoman.server.app import create_app
from dragoman.server.plan import ServerPlan

Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Give the function that serves an application on loopback."""
    with ExitStack() as stack:

        def start(app: ASGIApp, settings: ServingSettings | None = None) -> Served:
            return stack.enter_context(served(app, settings))

        yield start


@pytest.fixture(scope="session")
def english_spanish(tiny: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a tiny run from en to es, which turns the words of a sentence round, more or less."""
    return in_languages(tiny.run, tmp_path_factory.mktemp("runs") / "en-es", "en", "es")


@pytest.fixture(scope="session")
def german_english(tiny: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the same from de to en."""
    return in_languages(tiny.run, tmp_path_factory.mktemp("runs") / "de-en", "de", "en")


@pytest.fixture
def serve_runs(serve: Serve, tmp_path: Path) -> Callable[..., Served]:
    """Give the function that serves runs with some settings, behind the whole middleware."""

    def start(*runs: Path, **changes: Any) -> Served:
        settings = ServingSettings(**changes)
        (tmp_path / "scratch").mkdir(exist_ok=True)
        folder = runs[0].parent if runs else None
        plan = ServerPlan(settings, runs, tmp_path / "scratch", folder, tmp_path / "lab", threads=1)
        return serve(create_app(plan), settings)

    return start
