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
from starlette.datastructures import State

from dragoman.config.serving import ServingSettings
from dragoman.core.files import write_atomic
from dragoman.data.documents.open import translated_name
from dragoman.server.api.libretranslate.request import (
    TranslateFileRequest,
    Upload,
    read_fields,
    schema,
    validate,
)
from dragoman.server.api.libretranslate.translation import translator_for
from dragoman.server.deadlines import wait_for_result
from dragoman.server.document_parser import parsed_file
from dragoman.server.errors import ApiError, busy
from dragoman.server.scheduler.jobs import QueueFull
from dragoman.server.translators import ServedTranslator, TranslationOptions

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
    work = asyncio.create_task(_translate(state, served, to, Upload(name, upload.data)))
    written = await wait_for_result(request, work, state.settings.file_deadline)
    store: FileStore = state.file_store
    stored = await asyncio.to_thread(
        store.put, translated_name(Path(name), served.wanted(to)).name, written
    )
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


async def _translate(state: State, served: ServedTranslator, to: str, upload: Upload) -> bytes:
    """Translate an uploaded file, once there is a slot for it."""
    wanted = served.wanted(to)
    async with (
        state.file_slots,
        parsed_file(upload.name, upload.data, wanted, state.settings) as file,
    ):
        numbers = [n for n, one in enumerate(file.segments) if not one.existing]
        segments = [file.segments[n] for n in numbers]
        try:
            job = served.file_queue.submit(segments, TranslationOptions(to))
        except QueueFull:
            raise busy(10) from None
        try:
            results = await asyncio.wrap_future(job.future)
        finally:
            job.drop()  # the queue stops working on it
        answers = (one.interpreted.answer for one in results)
        return await file.write(dict(zip(numbers, answers, strict=True)))
