"""The routes of the studio, in one place."""

from fastapi import APIRouter, FastAPI

from dragoman.server.studio import (
    attention,
    course,
    experiments,
    nearest,
    overview,
    run_routes,
    translation,
)
from dragoman.server.studio.background_jobs import BackgroundJobs
from dragoman.server.studio.gallery import Galleries
from dragoman.server.studio.runs import RunIndex

router = APIRouter()
for _part in (overview, translation, attention, nearest, run_routes, experiments, course):
    router.include_router(_part.router)


def install(app: FastAPI) -> None:
    """Put what these routes need into an application's state; those of `plain` come first."""
    state, models = app.state, app.state.models
    state.jobs = BackgroundJobs(state.scheduler, state.settings)
    state.galleries = Galleries(models, state.settings)
    served = {one.path.resolve() for one in models.folders}
    state.runs = RunIndex(state.runs_folder, lambda: served)
