"""The overview of the studio: all models that are served."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request

import dragoman
from dragoman.config.serving import ServingSettings
from dragoman.data.formats.language_names import from_right, language_name
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.studio.experiments import list_experiments_in
from dragoman.server.studio.gallery import Galleries
from dragoman.server.translators import ServedTranslator

router = APIRouter(prefix="/studio/api", tags=["studio"])


@router.get("/overview", summary="List the models")
async def overview(request: Request) -> dict[str, Any]:
    """List the models of every kind, and the limits of a request."""
    state = request.app.state
    models: ModelRegistry = state.models
    settings: ServingSettings = state.settings
    return {
        "version": dragoman.__version__,
        "translators": [_translator(one) for one in models.translators.values()],
        "language_models": [
            {
                "name": one.name,
                "title": one.name,
                "max_tokens": settings.max_tokens,
                "parameters": one.parameters,
            }
            for one in models.language_models.values()
        ],
        "classifiers": [
            {"name": one.name, "kind": kind, "classes": list(one.classifier.classes)}
            for kind, some in (("text", models.classifiers), ("images", models.image_classifiers))
            for one in some.values()
        ],
        "matchers": [await _matcher(state.galleries, name) for name in models.matchers],
        "runs": len(await asyncio.to_thread(state.runs.folders)),
        "experiments": len(await asyncio.to_thread(list_experiments_in, state.lab_folder)),
        "limits": {"characters": settings.max_characters, "upload": settings.max_upload_bytes},
    }


async def _matcher(galleries: Galleries, name: str) -> dict[str, Any]:
    """Describe a matching network."""
    gallery = await galleries.of(name)
    return {
        "name": name,
        "title": name,
        "images": gallery.images,
        "captions": len(gallery.captions),
    }


def _translator(one: ServedTranslator) -> dict[str, Any]:
    """Describe a translator."""
    codes = list(dict.fromkeys(code for pair in one.directions for code in pair))
    return {
        "name": one.name,
        "title": one.name,
        "source": list(dict.fromkeys(pair[0] for pair in one.directions)),
        "targets": list(one.pipelines),
        "ways": [list(pair) for pair in one.directions],
        "names": {code: language_name(code) for code in codes},
        "rtl": [code for code in codes if from_right(code)],
        "confidence": one.confidence is not None,
        "attention": one.attention,
        "parameters": one.parameters,
        "beam": one.translator.decoding.beam,
    }
