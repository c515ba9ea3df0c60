"""The parser of uploaded files: a process for each, with limits, killed when nobody waits."""

import asyncio
import json
import logging
import signal
import subprocess
import sys
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import DataError
from dragoman.data.documents.document import Segment, SegmentTranslation
from dragoman.data.documents.open import format_of
from dragoman.data.documents.parser_process import ParseRequest
from dragoman.data.documents.wire import (
    HEADER,
    frame,
    json_frame,
    pack_translations,
    unpack_segments,
)
from dragoman.data.formats.languages import LanguagePair
from dragoman.server.errors import ApiError

LOG = logging.getLogger("dragoman.server")

COMMAND = (sys.executable, "-P", "-m", "dragoman.data.documents.parser_process")
"""-P: nothing in the folder that the server was started in is taken for a module."""

REAP_SECONDS = 1.0
"""Seconds that a killed process has to end."""

LINE_LIMIT = 1 << 20
"""Bytes of a reply that are held before they are asked for."""

REPLY_RATIO = 16
"""Bytes of a reply for each byte of the largest upload; JSON escapes what is not ASCII."""


class ParsedFile:
    """An uploaded file, taken apart by a parser process."""

    def __init__(self, process: Process, name: str, settings: ServingSettings) -> None:
        self._process, self._name, self._settings = process, name, settings
        self.segments: Sequence[Segment] = ()

    async def read(self, data: bytes, request: ParseRequest) -> None:
        """Read the segments of the file."""
        (reply,) = await self._exchange(json_frame(request.packed()) + frame(data), frames=1)
        self.segments = unpack_segments(json.loads(reply)["segments"])
        most = self._settings.max_characters
        too_long = next((one for one in self.segments if len(one.text) > most), None)
        if too_long:  # while the sentences of one text are found, other requests wait
            raise ApiError(
                400,
                f"Invalid request: {self._name}: {too_long.where or 'a text'} has more than "
                f"{most:,} characters. Break it into paragraphs.",
            )

    async def write(self, translations: Mapping[int, SegmentTranslation]) -> bytes:
        """Return the file with its translations in place."""
        _, written = await self._exchange(json_frame(pack_translations(translations)), frames=2)
        return written

    async def _exchange(self, request: bytes, frames: int) -> list[bytes]:
        """Send a request; return so many frames of the reply, unless the first is an error."""
        # It is sent while the reply is awaited: a process that gives up no longer reads.
        sending = asyncio.create_task(self._send(request))
        try:
            async with asyncio.timeout(self._settings.file_read_timeout):
                reply = [await self._frame()]
                if reply[0].startswith(b'{"error":'):
                    raise self._error(json.loads(reply[0]))
                return reply + [await self._frame() for _ in range(frames - 1)]
        except TimeoutError:
            raise self._too_much("time") from None
        except asyncio.IncompleteReadError:
            raise self._death(await self._process.wait()) from None
        finally:
            sending.cancel()

    async def _send(self, content: bytes) -> None:
        stdin = self._process.stdin
        if stdin is not None:
            with suppress(ConnectionError):
                stdin.write(content)
                await stdin.drain()

    async def _frame(self) -> bytes:
        stdout = self._process.stdout
        if stdout is None:
            raise asyncio.IncompleteReadError(b"", HEADER)
        length = int.from_bytes(await stdout.readexactly(HEADER), "big")
        if length > REPLY_RATIO * self._settings.max_upload_bytes:
            raise self._too_much("memory")
        return await stdout.readexactly(length)

    def _error(self, reply: Mapping[str, Any]) -> ApiError:
        if reply["error"] == "data":  # names the client's file, and nothing of the server
            return ApiError(400, f"Invalid request: {reply['message']}")
        if reply["error"] == "memory":
            return self._too_much("memory")
        return self._bug(reply["message"])

    def _death(self, code: int) -> ApiError:
        """Return the error of a process that ended by itself: by a limit, or by a bug."""
        limits = {-signal.SIGXCPU: "time", -signal.SIGKILL: "memory"}  # the kernel kills for memory
        if code in limits:
            return self._too_much(limits[code])
        return self._bug(f"the parser process ended with exit code {code}")

    def _bug(self, message: str) -> ApiError:
        LOG.error(
            "A file of the format %s was not read: %s", self._name.rpartition(".")[2], message
        )
        return ApiError(400, f"Invalid request: {self._name}: cannot be read.")

    def _too_much(self, what: str) -> ApiError:
        return ApiError(
            413, f"{self._name}: takes too much {what} to read. Cut it into smaller files."
        )


@asynccontextmanager
async def parsed_file(
    name: str, data: bytes, wanted: LanguagePair, settings: ServingSettings
) -> AsyncIterator[ParsedFile]:
    """Take an uploaded file apart; its process is killed at the end of the block, however it ends.

    So it does not outlive the deadline of a request, its client, or the server's shutdown.
    """
    try:
        kind = format_of(Path(name))
    except DataError as error:
        raise ApiError(400, f"Invalid request: {error}") from None
    request = ParseRequest(
        format=kind,
        name=name,
        source=wanted.source,
        target=wanted.target,
        most_segments=settings.max_file_texts,
        cpu_seconds=settings.file_cpu_seconds,
        memory=settings.max_file_memory,
    )
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: SubprocessStreamProtocol(LINE_LIMIT, loop),
        *COMMAND,
        stderr=None,
        start_new_session=True,  # Ctrl-C in the server's terminal is the server's to answer
    )
    process = Process(transport, protocol, loop)
    try:
        file = ParsedFile(process, name, settings)
        await file.read(data, request)
        yield file
    finally:
        transport.close()  # kills the process, too, at once: nothing is awaited for it
        try:
            await process.wait()
        except asyncio.CancelledError:  # the loop is going down, and waits for nobody
            _reap(transport)
            raise


def _reap(transport: asyncio.SubprocessTransport) -> None:
    """Wait for a process that was killed, so that no zombie is left of it."""
    killed: subprocess.Popen[bytes] = transport.get_extra_info("subprocess")
    with suppress(subprocess.TimeoutExpired):
        killed.wait(REAP_SECONDS)
