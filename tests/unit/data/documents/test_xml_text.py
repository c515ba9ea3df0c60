"""XML as text: every character in a token, and what lxml reads is what we read."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.unit.data.documents.markup_cases import ANYTHING, HOSTILE, held

from dragoman.core.errors import DataError
from dragoman.data.documents.xml_text import XmlKind, escape_xml, read_xml, with_attribute

SAMPLE = """<?xml version="1.0"?>\r
<!-- a > comment --><?go > now?>
<a:doc xmlns:a="u" note='a > b' b = "&lt;&quot;">
  text &amp; &#65;&#x42; more <i/>\r\nline<![CDATA[<raw> &amp;]]>
  <a:b c="1"
     d='2'/>
</a:doc>
"""


@st.composite
def documents(draw):
    """Draw well-formed XML, spelt in every way there is."""
    text = st.sampled_from(
        ["a", " ", "\n", "\r\n", "&amp;", "&#x41;", "&#233;", "é", "<![CDATA[<&]]>", "<!-- < -->"]
        + ["<?p ?>", "&gt;", ">", "'", '"']
    )
    tag = st.sampled_from(["a", "b:c", "d-e"])
    attribute = st.sampled_from(["", ' x="1"', " y='>'", ' z = "/"', '\n x="&quot;"'])
    opened, parts = [], []
    for _ in range(draw(st.integers(0, 20))):
        match draw(st.integers(0, 3)):
            case 0:
                opened.append(draw(tag))
                parts.append(f"<{opened[-1]}{draw(attribute)}>")
            case 1 if opened:
                parts.append(f"</{opened.pop()}>")
            case 2:
                parts.append(f"<{draw(tag)}{draw(attribute)}/>")
            case _:
                parts.append(draw(text))
    parts += [f"</{name}>" for name in reversed(opened)]
    return f'<root xmlns:b="u">{"".join(parts)}</root>'


def assert_same_as_lxml(xml, data):
    parser = etree.XMLParser(remove_comments=True, remove_pis=True)
    root = etree.fromstring(data, parser)
    texts = [xml.read(t) for t in xml.tokens if t.kind in (XmlKind.TEXT, XmlKind.CDATA)]
    assert "".join(texts).strip() == "".join(root.itertext()).strip()
    tags = [t for t in xml.tokens if t.kind in (XmlKind.START, XmlKind.EMPTY)]
    elements = list(root.iter())
    assert [t.name for t in tags] == [etree.QName(e).localname for e in elements]
    for tag, element in zip(tags, elements, strict=True):
        own = [v for k, v in xml.attributes(tag).items() if not k.startswith("xmlns")]
        assert [" ".join(v.split()) for v in own] == [
            " ".join(v.split()) for v in element.attrib.values()
        ]


def test_every_character_belongs_to_one_token():
    xml = read_xml(SAMPLE.encode(), "a.xml")
    assert "".join(map(xml.raw, xml.tokens)) == SAMPLE
    assert_same_as_lxml(xml, SAMPLE.encode())


@settings(max_examples=300, deadline=None)
@given(documents())
def test_what_lxml_reads_is_what_we_read(text):
    xml = read_xml(text.encode(), "a.xml")
    assert "".join(map(xml.raw, xml.tokens)) == text
    assert [t.begin for t in xml.tokens[1:]] == [t.end for t in xml.tokens[:-1]]
    assert_same_as_lxml(xml, text.encode())


def test_elements_are_found_by_their_place():
    xml = read_xml(SAMPLE.encode(), "a.xml")
    root = next(n for n in xml.partners if xml.tokens[n].name == "doc")
    assert [xml.tokens[n].name for n in xml.children(root)] == ["i", "b"]
    inner = xml.child(root, "b")
    assert xml.line(xml.tokens[inner]) == 6
    assert xml.indentation(xml.tokens[inner]) == "\n  "
    assert xml.prefix(xml.tokens[inner]) == "a:"
    assert xml.text[slice(*xml.whole(inner))] == "<a:b c=\"1\"\n     d='2'/>"
    assert xml.attributes(xml.tokens[inner]) == {"c": "1", "d": "2"}
    assert xml.child(root, "nothing") is None


@pytest.mark.parametrize(
    ("declared", "encoding", "mark"),
    [
        ("", "utf-8", b""),
        ("UTF-8", "utf-8", codecs.BOM_UTF8),
        ("UTF-16", "utf-16-le", codecs.BOM_UTF16_LE),
        ("UTF-16", "utf-16-be", codecs.BOM_UTF16_BE),
        ("UTF-16LE", "utf-16-le", b""),
        ("ISO-8859-1", "latin-1", b""),
        ("windows-1251", "cp1251", b""),
        ("Shift_JIS", "shift_jis", b""),
    ],
)
def test_the_encoding_is_what_the_file_says(declared, encoding, mark):
    letter = {"cp1251": "ж", "shift_jis": "字"}.get(encoding, "é")
    says = f' encoding="{declared}"' if declared else ""
    data = mark + f'<?xml version="1.0"{says}?><a>{letter}</a>'.encode(encoding)
    xml = read_xml(data, "a.xml")
    assert xml.text.encode(xml.encoding) == data
    assert letter in xml.text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.xml:1: not valid XML"),
        (b"plain", "a.xml:1: not valid XML"),
        (b"<a>\n<b></a>", "a.xml:2: not valid XML"),
        (b"<a>\n\n&x;</a>", "a.xml:3: not valid XML"),
        (b"<a>\xff</a>", "a.xml:1: not UTF-8"),
        (b"<a>\n\0</a>", "a.xml:2: a NUL byte"),
        (b'<?xml version="1.0" encoding="punycode"?><a/>', "encoding 'punycode' is not known"),
        (b'<?xml version="1.0" encoding="zip"?><a/>', "encoding 'zip' is not known"),
        (b"<a>&#1;</a>", "not valid XML"),
        (b"<a>\n" + b"<b>" * 5000 + b"</b>" * 5000 + b"</a>", "not valid XML"),
        (b"<a b='" + b"x" * 11_000_000 + b"'/>", "not valid XML"),
    ],
)
def test_what_is_no_xml_is_refused_with_its_line(data, message):
    with pytest.raises(DataError, match=message) as caught:
        read_xml(data, "a.xml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("start", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_hostile_file_is_refused_before_it_is_parsed(start, encoding):
    data = f"{start.format(root='a')}<a>&x;</a>".encode(encoding)
    with pytest.raises(DataError, match=r"a\.xml:\d: the file has a DOCTYPE") as caught:
        read_xml(data, "a.xml")
    assert "\n" not in str(caught.value)


@settings(max_examples=200, deadline=None)
@given(ANYTHING, st.sampled_from(["utf-8", "cp1252", "utf-16le"]))
def test_what_is_escaped_reads_back(text, encoding):
    data = f"<a>{escape_xml(text, encoding)}</a>".encode(encoding)
    root = etree.fromstring(data, etree.XMLParser(encoding=encoding))
    assert (root.text or "") == held(text)


@pytest.mark.parametrize(
    ("tag", "name", "value", "written"),
    [
        ("<a>", "b", "1", '<a b="1">'),
        ("<a/>", "b", "1", '<a b="1"/>'),
        ("<a c='2' />", "b", '"<', "<a c='2' b=\"&quot;&lt;\"/>"),
        ("<a b='2' c='3'>", "b", "1", "<a b=\"1\" c='3'>"),
        ("<a b='2' c='3'>", "b", None, "<a c='3'>"),
        ("<a c=' b=\"2\"'>", "b", None, "<a c=' b=\"2\"'>"),
    ],
)
def test_an_attribute_is_set_or_taken_away(tag, name, value, written):
    assert with_attribute(tag, name, value) == written


@pytest.mark.parametrize(
    "make",
    [
        lambda size: b"<a>" + b"<b/>" * size + b"</a>",
        lambda size: b"<a>" + b"&amp;" * size + b"</a>",
        lambda size: b"<a " + b" " * size + b"/>",
        lambda size: b"<!--" + b"- " * size + b"--><a/>",
        lambda size: b"<a>" + b"]]" * size + b"</a>",
    ],
)
def test_time_grows_with_the_file(make, takes_linear_time):
    def work(data):
        xml = read_xml(data, "a.xml")
        return [xml.attributes(token) for token in xml.tokens]

    takes_linear_time(work, make, sizes=(10_000, 100_000))


def test_an_error_that_a_warning_follows_is_an_error():
    data = b"<a xmlns:w='http://a%8-b'><b xml:space='x'/></a>"
    with pytest.raises(DataError, match=r"a\.xml:1: not valid XML \(.*not a valid URI"):
        read_xml(data, "a.xml")
