"""Translation for the studio, sentence by sentence."""

import time
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from dragoman.config.serving import ServingSettings
from dragoman.data.documents.document import Segment
from dragoman.server.deadlines import wait_for_job
from dragoman.server.errors import ApiError, busy, check_text
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.scheduler.jobs import QueueFull
from dragoman.server.translators import ServedTranslation, ServedTranslator, TranslationOptions

router = APIRouter(prefix="/studio/api", tags=["studio"])


class SentencesRequest(BaseModel):
    """A request to translate a text by one run."""

    run: str
    text: str
    to: str | None = None
    alternatives: int = Field(0, ge=0, le=4)


@router.post("/translate", summary="Translate a text, sentence by sentence")
async def translate(request: Request, body: SentencesRequest) -> dict[str, Any]:
    """Translate a text; return each sentence with its confidence and alternatives.

    The warnings say what about the text is unlike what the model was trained on.
    """
    settings: ServingSettings = request.app.state.settings
    served, to = find_translator(request.app.state.models, body.run, body.to)
    text = check_text(body.text)
    if len(text) > settings.max_characters:
        raise ApiError(400, f"The text is too long; limit: {settings.max_characters:,} characters.")
    began = time.perf_counter()
    if not text.strip():
        return {"text": text, "milliseconds": 0, "sentences": [], "gaps": [text], "warnings": []}
    try:
        job = served.queue.submit([Segment(text)], TranslationOptions(to, body.alternatives))
    except QueueFull:
        raise busy() from None
    (translation,) = await wait_for_job(request, job, settings.deadline)
    return {
        "text": translation.text,
        "milliseconds": round(1000 * (time.perf_counter() - began)),
        "sentences": _sentences(served, translation),
        "gaps": translation.interpreted.gaps,
        "warnings": [asdict(one) for one in translation.interpreted.warnings],
    }


def find_translator(
    models: ModelRegistry, name: str, to: str | None
) -> tuple[ServedTranslator, str]:
    """Find a translator by its name, and the target language."""
    served = models.translators.get(check_text(name))
    if served is None:
        raise ApiError(404, "No translator of this name is served.")
    target = to or served.directions[0][1]
    if target not in served.pipelines:
        raise ApiError(
            400, f"This translator has these target languages: {', '.join(served.pipelines)}."
        )
    return served, target


def _sentences(served: ServedTranslator, translation: ServedTranslation) -> list[dict[str, Any]]:
    interpreted = translation.interpreted
    others = translation.alternatives or ((),) * len(interpreted.told)
    return [
        {
            "source": source,
            "text": one.text,
            "how": one.how if one.translation or one.how != "at once" else "as it is",
            "confidence": served.confidence_of(one),
            "alternatives": [other._asdict() for other in own],
        }
        for source, one, own in zip(interpreted.sources, interpreted.told, others, strict=True)
    ]
