"""Texts translated for the studio, sentence by sentence."""

import time
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from dragoman.config.serving import ServingSettings
from dragoman.data.documents.document import Segment
from dragoman.server.deadlines import answered
from dragoman.server.model_registry import Shelf
from dragoman.server.refusal import Refusal, busy
from dragoman.server.scheduler.jobs import Busy
from dragoman.server.text import checked
from dragoman.server.translators import ServedTranslation, ServedTranslator, TranslationOptions

router = APIRouter(prefix="/studio/api", tags=["studio"])


class TextAsked(BaseModel):
    """A text to be translated by one run."""

    run: str
    text: str
    to: str | None = None
    alternatives: int = Field(0, ge=0, le=4)


@router.post("/translate", summary="Translate a text, sentence by sentence")
async def translate(request: Request, asked: TextAsked) -> dict[str, Any]:
    """Translate a text; tell of each sentence how sure its translation is, and what else it is."""
    settings: ServingSettings = request.app.state.settings
    served, to = find_translator(request.app.state.shelf, asked.run, asked.to)
    text = checked(asked.text)
    if len(text) > settings.max_characters:
        raise Refusal(400, f"{settings.max_characters:,} characters are the most.")
    began = time.perf_counter()
    if not text.strip():
        return {"text": text, "milliseconds": 0, "sentences": [], "gaps": [text]}
    try:
        job = served.lane.ask([Segment(text)], TranslationOptions(to, asked.alternatives))
    except Busy:
        raise busy() from None
    (said,) = await answered(request, job, settings.deadline)
    return {
        "text": said.text,
        "milliseconds": round(1000 * (time.perf_counter() - began)),
        "sentences": _sentences(served, said),
        "gaps": said.interpreted.gaps,
    }


def find_translator(shelf: Shelf, name: str, to: str | None) -> tuple[ServedTranslator, str]:
    """Find a translator by its name, and the language it is to write."""
    served = shelf.translators.get(checked(name))
    if served is None:
        raise Refusal(404, "No translator of this name is served.")
    written = to or served.ways[0][1]
    if written not in served.careful:
        raise Refusal(400, f"This translator writes {', '.join(served.careful)}.")
    return served, written


def _sentences(served: ServedTranslator, said: ServedTranslation) -> list[dict[str, Any]]:
    interpreted = said.interpreted
    others = said.alternatives or ((),) * len(interpreted.told)
    return [
        {
            "source": source,
            "text": one.text,
            "how": one.how if one.translation or one.how != "at once" else "as it is",
            "confidence": served.sure_of(one),
            "alternatives": [other._asdict() for other in mine],
        }
        for source, one, mine in zip(interpreted.sources, interpreted.told, others, strict=True)
    ]
