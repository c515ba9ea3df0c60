"""XLIFF 1.2 and 2.x: sources become targets, and nothing else changes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.unit.data.documents.markup_cases import (
    ANYTHING,
    EN_DE,
    HOSTILE,
    answered,
    held,
    identical,
)

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation, TextSpan
from dragoman.data.documents.xliff import read_xliff
from dragoman.data.formats.languages import LanguagePair

OLD = """<?xml version="1.0" encoding="UTF-8"?>\r
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\r
  <file original="a.txt" source-language="en-GB" datatype="plaintext">\r
    <header><note>Not this</note></header>\r
    <body>\r
      <trans-unit id="1">\r
        <source>Press <g id="1">Save</g> &amp; go<x id="2"/>.</source>\r
      </trans-unit>\r
      <trans-unit id="2" resname="menu.open">\r
        <source>Open</source>\r
        <target/>\r
        <note>A verb</note>\r
      </trans-unit>\r
      <trans-unit id="3" approved="yes">\r
        <source>Close</source><target state="needs-review-translation" note='x'>Zu</target>\r
        <alt-trans><source>Shut</source><target>Schließen</target></alt-trans>\r
      </trans-unit>\r
      <trans-unit id="4" translate="no"><source>Firefox</source></trans-unit>\r
      <group translate="no"><trans-unit id="5"><source>Keep</source></trans-unit>\r
      <trans-unit id="6" translate="yes"><source>But this</source></trans-unit></group>\r
      <trans-unit id="7"><source> 100 % </source></trans-unit>\r
      <trans-unit id="8"><source> <bpt id="1">&lt;b></bpt>Bold<ept id="1">&lt;/b></ept> and\
 <ph id="2">%s</ph> and <mrk mtype="protected">Brand</mrk> </source></trans-unit>\r
      <trans-unit id="9"><source>Same</source><target state="new">Same</target></trans-unit>\r
    </body>\r
  </file>\r
</xliff>\r
"""
NEW = """<xliff version="2.1" srcLang="en" xmlns="urn:oasis:names:tc:xliff:document:2.0">
 <file id="f"><unit id="u1"><originalData><data id="d">code</data></originalData>
  <segment>
   <source>Press <pc id="1">Save</pc> <ph id="2"/> now</source>
  </segment>
  <ignorable><source> and </source></ignorable>
  <segment id="s" state="initial" subState="x:y"><source>Open</source><target>Auf</target></segment>
  <segment state="final"><source>Read <sc id="3"/>me<ec startRef="3"/></source></segment>
 </unit><unit id="u2" translate="no"><segment><source>Stay</source></segment></unit></file>
</xliff>
"""


def targets(data):
    """Return source and target of each unit, as lxml sees them."""
    root = etree.fromstring(data)
    found = {}
    for holder in root.iter("{*}trans-unit", "{*}segment"):
        source, target = holder.find("{*}source"), holder.find("{*}target")
        found["".join(source.itertext())] = None if target is None else "".join(target.itertext())
    return found


def test_the_sources_are_the_segments():
    document = read_xliff(OLD.encode(), "a.xlf", EN_DE)
    assert [one.text for one in document.segments] == [
        "Press Save & go.",
        "Open",
        "Close",
        "But this",
        "Bold and  and Brand",
        "Same",
    ]
    first, second, third, _, fifth, last = document.segments
    assert first.inlines == ((6, 10), (15, 15))
    assert (second.key, second.where, second.existing) == ("menu.open", "line 9", "")
    assert (third.existing, third.unfinished) == ("Zu", True)
    assert fifth.inlines == ((0, 4), (9, 9), (14, 19))
    assert fifth.verbatim == ((14, 19),)
    assert last.existing == ""


def test_a_file_without_answers_is_the_file():
    for text in (OLD, NEW):
        assert read_xliff(text.encode(), "a.xlf", EN_DE).written({}) == text.encode()


def test_targets_are_put_in_and_nothing_else_changes():
    document = read_xliff(OLD.encode(), "a.xlf", EN_DE)
    answers = {
        0: SegmentTranslation("Auf Sichern <drücken>.", (TextSpan(4, 11), TextSpan(21, 21))),
        1: SegmentTranslation("Öffnen"),
        2: SegmentTranslation("Schließen"),
        5: SegmentTranslation("Gleich", sure=False),
    }
    wanted = (
        OLD.replace('datatype="plaintext"', 'datatype="plaintext" target-language="de"')
        .replace(
            '<x id="2"/>.</source>',
            '<x id="2"/>.</source>\r\n        <target>Auf <g id="1">Sichern</g> '
            '&lt;drücken&gt;<x id="2"/>.</target>',
        )
        .replace("<target/>", "<target>Öffnen</target>")
        .replace("\"needs-review-translation\" note='x'>Zu", "\"translated\" note='x'>Schließen")
        .replace('<target state="new">Same', '<target state="needs-review-translation">Gleich')
    )
    assert document.written(answers).decode() == wanted


def test_codes_move_with_what_they_surround():
    document = read_xliff(OLD.encode(), "a.xlf", EN_DE)
    answer = SegmentTranslation(
        "Brand und fett", (TextSpan(10, 14), TextSpan(6, 6), TextSpan(0, 5))
    )
    assert (
        '<target> <mrk mtype="protected">Brand</mrk> <ph id="2">%s</ph>und <bpt id="1">&lt;b></bpt>'
        'fett<ept id="1">&lt;/b></ept> </target>'
    ) in document.written({4: answer}).decode()


def test_the_newer_kind_keeps_its_state_at_the_segment():
    document = read_xliff(NEW.encode(), "a.xlf", EN_DE)
    assert [one.text for one in document.segments] == ["Press Save  now", "Open", "Read me"]
    assert [one.unfinished for one in document.segments] == [False, True, False]
    assert [one.key for one in document.segments] == ["u1"] * 3
    answers = {
        0: SegmentTranslation("Sichern jetzt", (TextSpan(0, 7), TextSpan(8, 8))),
        1: SegmentTranslation("Öffnen"),
        2: SegmentTranslation("Mich lesen", (TextSpan(0, 4),), sure=False),
    }
    wanted = (
        NEW.replace('2.0">', '2.0" trgLang="de">')
        .replace(
            " now</source>",
            ' now</source>\n   <target><pc id="1">Sichern</pc> <ph id="2"/>jetzt</target>',
        )
        .replace('state="initial" subState="x:y"', 'state="translated"')
        .replace("Auf", "Öffnen")
        .replace('state="final"', 'state="initial"')
        .replace(
            '"3"/></source>',
            '"3"/></source><target><sc id="3"/>Mich<ec startRef="3"/> lesen</target>',
        )
    )
    assert document.written(answers).decode() == wanted


def test_what_was_cut_into_sentences_is_kept_so():
    data = (
        b'<xliff version="1.2"><file source-language="en"><body><trans-unit id="1"><source>A b. C '
        b'd.</source><seg-source><mrk mtype="seg" mid="1">A b.</mrk> <mrk mtype="seg" mid="2">C d.'
        b"</mrk></seg-source></trans-unit></body></file></xliff>"
    )
    document = read_xliff(data, "a.xlf", LanguagePair())
    assert document.segments[0].inlines == ((0, 4), (5, 9))
    answer = SegmentTranslation("X y. Z.", (TextSpan(0, 4), TextSpan(5, 7)))
    assert (
        b'</seg-source><target><mrk mtype="seg" mid="1">X y.</mrk> <mrk mtype="seg" mid="2">Z.'
        b"</mrk></target></trans-unit>"
    ) in document.written({0: answer})


def test_an_answer_that_is_there_already_leaves_its_spelling():
    data = b"<xliff version='1.2'><file><trans-unit><source>Tom</source><target>T&#111;m</target>"
    data += b"</trans-unit></file></xliff>"
    document = read_xliff(data, "a.xlf", LanguagePair())
    assert document.written(identical(document)) == data


def test_names_with_a_prefix_keep_it():
    data = b"<x:xliff version='1.2' xmlns:x='u'><x:file><x:trans-unit><x:source>a</x:source>"
    data += b"</x:trans-unit></x:file></x:xliff>"
    written = read_xliff(data, "a.xlf", LanguagePair()).written({0: SegmentTranslation("b")})
    assert b"</x:source><x:target>b</x:target></x:trans-unit>" in written


@settings(max_examples=150, deadline=None)
@given(st.lists(ANYTHING, min_size=6, max_size=6), st.integers())
def test_any_answer_reads_back(texts, seed):
    document = read_xliff(OLD.encode(), "a.xlf", EN_DE)
    data = document.written(answered(document, texts, seed))
    found = targets(data)
    assert found["Open"] == held(texts[1])
    assert found["Close"] == held(texts[2])
    assert found["But this"] == held(texts[3])
    first = etree.fromstring(data).find(".//{*}target")
    assert "".join(first.itertext()) == held(texts[0])
    assert sorted(etree.QName(e).localname for e in first.iterdescendants()) == ["g", "x"]
    again = read_xliff(data, "a.xlf", EN_DE)
    assert [one.text for one in again.segments] == [one.text for one in document.segments]


@pytest.mark.parametrize(
    ("text", "wanted", "message"),
    [
        (OLD.replace('"en-GB"', '"de" target-language="en"'), EN_DE, r"a\.xlf:3: .*from de to en"),
        (OLD.replace('"en-GB"', '"en" target-language="fr"'), EN_DE, r"from en to fr, and the"),
        (NEW, LanguagePair("de", "en"), r"a\.xlf:1: the file goes from en to \?"),
        ("<tmx/>", EN_DE, r"a\.xlf:1: not a file with <xliff>"),
        ("<xliff>", EN_DE, r"a\.xlf:1: not valid XML"),
    ],
)
def test_what_cannot_be_filled_is_refused(text, wanted, message):
    with pytest.raises(DataError, match=message) as caught:
        read_xliff(text.encode(), "a.xlf", wanted)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("start", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused(start):
    body = (
        "<xliff version='1.2'><file><trans-unit><source>a &x;</source></trans-unit></file></xliff>"
    )
    with pytest.raises(DataError, match="DOCTYPE"):
        read_xliff((start.format(root="xliff") + body).encode(), "a.xlf", EN_DE)


def test_units_inside_units_do_not_write_over_each_other():
    inner = "<trans-unit><source>b</source></trans-unit>"
    data = (
        f"<xliff><file><trans-unit><source>a</source><target>{inner}</target></trans-unit></file>"
    )
    document = read_xliff(f"{data}</xliff>".encode(), "a.xlf", LanguagePair())
    assert len(document.segments) == 1
    etree.fromstring(document.written({0: SegmentTranslation("x")}))


@pytest.mark.parametrize(
    "unit",
    ["<source>a b</source>", "<source><g>a</g></source>", "<source>a<x/></source><target/>"],
)
def test_time_grows_with_the_file(unit, takes_linear_time):
    def work(data):
        document = read_xliff(data, "a.xlf", EN_DE)
        document.written(identical(document))

    def make(size):
        units = f"<trans-unit>{unit}</trans-unit>\n" * (size // 50)
        return f"<xliff version='1.2'><file>{units}</file></xliff>".encode()

    takes_linear_time(work, make, sizes=(10_000, 100_000))


def test_time_grows_with_a_single_source(takes_linear_time):
    def work(data):
        document = read_xliff(data, "a.xlf", EN_DE)
        document.written(
            {
                0: SegmentTranslation(
                    "b", tuple(TextSpan(0, 0) for _ in document.segments[0].inlines)
                )
            }
        )

    def make(size):
        source = f"<source>a{'<bpt/>' * size}</source>"
        return f"<xliff><file><trans-unit>{source}</trans-unit></file></xliff>".encode()

    takes_linear_time(work, make, sizes=(1_000, 10_000, 100_000))


def test_languages_of_several_lines_are_told_in_one():
    data = OLD.replace('source-language="en-GB"', 'source-language="f\n\nr"').encode()
    with pytest.raises(DataError, match="goes from f r to") as error:
        read_xliff(data, "a.xlf", EN_DE)
    assert "\n" not in str(error.value)


def test_a_file_inside_a_file_gets_its_language_once():
    unit = "<unit id='1'><segment><source>One</source></segment></unit>"
    data = f"<xliff version='2.0'><xliff srcLang='en'>{unit}</xliff></xliff>".encode()
    new = read_xliff(data, "a.xlf", EN_DE).written({0: SegmentTranslation("Eins")})
    assert new.count(b"trgLang") == 1
    assert read_xliff(new, "a.xlf", EN_DE).segments[0].existing == "Eins"
