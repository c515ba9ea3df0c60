"""Routes of the LibreTranslate API: /translate, /languages, /detect, /health and settings."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request

from dragoman.config.serving import ServingSettings
from dragoman.data.documents.open import BY_ENDING
from dragoman.data.formats.identify import identify_language
from dragoman.data.formats.language_names import language_name
from dragoman.data.formats.languages import choose
from dragoman.server.api.libretranslate.request import (
    AUTO,
    DetectRequest,
    TranslateRequest,
    read_fields,
    schema,
    validate,
)
from dragoman.server.api.libretranslate.translation import translate_texts
from dragoman.server.errors import ApiError, check_text
from dragoman.server.model_registry import ModelRegistry

router = APIRouter(tags=["LibreTranslate"])

TYPING_DELAY = 500
"""Milliseconds that a page waits after a keystroke before it sends a request."""


@router.post("/translate", openapi_extra=schema(TranslateRequest), summary="Translate texts")
async def translate(request: Request) -> dict[str, Any]:
    """Translate one text or several, plain or HTML, from a language that may be detected."""
    state = request.app.state
    settings: ServingSettings = state.settings
    body = validate(TranslateRequest, await read_fields(request))
    several = isinstance(body.q, list)
    texts = [check_text(text) for text in ([body.q] if isinstance(body.q, str) else body.q)]
    _check_limits(texts, body.alternatives, settings)
    detections = []
    if body.source == AUTO:
        detections = [_detect_source(state.models, text, body.target) for text in texts]
    sources = [detection["language"] for detection in detections] or [body.source] * len(texts)
    translations = await translate_texts(request, body, texts, sources)
    response: dict[str, Any] = {"translatedText": [text for text, _ in translations]}
    if detections:
        response["detectedLanguage"] = detections
    if body.alternatives:
        response["alternatives"] = [others for _, others in translations]
    return response if several else {name: values[0] for name, values in response.items()}


@router.get("/languages", summary="List the languages")
async def languages(request: Request) -> list[dict[str, Any]]:
    """List the languages, each with its target languages."""
    sources = request.app.state.models.sources()
    return [
        {"code": code, "name": language_name(code), "targets": sources.get(code, [])}
        for code in _languages(request.app.state.models)
    ]


@router.post(
    "/detect", openapi_extra=schema(DetectRequest), summary="Detect the language of a text"
)
async def detect(request: Request) -> list[dict[str, Any]]:
    """Return how likely a text is in each language of the server, in percent."""
    settings: ServingSettings = request.app.state.settings
    text = check_text(validate(DetectRequest, await read_fields(request)).q)
    _check_limits([text], 0, settings)
    return _detections(request.app.state.models, text)


@router.get("/health", summary="Health check")
async def health(request: Request) -> dict[str, str]:
    """Say that the server and its scheduler work."""
    if not request.app.state.scheduler.alive:
        raise ApiError(503, "The scheduler has stopped.")
    return {"status": "ok"}


@router.get("/frontend/settings", summary="Settings for a front end")
async def frontend_settings(request: Request) -> dict[str, Any]:
    """Return the limits, the file formats and the default languages, for a page."""
    settings: ServingSettings = request.app.state.settings
    sources = request.app.state.models.sources()
    source = next(iter(sources), "")
    target = next(iter(sources.get(source, [])), "")
    keys = settings.keys is not None
    return {
        "apiKeys": keys,
        "keyRequired": keys,
        "charLimit": settings.max_characters,
        "frontendTimeout": TYPING_DELAY,
        "suggestions": False,
        "filesTranslation": True,
        "supportedFilesFormat": [".txt", *BY_ENDING],
        "language": {
            "source": {"code": source, "name": language_name(source)},
            "target": {"code": target, "name": language_name(target)},
        },
    }


def _check_limits(texts: Sequence[str], alternatives: int, settings: ServingSettings) -> None:
    if len(texts) > settings.max_texts:
        limit = settings.max_texts
        raise ApiError(422, f"Invalid request: {len(texts)} texts; limit: {limit}.")
    characters = sum(map(len, texts))
    if characters > settings.max_characters:
        raise ApiError(
            400,
            f"Invalid request: request ({characters}) exceeds text limit "
            f"({settings.max_characters})",
        )
    if alternatives > settings.max_alternatives:
        limit = settings.max_alternatives
        raise ApiError(400, f"Invalid request: too many alternatives; limit: {limit}.")


def _detections(models: ModelRegistry, text: str) -> list[dict[str, Any]]:
    """Rank all languages of the server."""
    return [
        _detection(code, probability)
        for code, probability in identify_language(text, _languages(models))
    ]


def _detect_source(models: ModelRegistry, text: str, target: str) -> dict[str, Any]:
    """Detect the source language: the likeliest one that has a translator.

    It may be the target language itself: such a text stays as it is. Where nothing can be detected,
    it is the first language that can be translated, with confidence 0.
    """
    readable = [code for code in models.sources() if models.between(code, target)]
    for code, probability in identify_language(text, _languages(models)):
        if code in readable or choose(target, [code]) is not None:
            return _detection(code, probability)
    return _detection(next(iter(readable), AUTO), 0.0)


def _detection(code: str, probability: float) -> dict[str, Any]:
    return {"confidence": round(100 * probability, 1), "language": code}


def _languages(models: ModelRegistry) -> list[str]:
    sources = models.sources()
    return list(dict.fromkeys([*sources, *(one for some in sources.values() for one in some)]))
