"""HTML in every state it is found in: the text changes, and no other byte does."""

import codecs
import importlib.util
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.data.documents.markup_cases import ANYTHING, EN_DE, answered, held, identical

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation, TextSpan
from dragoman.data.documents.html import read_html
from dragoman.data.documents.html_scan import scan
from dragoman.data.formats.languages import LanguagePair

PAGE = """<!DOCTYPE html>
<HTML LANG=en-GB><head><meta charset="utf-8"><title>My &amp; page</title>
<meta name="description" content='All "about" it'><meta name="viewport" content="width=device">
<script>if (a < b) { "<p>not this</p>" }</script><style>p { content: "nor this" }</style></head>
<body><!--[if IE]><p>nor this</p><![endif]-->
<P CLASS=x>Press <B>Save</B> now,&nbsp;<br>or <a href="x?a=1&b=2" title="A tip">go <i>home</i></a>.
<p>Type <code>ls -l</code> or <kbd>Enter</kbd> at <span translate="no">Acme</span>
<ul><li>One<li>Two <img src=a.png alt=Picture></ul>
<pre>keep <b>this</b></pre><textarea>and this</textarea>
<svg viewBox="0 0 1 1"><text>no</text></svg> After the drawing
<div class="notranslate">Not <div>me</div> either</div>
<input type="submit" value="Send"><input value="typed" placeholder="Your name">
<button aria-label='Close it'>×</button> <em>12 %</em>
<p>a < b &lt; c &copy; &#x41; &unknown; &</p>
</body></HTML>
"""
TEXTS = [
    "My & page",
    'All "about" it',
    "Press Save now,\xa0or go home.",
    "A tip",
    "Type ls -l or Enter at Acme",
    "One",
    "Two",
    "Picture",
    "After the drawing",
    "Send",
    "Your name",
    "Close it",
    "a < b < c © A &unknown; &",
]
SOUP = st.lists(
    st.sampled_from(
        [
            "<b>",
            "</b>",
            "<p>",
            "</p>",
            "<i x=1>",
            "</i>",
            "<br>",
            "<br/>",
            "<",
            ">",
            "</",
            "<!",
            "--",
        ]
        + [
            "<!--",
            "-->",
            "<!-->",
            "<script>",
            "</script>",
            "<title>",
            "</TITLE >",
            "<svg>",
            "</svg>",
        ]
        + [
            "<pre>",
            "</pre>",
            "<a title='x y'>",
            "</a>",
            "<img alt=",
            '"',
            "'",
            "word",
            " ",
            "\n",
            "&",
        ]
        + ["&amp;", "&#", "&#x41", "&notit;", "<p translate=no>", "<div translate=no>", "</div>"]
        + [
            "<span translate=no>",
            "</span>",
            "<code>",
            "</code>",
            "<html lang=en>",
            "<?php",
            "?>",
            "é",
        ]
        + [
            "<template>",
            "</template>",
            "<![CDATA[",
            "]]>",
            "\r\n",
            "<textarea>",
            "=",
            "/",
            "\u0130",
        ]
        + ["<input type=submit value=Go>", "<meta name=keywords content='a, b'>", "\x0c", "\u2028"]
    ),
    max_size=40,
).map("".join)


class Reader(HTMLParser):
    """The texts of a page as the standard library sees them."""

    def __init__(self, data):
        super().__init__(convert_charrefs=True)
        self.text, self.values, self.tags = "", {}, []
        self.feed(data.decode())
        self.close()

    def handle_starttag(self, tag, attrs):
        self.values |= {(tag, name): value for name, value in attrs}
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_the_texts_of_a_page_are_its_segments():
    document = read_html(PAGE.encode(), "a.html", EN_DE)
    assert [one.text for one in document.segments] == TEXTS
    pressed, typed = document.segments[2], document.segments[4]
    assert pressed.inlines == ((6, 10), (16, 16), (19, 26), (22, 26))
    assert [typed.text[slice(*stretch)] for stretch in typed.verbatim] == ["ls -l", "Enter", "Acme"]
    assert pressed.wrapped
    assert pressed.where == "line 6"
    assert not document.segments[3].wrapped


def test_a_page_answered_by_itself_is_the_same_page():
    document = read_html(PAGE.encode(), "a.html", EN_DE)
    assert document.written({}) == PAGE.encode()
    assert document.written(identical(document)) == PAGE.encode()


def test_answers_go_where_the_texts_were():
    document = read_html(PAGE.encode(), "a.html", EN_DE)
    answers = {
        1: SegmentTranslation("Alles \"darüber\" & 'mehr'"),
        2: SegmentTranslation(
            "Heim, oder <Sichern> drücken.",
            (TextSpan(11, 20), TextSpan(5, 5), TextSpan(0, 4), TextSpan(0, 4)),
        ),
        3: SegmentTranslation("Ein Tipp"),
        7: SegmentTranslation("Bild & Ton"),
        8: SegmentTranslation("Nicht sicher", sure=False),
    }
    wanted = (
        PAGE.replace("LANG=en-GB", 'LANG="de"')
        .replace('All "about" it\'', 'Alles "darüber" &amp; &#39;mehr&#39;\'')
        .replace(
            'Press <B>Save</B> now,&nbsp;<br>or <a href="x?a=1&b=2" title="A tip">go '
            "<i>home</i></a>.",
            '<a href="x?a=1&b=2" title="Ein Tipp"><i>Heim</i></a>,<br> oder '
            "<B>&lt;Sichern&gt;</B> drücken.",
        )
        .replace("alt=Picture", 'alt="Bild &amp; Ton"')
    )
    assert document.written(answers).decode() == wanted


def test_an_attribute_changes_while_its_text_does_not():
    document = read_html(PAGE.encode(), "a.html", LanguagePair())
    written = document.written({3: SegmentTranslation("Tipp")}).decode()
    assert written == PAGE.replace('title="A tip"', 'title="Tipp"')


def test_a_line_break_parts_words_and_stays_without_a_space():
    document = read_html(b"<p>one<br>two</p>", "a.html", EN_DE)
    assert document.segments[0].text == "one two"
    assert (
        document.written({0: SegmentTranslation("eins zwei", (TextSpan(4, 4),))})
        == b"<p>eins<br>zwei</p>"
    )


def test_the_language_changes_only_with_the_text():
    page = b"<html lang='en' xml:lang=en><p>Hello"
    document = read_html(page, "a.html", EN_DE)
    assert document.written({0: SegmentTranslation("Hallo", sure=False)}) == page
    assert (
        document.written({0: SegmentTranslation("Hallo")})
        == b"<html lang='de' xml:lang=\"de\"><p>Hallo"
    )
    other = read_html(b"<html lang=fr><p>Hello", "a.html", EN_DE)
    assert other.written({0: SegmentTranslation("Hallo")}) == b"<html lang=fr><p>Hallo"


@settings(max_examples=250, deadline=None)
@given(SOUP, st.integers())
def test_no_byte_of_any_soup_is_lost(text, seed):
    data = text.encode()
    assert "".join(text[token.begin : token.end] for token in scan(text)) == text
    document = read_html(data, "a.html", EN_DE)
    assert document.written({}) == data
    assert document.written(identical(document)) == data
    texts = [one.text.upper() for one in document.segments]
    document.written(answered(document, texts, seed)).decode()


@settings(max_examples=100, deadline=None)
@given(st.lists(ANYTHING, min_size=4, max_size=4), st.integers())
def test_any_answer_reads_back(texts, seed):
    page = b"<p>Press <b>Save</b> <i>now</i></p><p title='tip'>Second</p><img alt=Third>"
    document = read_html(page, "a.html", EN_DE)
    assert [one.text for one in document.segments] == ["Press Save now", "tip", "Second", "Third"]
    found = Reader(document.written(answered(document, texts, seed)))
    assert found.text == held(texts[0]) + held(texts[2])
    assert found.values["p", "title"] == held(texts[1])
    assert found.values["img", "alt"] == held(texts[3])
    assert sorted(found.tags) == ["b", "i", "img", "p", "p"]


@pytest.mark.parametrize(
    ("start", "encoding", "mark"),
    [
        ('<meta charset="ISO-8859-1">', "cp1252", b""),
        ("<META http-equiv=Content-Type content='text/html; charset=windows-1251'>", "cp1251", b""),
        ("<meta charset=utf-16>", "utf-8", b""),
        ("", "utf-8", codecs.BOM_UTF8),
        ("", "utf-16-le", codecs.BOM_UTF16_LE),
        ("<meta charset=latin1>", "utf-16-be", codecs.BOM_UTF16_BE),
        ('<?xml version="1.0" encoding="iso-8859-15"?>', "iso8859-15", b""),
    ],
)
def test_the_encoding_is_what_the_page_says(start, encoding, mark):
    letter = "ж" if encoding == "cp1251" else "é"
    data = mark + f"{start}<p>{letter}a</p>".encode(encoding)
    document = read_html(data, "a.html", EN_DE)
    assert [one.text for one in document.segments] == [f"{letter}a"]
    assert document.written({}) == data
    written = document.written({0: SegmentTranslation("अ")}).decode(encoding)
    assert "<p>अ</p>" in written or "<p>&#2309;</p>" in written


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<p>\n\xe9", r"a\.html:2: not UTF-8"),
        (b"<p>\n\0", r"a\.html:2: a NUL byte"),
        (b"<meta charset=bogus><p>a", r"a\.html:1: the encoding 'bogus' is not known"),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(data, message):
    with pytest.raises(DataError, match=message):
        read_html(data, "a.html", EN_DE)


def test_what_is_no_page_has_no_segments():
    assert read_html(b"", "a.html", EN_DE).segments == ()
    assert read_html(b"<p> 12 &nbsp; </p>", "a.html", EN_DE).segments == ()


HOSTILE_PAGES = [
    ("", "<b>"),
    ("", "<b>a"),
    ("", "<b>a</i>"),
    ("", "<b><i>a</b></i>"),
    ("", "a<"),
    ("", "</"),
    ("", "<!--"),
    ("", "<a "),
    ("<a b='", "<p>"),
    ("&#", "9"),
    ("", "&"),
    ("", "a&aaaaaaaaaa"),
    ("", "<script>"),
    ("", "<svg>"),
    ("", "a<br>"),
    ("a", " "),
    ("", "<p>a <img alt=a>"),
    ("", "a <img alt=a>"),
    ("<a", " b"),
]


@pytest.mark.parametrize(("start", "again"), HOSTILE_PAGES)
def test_time_grows_with_the_page(start, again, takes_linear_time):
    def work(data):
        document = read_html(data, "a.html", EN_DE)
        texts = ["b" + one.text for one in document.segments]
        places = [tuple(TextSpan(0, 0) for _ in one.inlines) for one in document.segments]
        pairs = enumerate(zip(texts, places, strict=True))
        document.written({n: SegmentTranslation(text, inlines) for n, (text, inlines) in pairs})

    def make(size):
        return (start + again * (size // len(again))).encode()

    takes_linear_time(work, make, sizes=(5_000, 50_000))


def installed(package, pattern):
    spec = importlib.util.find_spec(package)
    assert spec is not None
    return sorted(Path(spec.origin).parent.rglob(pattern))


REAL = [*installed("sphinx", "*.html"), *installed("furo", "*.html")]


@pytest.mark.parametrize("path", REAL[:25], ids=lambda path: path.name)
def test_a_real_page_is_written_as_it_was(path):
    data = path.read_bytes()
    document = read_html(data, path.name, EN_DE)
    assert document.written({}) == data
    assert document.written(identical(document)) == data


def test_real_pages_have_texts():
    documents = [read_html(path.read_bytes(), path.name, EN_DE) for path in REAL]
    assert sum(len(document.segments) for document in documents) > 50


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_no_part_of_the_text_after_it(encoding):
    page = "\ufeffHello".encode(encoding)
    document = read_html(page, "a.html", EN_DE)
    assert [one.text for one in document.segments] == ["Hello"]
    assert document.written({0: SegmentTranslation("Hallo")}) == "\ufeffHallo".encode(encoding)


def test_a_control_character_is_not_written_as_a_reference_to_another_one():
    page = b"<meta charset=iso-8859-1><p>Hello"
    new = read_html(page, "a.html", EN_DE).written({0: SegmentTranslation("a\x85b\u0905")})
    assert new.endswith(b"<p>a b&#2309;")


@pytest.mark.parametrize(
    "start", ["<title><meta charset=koi8-r></title>", "<!-- <meta charset=koi8-r> -->",
              "<p title='<meta charset=koi8-r>'>"])  # fmt: skip
def test_only_a_tag_declares_an_encoding(start):
    assert read_html(f"{start}é".encode(), "a.html", EN_DE).encoding == "utf-8"
