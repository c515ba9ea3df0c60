"""PO catalogues of GNU gettext, edited in place.

A message is one segment, a message with a plural two: msgid with the first form of its translation,
and msgid_plural with the last. The answers fill msgstr[0] from the one and all other forms from the
other; where the language has one form only, it is filled from the plural, for it has to serve any
number. Where some of the other forms are there and some are not, only the gaps are filled. The
header and obsolete messages stay as they are. As `msgfmt --check` wants it, a translation begins
and ends with a line end where its msgid does, and only there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dragoman.core.errors import DataError
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Document,
    Segment,
    SegmentTranslation,
    Slot,
    TextFile,
)
from dragoman.data.documents.po_entries import PoMessage, read_entries
from dragoman.data.documents.po_strings import PLURALS, quote, whole_plural, with_ends_of
from dragoman.data.documents.text_decoding import blanks_before, decode_text, has_letters, storable
from dragoman.data.formats.gettext_files import charset_of
from dragoman.data.formats.languages import LanguagePair

DECLARED = re.compile(
    rb'^[ \t]*(?:msgstr[ \t]+)?"[^"\n]*?Content-Type:[^"\n]{0,200}?'
    rb"charset=([A-Za-z0-9_.:-]{1,40})",
    re.MULTILINE,
)
HEADER = re.compile(rb'^[ \t]*msgid[ \t]*""\s++msgstr[^\w]', re.MULTILINE)
MESSAGE = re.compile(rb"^[ \t]*msg(?:id|ctxt)\b", re.MULTILINE)
UNSET = "charset=CHARSET"
"""What xgettext writes while nobody has chosen an encoding; it becomes UTF-8 with an answer."""

FLAG = re.compile(r"[^\s,]+")


def read_po(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> Document:
    """Read a catalogue in the encoding its header declares."""
    encoding = _encoding(data, name)
    text = decode_text(data, name, encoding)
    if text.encode(encoding) != data:
        raise DataError(f"{name}:1: {encoding} cannot be kept byte for byte. {_convert(name)}")
    end = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    reading = _Reading(name, text, encoding, end, BoundedList(name, most))
    for entry in read_entries(text, name, encoding):
        reading.take(entry)
    return reading.document()


def _encoding(data: bytes, name: str) -> str:
    header = HEADER.search(data)
    if header is None:
        return "utf-8"
    following = MESSAGE.search(data, header.end())
    found = DECLARED.search(data, header.start(), following.start() if following else len(data))
    if found is None or found.group(0).endswith(UNSET.encode()):
        return "utf-8"
    try:
        return charset_of(found.group(0))
    except LookupError as error:
        line = data.count(b"\n", 0, found.end()) + 1
        raise DataError(f"{name}:{line}: {error}. {_convert(name)}") from error


def _convert(name: str) -> str:
    return f"Convert the file first: msgconv -t UTF-8 -o NEW.po {name}"


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment of an entry."""

    number: int
    source: str
    existing: str


class _Reading:
    """The segments and slots found so far."""

    def __init__(
        self,
        name: str,
        text: str,
        encoding: str,
        line_end: str,
        segments: BoundedList[Segment],
    ) -> None:
        self._name = name
        self._text = text
        self._encoding = encoding
        self._line_end = line_end
        self._plurals = 0
        self._unset: int | None = None
        self._segments = segments
        self._slots: list[Slot] = []

    def document(self) -> Document:
        """Return what was read."""
        if self._unset is not None and self._segments:
            place = self._unset + len(UNSET) - len("CHARSET")
            end = self._unset + len(UNSET)
            every = tuple(range(len(self._segments)))
            self._slots.append(Slot(place, end, every, lambda _: "UTF-8"))
            self._slots.sort(key=lambda slot: slot.begin)
        return TextFile(self._text, tuple(self._segments), tuple(self._slots), self._encoding)

    def take(self, entry: PoMessage) -> None:
        """Add the segments of an entry and the places of its answers."""
        if entry.is_header:
            self._take_header(entry)
            return
        fuzzy = any(map(_is_fuzzy, self._notes(entry).split("\n")))
        first = self._part(entry, entry.texts["msgid"], entry.forms[0], fuzzy)
        second = None
        if "msgid_plural" in entry.texts:
            last = whole_plural(entry.forms, self._forms_of(entry))
            second = self._part(entry, entry.texts["msgid_plural"], last, fuzzy)
        numbers = tuple(part.number for part in (first, second) if part)
        if not numbers:
            return
        self._slots.append(
            Slot(*entry.notes, numbers, lambda answers: self._noted(entry, numbers, answers))
        )
        self._place_forms(entry, first, second)

    def _take_header(self, entry: PoMessage) -> None:
        found = PLURALS.search(entry.forms[0])
        self._plurals = int(found.group(1)) if found else 0
        unset = self._text.find(UNSET, *entry.places[0])
        self._unset = unset if unset >= 0 else self._unset

    def _part(self, entry: PoMessage, source: str, existing: str, fuzzy: bool) -> _Part | None:
        if not has_letters(source):
            return None
        self._segments.append(
            Segment(
                source,
                existing=existing,
                unfinished=fuzzy,
                where=f"line {entry.line}",
                key=entry.texts.get("msgctxt", ""),
            )
        )
        return _Part(len(self._segments) - 1, source, existing)

    def _forms_of(self, entry: PoMessage) -> int:
        return max(self._plurals, len(entry.forms)) if entry.indexed else 1

    def _place_forms(self, entry: PoMessage, first: _Part | None, second: _Part | None) -> None:
        count = self._forms_of(entry)
        for number in range(len(entry.places)):
            meant = [second] if number else [second, first] if count == 1 else [first]
            parts = [part for part in meant if part]
            if parts:
                self._place_form(entry, number, parts)
        missing = range(len(entry.places), count)
        if missing and second:
            part = second
            end = entry.places[-1].end
            self._slots.append(
                Slot(
                    end,
                    end,
                    (part.number,),
                    lambda answers: "".join(
                        f"{self._line_end}msgstr[{form}] "
                        + self._string(entry, answers[part.number], len("msgstr[0] "))
                        for form in missing
                    ),
                )
            )

    def _place_form(self, entry: PoMessage, number: int, parts: list[_Part]) -> None:
        begin, end = entry.places[number]
        before = len("msgstr[0] " if entry.indexed else "msgstr ")

        def write(answers: Mapping[int, SegmentTranslation]) -> str:
            part = next(part for part in parts if part.number in answers)
            answer = answers[part.number]
            if _is_kept(entry.forms[number], part, answer):
                return self._text[begin:end]
            return self._string(entry, answer, before)

        self._slots.append(Slot(begin, end, tuple(part.number for part in parts), write))

    def _string(self, entry: PoMessage, answer: SegmentTranslation, before: int) -> str:
        text = with_ends_of(entry.texts["msgid"], storable(answer.text))
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError as error:
            raise DataError(
                f"{self._name}:{entry.line}: its encoding {self._encoding} cannot hold "
                f"{text[error.start]!r}. {_convert(self._name)}"
            ) from error
        return quote(text, before, self._line_end)

    def _notes(self, entry: PoMessage) -> str:
        return self._text[entry.notes.begin : entry.notes.end]

    def _noted(
        self, entry: PoMessage, numbers: tuple[int, ...], answers: Mapping[int, SegmentTranslation]
    ) -> str:
        """Return the comments with the mark fuzzy as the answers want it."""
        notes = self._notes(entry)
        lines = notes.split("\n")
        fuzzy = any(map(_is_fuzzy, lines))
        if any(number in answers and not answers[number].sure for number in numbers):
            return notes if fuzzy else self._with_fuzzy(entry, lines)
        given = [answers[number] for number in numbers if number in answers]
        if fuzzy and len(given) == len(numbers) and not self._keeps_some(entry, given):
            return "\n".join(_without_fuzzy(lines))
        return notes

    def _keeps_some(self, entry: PoMessage, given: list[SegmentTranslation]) -> bool:
        """Say whether other forms of a plural stay beside the gaps that are filled."""
        gaps = not whole_plural(entry.forms, self._forms_of(entry))
        return gaps and any(entry.forms[1:]) and not all(answer.anew for answer in given)

    def _with_fuzzy(self, entry: PoMessage, lines: list[str]) -> str:
        for number, line in enumerate(lines):
            if line.lstrip().startswith("#,"):
                kept = line.rstrip()
                lines[number] = f"{kept}, fuzzy{line[len(kept) :]}"
                return "\n".join(lines)
        mark = "#, fuzzy" + self._line_end.rstrip("\n")
        for number, line in enumerate(lines):
            if line.lstrip().startswith("#|"):
                return "\n".join([*lines[:number], mark, *lines[number:]])
        begin = blanks_before(self._text, entry.notes.end)
        if self._text[max(0, begin - 1) : begin].strip("\ufeff\n"):
            mark = self._line_end + mark
        return "\n".join([*lines[:-1], mark, lines[-1]])


def _is_kept(form: str, part: _Part, answer: SegmentTranslation) -> bool:
    """Say whether a form stays: it is the answer, or people's work beside a gap.

    A plural with a gap counts as missing; where it is whole, its last form speaks for the others.
    """
    if answer.text in (form, part.existing):
        return bool(form) or not answer.text
    return bool(form) and not part.existing and not answer.anew


def _flags(line: str) -> list[re.Match[str]]:
    return list(FLAG.finditer(line, 2)) if line.startswith("#,") else []


def _is_fuzzy(line: str) -> bool:
    return any(flag.group() == "fuzzy" for flag in _flags(line.lstrip()))


def _without_fuzzy(lines: list[str]) -> list[str]:
    """Take the mark away, and what the message was before, to which it referred."""
    kept = []
    for line in lines:
        bare = line.lstrip()
        if bare.startswith("#|"):
            continue
        if _is_fuzzy(line):
            line = _without_flag(bare)
            if line.strip() == "#":
                continue
        kept.append(line)
    return kept


def _without_flag(line: str) -> str:
    parts, done, before = [], 0, 1
    for flag in _flags(line):
        if flag.group() == "fuzzy":
            parts.append(line[done:before])
            done = flag.end()
        before = flag.end()
    return "".join([*parts, line[done:]])
