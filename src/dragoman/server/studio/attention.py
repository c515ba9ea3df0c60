"""Attention of a translator while it writes, and what its beam held."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import ConfigError
from dragoman.plots.attention_page import SCALE, sentence_data
from dragoman.server.refusal import Refusal
from dragoman.server.studio.json_response import Json
from dragoman.server.studio.tasks import Tasks
from dragoman.server.studio.translating import find_translator
from dragoman.server.text import checked
from dragoman.tasks.translation.attention_report import LONGEST, attention_report
from dragoman.tasks.translation.beam_tree import BeamTree, beam_tree

router = APIRouter(prefix="/studio/api", tags=["studio"])

HIDDEN = (
    "The engine that translates does not show its insides. Serve the run with the engine torch."
)


class AttentionAsked(BaseModel):
    """A sentence and its translation."""

    run: str
    source: str
    target: str
    to: str | None = None


class BeamAsked(BaseModel):
    """A sentence to be translated."""

    run: str
    source: str
    to: str | None = None
    beam: int = Field(5, ge=1, le=8)


@router.post("/attention", summary="See what a network looks at")
async def attention(request: Request, asked: AttentionAsked) -> Json:
    """Return the attention of every layer and head while a translation is written."""
    served, to = find_translator(request.app.state.shelf, asked.run, asked.to)
    source, target = _fitting(request, asked.source), _fitting(request, asked.target)
    tasks: Tasks = request.app.state.tasks
    nothing = {"scale": SCALE, "source": source, "target": target, "maps": []}
    if not source.strip() or not target.strip():
        return Json({**nothing, "why": "There is no text to look at."})
    translator, named = served.translator, _told(served.translator.corpus, to)
    try:
        seen = await tasks.done(
            request, lambda: attention_report(translator, source, target, named)
        )
    except ConfigError:
        return Json({**nothing, "why": HIDDEN})
    if seen is None:
        why = f"This is too long to be seen whole; {LONGEST} pieces can be."
        return Json({**nothing, "why": why})
    if not seen.maps:
        why = "This network has no attention: it sums the source up in one fixed vector."
        return Json({**nothing, "why": why})
    return await asyncio.to_thread(lambda: Json({"scale": SCALE, **sentence_data(seen)}))


@router.post("/beam", summary="See the beam of a search as a tree")
async def beam(request: Request, asked: BeamAsked) -> Json:
    """Return every candidate that entered the beam, each after the one that it goes on from."""
    served, to = find_translator(request.app.state.shelf, asked.run, asked.to)
    source = _fitting(request, asked.source)
    tasks: Tasks = request.app.state.tasks
    translator, named = served.translator, _told(served.translator.corpus, to)
    nothing: dict[str, Any] = {"nodes": [], "beam": asked.beam, "steps": 0}
    try:
        tree = await tasks.done(
            request, lambda: beam_tree(translator, source, beam=asked.beam, to=named)
        )
    except ConfigError:
        return Json({**nothing, "why": HIDDEN})
    if tree is None:
        why = "This is empty, or too long to be translated in one go."
        return Json({**nothing, "why": why})
    return Json(tree_data(tree))


def tree_data(tree: BeamTree) -> dict[str, Any]:
    """Return a tree as plain values."""
    nodes = [
        {
            "id": node.number,
            "parent": node.parent,
            "token": node.piece,
            "text": node.text,
            "total": node.total,
            "step": node.step,
            "state": node.fate,
            "ended": node.ended,
            "score": node.score,
        }
        for node in tree.nodes
    ]
    return {"nodes": nodes, "beam": tree.beam, "steps": tree.steps}


def _told(corpus: object, to: str) -> str | None:
    """Return the language to ask for; a translator that knows of none is not asked."""
    return None if corpus is None else to


def _fitting(request: Request, text: str) -> str:
    settings: ServingSettings = request.app.state.settings
    if len(text) > settings.max_characters:
        raise Refusal(400, f"{settings.max_characters:,} characters are the most.")
    return checked(text)
