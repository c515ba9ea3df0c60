"""Small runs of every kind that the studio shows, and a server of its routes."""

import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from fastapi import FastAPI
from tests.served import Answer, Served, served
from tests.unit.tasks.image_classification import test_images
from tests.unit.tasks.image_text import test_matcher
from tests.unit.tasks.text_classification import test_classification

from dragoman.config.serving import ServingSettings
from dragoman.server import app as application
from dragoman.server.api.plain import routes
from dragoman.server.model_registry import load_models
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.server.studio import routes as studio_routes
from dragoman.trainer import train

LITTLE = ["training.steps=30", "training.validate_every=15", "training.checkpoint_every=30"]


@pytest.fixture(scope="session")
def runs(tiny, tmp_path_factory) -> Path:
    """Train a run of each kind; give the folder they lie in, and do not change it."""
    torch.set_num_threads(1)
    recipes, folder = tmp_path_factory.mktemp("recipes"), tmp_path_factory.mktemp("runs")
    shutil.copytree(tiny.run, folder / "tiny")
    train(test_matcher.write_corpus(recipes / "clip"), LITTLE, folder=folder / "clip")
    sorter = test_classification.NETWORKS["text-cnn"]
    train(test_classification.write_sorter(recipes), [*sorter, *LITTLE], folder=folder / "sorter")
    (recipes / "shapes.toml").write_text(test_images.RECIPE, encoding="utf-8")
    shapes = test_images.NETWORKS["cnn"]
    train(recipes / "shapes.toml", [*shapes, *LITTLE], folder=folder / "shapes")
    return folder


class Studio:
    """A server of the studio's routes, and short ways to ask it."""

    def __init__(self, server: Served, app: FastAPI) -> None:
        self.server, self.app = server, app

    def get(self, path: str) -> Answer:
        return self.server.ask(path)

    def post(self, path: str, said: Any) -> Answer:
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        headers = {"Content-Type": "application/json"}
        return self.server.ask(path, method="POST", headers=headers, body=body)

    def upload(self, path: str, content: bytes, **fields: str) -> Answer:
        parts = [
            f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        head = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
        body = b"".join([*parts, f"--x\r\n{head}".encode(), content, b"\r\n--x--\r\n"])
        headers = {"Content-Type": "multipart/form-data; boundary=x"}
        return self.server.ask(path, method="POST", headers=headers, body=body)


def studio_app(
    served_runs: tuple[Path, ...], runs_folder: Path | None, lab: Path | None, **changes: Any
) -> FastAPI:
    """Put the studio's routes together, without the middleware."""
    settings = ServingSettings(**changes)
    scheduler = Scheduler()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        scheduler.start()
        yield
        scheduler.stop(10)

    app = FastAPI(lifespan=lifespan)
    app.state.settings, app.state.scheduler = settings, scheduler
    app.state.models = load_models(served_runs, scheduler, settings)
    app.state.runs_folder, app.state.lab_folder = runs_folder, lab
    routes.install(app)
    studio_routes.install(app)
    app.include_router(routes.router)
    app.include_router(studio_routes.router)
    application._add_error_handlers(app)
    return app


@pytest.fixture
def open_studio() -> Iterator[Callable[..., Studio]]:
    """Give the function that serves a studio of some runs."""
    with ExitStack() as stack:

        def start(*given: Path, runs: Path | None = None, lab: Path | None = None, **changes: Any):
            app = studio_app(given, runs, lab, **changes)
            return Studio(stack.enter_context(served(app)), app)

        yield start


@pytest.fixture(scope="session")
def studio(runs: Path) -> Iterator[Studio]:
    """Give a studio that serves one run of each kind, and shows their folder."""
    torch.set_num_threads(1)
    names = ("tiny", "clip", "sorter", "shapes")
    app = studio_app(tuple(runs / name for name in names), runs, None)
    with served(app) as server:
        yield Studio(server, app)
