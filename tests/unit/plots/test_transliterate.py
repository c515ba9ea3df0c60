import pytest

from dragoman.plots.lettering import _characters
from dragoman.plots.transliterate import is_devanagari, transliterate


@pytest.mark.parametrize(
    ("devanagari", "latin"),
    [
        ("नमस्ते", "namastē"),
        ("हिन्दी", "hindī"),
        ("दिल्ली", "dillī"),
        ("संस्कृत", "saṁskr̥ta"),
        ("ज़रूरी", "zarūrī"),
        ("लड़का", "laṛakā"),
        ("क्षत्रिय", "kṣatriya"),
        ("दुःख", "duḥkha"),
        ("कॉफ़ी", "kôfī"),
        ("१२३।", "123."),
        ("ऊँगा", "ūm̐gā"),
        ("ा", "ā"),
        ("ॐ", "ōṁ"),
        ("▁घर and घर", "▁ghara and ghara"),
        ("", ""),
    ],
)
def test_words_come_out_as_the_standard_has_them(devanagari, latin):
    assert transliterate(devanagari) == latin


def test_both_ways_to_write_a_dotted_letter_give_the_same():
    assert transliterate("\u0958") == transliterate("\u0915\u093c") == "qa"


def test_no_common_letter_is_left_and_the_base_font_has_every_one_that_comes_out():
    for code in [*range(0x901, 0x94E), *range(0x958, 0x961), *range(0x964, 0x970)]:
        written = transliterate(chr(code))
        if code in RARE:
            continue
        assert not any(is_devanagari(letter) for letter in written), hex(code)
        assert all(ord(letter) in _characters("DejaVu Sans") for letter in written), hex(code)


# Vocalic l, the short e and o of southern languages, Kashmiri and Marathi signs.
RARE = {
    0x904, 0x90C, 0x90E, 0x912, 0x929, 0x931, 0x934, 0x93A, 0x93B, 0x946, 0x94A,
}  # fmt: skip
