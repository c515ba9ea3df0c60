"""/translate_file: a file comes, and goes back translated, its format kept."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from dragoman.core.errors import DataError
from dragoman.data.documents.document import Document, SegmentTranslation
from dragoman.data.documents.open import format_of, read_document, translated_name
from dragoman.data.formats.languages import LanguagePair
from dragoman.server.api.libretranslate.file_store import KeptFiles
from dragoman.server.api.libretranslate.request import FileAsked, Upload, fields_of, read_as, schema
from dragoman.server.api.libretranslate.translation import translator_for
from dragoman.server.deadlines import answered
from dragoman.server.refusal import Refusal, busy
from dragoman.server.scheduler.jobs import Busy
from dragoman.server.translators import TranslationOptions

router = APIRouter(tags=["LibreTranslate"])

UNSEEMLY = re.compile(r"[\x00-\x1f\x7f/\\]+")


@router.post(
    "/translate_file", openapi_extra=schema(FileAsked, file=True), summary="Translate a file"
)
async def translate_file(request: Request) -> dict[str, str]:
    """Translate a file, and say where it can be fetched for a while."""
    state = request.app.state
    said = await fields_of(request)
    asked = read_as(FileAsked, said)
    upload = said.get("file")
    if not isinstance(upload, Upload) or not upload.name:
        raise Refusal(400, "Invalid request: missing file parameter")
    served, to = translator_for(state.shelf, asked.source, asked.target)
    name = UNSEEMLY.sub("_", upload.name)[-100:]
    wanted = served.wanted(to)
    async with state.files_at_once:
        document = await asyncio.to_thread(_opened, name, upload.data, wanted)
        numbers = [n for n, one in enumerate(document.segments) if not one.existing]
        try:
            job = served.file_lane.ask(
                [document.segments[n] for n in numbers], TranslationOptions(to)
            )
        except Busy:
            raise busy(10) from None
        found = await answered(request, job, state.settings.file_deadline)
        answers = {n: one.interpreted.answer for n, one in zip(numbers, found, strict=True)}
        written = await asyncio.to_thread(_written, document, answers)
    kept: KeptFiles = state.kept_files
    place = await asyncio.to_thread(kept.keep, translated_name(Path(name), wanted).name, written)
    return {"translatedFileUrl": str(request.url_for("download_file", name=place))}


@router.get("/download_file/{name}", summary="Fetch a translated file")
async def download_file(request: Request, name: str) -> Response:
    """Give a translated file back."""
    kept: KeptFiles = request.app.state.kept_files
    data = await asyncio.to_thread(kept.find, name)
    if data is None:
        raise Refusal(404, "There is no such file, or it has been forgotten. Translate it again.")
    shown = name.partition(".")[2]
    headers: Mapping[str, Any] = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(shown)}"
    }
    return Response(data, media_type="application/octet-stream", headers=dict(headers))


def _opened(name: str, data: bytes, wanted: LanguagePair) -> Document:
    try:
        return read_document(format_of(Path(name)), data, name, wanted)
    except DataError as error:  # names the client's own file, and nothing of ours
        raise Refusal(400, f"Invalid request: {error}") from None


def _written(document: Document, answers: Mapping[int, SegmentTranslation]) -> bytes:
    return document.written(answers)
