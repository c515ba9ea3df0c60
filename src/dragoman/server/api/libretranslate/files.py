"""/translate_file and /download_file: translating whole files, their format kept."""

import asyncio
import re
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.documents.document import Document, SegmentTranslation
from dragoman.data.documents.open import format_of, read_document, translated_name
from dragoman.data.formats.languages import LanguagePair
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

NAME = re.compile(r"[0-9a-f]{32}\.[A-Za-z0-9._-]{1,80}")
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
MAX_NAME = 60
"""Characters of the client's file name that are kept."""

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


class FileStore:
    """A few files, each for a while, under names that cannot be guessed."""

    def __init__(self, folder: Path, settings: ServingSettings) -> None:
        self.folder, self.settings = folder, settings

    def put(self, name: str, data: bytes) -> str:
        """Store a file; return the name to download it by."""
        self._expire()
        safe = UNSAFE.sub("_", Path(name).name).lstrip(".")[-MAX_NAME:] or "file"
        stored = f"{secrets.token_hex(16)}.{safe}"
        write_atomic(self.folder / stored, data)
        return stored

    def get(self, name: str) -> bytes | None:
        """Return a stored file, unless it has expired."""
        self._expire()
        if not NAME.fullmatch(name):
            return None
        try:
            return (self.folder / name).read_bytes()
        except OSError:
            return None

    def _expire(self) -> None:
        """Delete files that are too old, and the oldest of too many."""
        found: list[tuple[float, Path]] = []
        for path in self.folder.iterdir():
            try:
                found.append((path.stat().st_mtime, path))
            except FileNotFoundError:  # deleted by another worker
                continue
        found.sort(reverse=True)
        oldest = time.time() - self.settings.file_lifetime
        for place, (modified, path) in enumerate(found):
            if modified < oldest or place >= self.settings.max_stored_files:
                path.unlink(missing_ok=True)


def _read_document(name: str, data: bytes, wanted: LanguagePair) -> Document:
    try:
        return read_document(format_of(Path(name)), data, name, wanted)
    except DataError as error:  # names the client's file, and nothing of the server
        raise ApiError(400, f"Invalid request: {error}") from None


def _write_document(document: Document, translations: Mapping[int, SegmentTranslation]) -> bytes:
    return document.written(translations)
