"""DOCX: paragraphs change, runs keep their look, and everything else is copied."""

import io
import stat
import struct
import zipfile
from pathlib import Path

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.data.documents.markup_cases import (
    ANYTHING,
    EN_DE,
    HOSTILE,
    answered,
    held,
    identical,
)

from dragoman.core.errors import DataError
from dragoman.data.documents.document import BoundedList, SegmentTranslation, TextSpan
from dragoman.data.documents.docx import read_docx, read_part

TEMPLATE = Path(docx.__file__).parent / "templates" / "default.docx"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def stored(document):
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def opened(data):
    return docx.Document(io.BytesIO(data))


@pytest.fixture(scope="module")
def letter():
    document = docx.Document()
    document.add_heading("A letter", 1)
    paragraph = document.add_paragraph("Press ")
    paragraph.add_run("Save").bold = True
    paragraph.add_run(" now. ")
    paragraph = document.add_paragraph("Name\tValue")
    paragraph.add_run().add_break(WD_BREAK.LINE)
    paragraph.add_run("Next line").italic = True
    document.add_paragraph("12 %")
    document.add_table(1, 1).cell(0, 0).text = "In a cell"
    document.sections[0].header.paragraphs[0].text = "On top"
    document.sections[0].footer.paragraphs[0].text = "Below"
    document.core_properties.title = "Not this"
    return stored(document)


def with_body(body):
    """Put this into a document of its own."""
    document = docx.Document()
    document.element.body.insert(0, parse_xml(f"<w:p {nsdecls('w', 'r')}>{body}</w:p>"))
    return stored(document)


def runs(data):
    return [(run.text, run.bold) for run in opened(data).paragraphs[0].runs]


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(one.filename, one.date_time, archive.read(one)) for one in archive.infolist()]


def main_part(data):
    return next(m[2] for m in members(data) if m[0] == "word/document.xml").decode()


def test_paragraphs_are_segments_and_runs_inlines(letter):
    document = read_docx(letter, "a.docx", EN_DE)
    assert [one.text for one in document.segments] == [
        "A letter",
        "Press Save now.",
        "Name Value Next line",
        "In a cell",
        "Below",
        "On top",
    ]
    assert document.segments[0].inlines == ()
    assert document.segments[1].inlines == ((0, 6), (6, 10), (10, 15))
    assert document.segments[1].where == "document paragraph 2"
    assert document.segments[4].where == "footer1 paragraph 1"


def test_a_document_answered_by_itself_is_the_same_file(letter):
    document = read_docx(letter, "a.docx", EN_DE)
    assert document.written({}) == letter
    assert document.written(identical(document)) == letter
    unsure = {
        n: SegmentTranslation("x", one.inlines, sure=False)
        for n, one in enumerate(document.segments)
    }
    assert document.written(unsure) == letter


def test_every_run_keeps_its_look_wherever_it_goes(letter):
    document = read_docx(letter, "a.docx", EN_DE)
    answer = SegmentTranslation(
        "Sichern jetzt drücken!", (TextSpan(14, 22), TextSpan(0, 7), TextSpan(7, 14))
    )
    written = opened(document.written({1: answer}))
    paragraph = written.paragraphs[1]
    assert paragraph.text == "Sichern jetzt drücken! "
    assert [(run.text, run.bold) for run in paragraph.runs] == [
        ("Sichern", True),
        (" jetzt ", None),
        ("drücken! ", None),
    ]


def test_text_that_no_run_has_goes_to_the_run_before_it(letter):
    document = read_docx(letter, "a.docx", EN_DE)
    answer = SegmentTranslation("a b c d e", (TextSpan(2, 3), TextSpan(4, 5), TextSpan(8, 8)))
    runs = opened(document.written({1: answer})).paragraphs[1].runs
    assert [(run.text, run.bold) for run in runs] == [("a b ", None), ("c d ", True), ("e ", None)]


def test_tabs_and_breaks_keep_their_places(letter):
    document = read_docx(letter, "a.docx", EN_DE)
    names, inlines = document.segments[2].text, document.segments[2].inlines
    answer = SegmentTranslation(names.upper() + "!", inlines)
    written = opened(document.written({2: answer})).paragraphs[2]
    assert written.text == "NAME\tVALUE\nNEXT LINE!"
    assert [run.italic for run in written.runs] == [None, None, True]


def test_all_else_is_copied(letter):
    document = read_docx(letter, "a.docx", EN_DE)
    written = document.written({0: SegmentTranslation("Ein Brief")})
    assert opened(written).paragraphs[0].text == "Ein Brief"
    for (name, date, content), old in zip(members(written), members(letter), strict=True):
        assert (name, date) == old[:2]
        assert (content == old[2]) == (name != "word/document.xml")


def test_links_insertions_and_marked_places_move_with_their_words():
    data = with_body(
        "<w:r><w:t xml:space='preserve'>See </w:t></w:r><w:hyperlink r:id='rId1'><w:r><w:rPr><w:b/>"
        "</w:rPr><w:t>this page</w:t></w:r></w:hyperlink><w:ins w:id='1' w:author='x'><w:r>"
        "<w:t xml:space='preserve'> or</w:t></w:r></w:ins>"
        "<w:del w:id='2'><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:bookmarkStart w:id='3' w:name='n'/><w:r><w:t xml:space='preserve'>"
        " that</w:t></w:r><w:bookmarkEnd w:id='3'/>"
        "<w:r><w:footnoteReference w:id='2'/></w:r><w:r><w:t>.</w:t></w:r>"
    )
    document = read_docx(data, "a.docx", EN_DE)
    segment = document.segments[0]
    assert segment.text == "See this page or that."
    assert [segment.text[slice(*one)] for one in segment.inlines] == [
        "See ", "this page", "this page", " or", " or", "", " that", " that", "", "."
    ]  # fmt: skip
    text = main_part(
        document.written({0: SegmentTranslation(segment.text.upper(), segment.inlines)})
    )
    old = main_part(data)
    for word in ("See ", "this page", " or", " that"):
        old = old.replace(f">{word}<", f">{word.upper()}<")
    assert text == old
    swapped = SegmentTranslation(
        "Diese oder jene Seite sieh.",
        tuple(TextSpan(*one) for one in [(22, 26), (0, 5), (0, 5), (5, 10), (5, 10), (10, 10)])
        + tuple(TextSpan(*one) for one in [(10, 21), (10, 21), (26, 26), (26, 27)]),
    )
    paragraph = opened(document.written({0: swapped})).paragraphs[0]
    assert paragraph.text == "Diese jene Seite sieh."  # python-docx does not read insertions
    assert paragraph.hyperlinks[0].text == "Diese"


def test_runs_that_look_alike_are_one():
    look = "<w:rPr><w:b/></w:rPr>"
    data = with_body(
        f"<w:r>{look}<w:t>Hel</w:t></w:r><w:proofErr w:type='spellStart'/><w:r w:rsidR='1'>{look}"
        "<w:t>lo</w:t></w:r><w:r><w:t xml:space='preserve'> world</w:t></w:r>"
    )
    document = read_docx(data, "a.docx", EN_DE)
    assert document.segments[0].text == "Hello world"
    assert document.segments[0].inlines == ((0, 5), (5, 11))
    assert document.written(identical(document)) == data
    answer = SegmentTranslation("Hallo Welt", (TextSpan(0, 5), TextSpan(5, 10)))
    assert runs(document.written({0: answer})) == [("Hallo", True), (" Welt", None)]


def field(code, result):
    mark = "<w:r><w:fldChar w:fldCharType='{}'/></w:r>"
    return (
        f"{mark.format('begin')}<w:r><w:instrText>{code}</w:instrText></w:r>"
        f"{mark.format('separate')}{result}{mark.format('end')}"
    )


def test_a_field_stays_in_one_piece():
    result = "<w:r><w:t>seven</w:t></w:r>"
    data = with_body(
        "<w:r><w:t>Page </w:t></w:r>"
        + field("PAGE", result)
        + "<w:r><w:t xml:space='preserve'> at </w:t></w:r>"
        + field('HYPERLINK "x"', "<w:r><w:t>home</w:t></w:r>")
        + "<w:r><w:t>!</w:t></w:r>"
    )
    document = read_docx(data, "a.docx", EN_DE)
    segment = document.segments[0]
    assert segment.text == "Page at home!"
    assert [segment.text[slice(*one)] for one in segment.inlines] == [
        "Page", "", " at ", "home", "home", "!"
    ]  # fmt: skip
    places = [(7, 12), (12, 12), (4, 7), (0, 4), (0, 4), (12, 12)]
    answer = SegmentTranslation("heim, Seite!", tuple(TextSpan(*one) for one in places))
    written = opened(document.written({0: answer})).paragraphs[0]
    kinds = written._p.xpath(".//w:fldChar/@w:fldCharType")
    assert kinds == ["begin", "separate", "end"] * 2
    assert written._p.xpath("string()").replace("\n", "") == 'HYPERLINK "x"heim, Seite!PAGEseven'


def test_a_field_that_goes_on_elsewhere_keeps_its_order():
    mark = "<w:r><w:fldChar w:fldCharType='{}'/></w:r>"
    begun = mark.format("begin") + "<w:r><w:instrText>TOC</w:instrText></w:r>"
    text = "<w:r><w:t>Chapter</w:t></w:r>"
    first = with_body(begun + mark.format("separate") + text)
    assert [one.text for one in read_docx(first, "a.docx", EN_DE).segments] == ["Chapter"]
    crossed = with_body(mark.format("end") + text + begun + mark.format("separate"))
    assert read_docx(crossed, "a.docx", EN_DE).segments == ()
    codeless = with_body(text + begun)
    assert read_docx(codeless, "a.docx", EN_DE).segments == ()


def test_fields_inside_fields_stay_in_one_piece():
    link = field("HYPERLINK x", "<w:r><w:t>home</w:t></w:r>")
    code = f"</w:instrText></w:r>{link}<w:r><w:instrText>"
    data = with_body("<w:r><w:t>Go </w:t></w:r>" + field(f"IF {code} = 1", link))
    document = read_docx(data, "a.docx", EN_DE)
    assert [one.text for one in document.segments] == ["Go"]
    data = with_body("<w:r><w:t>Go </w:t></w:r>" + field("HYPERLINK y", f"{link}{link}"))
    document = read_docx(data, "a.docx", EN_DE)
    segment = document.segments[0]
    assert segment.text == "Gohomehome"
    xml = (
        opened(document.written({0: SegmentTranslation("X" * 10, segment.inlines)}))
        .paragraphs[0]
        ._p
    )
    assert xml.xpath("string()").replace("\n", "") == "XXHYPERLINK yHYPERLINK xXXXXHYPERLINK xXXXX"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("{begin}<w:r><w:instrText>HYPERLINK</w:instrText></w:r>{separate}", "{end}"),
        ("{begin}", "<w:r><w:instrText>HYPERLINK</w:instrText></w:r>{separate}{end}"),
        ("<w:r><w:rPr/><w:t>a</w:t></w:r>", "<w:r><w:t>b</w:t></w:r>"),
        ("<w:bookmarkStart w:id='1'/>", "<w:bookmarkEnd w:id='1'/>"),
        ("<w:r><w:t>a</w:t><w:tab/></w:r>", ""),
    ],
)
def test_time_grows_with_the_paragraph(start, end, takes_linear_time):
    mark = "<w:r><w:fldChar w:fldCharType='{}'/></w:r>"
    marks = {kind: mark.format(kind) for kind in ("begin", "separate", "end")}
    start, end = start.format(**marks), end.format(**marks)
    text = "<w:r><w:t>Hello</w:t></w:r>"

    def make(size):
        body = start * (size // 100) + text + end * (size // 100) + text
        return DOCUMENT.replace(text, body).encode()

    def work(data):
        part = read_part(data, "a.docx", "word/document.xml", BoundedList("a.docx", 99_999))
        for segment in part.segments:
            part.written({0: SegmentTranslation("x" + segment.text, segment.inlines)})

    takes_linear_time(work, make, sizes=(10_000, 100_000))


def test_a_text_box_is_a_text_of_its_own():
    box = "<w:pict><w:txbxContent><w:p><w:r><w:t>Inside</w:t></w:r></w:p></w:txbxContent></w:pict>"
    data = with_body(f"<w:r><w:t>Before</w:t>{box}<w:t xml:space='preserve'> after</w:t></w:r>")
    document = read_docx(data, "a.docx", EN_DE)
    assert [one.text for one in document.segments] == ["Before after", "Inside"]
    assert document.written(identical(document)) == data
    answers = {
        0: SegmentTranslation("Davor danach", (TextSpan(5, 5),)),
        1: SegmentTranslation("Innen"),
    }
    xml = opened(document.written(answers)).paragraphs[0]._p
    assert xml.xpath("string()") == "DavorInnen danach"
    only = opened(document.written({1: SegmentTranslation("Innen")})).paragraphs[0]._p
    assert only.xpath("string()") == "BeforeInnen after"


@settings(max_examples=60, deadline=None)
@given(st.lists(ANYTHING, min_size=6, max_size=6), st.integers())
def test_any_answer_reads_back(letter, texts, seed):
    document = read_docx(letter, "a.docx", EN_DE)
    written = opened(document.written(answered(document, texts, seed)))
    paragraphs = [one._p.xpath("string()") for one in written.paragraphs]
    assert paragraphs[0] == held(texts[0])
    assert paragraphs[1] == held(texts[1]) + " "
    assert paragraphs[2].replace(" ", "") == held(texts[2]).replace(" ", "")
    assert len(paragraphs[2]) >= len(held(texts[2])) - 2  # a break takes the place of a space
    marks = written.paragraphs[2]._p.xpath("./w:r/w:tab | ./w:r/w:br")
    assert sorted(mark.tag.split("}")[1] for mark in marks) == ["br", "tab"]
    assert written.tables[0].cell(0, 0)._tc.xpath("string()") == held(texts[3])
    assert [run.bold for run in written.paragraphs[1].runs].count(True) == 1


def test_a_page_in_every_style_of_the_library_is_written_as_it_was():
    page = docx.Document(str(TEMPLATE))
    names = [style.name for style in page.styles if style.type == WD_STYLE_TYPE.PARAGRAPH]
    for name in names:
        page.add_paragraph(f"In the style {name}", style=name)
    data = stored(page)
    document = read_docx(data, "page.docx", EN_DE)
    assert [one.text for one in document.segments] == [f"In the style {name}" for name in names]
    assert len(names) > 20
    assert document.written({}) == document.written(identical(document)) == data
    changed = document.written({0: SegmentTranslation("Anders", document.segments[0].inlines)})
    before, after = members(data), members(changed)
    assert [one[0] for one in after] == [one[0] for one in before]
    assert [one[0] for one, other in zip(before, after, strict=True) if one[2] != other[2]] == [
        "word/document.xml"
    ]


def packed(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


DOCUMENT = f"<w:document {W}><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>"
NEEDED = [("[Content_Types].xml", "<Types/>"), ("word/document.xml", DOCUMENT)]


def encrypted():
    data = bytearray(packed(NEEDED))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        found = data.find(signature)
        while found >= 0:
            data[found + place] |= 1
            found = data.find(signature, found + 4)
    return bytes(data)


def linked():
    """Put a link into the archive, as zip --symlinks does: its content is where it leads."""
    out = io.BytesIO(packed(NEEDED))
    with zipfile.ZipFile(out, "a") as archive:
        link = zipfile.ZipInfo("word/media/picture.png")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return out.getvalue()


def twice():
    data = packed([*NEEDED, ("word/documenT.xml", DOCUMENT)])
    return data.replace(b"documenT", b"document")


def lying():
    """Announce one byte where ten million come out."""
    data = bytearray(packed([*NEEDED, ("word/media/a", b"\0" * 10_000_000)]))
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        found = data.rfind(signature)
        data[found + place : found + place + 4] = struct.pack("<I", 1)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no archive", r"a\.docx: the archive is cut off or damaged"),
        (packed(NEEDED)[:-30], "cut off or damaged"),
        (packed(NEEDED[:1]), r"has no word/document\.xml inside"),
        (packed(NEEDED[1:]), r"has no \[Content_Types\]\.xml inside"),
        (packed([*NEEDED, ("../../etc/cron.d/x", "x")]), r"has '\.\./\.\./etc/cron\.d/x' inside"),
        (packed([*NEEDED, ("/etc/passwd", "x")]), "has '/etc/passwd' inside"),
        (packed([*NEEDED, ("C:x", "x")]), "has 'C:x' inside"),
        (packed([*NEEDED, ("word/a", b"\0" * 50_000_000)]), "unpack to 50,000,"),
        (lying(), "cut off or damaged"),
        (twice(), r"has 'word/document\.xml' twice"),
        (encrypted(), "protected by a password"),
        (linked(), r"has 'word/media/picture\.png' inside, which is a link"),
        (packed([NEEDED[0], ("word/document.xml", "<a>")]), r"a\.docx/word/document\.xml:1: not"),
    ],
)
def test_a_bad_archive_is_refused_in_one_line(data, message):
    with pytest.raises(DataError, match=message) as caught:
        read_docx(data, "a.docx", EN_DE)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("start", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("part", ["document", "footnotes", "header1"])
def test_a_hostile_part_is_refused(start, part):
    hostile = start.format(root="w:document") + DOCUMENT.replace("Hello", "&x;")
    data = packed([*NEEDED[: 1 if part == "document" else 2], (f"word/{part}.xml", hostile)])
    with pytest.raises(DataError, match=rf"a\.docx/word/{part}\.xml:\d: the file has a DOCTYPE"):
        read_docx(data, "a.docx", EN_DE)


def nested(depth):
    inner = "<w:smartTag>" * depth + "<w:r><w:t>Hello</w:t></w:r>" + "</w:smartTag>" * depth
    body = DOCUMENT.replace("<w:r><w:t>Hello</w:t></w:r>", f"{inner}<w:r><w:t>you</w:t></w:r>")
    return packed([NEEDED[0], ("word/document.xml", body)])


@pytest.mark.parametrize("depth", [40, 200])
def test_nested_elements_are_handled(depth):
    document = read_docx(nested(depth), "a.docx", EN_DE)
    assert document.written(identical(document)) == nested(depth)
    segment = document.segments[0]
    written = document.written({0: SegmentTranslation(segment.text.upper(), segment.inlines)})
    assert main_part(written) == main_part(nested(depth)).replace("Hello", "HELLO").replace(
        "you", "YOU"
    )


def test_deep_nesting_is_refused():
    with pytest.raises(DataError, match=r"document\.xml:1: not valid XML") as caught:
        read_docx(nested(5_000), "a.docx", EN_DE)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        "<w:t>Water</w:t>",
        "<w:hyperlink><w:t>Water</w:t></w:hyperlink>",
        "<w:ins><w:t>Wa</w:t></w:ins><w:t>ter</w:t>",
        "<w:t>Wat</w:t><w:r><w:t>er</w:t></w:r>",
    ],
)
def test_text_outside_of_a_run_is_a_text_and_its_answer_gets_a_run(body):
    data = with_body(body)
    document = read_docx(data, "a.docx", EN_DE)
    assert [one.text for one in document.segments] == ["Water"]
    assert document.written(identical(document)) == data
    inlines = document.segments[0].inlines
    new = document.written({0: SegmentTranslation("Wasser", inlines)})
    texts = opened(new).paragraphs[0]._p.xpath(".//w:r/w:t")
    assert "".join(one.text for one in texts) == "Wasser"


@pytest.mark.parametrize(
    ("odd", "texts"),
    [
        ("<w:t><w:p><w:r><w:t>Inner</w:t></w:r></w:p>Lost</w:t>", ["Hello", "Inner"]),
        ("<w:hyperlink><w:t>link</w:t></w:hyperlink>", ["Hello"]),
        ("<w:r><w:t>run</w:t></w:r>", ["Hello"]),
    ],
)
def test_what_has_no_place_inside_a_run_stays_as_it_is(odd, texts):
    data = with_body(f"<w:r>{odd}<w:t>Hello</w:t></w:r>")
    document = read_docx(data, "a.docx", EN_DE)
    assert sorted(one.text for one in document.segments) == texts
    number = [one.text for one in document.segments].index("Hello")
    inlines = document.segments[number].inlines
    assert odd in main_part(document.written({number: SegmentTranslation("Hallo", inlines)}))
