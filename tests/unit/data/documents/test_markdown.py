"""Markdown: its blocks stay what they are, as markdown-it reads them, and so do code and links."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation, TextSpan
from dragoman.data.documents.markdown import read_markdown
from dragoman.data.formats.languages import LanguagePair

ROOT = Path(__file__).parents[4]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/[a-z]*/*.md")], key=lambda path: path.name)[
    :12
]
SAMPLE = """---
title: Not this
---

# A *fine* heading {#fine}

First line of
a paragraph with `code` and
[a link](http://x.y/ "title") here.

Setext heading
==============

    indented code

> Quoted text
> goes on.
>
> - Item in it

1. First item
   goes on

       code in the item
2. Second **item**

```python
print("code")
```

<div>
HTML stays
</div>

| Name | What it does |
|------|:------------:|
| `a`  | Opens a \\| b |

![A picture](a.png) and [Named], [text][named][^1], <http://a.b>.

[named]: http://x.y
[^1]: A footnote.

* * *

Done \\* &amp; dusted  
with a break.
"""
TEXTS = [
    "A fine heading",
    "First line of\na paragraph with code and\na link here.",
    "Setext heading",
    "Quoted text\ngoes on.",
    "Item in it",
    "First item\ngoes on",
    "Second item",
    "Name",
    "What it does",
    "Opens a | b",
    "A picture and Named, text, http://a.b.",
    "A footnote.",
    "Done * & dusted with a break.",
]


def read(text):
    return read_markdown(text if isinstance(text, bytes) else text.encode(), "a.md", LanguagePair())


def blocks(text):
    """Return the blocks of a text as markdown-it sees them: kind, depth, and code as it stands."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    kept = ("fence", "code_block", "html_block")
    return [(t.type, t.level, t.info, t.content if t.type in kept else "") for t in tokens]


def targets(text):
    html = MarkdownIt("commonmark").enable("table").render(text)
    return sorted(re.findall(r'(?:href|src)="([^"]*)"|<code>([^<]*)</code>', html))


def test_text_becomes_segments_and_code_does_not():
    segments = read(SAMPLE).segments
    assert [segment.text for segment in segments] == TEXTS
    assert segments[1].inlines == (TextSpan(31, 35), TextSpan(40, 46))
    assert segments[1].verbatim == (TextSpan(31, 35),)
    assert [segment.wrapped for segment in segments[:2]] == [False, True]
    assert segments[1].where == "line 7"
    assert "Named" in segments[10].text
    assert [segments[10].text[s.begin : s.end] for s in segments[10].verbatim] == [
        "Named",
        "http://a.b",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_without_answers_and_with_its_own_texts_the_file_is_the_same(end, mark):
    data = (mark + SAMPLE.replace("\n", end)).encode()
    document = read(data)
    assert document.written({}) == data
    own = {n: SegmentTranslation(s.text, s.inlines) for n, s in enumerate(document.segments)}
    assert len(own) == len(TEXTS)
    assert document.written(own) == data
    assert document.written({0: SegmentTranslation("x", own[0].inlines, sure=False)}) == data


def test_answers_take_the_place_of_their_text_alone():
    document = read(SAMPLE)
    answers = {
        0: SegmentTranslation("Ein feiner Titel", (TextSpan(4, 10),)),
        3: SegmentTranslation("Zitat"),
        9: SegmentTranslation("Öffnet a | b"),
    }
    expected = SAMPLE.replace("A *fine* heading", "Ein *feiner* Titel")
    expected = expected.replace("Quoted text\n> goes on.", "Zitat")
    assert document.written(answers).decode() == expected.replace("Opens a", "Öffnet a")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_real_pages_stay_and_keep_their_blocks_links_and_code(path):
    text = path.read_text(encoding="utf-8")
    document = read(text)
    assert document.written({}).decode() == text
    answers = {
        n: SegmentTranslation(f"{s.text}✓", s.inlines) for n, s in enumerate(document.segments)
    }
    assert document.segments
    new = document.written(answers).decode()
    assert blocks(new) == blocks(text)
    assert targets(new) == targets(text)
    assert new.count("✓") == text.count("✓") + len(answers)


@given(
    st.lists(
        st.text(
            st.sampled_from("ab *_`[]()<>#-+=|~!&;1.\\\n:$\t>")
            | st.characters(exclude_categories=["Cs", "Cc", "Z"])
        ).filter(lambda text: any(map(str.isalpha, text))),
        min_size=3,
        max_size=3,
    )
)
@settings(max_examples=200, deadline=None)
def test_no_answer_becomes_markup(texts):
    text = "# Title\n\nPara\n\n> - Item\n"
    new = (
        read(text)
        .written({n: SegmentTranslation(answer) for n, answer in enumerate(texts)})
        .decode()
    )
    tokens = MarkdownIt("commonmark").parse(new)
    assert blocks(new) == blocks(text)
    inline = [token for token in tokens if token.type == "inline"]
    for token, answer in zip(inline, texts, strict=True):
        said = "".join(child.content for child in token.children or [])
        assert said.split() == answer.replace("\0", "").split()


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("1. a\n2. b\n3. c\n", ["a", "b", "c"]),
        ("7) a\n8) b\n", ["a", "b"]),
        ("- a\n  - b\n  - c\n- d\n", ["a", "b", "c", "d"]),
        ("1. a\n   9. still a\n2. b\n", ["a\n9. still a", "b"]),
        ("Born in\n1986. Yes.\n", ["Born in\n1986. Yes."]),
        ("> 1. a\n> 2. b\n", ["a", "b"]),
    ],
)
def test_items_of_a_list_are_told_from_numbers_in_a_text(text, texts):
    document = read(text)
    assert [segment.text for segment in document.segments] == texts
    answers = {
        n: SegmentTranslation(f"{segment.text}x") for n, segment in enumerate(document.segments)
    }
    assert blocks(document.written(answers).decode()) == blocks(text)


def test_a_table_may_follow_a_paragraph_at_once():
    text = "A text\n| a | b |\n|---|---|\n| c | d |\n"
    document = read(text)
    assert [segment.text for segment in document.segments] == ["A text", "a", "b", "c", "d"]


@pytest.mark.parametrize("before", ["", "> "])
def test_what_looks_like_a_quotation_inside_code_stays_code(before):
    lines = ["```", "> run it", "# no heading", "> ```", "- no item", "```", "Text"]
    text = "".join(f"{before}{line}\n" for line in lines)
    assert [segment.text for segment in read(text).segments] == ["Text"]


def test_backticks_within_code_stay():
    text = "Write ``a `b` c`` here\n"
    document = read(text)
    inlines = document.segments[0].inlines
    new = document.written({0: SegmentTranslation("Write a `b` c there", inlines)}).decode()
    assert new == "Write ``a `b` c`` there\n"


@pytest.mark.parametrize("text", ["a \\``b", "a \\```b``c", "\\``a`b"])
def test_backticks_after_an_escaped_one_are_text_if_nothing_closes_them(text):
    document = read(text)
    assert document.written({}) == text.encode()
    answers = {
        n: SegmentTranslation(f"{s.text}x", s.inlines) for n, s in enumerate(document.segments)
    }
    assert [one.text for one in read(document.written(answers)).segments] == [
        f"{one.text}x" for one in document.segments
    ]


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(DataError, match="a.md:2: not UTF-8"):
        read(b"a\n\xff")
    with pytest.raises(DataError, match="a.md:1: a NUL byte"):
        read(b"a\0")


@pytest.mark.parametrize("answer", ["# b", "- b", "1. b", "> b", "+ b", "=b"])
@pytest.mark.parametrize(
    "text",
    ["a | c\n--|--\nd | e\n", "- a | c\n  --|--\n  d | e\n", "- \na\n", "<br>\na\n"],
)
def test_an_answer_that_begins_a_line_begins_no_block(text, answer):
    """Also in the first cell of a row, and after a line in which nothing is text."""
    document = read(text)
    again = read(
        document.written({n: SegmentTranslation(answer) for n in range(len(document.segments))})
    )
    assert [one.text for one in again.segments] == [answer] * len(document.segments)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- - - a\n", ["a"]),
        ("- * * *\n  a\n", ["a"]),
        ("- - -\n", []),
        ("* a\n * * *\n", ["a"]),
        ("-\t- a\n", []),
        ("- [ ] 1. a\n\n         b\n", ["a", "b"]),
        ("- _ _ _ b\n", ["_ _ _ b"]),
    ],
)
def test_rules_are_told_from_items_inside_items(text, found):
    assert [one.text for one in read(text).segments] == found


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["*a ", "**", "_a_", "[", "[a](", "](a", "`", "` `` ", "<", "<a ", "&", "> ", "- ", "|",
     "a|b\n", "# a\n", "1. a\n", "[a]: ", "  ", "\\", "![a](b) ", "a\n", "~~~\n", '[a](b "'],
)  # fmt: skip
def test_hostile_files_take_linear_time(unit, takes_linear_time):
    def work(data):
        document = read(data)
        for number, segment in list(enumerate(document.segments))[:1]:
            document.written({number: SegmentTranslation(f"{segment.text}x", segment.inlines)})

    takes_linear_time(
        work, lambda size: "a " + unit * (size // len(unit)), sizes=(1_000, 10_000, 100_000)
    )
