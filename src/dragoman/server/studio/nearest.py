"""Pictures for a caption, captions for a picture, and classes for either."""

import asyncio
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from pydantic import BaseModel, Field

from dragoman.data.batching.pixels import Bytes, Pixels
from dragoman.server.api.plain.classification import Sorting
from dragoman.server.api.plain.images import Pictures
from dragoman.server.api.plain.matching import Matching, nearest
from dragoman.server.api.plain.routes import chosen, class_of, fitting_texts, work
from dragoman.server.model_registry import Shelf
from dragoman.server.refusal import Refusal
from dragoman.server.studio.galleries import Galleries
from dragoman.server.studio.gallery import Collected, png
from dragoman.server.studio.tasks import Tasks

router = APIRouter(prefix="/studio/api", tags=["studio"])

MOST = 24
PORTION = 8
"""Parts of a gallery that wait for the engine at the same time, so that others find room."""

EMPTY = "This run has no pictures of its own to look for: it was not trained here."
FIGURE = "the picture"


class PicturesAsked(BaseModel):
    """A caption whose pictures are wanted."""

    run: str
    text: str
    count: int = Field(12, ge=1, le=MOST)


class ClassAsked(BaseModel):
    """A text whose class is wanted."""

    run: str
    text: str


@router.post("/nearest-pictures", summary="Find pictures for a caption")
async def nearest_pictures(request: Request, asked: PicturesAsked) -> dict[str, Any]:
    """Return the pictures of a run that match a caption best."""
    state = request.app.state
    name = chosen(_shelf(request).matchers, asked.run, "network for matching")
    (text,) = fitting_texts([asked.text], state.settings)
    if not text.strip():
        return {"matches": [], "why": "There is no text to look for."}
    galleries: Galleries = state.galleries
    gallery = await galleries.of(name)
    if not gallery.pictures:
        return {"matches": [], "why": EMPTY}
    await _complete(request, gallery.seen)
    matching: Matching = state.matching
    (vector,) = await work(request, lambda: matching.texts(name, [text]))
    matches = []
    for one in nearest(vector, gallery.seen.vectors(), matching.scale(name), asked.count):
        hung = gallery.picture(one.number)
        matches.append(
            {
                "picture": f"/studio/api/pictures/{quote(name)}/{one.number}.png",
                "caption": hung.caption if hung else "",
                "likeness": one.likeness,
                "probability": one.probability,
            }
        )
    return {"matches": matches}


@router.post("/nearest-captions", summary="Find captions for a picture")
async def nearest_captions(
    request: Request, run: Annotated[str, Form()], file: Annotated[UploadFile, File()]
) -> dict[str, Any]:
    """Return the captions of a run that match a picture best."""
    state = request.app.state
    name = chosen(_shelf(request).matchers, run, "network for matching")
    picture = await _opened(request, file, _shelf(request).matchers[name].matcher.pixels)
    galleries: Galleries = state.galleries
    gallery = await galleries.of(name)
    if not gallery.captions:
        return {"matches": [], "why": EMPTY}
    await _complete(request, gallery.read)
    matching: Matching = state.matching
    (vector,) = await work(request, lambda: matching.pictures(name, [picture]))
    found = nearest(vector, gallery.read.vectors(), matching.scale(name), MOST)
    return {
        "matches": [
            {
                "caption": gallery.captions[one.number],
                "likeness": one.likeness,
                "probability": one.probability,
            }
            for one in found
        ]
    }


@router.get("/pictures/{run}/{file}", summary="Show a picture of a run")
async def picture_of(request: Request, run: str, file: str) -> Response:
    """Return a picture that a caption has found, as PNG."""
    number = file.removesuffix(".png")
    known = run in _shelf(request).matchers and number != file
    galleries: Galleries = request.app.state.galleries
    if not known or not (number.isascii() and number.isdigit() and len(number) <= 9):
        raise _nothing()
    hung = (await galleries.of(run)).picture(int(number))
    if hung is None:
        raise _nothing()
    headers = {"Cache-Control": "private, max-age=3600"}
    return Response(
        await asyncio.to_thread(png, hung.pixels), media_type="image/png", headers=headers
    )


@router.post("/classify-text", summary="Classify a text")
async def classify_text(request: Request, asked: ClassAsked) -> dict[str, Any]:
    """Say how likely a text belongs to each class."""
    name = chosen(_shelf(request).classifiers, asked.run, "classifier of texts")
    texts = fitting_texts([asked.text], request.app.state.settings)
    sorting: Sorting = request.app.state.sorting
    (found,) = await work(request, lambda: sorting.texts(name, texts))
    return class_of(found)


@router.post("/classify-picture", summary="Classify a picture")
async def classify_picture(
    request: Request, run: Annotated[str, Form()], file: Annotated[UploadFile, File()]
) -> dict[str, Any]:
    """Say how likely a picture belongs to each class."""
    served = _shelf(request).image_classifiers
    name = chosen(served, run, "classifier of pictures")
    picture = await _opened(request, file, served[name].classifier.pixels)
    sorting: Sorting = request.app.state.sorting
    (found,) = await work(request, lambda: sorting.pictures(name, [picture]))
    return class_of(found)


async def _complete(request: Request, collected: Collected) -> None:
    """Have the engine compute what is still missing, a part at each of its turns."""
    tasks: Tasks = request.app.state.tasks
    while missing := collected.missing():
        await tasks.all_done(request, missing[:PORTION])


async def _opened(request: Request, file: UploadFile, pixels: Pixels) -> Bytes:
    pictures: Pictures = request.app.state.pictures
    return await pictures.open(await file.read(), FIGURE, pixels)


def _shelf(request: Request) -> Shelf:
    shelf: Shelf = request.app.state.shelf
    return shelf


def _nothing() -> Refusal:
    return Refusal(404, "There is no such picture.")
