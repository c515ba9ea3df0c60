"""The parser process of a server: takes one stranger's file apart, within limits, and dies.

A file can be made so that reading it takes long or much memory. In a process of its own, without
torch, it can be given limits and killed at any moment, and nothing else waits for it.

    in    the request as JSON, then the file
    out   {"segments": [...]} or {"error": "..."}
    in    the translations as JSON
    out   {"written": true} and the file, or {"error": "..."}
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, TypeVar

from dragoman.core.errors import DataError
from dragoman.data.documents.document import Document
from dragoman.data.documents.open import read_document
from dragoman.data.documents.wire import (
    BrokenFrame,
    frame,
    json_frame,
    pack_segments,
    read_frame,
    unpack_translations,
)
from dragoman.data.formats.languages import LanguagePair

POLITENESS = 5
"""How much the process gives way to others; people wait for short texts meanwhile."""

OUT_OF_MEMORY = json_frame({"error": "memory", "message": "out of memory"})

T = TypeVar("T")


@dataclass(frozen=True)
class ParseRequest:
    """A request to parse a file, and how much it may cost."""

    format: str
    name: str
    source: str
    target: str
    most_segments: int
    cpu_seconds: int
    memory: int
    """Bytes of address space."""

    def packed(self) -> dict[str, Any]:
        """Return the request as JSON can hold it."""
        return asdict(self)


class ParseFailure(Exception):  # noqa: N818 - told to the other side
    """A failure to be told to the server: what it was, and a message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def main() -> None:
    """Serve one file from stdin to stdout."""
    given, taken = sys.stdin.buffer, sys.stdout.buffer
    try:
        _serve(given, taken)
    except ParseFailure as failure:
        _send(taken, json_frame({"error": failure.kind, "message": str(failure)}))
    except MemoryError:
        os.write(
            taken.fileno(), OUT_OF_MEMORY
        )  # made before, for there is no memory to make it now
        os._exit(0)
    except (BrokenFrame, BrokenPipeError):
        os._exit(0)  # the server has gone, or lost interest


def _serve(given: BinaryIO, taken: BinaryIO) -> None:
    request = ParseRequest(**json.loads(read_frame(given)))
    _limit(request)
    document = _guarded(lambda: _read(request, read_frame(given)))
    _send(taken, _guarded(lambda: json_frame({"segments": pack_segments(document.segments)})))
    translations = _guarded(lambda: unpack_translations(json.loads(read_frame(given))))
    written = _guarded(lambda: document.written(translations))
    _send(taken, json_frame({"written": True}))
    _send(taken, frame(written))


def _read(request: ParseRequest, data: bytes) -> Document:
    wanted = LanguagePair(request.source, request.target)
    return read_document(
        request.format, data, request.name, wanted, most_segments=request.most_segments
    )


def _guarded(work: Callable[[], T]) -> T:
    """Do a piece of work; say what kind of failure it was where it fails."""
    try:
        return work()
    except (BrokenFrame, MemoryError):
        raise
    except DataError as error:
        raise ParseFailure("data", str(error)) from None
    except Exception as error:  # a bug of ours: the server goes on, and its log says where
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        code = trace.tb_frame.f_code if trace else None
        where = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}" if code and trace else "?"
        raise ParseFailure("bug", f"{type(error).__name__} at {where}: {error}") from None


def _send(stream: BinaryIO, content: bytes) -> None:
    stream.write(content)
    stream.flush()


def _limit(request: ParseRequest) -> None:
    """Limit what this process can take: time, memory, files; where the system knows limits."""
    try:
        import resource
    except ImportError:  # Windows: the server's own clock is the limit
        return
    limits: Mapping[int, int] = {
        resource.RLIMIT_CPU: request.cpu_seconds,
        resource.RLIMIT_AS: request.memory,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for number, limit in limits.items():
        _, hard = resource.getrlimit(number)
        # Only the soft limit: at the hard one the kernel kills, and the server would not know why.
        resource.setrlimit(number, (limit if hard < 0 else min(limit, hard), hard))
    os.nice(POLITENESS)


if __name__ == "__main__":
    main()
