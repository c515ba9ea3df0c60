"""Routes /classify and /match: texts and images in plain JSON."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from fastapi import APIRouter, FastAPI, Request
from pydantic import BaseModel, ConfigDict, Field

from dragoman.config.serving import ServingSettings
from dragoman.data.batching.pixels import Bytes, Pixels
from dragoman.server.api.plain.images import ImageDecoder, decode_base64
from dragoman.server.api.plain.services import (
    ClassificationService,
    EmbeddingService,
    NearestMatch,
    Vector,
    nearest,
)
from dragoman.server.deadlines import wait_for_job, wait_for_result
from dragoman.server.errors import ApiError, busy, check_text
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.scheduler.jobs import QueueFull, ScheduledJob
from dragoman.tasks.common.classes import ClassPrediction

router = APIRouter(tags=["classes and matches"])

T = TypeVar("T")


class ClassifyRequest(BaseModel):
    """A request to /classify: texts or images."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    model: str = ""
    """The name of a run; not needed where only one of its kind is served."""
    texts: list[str] = []
    """For a text classifier."""
    images: list[str] = []
    """For an image classifier: each a file's bytes in base64."""


class MatchRequest(BaseModel):
    """A request to /match: texts and images to rank for each other."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    model: str = ""
    """The name of a run; not needed where only one of its kind is served."""
    texts: list[str]
    images: list[str]
    """Each a file's bytes in base64."""
    top: int = Field(5, ge=1, le=1000)
    """How many of the best matches of each are returned."""


def install(app: FastAPI) -> None:
    """Put what these routes need into an application's state."""
    state = app.state
    state.classification = ClassificationService(state.scheduler, state.models, state.settings)
    state.embeddings = EmbeddingService(state.scheduler, state.models, state.settings)
    state.image_decoder = ImageDecoder(state.settings)


@router.post("/classify", summary="Classify texts or images")
async def classify(request: Request, body: ClassifyRequest) -> dict[str, Any]:
    """Return the class probabilities of each text or image."""
    models: ModelRegistry = request.app.state.models
    classification: ClassificationService = request.app.state.classification
    if bool(body.texts) == bool(body.images):
        raise ApiError(400, "Invalid request: give either texts or images.")
    if body.texts:
        name = choose_run(models.classifiers, body.model, "text classifier")
        texts = check_texts(body.texts, request.app.state.settings)
        found = await run_job(request, lambda: classification.texts(name, texts))
    else:
        name = choose_run(models.image_classifiers, body.model, "image classifier")
        pixels = models.image_classifiers[name].classifier.pixels
        images = await _decode_images(request, body.images, pixels)
        found = await run_job(request, lambda: classification.images(name, images))
    return {"model": name, "results": [classification_json(one) for one in found]}


@router.post("/match", summary="Match texts and images")
async def match(request: Request, body: MatchRequest) -> dict[str, Any]:
    """Rank the images for each text, and the texts for each image."""
    models: ModelRegistry = request.app.state.models
    embeddings: EmbeddingService = request.app.state.embeddings
    name = choose_run(models.matchers, body.model, "image–text model")
    if not body.texts or not body.images:
        raise ApiError(400, "Invalid request: give texts and images.")
    texts = check_texts(body.texts, request.app.state.settings)
    images = await _decode_images(request, body.images, models.matchers[name].matcher.pixels)
    text_vectors = await run_job(request, lambda: embeddings.texts(name, texts))
    image_vectors = await run_job(request, lambda: embeddings.images(name, images))
    scale = embeddings.scale(name)

    def best(some: list[Vector], others: list[Vector], key: str) -> list[list[dict[str, Any]]]:
        among = np.stack(others)
        return [[match_json(one, key) for one in nearest(v, among, scale, body.top)] for v in some]

    return {
        "model": name,
        "texts": best(text_vectors, image_vectors, "image"),
        "images": best(image_vectors, text_vectors, "text"),
    }


async def run_job(request: Request, submit: Callable[[], ScheduledJob[T]]) -> T:
    """Submit a job and return its result; a client that disconnects cancels it."""
    try:
        job = submit()
    except QueueFull:
        raise busy() from None
    return await wait_for_job(request, job, request.app.state.settings.deadline)


def choose_run(served: Mapping[str, object], name: str, what: str) -> str:
    """Return the name of a run, which may be left out where there is one alone."""
    if not name and len(served) == 1:
        return next(iter(served))
    if check_text(name) not in served:
        known = f"Served are: {', '.join(served)}." if served else "None is served."
        raise ApiError(404, f"There is no {what} of this name. {known}")
    return name


def check_texts(texts: Sequence[str], settings: ServingSettings) -> list[str]:
    """Return texts, if they are valid and within the limits."""
    if len(texts) > settings.max_texts:
        raise ApiError(400, f"Invalid request: too many texts; limit: {settings.max_texts}.")
    if sum(map(len, texts)) > settings.max_characters:
        raise ApiError(
            400, f"Invalid request: too long; limit: {settings.max_characters:,} characters."
        )
    return [check_text(text) for text in texts]


def classification_json(found: ClassPrediction) -> dict[str, Any]:
    """Return a classification as JSON."""
    return {"label": found.label, "probabilities": found.probabilities}


def match_json(one: NearestMatch, key: str) -> dict[str, Any]:
    """Return a match as JSON, the candidate's number under a key."""
    return {key: one.number, "likeness": one.likeness, "probability": one.probability}


async def _decode_images(request: Request, images: Sequence[str], pixels: Pixels) -> list[Bytes]:
    settings: ServingSettings = request.app.state.settings
    decoder: ImageDecoder = request.app.state.image_decoder
    if len(images) > settings.max_images:
        raise ApiError(400, f"Invalid request: too many images; limit: {settings.max_images}.")
    names = [f"image {number}" for number in range(1, len(images) + 1)]
    contents = [*map(decode_base64, images, names)]

    async def decode_all() -> list[Bytes]:
        return [
            await decoder.decode(one, name, pixels)
            for one, name in zip(contents, names, strict=True)
        ]

    return await wait_for_result(request, asyncio.create_task(decode_all()), settings.deadline)
