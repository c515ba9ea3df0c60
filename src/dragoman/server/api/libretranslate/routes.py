"""/translate, /languages, /detect, /health and /frontend/settings, as LibreTranslate has them."""

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
    DetectAsked,
    TranslateAsked,
    fields_of,
    read_as,
    schema,
)
from dragoman.server.api.libretranslate.translation import translated
from dragoman.server.model_registry import Shelf
from dragoman.server.refusal import Refusal
from dragoman.server.text import checked

router = APIRouter(tags=["LibreTranslate"])

TYPING_PAUSE = 500
"""Milliseconds that a client's page waits after a key before it asks."""


@router.post("/translate", openapi_extra=schema(TranslateAsked), summary="Translate texts")
async def translate(request: Request) -> dict[str, Any]:
    """Translate one text or several, plain or HTML, from one language or whichever it is."""
    state = request.app.state
    settings: ServingSettings = state.settings
    asked = read_as(TranslateAsked, await fields_of(request))
    several = isinstance(asked.q, list)
    texts = [checked(text) for text in ([asked.q] if isinstance(asked.q, str) else asked.q)]
    _within_limits(texts, asked.alternatives, settings)
    guesses = []
    if asked.source == AUTO:
        guesses = [_source_of(state.shelf, text, asked.target) for text in texts]
    sources = [guess["language"] for guess in guesses] or [asked.source] * len(texts)
    found = await translated(request, asked, texts, sources)
    told: dict[str, Any] = {"translatedText": [text for text, _ in found]}
    if guesses:
        told["detectedLanguage"] = guesses
    if asked.alternatives:
        told["alternatives"] = [others for _, others in found]
    return told if several else {name: values[0] for name, values in told.items()}


@router.get("/languages", summary="List the languages")
async def languages(request: Request) -> list[dict[str, Any]]:
    """List the languages that can be read, each with those it can be written in."""
    sources = request.app.state.shelf.sources()
    return [
        {"code": code, "name": language_name(code), "targets": sources.get(code, [])}
        for code in _every(request.app.state.shelf)
    ]


@router.post("/detect", openapi_extra=schema(DetectAsked), summary="Tell the language of a text")
async def detect(request: Request) -> list[dict[str, Any]]:
    """Say how likely each language is that is read or written here, in percent."""
    settings: ServingSettings = request.app.state.settings
    text = checked(read_as(DetectAsked, await fields_of(request)).q)
    _within_limits([text], 0, settings)
    return _guesses(request.app.state.shelf, text)


@router.get("/health", summary="Say whether the server works")
async def health(request: Request) -> dict[str, str]:
    """Say that the server and its engine work."""
    if not request.app.state.engine.alive:
        raise Refusal(503, "The engine has stopped.")
    return {"status": "ok"}


@router.get("/frontend/settings", summary="What a page must know")
async def frontend_settings(request: Request) -> dict[str, Any]:
    """Tell a page the limits, the formats and the first pair of languages."""
    settings: ServingSettings = request.app.state.settings
    sources = request.app.state.shelf.sources()
    source = next(iter(sources), "")
    target = next(iter(sources.get(source, [])), "")
    keys = settings.keys is not None
    return {
        "apiKeys": keys,
        "keyRequired": keys,
        "charLimit": settings.max_characters,
        "frontendTimeout": TYPING_PAUSE,
        "suggestions": False,
        "filesTranslation": True,
        "supportedFilesFormat": [".txt", *BY_ENDING],
        "language": {
            "source": {"code": source, "name": language_name(source)},
            "target": {"code": target, "name": language_name(target)},
        },
    }


def _within_limits(texts: Sequence[str], alternatives: int, settings: ServingSettings) -> None:
    if len(texts) > settings.max_texts:
        most = settings.max_texts
        raise Refusal(422, f"Invalid request: {len(texts)} texts, and {most} are the most.")
    characters = sum(map(len, texts))
    if characters > settings.max_characters:
        raise Refusal(
            400,
            f"Invalid request: request ({characters}) exceeds text limit "
            f"({settings.max_characters})",
        )
    if alternatives > settings.max_alternatives:
        most = settings.max_alternatives
        raise Refusal(400, f"Invalid request: {most} alternatives are the most.")


def _guesses(shelf: Shelf, text: str) -> list[dict[str, Any]]:
    """Rank all languages that are read or written here."""
    return [_guess(code, share) for code, share in identify_language(text, _every(shelf))]


def _source_of(shelf: Shelf, text: str, target: str) -> dict[str, Any]:
    """Guess what to translate from: the likeliest language, of which something can be made.

    A text that is in the language to be written already stays as it is. Where nothing tells, it is
    the first language that can be translated, at 0.
    """
    readable = [code for code in shelf.sources() if shelf.between(code, target)]
    for code, share in identify_language(text, _every(shelf)):
        if code in readable or choose(target, [code]) is not None:
            return _guess(code, share)
    return _guess(next(iter(readable), AUTO), 0.0)


def _guess(code: str, share: float) -> dict[str, Any]:
    return {"confidence": round(100 * share, 1), "language": code}


def _every(shelf: Shelf) -> list[str]:
    sources = shelf.sources()
    return list(dict.fromkeys([*sources, *(one for some in sources.values() for one in some)]))
