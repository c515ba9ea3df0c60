"""/translate_file and /download_file: translating whole files, their format kept."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from dragoman.core.errors import DataError
from dragoman.data.documents.document import Document, SegmentTranslation
from dragoman.data.documents.opened import format_of, read_document, translated_name
from dragoman.data.formats.languages import Wanted
from dragoman.server.api.libretranslate.file_store import FileStore
from dragoman.server.api.libretranslate.request import (
    TranslateFileRequest,
    Upload,
    read_fields,
    schema,
    validate,
)
from dragoman.server.api.libretranslate.translation import translator_for
from dragoman.server.deadlines import wait_for_job
from dragoman.server.errors import ApiError, busy
from dragoman.server.scheduler.jobs import QueueFull
from dragoman.server.translators import TranslationOptions

router = APIRouter(tags=["LibreTranslate"])

UNSAFE_CHARACTERS = re.compile(r"[\x00-\x1f\x7f/\\]+")


@router.post(
    "/translate_file",
    openapi_extra=schema(TranslateFileRequest, file=True),
    summary="Translate a file",
)
async def translate_file(request: Request) -> dict[str, str]:
    """Translate a file; return the address to download it from for a while."""
    state = request.app.state
    fields = await read_fields(request)
    body = validate(TranslateFileRequest, fields)
    upload = fields.get("file")
    if not isinstance(upload, Upload) or not upload.name:
        raise ApiError(400, "Invalid request: missing file parameter")
    served, to = translator_for(state.models, body.source, body.target)
    name = UNSAFE_CHARACTERS.sub("_", upload.name)[-100:]
    wanted = served.wanted(to)
    async with state.file_slots:
        document = await asyncio.to_thread(_read_document, name, upload.data, wanted)
        numbers = [n for n, one in enumerate(document.segments) if not one.existing]
        try:
            job = served.file_queue.submit(
                [document.segments[n] for n in numbers], TranslationOptions(to)
            )
        except QueueFull:
            raise busy(10) from None
        results = await wait_for_job(request, job, state.settings.file_deadline)
        translations = {n: one.interpreted.answer for n, one in zip(numbers, results, strict=True)}
        written = await asyncio.to_thread(_write_document, document, translations)
    store: FileStore = state.file_store
    stored = await asyncio.to_thread(store.put, translated_name(Path(name), wanted).name, written)
    return {"translatedFileUrl": str(request.url_for("download_file", name=stored))}


@router.get("/download_file/{name}", summary="Download a translated file")
async def download_file(request: Request, name: str) -> Response:
    """Return a translated file."""
    store: FileStore = request.app.state.file_store
    data = await asyncio.to_thread(store.get, name)
    if data is None:
        raise ApiError(404, "There is no such file, or it has been forgotten. Translate it again.")
    file_name = name.partition(".")[2]
    headers: Mapping[str, Any] = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file_name)}"
    }
    return Response(data, media_type="application/octet-stream", headers=dict(headers))


def _read_document(name: str, data: bytes, wanted: Wanted) -> Document:
    try:
        return read_document(format_of(Path(name)), data, name, wanted)
    except DataError as error:  # names the client's file, and nothing of the server
        raise ApiError(400, f"Invalid request: {error}") from None


def _write_document(document: Document, translations: Mapping[int, SegmentTranslation]) -> bytes:
    return document.written(translations)
