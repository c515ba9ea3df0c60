"""Documents of word processors (DOCX): each paragraph is a text, its runs are inlines."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dragoman.core.errors import DataError
from dragoman.data.documents.archive import Archive, read_archive
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Segment,
    SegmentTranslation,
    TextFile,
)
from dragoman.data.documents.docx_paragraph import DocxPart, Paragraph, paragraphs
from dragoman.data.documents.xml_text import read_xml
from dragoman.data.formats.languages import LanguagePair

PARTS = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml")
NEEDED = ("[Content_Types].xml", "word/document.xml")


@dataclass(frozen=True)
class Docx:
    """A document whose parts were taken apart."""

    archive: Archive
    parts: Mapping[str, TextFile]
    segments: tuple[Segment, ...]

    def written(self, answers: Mapping[int, SegmentTranslation]) -> bytes:
        """Return the document with its answered paragraphs changed, and nothing else."""
        first = 0
        changed: dict[str, bytes] = {}
        for name, part in self.parts.items():
            last = first + len(part.segments)
            inside = {
                number - first: answer
                for number, answer in answers.items()
                if first <= number < last and answer.sure
            }
            if inside:
                changed[name] = part.written(inside)
            first = last
        return self.archive.written(changed)


def read_docx(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> Docx:
    """Read the paragraphs of the text, of headers, footers, notes and comments.

    Tabs, line breaks, pictures, fields and the marks of notes keep their places among the words.
    Deleted text and the codes of fields stay. A character that XML cannot hold becomes a space.
    """
    archive = read_archive(data, name)
    for needed in NEEDED:
        if needed not in archive.contents:
            raise DataError(f"{name}: has no {needed} inside, as a DOCX file has.")
    parts: dict[str, TextFile] = {}
    found = BoundedList[Paragraph](name, most)
    for member in sorted(filter(PARTS.fullmatch, archive.contents), key=_order):
        parts[member] = read_part(archive.contents[member], name, member, found)
    segments = tuple(segment for part in parts.values() for segment in part.segments)
    return Docx(archive, parts, segments)


def _order(member: str) -> tuple[bool, str]:
    return member != "word/document.xml", member


def read_part(data: bytes, name: str, member: str, found: BoundedList[Paragraph]) -> TextFile:
    """Read the paragraphs of one part, after those `found` in the parts before it."""
    xml = read_xml(data, f"{name}/{member}")
    label = member.removeprefix("word/").removesuffix(".xml")
    first = len(found)
    for paragraph in paragraphs(xml, label):
        found.append(paragraph)
    # The texts of boxes inside a paragraph may begin before its own.
    part = DocxPart(xml.text, sorted(found[first:], key=lambda paragraph: paragraph.begin))
    segments = tuple(paragraph.segment for paragraph in part.paragraphs)
    return TextFile(xml.text, segments, tuple(part.slots()), xml.encoding)
