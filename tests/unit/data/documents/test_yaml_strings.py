"""YAML files of texts: each text keeps its style, and PyYAML reads the answers."""

import sys

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import ConfigError, DataError
from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.yaml_strings import read_yaml
from dragoman.data.formats.languages import LanguagePair

SAMPLE = """# A comment
menu:
  open: Open the file   # beside it
  "quoted": "Say \\"it\\""
  single: 'It''s here'
  yes: yes
  number: 12
  date: 2020-01-01
  version: "1.0"
  tagged: !!str Text
  own: !secret Hidden
  anchored: &anchor Shared text
  alias: *anchor
  flow: [One, 'two', {three: Three}]
  folded: >
    First line
    and more

    second

  literal: |-   # kept
    A line
      deeper
    end
  empty:
  wrapped: some words
    on two lines
tail: The end
"""
ROWS = {
    "menu.open": "Open the file",
    "menu.quoted": 'Say "it"',
    "menu.single": "It's here",
    "menu.tagged": "Text",
    "menu.anchored": "Shared text",
    "menu.flow[0]": "One",
    "menu.flow[1]": "two",
    "menu.flow[2].three": "Three",
    "menu.folded": "First line and more\nsecond",
    "menu.literal": "A line\n  deeper\nend",
    "menu.wrapped": "some words on two lines",
    "tail": "The end",
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
TRICKY = st.sampled_from(
    ["yes", "12", "null", "- a", "a: b", "a #b", "#a", "[a", "{a}", "a, b", "'", '"', "''", "@a",
     "%a", "--- a", "...", "? a", "&a", "*a", "!a", "|", ">", " a", "a ", "a\nb", "a\n\nb", "a\n b",
     "\ta", "a\t", "a:", ":a", "~", "<<", "=", "2020-01-01", "1:20", "a\r\nb", "a\x85b", "a\n", "`"]
)  # fmt: skip


def read(text, source="en", target="hi"):
    data = text if isinstance(text, bytes) else text.encode()
    return read_yaml(data, "a.yml", LanguagePair(source, target))


def answered(text, answers):
    return (
        read(text)
        .written({n: SegmentTranslation(answer) for n, answer in answers.items()})
        .decode()
    )


def test_texts_become_segments_with_their_path():
    assert {segment.key: segment.text for segment in read(SAMPLE).segments} == ROWS
    assert read(SAMPLE).segments[0].where == "line 3, key menu.open"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_without_answers_and_with_its_own_texts_the_file_is_the_same(end, mark):
    text = mark + SAMPLE.replace("\n", end)
    assert answered(text, {}) == text
    own = {number: segment.text for number, segment in enumerate(read(text).segments)}
    assert len(own) == len(ROWS)
    assert answered(text, own) == text


@pytest.mark.parametrize(
    ("number", "answer", "before", "after"),
    [
        (0, "फ़ाइल खोलें", "Open the file ", "फ़ाइल खोलें "),
        (0, "a: b", "Open the file ", '"a: b" '),
        (1, 'a "b" \\', '"Say \\"it\\""', '"a \\"b\\" \\\\"'),
        (2, "l'eau", "'It''s here'", "'l''eau'"),
        (2, "a\nb", "'It''s here'", '"a\\nb"'),
        (3, "Texte", "!!str Text", "!!str Texte"),
        (4, "yes", "&anchor Shared text", '&anchor "yes"'),
        (5, "a, b", "[One", '["a, b"'),
        (8, "a b\nc", "First line\n    and more\n\n    second", "a b\n\n    c"),
        (8, " a", ">\n    First line\n    and more\n\n    second", '" a\\n"'),
        (9, "x\n  y\n\nz", "A line\n      deeper\n    end", "x\n      y\n\n    z"),
        (10, "auf einer", "some words\n    on two lines", "auf einer"),
    ],
)
def test_an_answer_keeps_the_style_if_it_can(number, answer, before, after):
    assert answered(SAMPLE, {number: answer}) == SAMPLE.replace(before, after)


@given(st.dictionaries(st.integers(0, len(ROWS) - 1), TEXTS | TRICKY, min_size=1, max_size=6),
       st.sampled_from(["\n", "\r\n"]))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_any_answer_is_read_back_and_nothing_else_changes(answers, end):
    text = SAMPLE.replace("!secret ", "").replace("\n", end)
    names = [segment.key for segment in read(text).segments]
    new = yaml.safe_load(answered(text, answers))
    expected = yaml.safe_load(text)
    for number, answer in answers.items():
        holder, name = expected, names[number]
        for step in name.replace("[", ".").replace("]", "").split(".")[:-1]:
            holder = holder[int(step) if isinstance(holder, list) else step]
        last = name.replace("[", ".").replace("]", "").split(".")[-1]
        last = int(last) if isinstance(holder, list) else last
        block = name.endswith(("folded", "literal"))
        tail = "\n" if name.endswith("folded") else ""
        holder[last] = (answer.rstrip("\n") if block else answer) + tail
    expected["menu"]["alias"] = expected["menu"]["anchored"]
    assert new == expected


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("en:\n  a: Text\n", "hi", "hi:\n  a: नया\n"),
        ('"en":\n  a: Text\n', "hi", '"hi":\n  a: नया\n'),
        ("en:\n  a: Text\n", "no", '"no":\n  a: नया\n'),
        ("en:\n  a: Text\nde: x\n", "hi", "en:\n  a: नया\nde: x\n"),
        ("fr:\n  en: Text\n", "hi", "fr:\n  en: नया\n"),
    ],
)
def test_the_language_as_the_only_outermost_name_is_changed(text, target, expected):
    document = read(text, "en", target)
    assert document.written({0: SegmentTranslation("नया")}).decode() == expected
    assert document.written({}).decode() == text


@pytest.mark.parametrize("root", ["en", '"en"', "hi", "EN", "hi_IN"])
def test_a_language_at_the_root_is_no_part_of_the_keys(root):
    text = f"{root}:\n  menu:\n    open: Open\n  enter: Enter\n"
    keys = [segment.key for segment in read(text).segments]
    wanted = [f"{root}.menu.open", f"{root}.enter"] if root == "hi_IN" else ["menu.open", "enter"]
    assert keys == wanted
    both = "en:\n  a: Text\nhi:\n  a: Text\n"
    assert [segment.key for segment in read(both).segments] == ["en.a", "hi.a"]
    assert read(text).segments[0].where == f"line 3, key {root.strip(chr(34))}.menu.open"


def test_doubt_leaves_the_source():
    assert read(SAMPLE).written({0: SegmentTranslation("x", sure=False)}).decode() == SAMPLE


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: b\nc: [d\n", "a.yml:3: not YAML"),
        ("a: b\n\tc: d\n", "a.yml:2: not YAML"),
        ("a: 'b\n", "a.yml:2: not YAML"),
        ("a: *nothing\nb: c: d\n", "a.yml:2: not YAML"),
        ("a: b\nc: \x01\n", "a.yml:2: not YAML"),
        (b"a: b\nc: \xff\n", "a.yml:2: not UTF-8"),
        (b"a: \0\n", "a.yml:1: a NUL byte"),
        ("[" * 100_000, "a.yml:1: more than 200 levels"),
        ("- " * 5_000 + "a", "a.yml:1: more than 200 levels"),
    ],
)
def test_what_is_not_yaml_is_refused_with_its_line(text, error):
    with pytest.raises(DataError, match=error):
        read(text)


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system ['touch {}']",
        "!!python/object/apply:subprocess.check_output [[touch, {}]]",
        "!!python/object/new:os.system ['touch {}']",
        "!!python/object/apply:eval [\"__import__('os').mkdir('{}')\"]",
    ],
)
def test_tags_that_would_run_code_stay_text(tag, tmp_path):
    marker = tmp_path / "marker"
    text = f"a: {tag.format(marker)}\nb: Text\n"
    last = len(read(text).segments) - 1
    assert answered(text, {last: "x"}) == text.replace("Text", "x")
    assert not marker.exists()
    yaml.load(f"a: {tag.format(marker)}", Loader=yaml.UnsafeLoader)  # the marker would be made
    assert marker.exists()


def test_many_aliases_do_not_grow():
    lines = ["a0: &a0 [lol, lol]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    text = "\n".join(lines)
    assert len(read(text).segments) == 2
    assert answered(text, {}) == text


def test_without_pyyaml_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ConfigError, match=r"pip install 'dragoman\[documents\]'"):
        read("a: b")


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda size: "a: b c\n" * (size // 7),
        lambda size: "- [a, {b: c}]\n" * (size // 14),
        lambda size: "a: " + "b " * (size // 2),
        lambda size: "a: |\n" + "  b\n" * (size // 4),
    ],
)
def test_long_files_take_linear_time(make, takes_linear_time):
    takes_linear_time(
        lambda d: read(d).written({0: SegmentTranslation("x")}), make, sizes=(2_000, 20_000)
    )


def test_a_block_after_a_line_of_blanks_keeps_its_own_indentation():
    text = "a:\n  b: |\n \n\n    First\n    line\n  c: d\n"
    new = answered(text, {0: "Neu"})
    assert yaml.safe_load(new) == {"a": {"b": "Neu\n", "c": "d"}}
