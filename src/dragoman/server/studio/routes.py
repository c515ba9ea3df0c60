"""The routes of the studio, in one place."""

from pathlib import Path

from fastapi import APIRouter, FastAPI

from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.server.model_registry import Shelf
from dragoman.server.studio import attention as seeing
from dragoman.server.studio import experiments, nearest, overview, run_routes, translating
from dragoman.server.studio.galleries import Galleries
from dragoman.server.studio.runs import Runs
from dragoman.server.studio.tasks import Tasks

router = APIRouter()
for _part in (overview, translating, seeing, nearest, run_routes, experiments):
    router.include_router(_part.router)


def furnish(app: FastAPI) -> None:
    """Give an application what these routes work with, besides what `plain` has given it."""
    state = app.state
    state.tasks = Tasks(state.engine, state.settings)
    state.galleries = Galleries(state.shelf, state.settings)
    state.runs = Runs(state.runs_folder, lambda: folders_of(state.shelf))


def folders_of(shelf: Shelf) -> set[Path]:
    """Return the folders of all runs that are served."""
    named = (
        *shelf.translators.values(),
        *shelf.writers.values(),
        *shelf.classifiers.values(),
        *shelf.image_classifiers.values(),
        *shelf.matchers.values(),
    )
    folders = (getattr(one, "folder", None) for one in named)
    return {one.path.resolve() for one in folders if isinstance(one, RunFolder)}
