"""What the studio must know before it shows anything: all that is served."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request

import dragoman
from dragoman.config.serving import ServingSettings
from dragoman.data.formats.language_names import from_right, language_name
from dragoman.server.model_registry import Shelf
from dragoman.server.studio.experiments import listed
from dragoman.server.studio.galleries import Galleries
from dragoman.server.translators import ServedTranslator

router = APIRouter(prefix="/studio/api", tags=["studio"])


@router.get("/shelf", summary="List what is served")
async def overview(request: Request) -> dict[str, Any]:
    """List what is served, of every kind, and the limits of a request."""
    state = request.app.state
    shelf: Shelf = state.shelf
    settings: ServingSettings = state.settings
    return {
        "version": dragoman.__version__,
        "translators": [_translator(one) for one in shelf.translators.values()],
        "writers": [
            {
                "name": one.name,
                "title": one.name,
                "longest": settings.max_tokens,
                "parameters": one.parameters,
            }
            for one in shelf.writers.values()
        ],
        "classifiers": [
            {"name": one.name, "kind": kind, "classes": list(one.classifier.classes)}
            for kind, some in (("text", shelf.classifiers), ("images", shelf.image_classifiers))
            for one in some.values()
        ],
        "matchers": [await _matcher(state.galleries, name) for name in shelf.matchers],
        "runs": len(await asyncio.to_thread(state.runs.found)),
        "experiments": len(await asyncio.to_thread(listed, state.lab_folder)),
        "limits": {"characters": settings.max_characters, "upload": settings.max_upload_bytes},
    }


async def _matcher(galleries: Galleries, name: str) -> dict[str, Any]:
    """Return what the page must know of a network for matching."""
    gallery = await galleries.of(name)
    return {
        "name": name,
        "title": name,
        "pictures": gallery.pictures,
        "captions": len(gallery.captions),
    }


def _translator(one: ServedTranslator) -> dict[str, Any]:
    """Return what the page must know of a translator."""
    codes = list(dict.fromkeys(code for way in one.ways for code in way))
    return {
        "name": one.name,
        "title": one.name,
        "source": list(dict.fromkeys(way[0] for way in one.ways)),
        "targets": list(one.careful),
        "ways": [list(way) for way in one.ways],
        "names": {code: language_name(code) for code in codes},
        "rtl": [code for code in codes if from_right(code)],
        "confidence": one.confidence is not None,
        "attention": one.attention,
        "parameters": one.parameters,
        "beam": one.translator.decoding.beam,
    }
