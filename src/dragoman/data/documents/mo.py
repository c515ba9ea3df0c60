"""MO catalogues, as gettext compiles them: a table of messages and one of translations.

An answer is added at the end of the file, and the row of its message in the table of translations
is led there. All other bytes stay: also the hash table, for it is one of the messages. A message
with a plural is two segments, and only its gaps are filled, as in PO. A compiled catalogue has no
mark for doubt, so an answer that is not sure is left out.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dragoman.core.errors import DataError
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Document,
    Segment,
    SegmentTranslation,
)
from dragoman.data.documents.po_strings import PLURALS, whole_plural, with_ends_of
from dragoman.data.documents.text_decoding import has_letters, storable
from dragoman.data.formats.gettext_files import LARGEST_MO, MARKS, charset_of
from dragoman.data.formats.languages import LanguagePair

ROW = 8
"""Bytes of a row in a table: the length of a text and where it stands."""


@dataclass(frozen=True, slots=True)
class MoMessage:
    """One message of a compiled catalogue."""

    row: int
    """Where its row in the table of translations stands."""
    ids: tuple[str, ...]
    forms: tuple[str, ...]
    first: int | None
    """The number of the segment of the message, if it has letters."""
    second: int | None
    """The number of the segment of its plural."""


@dataclass(frozen=True)
class MoDocument:
    """An MO file that was taken apart."""

    data: bytes
    name: str
    order: str
    encoding: str
    plurals: int
    segments: tuple[Segment, ...]
    entries: tuple[MoMessage, ...]

    def written(self, answers: Mapping[int, SegmentTranslation]) -> bytes:
        """Return the file with sure answers added and the table of translations led to them."""
        sure = {number: answer for number, answer in answers.items() if answer.sure}
        head, tail = bytearray(self.data), bytearray()
        for entry in self.entries:
            forms = self._forms(entry, sure)
            if forms == entry.forms:
                continue
            raw = self._encoded("\0".join(forms), entry)
            place = len(self.data) + len(tail)
            struct.pack_into(f"{self.order}2I", head, entry.row, len(raw), place)
            tail += raw + b"\0"
        return bytes(head + tail)

    def _forms(
        self, entry: MoMessage, answers: Mapping[int, SegmentTranslation]
    ) -> tuple[str, ...]:
        first = None if entry.first is None else answers.get(entry.first)
        second = None if entry.second is None else answers.get(entry.second)
        forms = list(entry.forms)
        if second:
            gaps = not whole_plural(forms, max(self.plurals, len(forms)))
            forms += [""] * (self.plurals - len(forms))
            for number in range(min(1, len(forms) - 1), len(forms)):
                same = bool(forms[number]) and second.text == forms[-1]
                if not same and (second.anew or not (gaps and forms[number])):
                    forms[number] = _fitted(entry, second, forms[number])
        if first and not (second and len(forms) == 1):
            forms[0] = _fitted(entry, first, forms[0])
        return tuple(forms)

    def _encoded(self, text: str, entry: MoMessage) -> bytes:
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise DataError(
                f"{self.name}: its encoding {self.encoding} cannot hold {text[error.start]!r}, in "
                f"the answer to {entry.ids[0][:60]!r}. Compile the catalogue as UTF-8 first."
            ) from error


def _fitted(entry: MoMessage, answer: SegmentTranslation, existing: str) -> str:
    if answer.text == existing:
        return existing
    return with_ends_of(entry.ids[0], storable(answer.text))


def read_mo(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> Document:
    """Read a compiled catalogue of either byte order."""
    if len(data) > LARGEST_MO:
        raise DataError(f"{name}: is larger than {LARGEST_MO:,} bytes, and so no MO file.")
    order = MARKS.get(data[:4])
    if order is None:
        raise DataError(f"{name}: not an MO file (its first four bytes are not the mark of one).")
    rows = list(_rows(data, name, order))
    header = next((target for _, source, target in rows if not source), b"")
    segments = BoundedList[Segment](name, most)
    entries: list[MoMessage] = []
    number = 0
    try:
        encoding = charset_of(header)
        found = PLURALS.search(header.decode(encoding, "replace"))
        plurals = int(found.group(1)) if found else 0
        for number, (row, source, target) in enumerate(rows, 1):
            if source:
                forms = tuple(target.decode(encoding).split("\0"))
                message = source.decode(encoding)
                entries.append(_entry((row, number), message, forms, plurals, segments))
    except (UnicodeDecodeError, LookupError) as error:
        raise DataError(f"{name}: entry {number} is not as declared ({error}).") from error
    return MoDocument(data, name, order, encoding, plurals, tuple(segments), tuple(entries))


def _entry(
    place: tuple[int, int],
    message: str,
    forms: tuple[str, ...],
    plurals: int,
    segments: list[Segment],
) -> MoMessage:
    row, number = place
    context, separator, rest = message.partition("\x04")
    ids = tuple((rest if separator else message).split("\0"))
    numbers: list[int | None] = []
    last = whole_plural(forms, max(plurals, len(forms)))
    for text, existing in zip(ids[:2], (forms[0], last), strict=False):
        if not has_letters(text):
            numbers.append(None)
            continue
        key = context if separator else ""
        numbers.append(len(segments))
        segments.append(Segment(text, existing=existing, where=f"entry {number}", key=key))
    return MoMessage(row, ids, forms, numbers[0], numbers[1] if len(numbers) > 1 else None)


def _rows(data: bytes, name: str, order: str) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield where a row of the table of translations stands, the message and its translation.

    A real catalogue keeps each text once. One whose rows all point to the same long text would
    grow without end, so that it is refused.
    """
    number, total = 0, 0
    try:
        version, count, originals, translations = struct.unpack_from(f"{order}4I", data, 4)
        if version >> 16 > 1:
            raise ValueError(f"version {version >> 16} is not known")
        for number in range(1, count + 1):
            row = translations + ROW * (number - 1)
            table = range(translations, translations + ROW * count)
            source = _text(data, order, originals + ROW * (number - 1), table)
            target = _text(data, order, row, table)
            total += len(source) + len(target)
            if total > 4 * len(data):
                raise ValueError("its entries share their texts")
            yield row, source, target
    except (struct.error, ValueError) as error:
        raise DataError(f"{name}: entry {number} is cut off or damaged ({error}).") from error


def _text(data: bytes, order: str, row: int, table: range) -> bytes:
    """Return a text; it must not stand in the table, which changes with the answers."""
    length, offset = struct.unpack_from(f"{order}2I", data, row)
    if offset + length > len(data):
        raise ValueError("it points beyond the end of the file")
    if length and offset < table.stop and offset + length > table.start:
        raise ValueError("it points into the table of translations")
    return data[offset : offset + length]
