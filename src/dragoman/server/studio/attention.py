"""Attention maps and beam search trees of translations, for the studio."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import ConfigError
from dragoman.plots.attention_page import SCALE, sentence_data
from dragoman.server.errors import ApiError, check_text
from dragoman.server.studio.background_jobs import BackgroundJobs
from dragoman.server.studio.json_response import JsonResponse
from dragoman.server.studio.translation import find_translator
from dragoman.tasks.translation.attention_report import LONGEST, attention_report
from dragoman.tasks.translation.beam_tree import BeamTree, beam_tree

router = APIRouter(prefix="/studio/api", tags=["studio"])

NOT_AVAILABLE = (
    "The backend that translates does not show its internals. Serve the run with the engine torch."
)


class AttentionRequest(BaseModel):
    """A request for attention maps: a sentence and its translation."""

    run: str
    source: str
    target: str
    to: str | None = None


class BeamTreeRequest(BaseModel):
    """A request for the tree of a beam search."""

    run: str
    source: str
    to: str | None = None
    beam: int = Field(5, ge=1, le=8)


@router.post("/attention", summary="Attention maps")
async def attention(request: Request, body: AttentionRequest) -> JsonResponse:
    """Return the attention of every layer and head to each token of a translation."""
    served, to = find_translator(request.app.state.models, body.run, body.to)
    source, target = _check_length(request, body.source), _check_length(request, body.target)
    jobs: BackgroundJobs = request.app.state.jobs
    empty = {"scale": SCALE, "source": source, "target": target, "maps": []}
    if not source.strip() or not target.strip():
        return JsonResponse({**empty, "why": "There is no text."})
    translator, tag = served.translator, _target_tag(served.translator.corpus, to)
    try:
        report = await jobs.run(request, lambda: attention_report(translator, source, target, tag))
    except ConfigError:
        return JsonResponse({**empty, "why": NOT_AVAILABLE})
    if report is None:
        why = f"This is too long to be seen whole; {LONGEST} subwords can be."
        return JsonResponse({**empty, "why": why})
    if not report.maps:
        why = "This network has no attention: it encodes the source in one fixed vector."
        return JsonResponse({**empty, "why": why})
    return await asyncio.to_thread(lambda: JsonResponse({"scale": SCALE, **sentence_data(report)}))


@router.post("/beam", summary="The tree of a beam search")
async def beam(request: Request, body: BeamTreeRequest) -> JsonResponse:
    """Return every candidate that entered the beam, each with its parent."""
    served, to = find_translator(request.app.state.models, body.run, body.to)
    source = _check_length(request, body.source)
    jobs: BackgroundJobs = request.app.state.jobs
    translator, tag = served.translator, _target_tag(served.translator.corpus, to)
    empty: dict[str, Any] = {"nodes": [], "beam": body.beam, "steps": 0}
    try:
        tree = await jobs.run(
            request, lambda: beam_tree(translator, source, beam=body.beam, to=tag)
        )
    except ConfigError:
        return JsonResponse({**empty, "why": NOT_AVAILABLE})
    if tree is None:
        why = "Empty, or too long to translate in one pass."
        return JsonResponse({**empty, "why": why})
    return JsonResponse(tree_data(tree))


def tree_data(tree: BeamTree) -> dict[str, Any]:
    """Return a tree as JSON."""
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


def _target_tag(corpus: object, to: str) -> str | None:
    """Return the target language for the translator; None where it knows of no languages."""
    return None if corpus is None else to


def _check_length(request: Request, text: str) -> str:
    settings: ServingSettings = request.app.state.settings
    if len(text) > settings.max_characters:
        raise ApiError(400, f"The text is too long; limit: {settings.max_characters:,} characters.")
    return check_text(text)
