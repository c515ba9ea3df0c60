"""Frames between a server and its parser process: JSON and bytes, each after its length."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from dragoman.data.documents.document import Segment, SegmentTranslation, TextSpan

HEADER = 8
"""Bytes of the length before each frame."""


class BrokenFrame(Exception):  # noqa: N818 - the other side has gone
    """The other side ended before its frame did."""


def frame(content: bytes) -> bytes:
    """Return bytes after their length."""
    return len(content).to_bytes(HEADER, "big") + content


def json_frame(value: object) -> bytes:
    """Return a value as a frame of JSON."""
    return frame(json.dumps(value, separators=(",", ":")).encode("ascii"))


def read_frame(stream: BinaryIO) -> bytes:
    """Read the next frame."""
    length = int.from_bytes(_exactly(stream, HEADER), "big")
    return _exactly(stream, length)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise BrokenFrame
    return content


def pack_segments(segments: Sequence[Segment]) -> list[list[Any]]:
    """Return segments as JSON can hold them."""
    return [
        [one.text, one.existing, one.unfinished, one.wrapped, one.inlines, one.verbatim, one.where,
         one.key]
        for one in segments
    ]  # fmt: skip


def unpack_segments(packed: Sequence[Sequence[Any]]) -> list[Segment]:
    """Return segments as they were before they were packed."""
    return [
        Segment(text, existing, unfinished, wrapped, _spans(inlines), _spans(verbatim), where, key)
        for text, existing, unfinished, wrapped, inlines, verbatim, where, key in packed
    ]


def pack_translations(translations: Mapping[int, SegmentTranslation]) -> list[list[Any]]:
    """Return translations with the numbers of their segments as JSON can hold them."""
    return [
        [number, one.text, one.inlines, one.sure, one.anew] for number, one in translations.items()
    ]


def unpack_translations(packed: Sequence[Sequence[Any]]) -> dict[int, SegmentTranslation]:
    """Return translations as they were before they were packed."""
    return {
        number: SegmentTranslation(text, _spans(inlines), sure, anew)
        for number, text, inlines, sure, anew in packed
    }


def _spans(pairs: Sequence[Sequence[int]]) -> tuple[TextSpan, ...]:
    return tuple(TextSpan(begin, end) for begin, end in pairs)
