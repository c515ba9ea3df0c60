"""What every reader of documents and corpora promises of any file, however broken it is.

A file is refused by an error of one line, or it is read. A document without answers is written
byte for byte as it was; answered by what stands in it, too, in the formats that add nothing by
design. Answered by anything, it is read again, and has the answers as its texts.
"""

import unicodedata
from pathlib import Path
from random import Random

from tests.faults.growth import read_corpus

from dragoman.core.errors import DataError
from dragoman.data.documents.document import Document, Segment, SegmentTranslation
from dragoman.data.documents.inline import place_inlines
from dragoman.data.documents.open import BILINGUAL, read_document
from dragoman.data.documents.po import UNSET
from dragoman.data.documents.table import TableColumns
from dragoman.data.formats.languages import LanguagePair

EN_HI = LanguagePair("en", "hi")
COLUMNS = TableColumns("1", "2")
SAME = frozenset(("po", "mo", "json", "subtitles", "html", "markdown", "docx", "plain"))
"""Formats in which an answer that is there already changes nothing. XLIFF, TMX and tables add by
design, and YAML renames the language."""
MOVING = frozenset(("html", "docx"))
"""Formats in which a text may stand inside another and moves with its words: tips, text boxes."""
LOOSE = frozenset(("markdown", "subtitles"))
"""Formats whose markup has no sure spelling: `* a*` is no emphasis. Texts with markup in them are
answered only to see that the file is read again."""
ANSWERS = (
    "Wasser", "a <b>c</b> & d", "**x** _y_ [a](b) `c`", "\"quoted\" 'x'", "مرحبا بالعالم",
    "שלום 👋🏽",
    "a\nb", "  a  ", "{x} %s $y", "a: b # c", "- a", "1. a", "a | b", "a,b;c\td", "x-->a",
    "]]>a",
    "\ud800a", "# a", "\\n a", "a\\", "&amp;a &#65;", "yes", "null", "---a", "|a", "> a",
    "=a", "a\r\nb",
    "a\u2028b\x85c", "a\x0b\x01b", "<!-- a", "<script>a", "```a", "a\n\nb", "a\n===",
    "~~a~~", "%a",
    "ﬁ İ ſ", "a" * 300, "नमस्ते दुनिया", "'a", '"a', "@a", "*a", "&a b", "!a", "{a",
    "[a]: b", "<i>a</i>",
    "WEBVTT a", "NOTE a", "00:00:01,000 --> 00:00:02,000 a", "a \ue000 \U0010ffff",
)  # fmt: skip
NOTHING = ("", "   ", "12", "\n", "-->", "\x00")


def judge_document(format: str, data: bytes, rng: Random) -> tuple[str | None, bool]:
    """Say what is wrong with the reading and writing of a document, and whether it is refused."""
    try:
        document = _read(format, data)
    except DataError as error:
        return _told(error), True
    if document.written({}) != data:
        return "without answers it is not the same file", False
    unset = format == "po" and UNSET.encode() in data  # becomes UTF-8 with the first answer
    if format in SAME and not unset and document.written(_existing(format, document)) != data:
        return "answered by what is there it is not the same file", False
    try:
        return _judge_answers(format, document, rng), False
    except DataError as error:  # an encoding may not hold an answer
        return _told(error), True


def _read(format: str, data: bytes) -> Document:
    return read_document(format, data, "a.file", EN_HI, COLUMNS)


def _told(error: DataError) -> str | None:
    said = str(error)
    if len(said.splitlines()) != 1 or not said.startswith("a.file"):
        return f"an error that is not one line with the name of the file: {said!r}"
    return None


def _existing(format: str, document: Document) -> dict[int, SegmentTranslation]:
    if format in BILINGUAL:
        return {
            number: SegmentTranslation(one.existing, sure=not one.unfinished)
            for number, one in enumerate(document.segments)
            if one.existing
        }
    return {
        number: SegmentTranslation(one.text, one.inlines)
        for number, one in enumerate(document.segments)
    }


def _judge_answers(format: str, document: Document, rng: Random) -> str | None:
    anything = rng.random() < 0.3
    answers = {
        number: _answer(one, rng.choice(ANSWERS + NOTHING if anything else ANSWERS), rng)
        for number, one in enumerate(document.segments)
        if (rng.random() < 0.7 if anything else not (format in LOOSE and one.inlines))
    }
    data = document.written(answers)
    try:
        again = _read(format, data)
    except DataError as error:
        return f"the written file is refused ({error}): {data[:300]!r}"
    if again.written({}) != data:
        return f"the written file is read, but not written as it is: {data[:300]!r}"
    failure = None if anything else _compared(format, document, again, answers)
    return f"{failure}: {data[:300]!r}" if failure else None


def _answer(segment: Segment, text: str, rng: Random) -> SegmentTranslation:
    links = [(rng.randrange(6), rng.randrange(6)) for _ in range(rng.randrange(3))]
    return SegmentTranslation(
        text, place_inlines(segment.inlines, segment.text, text, links), anew=True
    )


def _compared(
    format: str, before: Document, after: Document, answers: dict[int, SegmentTranslation]
) -> str | None:
    """Say which answer is not read again as it was given."""
    if len(before.segments) != len(after.segments):
        if any(one.verbatim for one in before.segments):
            return None  # all letters of an answer may have gone into code, which is no text
        return f"{len(before.segments)} texts, and {len(after.segments)} after writing"
    meant = [
        squeezed(answers[number].text if number in answers else _found(format, one), format)
        for number, one in enumerate(before.segments)
    ]
    found = [squeezed(_found(format, one), format) for one in after.segments]
    if format in MOVING and sorted(meant) == sorted(found):
        return None
    for number, one in enumerate(before.segments):
        if found[number] != meant[number] and not _is_single(format, before, number, meant, found):
            return f"{one.where}: {meant[number]!r} reads {found[number]!r}"
    return None


def _found(format: str, segment: Segment) -> str:
    bilingual = format in BILINGUAL or format in ("tsv", "csv")
    return segment.existing if bilingual else segment.text


def _is_single(
    format: str, document: Document, number: int, meant: list[str], found: list[str]
) -> bool:
    """Whether a message with a plural has one form only, which is filled from the plural."""
    here, after = document.segments[number].where, document.segments[number + 1 : number + 2]
    is_plural = format in ("po", "mo") and any(one.where == here for one in after)
    return is_plural and found[number] == meant[number + 1]


def squeezed(text: str, format: str) -> str:
    """Return what must survive of a text: no blanks, no control characters."""
    if format == "subtitles":
        text = text.replace("-->", "→").translate(str.maketrans("<>{}", "‹›()"))
    return "".join(
        sign for sign in text if not sign.isspace() and unicodedata.category(sign)[0] != "C"
    ).replace("\ufffd", "")


def judge_corpus(format: str, data: bytes, folder: Path) -> tuple[str | None, bool]:
    """Say what is wrong with the reading of a corpus, and whether it is refused."""
    path = folder / ("a.jsonl" if format == "labeled" and data[:1] == b"{" else "a.file")
    path.write_bytes(data)
    try:
        read_corpus(format, path)
    except DataError as error:
        said = str(error)
        one = len(said.splitlines()) == 1 and str(path) in said
        return None if one else f"an error that is not one line with the file: {said!r}", True
    return None, False
