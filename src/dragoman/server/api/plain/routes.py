"""/classify and /match: texts and pictures in plain JSON."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from fastapi import APIRouter, FastAPI, Request
from pydantic import BaseModel, ConfigDict, Field

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes, Pixels
from dragoman.server.api.plain.classification import Sorting
from dragoman.server.api.plain.images import Pictures, from_base64
from dragoman.server.api.plain.matching import Matching, Near, Vector, nearest
from dragoman.server.deadlines import answered
from dragoman.server.model_registry import Shelf
from dragoman.server.refusal import Refusal, busy
from dragoman.server.scheduler.jobs import Busy, ScheduledJob
from dragoman.server.text import checked
from dragoman.tasks.common.classes import ClassPrediction

router = APIRouter(tags=["classes and matches"])

T = TypeVar("T")


class ClassifyAsked(BaseModel):
    """Texts or pictures whose class is asked for."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    model: str = ""
    """The name of a run; not needed where only one of its kind is served."""
    texts: list[str] = []
    """For a classifier of texts."""
    images: list[str] = []
    """For a classifier of pictures: each a file's bytes in base64."""


class MatchAsked(BaseModel):
    """Texts and pictures that are to find each other."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    model: str = ""
    """The name of a run; not needed where only one of its kind is served."""
    texts: list[str]
    images: list[str]
    """Each a file's bytes in base64."""
    top: int = Field(5, ge=1, le=1000)
    """How many of the best are told of each."""


def furnish(app: FastAPI) -> None:
    """Give an application what these routes work with."""
    state = app.state
    state.sorting = Sorting(state.engine, state.shelf, state.settings)
    state.matching = Matching(state.engine, state.shelf, state.settings)
    state.pictures = Pictures(state.settings)


@router.post("/classify", summary="Classify texts or pictures")
async def classify(request: Request, asked: ClassifyAsked) -> dict[str, Any]:
    """Say of each text, or of each picture, how likely it belongs to each class."""
    shelf: Shelf = request.app.state.shelf
    sorting: Sorting = request.app.state.sorting
    if bool(asked.texts) == bool(asked.images):
        raise Refusal(400, "Invalid request: give either texts or images.")
    if asked.texts:
        name = chosen(shelf.classifiers, asked.model, "classifier of texts")
        texts = fitting_texts(asked.texts, request.app.state.settings)
        found = await work(request, lambda: sorting.texts(name, texts))
    else:
        name = chosen(shelf.image_classifiers, asked.model, "classifier of pictures")
        pixels = shelf.image_classifiers[name].classifier.pixels
        pictures = await _opened(request, asked.images, pixels)
        found = await work(request, lambda: sorting.pictures(name, pictures))
    return {"model": name, "results": [class_of(one) for one in found]}


@router.post("/match", summary="Let texts and pictures find each other")
async def match(request: Request, asked: MatchAsked) -> dict[str, Any]:
    """Rank the pictures for each text, and the texts for each picture."""
    shelf: Shelf = request.app.state.shelf
    matching: Matching = request.app.state.matching
    name = chosen(shelf.matchers, asked.model, "network for matching")
    if not asked.texts or not asked.images:
        raise Refusal(400, "Invalid request: give texts and images.")
    texts = fitting_texts(asked.texts, request.app.state.settings)
    pictures = await _opened(request, asked.images, shelf.matchers[name].matcher.pixels)
    read = await work(request, lambda: matching.texts(name, texts))
    seen = await work(request, lambda: matching.pictures(name, pictures))
    scale = matching.scale(name)

    def best(some: list[Vector], others: list[Vector], key: str) -> list[list[dict[str, Any]]]:
        among = np.stack(others)
        return [[near(one, key) for one in nearest(v, among, scale, asked.top)] for v in some]

    return {"model": name, "texts": best(read, seen, "image"), "images": best(seen, read, "text")}


async def work(request: Request, ask: Callable[[], ScheduledJob[T]]) -> T:
    """Have the engine do something, as long as somebody waits for it."""
    try:
        job = ask()
    except Busy:
        raise busy() from None
    return await answered(request, job, request.app.state.settings.deadline)


def chosen(served: Mapping[str, object], name: str, what: str) -> str:
    """Return the name of the run that is meant."""
    if not name and len(served) == 1:
        return next(iter(served))
    if checked(name) not in served:
        known = f"Served are: {', '.join(served)}." if served else "None is served."
        raise Refusal(404, f"There is no {what} of this name. {known}")
    return name


def fitting_texts(texts: Sequence[str], settings: ServingSettings) -> list[str]:
    """Return texts that are neither too many nor too long."""
    if len(texts) > settings.max_texts:
        raise Refusal(400, f"Invalid request: {settings.max_texts} texts are the most.")
    if sum(map(len, texts)) > settings.max_characters:
        raise Refusal(400, f"Invalid request: {settings.max_characters:,} characters are the most.")
    return [checked(text) for text in texts]


def class_of(found: ClassPrediction) -> dict[str, Any]:
    """Return what something was taken for, as plain values."""
    return {"label": found.label, "probabilities": found.probabilities}


def near(one: Near, key: str) -> dict[str, Any]:
    """Return a match as plain values, the candidate's number under a key."""
    return {key: one.number, "likeness": one.likeness, "probability": one.probability}


async def _opened(request: Request, images: Sequence[str], pixels: Pixels) -> list[Bytes]:
    settings: ServingSettings = request.app.state.settings
    pictures: Pictures = request.app.state.pictures
    if len(images) > settings.max_images:
        raise Refusal(400, f"Invalid request: {settings.max_images} images are the most.")
    opened = []
    for number, text in enumerate(images, 1):
        name = f"image {number}"
        opened.append(await pictures.open(from_base64(text, name), name, pixels))
    return opened
