"""MO files: answers are added at the end, and gettext finds them there."""

import gettext
import io
import itertools
import struct
from pathlib import Path

import polib
import pytest
import sphinx
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.mo import read_mo
from dragoman.data.documents.po_strings import with_ends_of
from dragoman.data.formats.languages import LanguagePair

HEADER = b"Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=3; plural=n>2?2:n-1;\n"
MESSAGES = {
    b"": HEADER,
    b"%d file\0%d files": "एक\0दो\0कई".encode(),
    b"123": b"",
    b"Open\n": "खोलें\n".encode(),
    b"menu\x04Close": b"",
}
REAL = sorted((Path(sphinx.__file__).parent / "locale").glob("*/LC_MESSAGES/sphinx.mo"))[::9]


def compiled(messages, order="<", hashes=b"HASH" * 4):
    """Compile a catalogue by hand: mark, tables, what stands for a hash table, texts."""
    count = len(messages)
    place = 28 + 16 * count + len(hashes)
    rows, texts = ([], []), b""
    for side, values in enumerate((messages.keys(), messages.values())):
        for value in values:
            rows[side].append(struct.pack(f"{order}2I", len(value), place + len(texts)))
            texts += value + b"\0"
    head = struct.pack(f"{order}7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 4, 28 + 16 * count)
    return head + b"".join(rows[0] + rows[1]) + hashes + texts


def read(data):
    return read_mo(data, "a.mo", LanguagePair("en", "hi"))


def catalogue(data):
    return gettext.GNUTranslations(io.BytesIO(data))


def test_messages_become_segments():
    segments = read(compiled(MESSAGES)).segments
    assert [segment.text for segment in segments] == ["%d file", "%d files", "Open\n", "Close"]
    assert [segment.existing for segment in segments] == ["एक", "कई", "खोलें\n", ""]
    assert [segment.key for segment in segments] == ["", "", "", "menu"]


@pytest.mark.parametrize("order", ["<", ">"])
def test_an_answer_is_added_and_its_row_led_there(order):
    data = compiled(MESSAGES, order)
    document = read(data)
    same = {
        number: SegmentTranslation(segment.existing)
        for number, segment in enumerate(document.segments)
    }
    assert document.written({}) == document.written({0: same[0], 2: same[2], 3: same[3]}) == data
    new = document.written({3: SegmentTranslation("बंद")})
    row = 28 + 8 * len(MESSAGES) + 8 * 4
    assert new[:row] + new[row + 8 : len(data)] == data[:row] + data[row + 8 :]
    assert new[len(data) :] == "बंद\0".encode()
    assert catalogue(new).pgettext("menu", "Close") == "बंद"
    assert catalogue(new).gettext("Open\n") == "खोलें\n"


def test_the_two_answers_to_a_plural_fill_the_forms():
    document = read(compiled(MESSAGES))
    second = catalogue(document.written({1: SegmentTranslation("q")}))
    assert [second.ngettext("%d file", "", n) for n in (1, 2, 5)] == ["एक", "q", "q"]
    both = catalogue(document.written({0: SegmentTranslation("p"), 1: SegmentTranslation("q")}))
    assert [both.ngettext("%d file", "", n) for n in (1, 2, 5)] == ["p", "q", "q"]


@pytest.mark.parametrize("forms", list(itertools.product(["", "mine"], repeat=3)))
def test_only_the_missing_forms_of_a_plural_are_filled(forms):
    mine = [form and f"{form} {number}" for number, form in enumerate(forms)]
    data = compiled({b"": HEADER, b"file\0files": "\0".join(mine).encode()})
    document = read(data)
    given = {0: SegmentTranslation("p"), 1: SegmentTranslation("q")}
    missing = {n: given[n] for n in given if not document.segments[n].existing}
    found = catalogue(document.written(missing))
    filled = [form or "pqq"[number] for number, form in enumerate(mine)]
    assert [found.ngettext("file", "", n) for n in (1, 2, 5)] == filled
    anew = {number: SegmentTranslation(answer.text, anew=True) for number, answer in given.items()}
    found = catalogue(document.written(anew))
    assert [found.ngettext("file", "", n) for n in (1, 2, 5)] == ["p", "q", "q"]


def test_missing_forms_are_made_and_the_one_form_of_a_language_is_the_plural():
    bare = compiled({b"": HEADER, b"file\0files": b""})
    both = catalogue(read(bare).written({0: SegmentTranslation("p"), 1: SegmentTranslation("q")}))
    assert [both.ngettext("file", "", n) for n in (1, 2, 5)] == ["p", "q", "q"]
    header = HEADER.replace(b"nplurals=3; plural=n>2?2:n-1", b"nplurals=1; plural=0")
    single = read(compiled({b"": header, b"file\0files": b""}))
    both = catalogue(single.written({0: SegmentTranslation("p"), 1: SegmentTranslation("q")}))
    assert both.ngettext("file", "", 1) == "q"


def test_an_answer_in_doubt_is_left_out():
    data = compiled(MESSAGES)
    assert read(data).written({3: SegmentTranslation("बंद", sure=False)}) == data


@given(
    st.dictionaries(
        st.sampled_from(range(4)),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
    )
)
@settings(max_examples=60, deadline=None)
def test_any_answer_is_read_back_by_gettext(answers):
    data = compiled(MESSAGES)
    new = read(data).written({number: SegmentTranslation(text) for number, text in answers.items()})
    found = catalogue(new)
    ours = {n: with_ends_of(read(data).segments[n].text, text) for n, text in answers.items()}
    assert found.ngettext("%d file", "", 1) == ours.get(0, "एक")
    assert found.ngettext("%d file", "", 2) == ours.get(1, "दो")
    assert found.gettext("Open\n") == ours.get(2, "खोलें\n")
    assert found._catalog["menu\x04Close"] == ours.get(3, "")
    assert len(found._catalog) == len(catalogue(data)._catalog)


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.parts[-3])
def test_real_catalogues_stay_and_take_answers(path, tmp_path):
    data = path.read_bytes()
    document = read(data)
    same = {
        n: SegmentTranslation(s.existing) for n, s in enumerate(document.segments) if s.existing
    }
    assert len(same) >= 2
    assert document.written({}) == document.written(same) == data
    answers = {
        number: SegmentTranslation(f"{s.text}✓") for number, s in enumerate(document.segments)
    }
    (tmp_path / "a.mo").write_bytes(document.written(answers))
    before, after = polib.mofile(str(path)), polib.mofile(str(tmp_path / "a.mo"))
    assert [entry.msgid for entry in after] == [entry.msgid for entry in before]
    for entry in after:
        if not entry.msgid_plural:
            assert entry.msgstr == with_ends_of(entry.msgid, f"{entry.msgid}✓")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"PK\3\4", "a.mo: not an MO file"),
        (b"", "a.mo: not an MO file"),
        (compiled(MESSAGES)[:18], "a.mo: entry 0 is cut off"),
        (compiled(MESSAGES)[:60], "a.mo: entry 1 is cut off"),
        (compiled(MESSAGES)[:-20], r"a.mo: entry \d is cut off .*beyond the end"),
        (compiled(MESSAGES).replace(b"\0\0\0\0", b"\0\0\2\0", 1), "a.mo: entry 0 .*version 2"),
        (compiled({b"": HEADER, b"a": b"\xff"}), "a.mo: entry 2 is not as declared"),
        (compiled({b"": b"Content-Type: x; charset=zip"}), "a.mo: .*unknown encoding"),
    ],
)
def test_damaged_files_are_refused(data, error):
    with pytest.raises(DataError, match=error):
        read(data)


def test_an_answer_the_encoding_cannot_hold_is_refused():
    data = compiled({b"": b"Content-Type: text/plain; charset=ISO-8859-1\n", b"tea": b""})
    assert read(data).written({0: SegmentTranslation("thé")}).endswith(b"th\xe9\0")
    with pytest.raises(DataError, match="iso8859-1 cannot hold 'च'"):
        read(data).written({0: SegmentTranslation("चाय")})


def test_rows_that_all_point_to_one_long_text_are_refused():
    count, long = 20_000, b"a" * 100_000
    row = struct.pack("<2I", len(long), 28 + 16 * count)
    head = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0)
    data = head + row * 2 * count + long
    with pytest.raises(DataError, match="share their texts"):
        read(data)


def test_a_text_inside_the_table_that_answers_change_is_refused():
    data = bytearray(compiled(MESSAGES))
    translations = struct.unpack_from("<I", data, 16)[0]
    struct.pack_into("<2I", data, struct.unpack_from("<I", data, 12)[0] + 8, 4, translations + 4)
    with pytest.raises(DataError, match=r"a\.mo: entry 2 .*points into the table of translations"):
        read(bytes(data))
