"""Search of images by caption and of captions by image, and classification."""

import asyncio
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from pydantic import BaseModel, Field

from dragoman.data.batching.pixels import Bytes, Pixels
from dragoman.server.api.plain.images import ImageDecoder
from dragoman.server.api.plain.routes import check_texts, choose_run, classification_json, run_job
from dragoman.server.api.plain.services import ClassificationService, EmbeddingService, nearest
from dragoman.server.errors import ApiError
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.studio.background_jobs import BackgroundJobs
from dragoman.server.studio.gallery import Galleries, VectorCache, png

router = APIRouter(prefix="/studio/api", tags=["studio"])

MAX_MATCHES = 24
JOBS_AT_ONCE = 8
"""Parts of a gallery that are submitted at the same time, so that others find room."""

NO_IMAGES = "This run has no images of its own to search: it was not trained here."
IMAGE_NAME = "the image"


class ImageSearchRequest(BaseModel):
    """A request for the images of a caption."""

    run: str
    text: str
    count: int = Field(12, ge=1, le=MAX_MATCHES)


class TextClassRequest(BaseModel):
    """A request for the class of a text."""

    run: str
    text: str


@router.post("/nearest-images", summary="Find images for a caption")
async def nearest_pictures(request: Request, body: ImageSearchRequest) -> dict[str, Any]:
    """Return the images of a run that match a caption best."""
    state = request.app.state
    name = choose_run(_models(request).matchers, body.run, "image–text model")
    (text,) = check_texts([body.text], state.settings)
    if not text.strip():
        return {"matches": [], "why": "There is no text to search for."}
    galleries: Galleries = state.galleries
    gallery = await galleries.of(name)
    if not gallery.images:
        return {"matches": [], "why": NO_IMAGES}
    await _compute_missing(request, gallery.image_vectors)
    embeddings: EmbeddingService = state.embeddings
    (vector,) = await run_job(request, lambda: embeddings.texts(name, [text]))
    matches = []
    for one in nearest(vector, gallery.image_vectors.vectors(), embeddings.scale(name), body.count):
        image = gallery.image(one.number)
        matches.append(
            {
                "image": f"/studio/api/images/{quote(name)}/{one.number}.png",
                "caption": image.caption if image else "",
                "likeness": one.likeness,
                "probability": one.probability,
            }
        )
    return {"matches": matches}


@router.post("/nearest-captions", summary="Find captions for an image")
async def nearest_captions(
    request: Request, run: Annotated[str, Form()], file: Annotated[UploadFile, File()]
) -> dict[str, Any]:
    """Return the captions of a run that match an image best."""
    state = request.app.state
    name = choose_run(_models(request).matchers, run, "image–text model")
    image = await _decode_image(request, file, _models(request).matchers[name].matcher.pixels)
    galleries: Galleries = state.galleries
    gallery = await galleries.of(name)
    if not gallery.captions:
        return {"matches": [], "why": NO_IMAGES}
    await _compute_missing(request, gallery.text_vectors)
    embeddings: EmbeddingService = state.embeddings
    (vector,) = await run_job(request, lambda: embeddings.images(name, [image]))
    result = nearest(vector, gallery.text_vectors.vectors(), embeddings.scale(name), MAX_MATCHES)
    return {
        "matches": [
            {
                "caption": gallery.captions[one.number],
                "likeness": one.likeness,
                "probability": one.probability,
            }
            for one in result
        ]
    }


@router.get("/images/{run}/{file}", summary="Show an image of a run")
async def picture_of(request: Request, run: str, file: str) -> Response:
    """Return an image of the gallery, as PNG."""
    number = file.removesuffix(".png")
    known = run in _models(request).matchers and number != file
    galleries: Galleries = request.app.state.galleries
    if not known or not (number.isascii() and number.isdigit() and len(number) <= 9):
        raise _not_found()
    image = (await galleries.of(run)).image(int(number))
    if image is None:
        raise _not_found()
    headers = {"Cache-Control": "private, max-age=3600"}
    return Response(
        await asyncio.to_thread(png, image.pixels), media_type="image/png", headers=headers
    )


@router.post("/classify-text", summary="Classify a text")
async def classify_text(request: Request, body: TextClassRequest) -> dict[str, Any]:
    """Return the class probabilities of a text."""
    name = choose_run(_models(request).classifiers, body.run, "text classifier")
    texts = check_texts([body.text], request.app.state.settings)
    classification: ClassificationService = request.app.state.classification
    (result,) = await run_job(request, lambda: classification.texts(name, texts))
    return classification_json(result)


@router.post("/classify-image", summary="Classify an image")
async def classify_picture(
    request: Request, run: Annotated[str, Form()], file: Annotated[UploadFile, File()]
) -> dict[str, Any]:
    """Return the class probabilities of an image."""
    served = _models(request).image_classifiers
    name = choose_run(served, run, "image classifier")
    image = await _decode_image(request, file, served[name].classifier.pixels)
    classification: ClassificationService = request.app.state.classification
    (result,) = await run_job(request, lambda: classification.images(name, [image]))
    return classification_json(result)


async def _compute_missing(request: Request, cache: VectorCache) -> None:
    """Compute the vectors that are missing, a part in each step of the scheduler."""
    jobs: BackgroundJobs = request.app.state.jobs
    while missing := cache.missing():
        await jobs.run_all(request, missing[:JOBS_AT_ONCE])


async def _decode_image(request: Request, file: UploadFile, pixels: Pixels) -> Bytes:
    decoder: ImageDecoder = request.app.state.image_decoder
    return await decoder.decode(await file.read(), IMAGE_NAME, pixels)


def _models(request: Request) -> ModelRegistry:
    models: ModelRegistry = request.app.state.models
    return models


def _not_found() -> ApiError:
    return ApiError(404, "There is no such image.")
