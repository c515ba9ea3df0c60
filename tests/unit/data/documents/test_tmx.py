"""TMX: a memory gets the translations it lacks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.unit.data.documents.markup_cases import ANYTHING, EN_DE, HOSTILE, answered, held

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation, TextSpan
from dragoman.data.documents.tmx import read_tmx
from dragoman.data.formats.languages import LanguagePair

MEMORY = """<?xml version="1.0"?>
<tmx version="1.4">
  <header srclang="en-US" segtype="sentence"/>
  <body>
    <tu tuid="a1">
      <tuv xml:lang="en-US" creationid="me">
        <note>A note</note>
        <seg>Press <bpt i="1">&lt;b></bpt>Save<ept i="1">&lt;/b></ept>.</seg>
      </tuv>
    </tu>
    <tu><tuv xml:lang="de"><seg/></tuv><tuv xml:lang="en"><seg>Open <hi>it</hi></seg></tuv></tu>
    <tu><tuv xml:lang="en"><seg>Close</seg></tuv>
    <tuv xml:lang="de-AT"><seg>Zu <ph>x</ph></seg></tuv></tu>
    <tu><tuv xml:lang="fr"><seg>Rien</seg></tuv></tu>
    <tu><tuv xml:lang="en"><seg>12</seg></tuv></tu>
  </body>
</tmx>
"""


def test_what_has_the_source_language_is_a_segment():
    document = read_tmx(MEMORY.encode(), "a.tmx", EN_DE)
    assert [one.text for one in document.segments] == ["Press Save.", "Open it", "Close"]
    assert [one.existing for one in document.segments] == ["", "", "Zu"]
    assert document.segments[0].inlines == ((6, 10),)
    assert document.segments[0].key == "a1"
    assert document.segments[0].where == "line 6"
    assert document.written({}) == MEMORY.encode()


def test_a_missing_variant_is_put_after_the_source():
    document = read_tmx(MEMORY.encode(), "a.tmx", EN_DE)
    answers = {
        0: SegmentTranslation("Sichern & gut.", (TextSpan(0, 7),)),
        1: SegmentTranslation("Es öffnen", (TextSpan(0, 2),)),
        2: SegmentTranslation("Schließen"),
    }
    new = (
        '\n      <tuv xml:lang="de"><seg><bpt i="1">&lt;b></bpt>Sichern<ept i="1">&lt;/b></ept>'
        " &amp; gut.</seg>\n      </tuv>"
    )
    wanted = (
        MEMORY.replace("      </tuv>\n", f"      </tuv>{new}\n")
        .replace("<seg/>", "<seg><hi>Es</hi> öffnen</seg>")
        .replace("Zu <ph>x</ph>", "Schließen")
    )
    assert document.written(answers).decode() == wanted


def test_an_answer_that_is_not_sure_is_left_out():
    document = read_tmx(MEMORY.encode(), "a.tmx", EN_DE)
    unsure = {
        n: SegmentTranslation("x", one.inlines, sure=False)
        for n, one in enumerate(document.segments)
    }
    assert document.written(unsure) == MEMORY.encode()


def test_a_memory_of_two_languages_needs_no_telling():
    data = b'<tmx><header srclang="hi"/><body><tu><tuv lang="en"><seg>a</seg></tuv></tu>'
    data += b'<tu><tuv lang="hi"><seg>x</seg></tuv></tu></body></tmx>'
    document = read_tmx(data, "a.tmx", LanguagePair())
    assert [one.text for one in document.segments] == ["x"]
    assert b'</tuv><tuv lang="en"><seg>y</seg></tuv></tu></body>' in document.written(
        {0: SegmentTranslation("y")}
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(ANYTHING, min_size=3, max_size=3), st.integers())
def test_any_answer_reads_back(texts, seed):
    document = read_tmx(MEMORY.encode(), "a.tmx", EN_DE)
    data = document.written(answered(document, texts, seed))
    units = etree.fromstring(data).findall(".//tu")
    found = []
    for unit in units[:3]:
        segment = next(
            v.find("seg")
            for v in unit.iter("tuv")
            if v.get("{http://www.w3.org/XML/1998/namespace}lang").startswith("de")
        )
        for code in segment.iter("bpt", "ept"):
            code.text = None
        found.append("".join(segment.itertext()))
    assert found == [held(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "wanted", "message"),
    [
        (MEMORY, LanguagePair("hi", "de"), r"a\.tmx: which languages .*it has: de, de-AT, en"),
        (MEMORY, LanguagePair(), "which languages"),
        ("<xliff/>", EN_DE, r"a\.tmx:1: not a file with <tmx>"),
    ],
)
def test_what_is_not_clear_is_refused(text, wanted, message):
    with pytest.raises(DataError, match=message):
        read_tmx(text.encode(), "a.tmx", wanted)


@pytest.mark.parametrize("start", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused(start):
    body = '<tmx><body><tu><tuv lang="en"><seg>&x;</seg></tuv></tu></body></tmx>'
    with pytest.raises(DataError, match="DOCTYPE"):
        read_tmx((start.format(root="tmx") + body).encode(), "a.tmx", EN_DE)
