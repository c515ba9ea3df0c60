"""Every format is read and written in time that grows in step with the file."""

import io
import struct
import zipfile

import pytest

from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.open import FORMATS, read_document
from dragoman.data.documents.table import TableColumns
from dragoman.data.formats.languages import LanguagePair

pytestmark = pytest.mark.slow

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
UP_TO = {"yaml": 100_000}
"""Characters; PyYAML alone takes ten seconds for more."""

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def around(before, unit, after=""):
    """Give a maker of files: a beginning, many times the same, an end."""
    return lambda size: (before + unit * (size // len(unit)) + after).encode()


def catalogue(units):
    """Give a maker of compiled catalogues."""

    def make(size):
        messages = {b"": b"Content-Type: text/plain; charset=UTF-8\n"} | dict(units(size))
        count, texts = len(messages), bytearray()
        place, rows = 28 + 16 * count, ([], [])
        for side, values in enumerate((messages.keys(), messages.values())):
            for value in values:
                rows[side].append(struct.pack("<2I", len(value), place + len(texts)))
                texts += value + b"\0"
        head = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0)
        return head + b"".join(rows[0] + rows[1]) + bytes(texts)

    return make


def document(unit):
    """Give a maker of DOCX files whose main part grows."""

    def make(size):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            body = unit * (size // len(unit))
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr(
                "word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>"
            )
        return out.getvalue()

    return make


TMX = ('<tmx version="1.4"><header srclang="en"/><body>', "</body></tmx>")
TUV = '<tu><tuv xml:lang="en"><seg>{}</seg></tuv></tu>'
XLIFF = ('<xliff version="1.2"><file source-language="en" target-language="hi"><body>',
         "</body></file></xliff>")  # fmt: skip
FILES = {
    "po": [around("", 'msgid "a b"\nmsgstr ""\n\n'), around('msgid "a', " b", '"\nmsgstr ""\n')],
    "mo": [
        catalogue(lambda size: ((b"a b %d" % n, b"") for n in range(size // 16))),
        catalogue(lambda size: [(b"a b " * (size // 4), b"c")]),
        catalogue(lambda size: [(b"a\0b", b"\0".join([b"c"] * (size // 2)))]),
    ],
    "xliff": [
        around(XLIFF[0], "<trans-unit id='1'><source>a</source></trans-unit>\n", XLIFF[1]),
        around(f"{XLIFF[0]}<trans-unit id='1'><source>a", "<x id='1'/>",
               f"</source></trans-unit>{XLIFF[1]}"),
    ],
    "tmx": [
        around(TMX[0], TUV.format("a b"), TMX[1]),
        around(TMX[0] + TUV.split("{}")[0], "a b ", TUV.split("{}")[1] + TMX[1]),
        around(TMX[0] + TUV.split("{}")[0] + "a", "<ph>x</ph>", TUV.split("{}")[1] + TMX[1]),
        around(TMX[0], "<tu></tu>", TUV.format("a") + TMX[1]),
        around(TMX[0] + '<tu><tuv xml:lang="en"><seg>a</seg></tuv>',
               '<tuv xml:lang="fr"><seg>b</seg></tuv>', f"</tu>{TMX[1]}"),
    ],
    "json": [around('["a"', ',"a b"', "]"), around('["', "a ", '"]')],
    "yaml": [around("", "- a b\n"), around("a: ", "b ")],
    "subtitles": [
        around("", "1\n00:00:01,000 --> 00:00:02,000\na b\n\n"),
        around("1\n00:00:01,000 --> 00:00:02,000\n", "<i>a</i> b\n"),
    ],
    "html": [around("", "<p>a <b>b</b></p>\n"), around("<p>", "a <b>b</b> ")],
    "markdown": [
        around("", "a *b*\n\n"),
        around("", "a *b* "),
        around("", "- ", "a"),
        around("", "1. ", "a"),
    ],
    "docx": [
        document("<w:p><w:r><w:t>a b</w:t></w:r></w:p>"),
        document("<w:p>" + "<w:r><w:t>a </w:t></w:r>" * 20 + "</w:p>"),
    ],
    "tsv": [around("a\tb\n", "a b\tc\n"), around("a\n", "a b ")],
    "csv": [around("a,b\n", 'a b,"c"\n'), around('a\n"', 'a ""b"" ', '"\n')],
    "plain": [around("", "a b\n"), around("", "a b ")],
}  # fmt: skip
CASES = [(format, make) for format, makers in FILES.items() for make in makers]


def test_every_format_is_among_these():
    assert set(FILES) == {*FORMATS, "plain"}


@pytest.mark.parametrize(("format", "make"), CASES, ids=[format for format, _ in CASES])
def test_a_file_is_read_and_written_in_linear_time(format, make, takes_linear_time):
    def work(data):
        found = read_document(format, data, "x.file", LanguagePair("en", "hi"), TableColumns("1"))
        assert found.segments
        found.written(
            {
                n: SegmentTranslation(f"{one.text} x", one.inlines)
                for n, one in enumerate(found.segments)
            }
        )

    takes_linear_time(work, make, sizes=[one for one in SIZES if one <= UP_TO.get(format, one)])
