"""JSON files of texts: names, notes and layout stay, and the json module reads the answers."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.json_strings import read_json
from dragoman.data.formats.languages import LanguagePair

SAMPLE = """{
  "menu" : {"open":"Open", "count": 3, "tips": ["Save \\"it\\"", "12", null, {"x": "Q"}]},
\t"@menu": {"description": "A note", "more": ["n"]}, "@@locale": "en",
  "menu": "again", "a.b": [] , "c": {}, "ok": true, "n": -1.5e+3, "": "Nameless"
}
"""
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


def read(text):
    return read_json(text if isinstance(text, bytes) else text.encode(), "a.json", LanguagePair())


def answered(text, answers):
    return (
        read(text)
        .written({n: SegmentTranslation(answer) for n, answer in answers.items()})
        .decode()
    )


def test_string_values_become_segments_with_their_path():
    segments = read(SAMPLE).segments
    assert [(segment.key, segment.text) for segment in segments] == [
        ("menu.open", "Open"),
        ("menu.tips[0]", 'Save "it"'),
        ("menu.tips[3].x", "Q"),
        ("menu", "again"),
        ("", "Nameless"),
    ]
    assert segments[0].where == "line 2, key menu.open"


def test_an_answer_changes_its_string_alone():
    assert answered(SAMPLE, {}) == SAMPLE
    assert answered(SAMPLE, {1: 'Save "it"', 3: "नमस्ते"}) == SAMPLE.replace('"again"', '"नमस्ते"')
    unsure = read(SAMPLE).written({0: SegmentTranslation("x", sure=False)})
    assert unsure.decode() == SAMPLE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('["a"]', '["नई😀"]'),
        ('["a", "é"]', '["नई😀", "é"]'),
        (
            '["a", "\\u00e9 \\ud83d\\ude00"]',
            '["\\u0928\\u0908\\ud83d\\ude00", "\\u00e9 \\ud83d\\ude00"]',
        ),
        ('["a", "\\u00e9 é"]', '["नई😀", "\\u00e9 é"]'),
        ('\ufeff["a"]', '\ufeff["नई😀"]'),
        ('"a"\r\n', '"नई😀"\r\n'),
    ],
)
def test_escapes_are_used_where_the_file_uses_them_throughout(before, after):
    assert answered(before, {0: "नई😀"}) == after


def test_a_string_with_half_a_character_stays():
    assert [s.text for s in read('["\\ud800 a", "\\u0000 a", "\\ud83d\\ude00 b"]').segments] == [
        "😀 b"
    ]
    assert answered('["a"]', {0: "x\ud800"}) == '["x�"]'


@given(VALUES, st.integers(0, 3), st.booleans(), st.data())
@settings(max_examples=80, deadline=None)
def test_answers_to_any_file_are_read_back_by_json(value, indent, escaped, data):
    text = json.dumps(value, indent=indent or None, ensure_ascii=escaped)
    document = read(text)
    assert document.written({}).decode() == text
    ours = [data.draw(st.text()) for _ in document.segments]
    new = document.written({n: SegmentTranslation(answer) for n, answer in enumerate(ours)})

    answers = iter(ours)

    def changed(value, skipped=False):
        if isinstance(value, str):
            wanted = any(map(str.isalpha, value)) and not skipped
            return next(answers).replace("\0", "") if wanted else value
        if isinstance(value, list):
            return [changed(item, skipped) for item in value]
        if isinstance(value, dict):
            return {k: changed(item, skipped or k.startswith("@")) for k, item in value.items()}
        return value

    assert json.loads(new) == changed(value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"a": "b"', "a.json:1: not JSON .*ends too early"),
        ("", "a.json:1: not JSON .*ends too early"),
        ('{"a": "b",\n}', "a.json:2: not JSON"),
        ('["a" "b"]', "a.json:1: not JSON"),
        ('["a\nb"]', "a.json:1: not JSON"),
        ('["\\x"]', "a.json:1: not JSON"),
        ("{1: 2}", "a.json:1: not JSON"),
        ("[1]\n[2]", "a.json:2: not JSON"),
        ("[1,]", "a.json:1: not JSON"),
        ("[01]", "a.json:1: not JSON"),
        ("[}", "a.json:1: not JSON"),
        ("// note\n{}", "a.json:1: not JSON"),
        (b'["a",\n"\xff"]', "a.json:2: not UTF-8"),
        (b'["\0"]', "a.json:1: a NUL byte"),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text, error):
    with pytest.raises(DataError, match=error):
        read(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda size: "[" * size,
        lambda size: "[" * (size // 2) + '"a"' + "]" * (size // 2),
        lambda size: '{"a":' * (size // 6) + '"a"' + "}" * (size // 6),
        lambda size: '["a",' * (size // 5) + "1" + "]" * (size // 5),
        lambda size: '{"' + "k" * (size // 2) + '":["a"' + ',"b"' * (size // 8) + "]}",
        lambda size: '"' + "\\" * size,
        lambda size: "1" * size + "e",
        lambda size: " " * size,
    ],
)
def test_hostile_files_take_linear_time(make, takes_linear_time):
    def work(data):
        with contextlib.suppress(DataError):
            read(data).written({0: SegmentTranslation("x")})

    takes_linear_time(work, make, sizes=(1_000, 10_000, 100_000))
