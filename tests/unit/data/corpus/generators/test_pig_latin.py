import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.pig_latin import make_pairs, pig_latin, read_words


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        ("apple", "appleway"),
        ("a", "away"),
        ("under", "underway"),
        ("cat", "atcay"),
        ("think", "inkthay"),
        ("string", "ingstray"),
        ("queen", "eenquay"),
        ("squeal", "ealsquay"),
        ("aqua", "aquaway"),
        ("iraq", "iraqway"),
        ("qatar", "atarqay"),
        ("my", "ymay"),
        ("rhythm", "ythmrhay"),
        ("you", "youay"),
        ("tv", "tvay"),
        ("well-being", "ellway-eingbay"),
        ("air-lock", "airway-ocklay"),
        ("", ""),
    ],
)
def test_a_word_follows_the_rule(english, expected):
    assert pig_latin(english) == expected


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        ("younger", "youngeray"),
        ("years", "yearsay"),
        ("fly", "yflay"),
        ("hysterical", "ystericalhay"),
        ("syllables", "yllablessay"),
        ("eyeing", "eyeingway"),
        ("by-and-by", "ybay-andway-ybay"),
    ],
)
def test_y_ends_the_first_consonants_wherever_it_stands_as_in_the_public_set(english, expected):
    assert pig_latin(english) == expected


def test_words_are_paired_in_their_order():
    assert list(make_pairs(["the", "of"])) == [("the", "ethay"), ("of", "ofway")]


def test_a_list_is_read_in_lower_case_and_each_word_once(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbfThe\r\n\r\n cat \nthe\ndog\n")
    assert read_words(path) == ["the", "cat", "dog"]
    assert read_words(path, 2) == ["the", "cat"]


def test_more_words_than_there_are_is_one_line(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("the\ncat\n")
    with pytest.raises(DataError, match="has only 2 words, not 3"):
        read_words(path, 3)


def test_a_table_is_no_list(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("the\tethay\n")
    with pytest.raises(DataError, match="one word on each line"):
        read_words(path)
