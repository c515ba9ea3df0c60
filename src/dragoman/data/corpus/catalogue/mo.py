"""Messages of a compiled gettext catalogue (.mo): the English text and its translation."""

import re
import struct
from collections.abc import Iterator

from dragoman.core.errors import DataError

MAGIC = 0x950412DE
CONTEXT_END = "\x04"
FORMS_APART = "\0"
CHARSET = re.compile(rb"charset=([A-Za-z0-9_.:-]+)")


def read_messages(data: bytes, name: str) -> Iterator[tuple[str, str]]:
    """Yield each message with its translation, without the header and without contexts.

    Of a message with plural forms the singular and the first form are given. A message that is
    not in the encoding the catalogue declares comes out with replacement characters.
    """
    order = _byte_order(data, name)
    _, _, count, originals, translations = struct.unpack_from(f"{order}5I", data)
    texts = [
        (
            _text(data, order, originals + 8 * i, name),
            _text(data, order, translations + 8 * i, name),
        )
        for i in _numbers(data, count, originals, translations, name)
    ]
    encoding = _encoding(next((text for message, text in texts if not message), b""), name)
    for message, text in texts:
        if message:
            original = message.decode(encoding, errors="replace")
            translated = text.decode(encoding, errors="replace")
            yield _singular(original.rpartition(CONTEXT_END)[2]), _singular(translated)


def _byte_order(data: bytes, name: str) -> str:
    if len(data) >= 20:
        for order in "<>":
            if struct.unpack_from(f"{order}I", data)[0] == MAGIC:
                return order
    raise DataError(f"{name}: is not a compiled gettext catalogue.")


def _numbers(data: bytes, count: int, originals: int, translations: int, name: str) -> range:
    """Number the messages, once it is sure that both tables lie inside the file."""
    if max(originals, translations) + 8 * count > len(data):
        raise DataError(f"{name}: the gettext catalogue is cut off.")
    return range(count)


def _text(data: bytes, order: str, at: int, name: str) -> bytes:
    length, start = struct.unpack_from(f"{order}2I", data, at)
    if start + length > len(data):
        raise DataError(f"{name}: the gettext catalogue is cut off or damaged.")
    return data[start : start + length]


def _encoding(header: bytes, name: str) -> str:
    found = CHARSET.search(header)
    encoding = found[1].decode("ascii") if found else "utf-8"
    try:
        "".encode(encoding)
    except LookupError:
        raise DataError(f"{name}: declares the unknown encoding {encoding!r}.") from None
    return encoding


def _singular(text: str) -> str:
    return text.partition(FORMS_APART)[0]
