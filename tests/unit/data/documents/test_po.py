"""PO files: everything but the answers stays, and gettext reads the answers back."""

import contextlib
import gettext
import itertools
import re
import shutil
import subprocess
from pathlib import Path

import polib
import pytest
import sphinx
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.po import read_po
from dragoman.data.documents.po_strings import with_ends_of
from dragoman.data.formats.languages import LanguagePair

WANTED = LanguagePair("en", "hi")
HEADER = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
)
SAMPLE = f"""# A title.
{HEADER}
#. extracted
#: a.c:1
#, c-format
msgid "Open %s"
msgstr "%s खोलें"
msgctxt "menu"
msgid "Close"
msgstr ""
# several lines
#, fuzzy, c-format
#| msgid "Old text"
#| "of %s"
msgid ""
"First \\"line\\"\\n"
"second %s\\n"
msgstr ""
"पहली\\n"
"%s\\n"

#, fuzzy
#~ msgid "Gone"
#~ msgstr "गया"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
msgid "123"
msgstr ""
"""
LOCALES = Path(sphinx.__file__).parent / "locale"
REAL = sorted(LOCALES.glob("*/LC_MESSAGES/sphinx.po"))[::9]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def read(text):
    return read_po(text if isinstance(text, bytes) else text.encode(), "a.po", WANTED)


def answered(text, answers):
    given = {number: SegmentTranslation(answer) for number, answer in answers.items()}
    return read(text).written(given).decode()


def itself(document):
    """Answer each message with the translation that stands there."""
    return {
        number: SegmentTranslation(one.existing, sure=not one.unfinished)
        for number, one in enumerate(document.segments)
        if one.existing
    }


def with_directives(source, text):
    """Give an answer the directives of its source, which `msgfmt -c` looks for."""
    return text.replace("%", "") + "".join(re.findall("%[sd]", source)) if text else text


def reread(data, tmp_path):
    path = tmp_path / "read.po"
    path.write_bytes(data)
    return polib.pofile(str(path), check_for_duplicates=False)


def test_messages_become_segments():
    segments = read(SAMPLE).segments
    assert [segment.text for segment in segments] == [
        "Open %s",
        "Close",
        'First "line"\nsecond %s\n',
        "%d file",
        "%d files",
    ]
    assert [segment.existing for segment in segments] == ["%s खोलें", "", "पहली\n%s\n", "", ""]
    assert [segment.unfinished for segment in segments] == [False, False, True, False, False]
    assert [segment.key for segment in segments] == ["", "menu", "", "", ""]
    assert segments[1].where == "line 13"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_without_answers_and_with_what_stands_there_the_file_is_the_same(end, mark):
    data = (mark + SAMPLE.replace("\n", end)).encode()
    document = read(data)
    assert document.written({}) == data
    same = {
        number: SegmentTranslation(segment.existing)
        for number, segment in enumerate(document.segments)
        if not segment.unfinished
    }
    assert document.written(same) == data


def test_an_answer_changes_the_lines_of_its_msgstr_alone():
    expected = SAMPLE.replace('"Close"\nmsgstr ""', '"Close"\nmsgstr "बंद \\"करें\\""')
    assert answered(SAMPLE, {1: 'बंद "करें"'}) == expected


def test_the_two_answers_to_a_plural_fill_all_forms_of_the_language():
    text = SAMPLE.replace("nplurals=2", "nplurals=4")
    both = answered(text, {3: "%d फ़ाइल", 4: "%d फ़ाइलें"})
    assert both == text.replace(
        'msgstr[0] ""\nmsgstr[1] ""\n',
        'msgstr[0] "%d फ़ाइल"\nmsgstr[1] "%d फ़ाइलें"\nmsgstr[2] "%d फ़ाइलें"\nmsgstr[3] "%d फ़ाइलें"\n',
    )
    first = answered(text, {3: "%d फ़ाइल"})
    assert first == text.replace('msgstr[0] ""\n', 'msgstr[0] "%d फ़ाइल"\n')


THREE = HEADER.replace("nplurals=2", "nplurals=3") + (
    'msgid "one"\nmsgid_plural "many"\nmsgstr[0] "{}"\nmsgstr[1] "{}"\nmsgstr[2] "{}"\n'
)


@pytest.mark.parametrize("forms", list(itertools.product(["", "mine"], repeat=3)))
def test_only_the_missing_forms_of_a_plural_are_filled(forms):
    mine = [form and f"{form} {number}" for number, form in enumerate(forms)]
    text = THREE.format(*mine)
    segments = read(text).segments
    given = {0: SegmentTranslation("p"), 1: SegmentTranslation("q")}
    missing = {number: given[number] for number in given if not segments[number].existing}
    filled = [form or "pqq"[number] for number, form in enumerate(mine)]
    assert read(text).written(missing).decode() == THREE.format(*filled)
    assert all(segment.existing for segment in read(THREE.format(*filled)).segments)
    anew = {number: SegmentTranslation(answer.text, anew=True) for number, answer in given.items()}
    assert read(text).written(anew).decode() == THREE.format(*"pqq")


def test_a_fuzzy_plural_of_which_some_is_kept_stays_fuzzy():
    fuzzy = THREE.replace('msgid "one"', '#, fuzzy\nmsgid "one"')
    text = fuzzy.format("", "", "mine")
    assert answered(text, {0: "p", 1: "q"}) == fuzzy.format("p", "q", "mine")
    anew = {0: SegmentTranslation("p", anew=True), 1: SegmentTranslation("q", anew=True)}
    assert read(text).written(anew).decode() == THREE.format("p", "q", "q")


def test_a_language_with_one_form_takes_the_plural():
    text = HEADER.replace("nplurals=2", "nplurals=1") + (
        'msgid "One file"\nmsgid_plural "%d files"\nmsgstr[0] ""\n'
    )
    assert '[0] "%d 個"' in answered(text, {0: "一個", 1: "%d 個"})
    assert '[0] "一個"' in answered(text, {0: "一個"})


@pytest.mark.parametrize(
    ("notes", "marked"),
    [
        ("", "#, fuzzy\n"),
        ("#: a.c\n", "#: a.c\n#, fuzzy\n"),
        ("#, c-format\n", "#, c-format, fuzzy\n"),
        ("#, range: 0..5, c-format\n", "#, range: 0..5, c-format, fuzzy\n"),
        ("# note\n\n", "# note\n\n#, fuzzy\n"),
    ],
)
@pytest.mark.parametrize("keyword", ['msgid "a"', 'msgctxt "c"\nmsgid "a"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_doubt_sets_the_mark_fuzzy_and_certainty_takes_it_away(notes, marked, keyword, end):
    text = f'{HEADER}\n{notes}{keyword}\nmsgstr ""\n'.replace("\n", end)
    unsure = read(text).written({0: SegmentTranslation("x", sure=False)}).decode()
    assert unsure == f'{HEADER}\n{marked}{keyword}\nmsgstr "x"\n'.replace("\n", end)
    assert read(unsure).written(
        {0: SegmentTranslation("y", sure=False)}
    ).decode() == unsure.replace('"x"', '"y"')
    assert answered(unsure, {0: ""}) == text


def test_a_sure_answer_takes_the_text_before_with_the_mark():
    changed = answered(SAMPLE, {2: "पहली\nदूसरी %s"})
    expected = SAMPLE.replace("#, fuzzy, c-format", "#, c-format")
    expected = expected.replace('#| msgid "Old text"\n#| "of %s"\n', "")
    assert changed == expected.replace('"%s\\n"\n\n#', '"दूसरी %s\\n"\n\n#')


def test_a_plural_stays_fuzzy_until_both_are_answered():
    text = HEADER + '#,fuzzy\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] "x"\nmsgstr[1] "y"\n'
    assert "fuzzy" in answered(text, {0: "p"})
    assert (
        "fuzzy"
        in read(text)
        .written({0: SegmentTranslation("p"), 1: SegmentTranslation("q", sure=False)})
        .decode()
    )
    assert "#" not in answered(text, {0: "p", 1: "q"})


def test_the_mark_of_an_obsolete_message_is_not_that_of_the_next():
    text = HEADER + '#, fuzzy\n#~ msgid "x"\n#~ msgstr "y"\nmsgid "a"\nmsgstr ""\n'
    assert not read(text).segments[0].unfinished
    assert answered(text, {0: "b"}) == text.replace('"a"\nmsgstr ""', '"a"\nmsgstr "b"')


@pytest.mark.parametrize(
    "text",
    [
        'msgid "a" msgstr "b" msgid "c" msgstr "d"',
        'msgid\n"a"\nmsgstr\n"b"#, fuzzy\nmsgid "c" msgstr""',
        'domain "x"\nmsgid "" "a" "" msgstr "b" "c"\n   msgid "c"\n   msgstr "d"',
        'msgid "a"\nmsgid_plural "c"\nmsgstr [ 0 ] "b"\nmsgstr[1]"d"',
    ],
)
def test_what_msgfmt_accepts_is_read_and_kept(text, tmp_path):
    text = HEADER + text
    assert [segment.text for segment in read(text).segments] == ["a", "c"]
    assert answered(text, {}) == text
    for sure in (True, False):
        changed = read(text).written(
            {0: SegmentTranslation("p", sure=sure), 1: SegmentTranslation("q", sure=sure)}
        )
        document = read(changed)
        assert [segment.existing for segment in document.segments] == ["p", "q"]
        assert {segment.unfinished for segment in document.segments} == {not sure}
        if shutil.which("msgfmt"):
            (tmp_path / "a.po").write_bytes(changed)
            check = [] if "domain" in text else ["-c"]  # which wants a header for each domain
            subprocess.run(["msgfmt", *check, "-o", "a.mo", "a.po"], cwd=tmp_path, check=True)


@given(TEXTS, TEXTS, st.sampled_from(["a", "\na", "a\n", "\na\n"]), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60, deadline=None)
def test_any_answer_is_read_back_by_polib(tmp_path_factory, text, plural, source, end):
    written = source.replace("\n", "\\n")
    po = (
        f'{HEADER}\nmsgid "{written}"\nmsgstr ""\n'
        f'msgid "{written}"\nmsgid_plural "{written}s"\nmsgstr[0] ""\nmsgstr[1] ""\n# end\n'
    ).replace("\n", end)
    data = read(po).written({0: SegmentTranslation(text), 2: SegmentTranslation(plural)})
    entries = reread(data, tmp_path_factory.mktemp("po"))
    assert entries[0].msgstr == with_ends_of(source, text)
    assert entries[1].msgstr_plural == {0: "", 1: with_ends_of(source, plural)}
    assert read(data).segments[0].existing == with_ends_of(source, text)
    assert len(entries) == 2
    assert data.endswith(f"# end{end}".encode())


def test_the_mark_between_context_and_text_is_never_written():
    data = read(SAMPLE).written({0: SegmentTranslation("a\x04b")})
    assert b"\x04" not in data
    assert read(data).segments[0].existing == "ab"


@given(st.lists(st.tuples(TEXTS, st.booleans()), min_size=5, max_size=5))
@settings(max_examples=15, deadline=None)
@pytest.mark.skipif(not shutil.which("msgfmt"), reason="gettext is not installed")
def test_msgfmt_checks_and_compiles_any_answers_and_gettext_reads_them(tmp_path_factory, given):
    folder = tmp_path_factory.mktemp("mo")
    document = read(SAMPLE)
    answers = {
        number: SegmentTranslation(with_directives(segment.text, text), sure=sure)
        for number, (segment, (text, sure)) in enumerate(zip(document.segments, given, strict=True))
    }
    (folder / "a.po").write_bytes(document.written(answers))
    subprocess.run(["msgfmt", "-c", "-f", "-o", "a.mo", "a.po"], cwd=folder, check=True)
    with (folder / "a.mo").open("rb") as stream:
        catalogue = gettext.GNUTranslations(stream)
    expected = [
        with_ends_of(segment.text, answers[number].text)
        for number, segment in enumerate(document.segments)
    ]
    assert catalogue.gettext("Open %s") == (expected[0] or "Open %s")
    assert catalogue.pgettext("menu", "Close") == (expected[1] or "Close")
    if expected[3] and expected[4]:
        assert catalogue.ngettext("%d file", "%d files", 1) == expected[3]
        assert catalogue.ngettext("%d file", "%d files", 5) == expected[4]


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.parts[-3])
def test_real_catalogues_stay_and_take_answers(path, tmp_path):
    data = path.read_bytes()
    document = read(data)
    assert document.written({}) == document.written(itself(document)) == data
    answers = {
        number: SegmentTranslation(f"{s.text}✓") for number, s in enumerate(document.segments)
    }
    before, after = polib.pofile(str(path)), reread(document.written(answers), tmp_path)
    assert after.metadata == before.metadata
    assert len(after) == len(before) > 100
    for old, new in zip(before, after, strict=True):
        assert (new.msgid, new.comment) == (old.msgid, old.comment)
        assert new.occurrences == old.occurrences
        if not new.msgid_plural:
            assert new.msgstr == with_ends_of(old.msgid, f"{old.msgid}✓")


def test_long_texts_are_folded_and_short_ones_not():
    text = HEADER + 'msgid "a"\nmsgstr ""\n'
    long = answered(text, {0: "word " * 40})
    assert max(map(len, long.split("\n"))) <= 79
    assert 'msgstr ""\n"word word' in long
    assert answered(text, {0: "a\nb"}).endswith('msgstr ""\n"a\\n"\n"b"\n')


def test_the_encoding_of_the_header_holds():
    latin = HEADER.replace("UTF-8", "ISO-8859-1") + 'msgid "café"\nmsgstr ""\n'
    data = latin.encode("latin-1")
    assert read(data).segments[0].text == "café"
    assert read(data).written({0: SegmentTranslation("thé")}) == data[:-3] + '"thé"\n'.encode(
        "latin-1"
    )
    with pytest.raises(DataError, match=r"a.po:5: .*iso8859-1 cannot hold 'च'.*msgconv -t UTF-8"):
        read(data).written({0: SegmentTranslation("चाय")})


def test_a_template_becomes_utf_8_with_its_first_answer():
    text = HEADER.replace("UTF-8", "CHARSET") + 'msgid "a"\nmsgstr ""\n'
    assert answered(text, {}) == text
    assert answered(text, {0: "च"}) == HEADER + 'msgid "a"\nmsgstr "च"\n'


def test_escaped_bytes_are_characters_of_the_encoding():
    text = HEADER + r'msgid "caf\303\251 \x41\t\"" msgstr ""'
    assert read(text).segments[0].text == 'café A\t"'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b'msgid "a\nmsgstr "b"', "a.po:1: not PO .*not closed"),
        (b'msgid "a"\nnonsense\n', "a.po:2: not PO .*unknown keyword"),
        (b'msgid "a"\n\n5 "b"', "a.po:3: not PO .*neither a keyword"),
        (b'"a"', "a.po:1: not PO .*before any msgid"),
        (b'msgid "a"\nmsgid "b"\nmsgstr ""', "a.po:2: not PO .*second msgid"),
        (b'msgid "a"\nmsgstr "b"\nmsgstr "c"', "a.po:3: not PO .*second msgstr"),
        (b'msgid "a"\nmsgstr[0] "b"\nmsgstr "c"', "a.po:3: not PO .*second msgstr"),
        (b'msgid "a"\n', "a.po:1: not PO .*without a msgstr"),
        (b'msgctxt "a"\nmsgstr "b"\n', "a.po:2: not PO .*without msgid"),
        (b'msgid "a"\nmsgstr\n# c\n', "not PO .*msgstr without a text"),
        (b'msgid "a"\nmsgstr[0] "b"', "not PO .*msgid_plural needs"),
        (b'msgid "a"\nmsgid_plural "b"\nmsgstr[1] "b"', r"not PO .*\[1\] where"),
        (b'msgid "a"\nmsgstr "\xff"', "a.po:2: not UTF-8"),
        (b'msgid "a"\nmsgstr "\0"', "a.po:2: a NUL byte"),
        (b"\xff\xfem\0s\0", "a.po:1: the file is UTF-16"),
        (b'msgid ""\nmsgstr "Content-Type: x; charset=zip\\n"', "a.po:2: unknown encoding"),
    ],
)
def test_what_is_not_po_is_refused_with_its_line(text, error):
    with pytest.raises(DataError, match=error):
        read(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda size: "#," + " " * size + '\nmsgid "a"\nmsgstr ""',
        lambda size: "#, fuzzy" * (size // 8) + '\nmsgid "a"\nmsgstr ""',
        lambda size: "# x\n" * (size // 4) + 'msgid "a"\nmsgstr ""',
        lambda size: 'msgid "a"\nmsgstr ""\n' * (size // 20),
        lambda size: 'msgid "a"\nmsgstr "' + "\\n" * (size // 2) + '"',
        lambda size: 'msgid "a"\nmsgstr "' + "\\x41" * (size // 4) + '"',
        lambda size: 'msgid "a"\nmsgstr' + ' ""' * (size // 3),
        lambda size: '"Content-Type:' + "Content-Type:" * (size // 13),
        lambda size: 'msgid "' + "\\" * size,
    ],
)
def test_hostile_files_take_linear_time(make, takes_linear_time):
    def work(data):
        with contextlib.suppress(DataError):
            read(data).written({0: SegmentTranslation("x" + " \n" * 100, sure=False)})

    takes_linear_time(work, make)


def test_an_encoding_that_a_translation_speaks_of_is_not_that_of_the_file():
    text = 'msgid "a"\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1"\n'
    assert read(text).segments[0].text == "a"
    with pytest.raises(DataError, match="not UTF-8"):
        read(text.encode() + b'msgid "caf\xe9"\nmsgstr ""\n')
