"""Mutations of files: bytes, slices, tokens of the format, nesting, encodings, elements of XML."""

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from random import Random

LONGEST = 20_000
"""Bytes of a mutated file."""
MARKUP = re.compile(rb"<[^<>]*>")
DOCX_PART = "word/document.xml"
ODD = [
    "\ufeff",
    "\u2028",
    "\x85",
    "\r",
    "\x0b",
    "\t",
    "\n\n",
    "\xa0",
    "\u202e",
    "👋🏽",
    "ſ",
    "İ",
    "\x1c",
]
TOKENS = {
    "plain": ["\n", "\r\n", " "],
    "markdown": ["- ", "1. ", "> ", "# ", "```\n", "~~~", "`", "``", "*", "**", "_", "~~",
                 "[", "](",
                 "](a)", "[a]: b\n", "[^a]", "![", "|", "\n-|-\n", "<b>", "</b>", "<br/>",
                 "<!--",
                 "-->", "&amp;", "\\", "  \n", "\n\n", "    ", "---\n", "===\n", "<a@b>",
                 "{#a}",
                 "<pre>", ":::\n", "$$\n", "[ ] "],
    "html": ["<p>", "</p>", "<b>", "</b>", "<br>", "<code>", "</code>", "<pre>", "</pre>",
             "<!--",
             "-->", "<script>", "</script>", "<svg/>", "<svg>", "</svg>", "<title>", "</title>",
             "<img alt=a>", '<a title="b">', "<p translate=no>", "<html lang=en>", "&lt;",
             "&#65;",
             "&amp", "<", ">", "</", "<!", "<?", '"', "'", "=", "/>", "<meta charset=utf-8>",
             "<textarea>", "<input type=submit value=a>", "<template>", "]]>"],
    "docx": ["<w:p>", "</w:p>", "<w:r>", "</w:r>", "<w:t>a</w:t>", "<w:t/>", "<w:tab/>",
             "<w:br/>",
             "<w:r><w:t>b</w:t></w:r>", "<w:p/>", "<w:rPr><w:b/></w:rPr>", "<w:hyperlink>",
             "</w:hyperlink>", '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
             '<w:r><w:fldChar w:fldCharType="separate"/></w:r>',
             '<w:r><w:fldChar w:fldCharType="end"/></w:r>', "<w:instrText>HYPERLINK</w:instrText>",
             '<w:bookmarkStart w:id="1"/>', '<w:bookmarkEnd w:id="1"/>', "<w:sdt>", "</w:sdt>",
             "<w:sdtContent>", "</w:sdtContent>", "<w:noBreakHyphen/>", "<w:unknown/>", "<x/>",
             "<w:del>", "</w:del>", "<w:ins>", "</w:ins>", "<!--a-->", "<![CDATA[a]]>", "text",
             "<w:pict><w:p><w:r><w:t>c</w:t></w:r></w:p></w:pict>", "<w:pPr/>", "&#65;"],
    "xliff": ["<source>", "</source>", "<target>", "</target>", "<target/>", "<g id='1'>",
              "</g>",
              "<x id='1'/>", "<bpt id='1'/>", "<ept id='1'/>", "<trans-unit id='2'>",
              "</trans-unit>", "<segment>", "</segment>", "<unit>", "</unit>", "<seg-source>",
              "</seg-source>", "<mrk mtype='protected'>", "</mrk>", " translate='no'", "&lt;",
              " state='new'", "<![CDATA[a]]>", "<!--a-->", "<?a b?>", "<file>", "</file>",
              "<a:b/>",
              " xmlns:a='b'", "<ph/>", "<sc id='1'/>", "<ec startRef='1'/>", "<alt-trans>"],
    "tmx": ["<tu>", "</tu>", '<tuv xml:lang="en">', '<tuv xml:lang="hi">', '<tuv lang="en">',
            "</tuv>", "<seg>", "</seg>", "<seg/>", '<bpt i="1">', "</bpt>",
            '<ept i="1"/>', "<hi>",
            "</hi>", "<ph>", "</ph>", "<sub>", "</sub>", "&gt;", "<![CDATA[a]]>", "<!--a-->",
            "<note>a</note>", ' tuid="1"', ' srclang="*all*"'],
    "json": ["{", "}", "[", "]", ",", ":", '"', '"a"', '"a":', "\\u0041", "\\ud800", "\\",
             "null",
             "1", "-0.5e9", '"@a":', "\\u0000", "true", "NaN"],
    "yaml": ["- ", ": ", "? ", "|\n", ">\n", ">-\n", "|2\n", "&a ", "*a", "!a ", "!!str ",
             "[", "]",
             "{", "}", ",", "#", " #a\n", "'", '"', "---\n", "...\n", "%YAML 1.1\n",
             "\n  ", "\n",
             "<<: ", "\\x41", "\\u263a", "~", "yes", "1", "@", "`", "en:\n"],
    "subtitles": ["\n\n", "00:00:01,000 --> 00:00:02,000\n", "00:01.000 --> 00:02.000\n",
                  "-->", "<i>",
                  "</i>", "<c.a>", "</c>", "<00:00:01.000>", "{b}", "{/b}", "{\\an8}",
                  "WEBVTT\n\n",
                  "NOTE a\n\n", "STYLE\n", "&lt;", "&amp;", "<v A>", "1\n", "\r\n"],
    "po": ['msgid "', 'msgstr "', 'msgid_plural "a"\n', 'msgstr[0] "', 'msgstr[1] "b"\n',
           "msgctxt ",
           'msgid "a"\n', 'msgstr ""\n', '"', "\\", "\\n", "\\x41", "\\101", "#, fuzzy\n", "#| a\n",
           "#~ ", "# ", '"a"\n', "domain ", "[1]", "\n\n", 'charset=CHARSET\\n"\n',
           '"Plural-Forms: nplurals=3; plural=0;\\n"\n',
           '"Content-Type: text/plain; charset=latin1\\n"'],
    "mo": ["\0", "\x04", "charset=koi8-r", "Plural-Forms: nplurals=9", "\0\0\0\x01",
           "\x01\0\0\0"],
    "tsv": ["\t", "\n", "\t\t", "\r\n", '"', "source\ttarget\n"],
    "csv": [",", ";", '"', '""', "\n", '"\n', ',"', "\r\n", "source,target\n"],
    "jsonl": ["{", "}", '"source":', '"target":', '"a",', "\n", "[", "null", "\\ud800",
              '"', "{}\n"],
    "labeled": ["\t", "\n", '{"text":"a","label":1}\n', '"label":', "null", "\r"],
    "captioned": ["\t", "\n", "image\tcaption\n", "|", "\r", "language\t"],
    "lines": ["\n", "\r\n", "\0", "\t"],
}  # fmt: skip


def mutate(format: str, data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Change a file in one to four ways; `others` are files of its format to take slices from."""
    if format == "docx" and rng.random() < 0.95:
        return _inside_archive(data, others, rng)
    tokens = [token.encode() for token in TOKENS[format] + ODD]
    return _mutated(data, tokens, others, rng)


def _mutated(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], rng: Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        data = rng.choice(MUTATIONS)(data, tokens, others, rng)[:LONGEST]
    return data


def _inside_archive(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Change the main part of a DOCX file, and pack it again."""
    tokens = [token.encode() for token in TOKENS["docx"]]
    parts = [_unpacked(other) for other in others]
    part = _mutated(_unpacked(data), tokens, parts, rng)
    return packed(part)


def _unpacked(data: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(DOCX_PART)
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError):
        return data


def packed(part: bytes) -> bytes:
    """Return a DOCX file with this main part."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("[Content_Types].xml"), "<Types/>")
        archive.writestr(zipfile.ZipInfo(DOCX_PART), part)
    return out.getvalue()


Mutation = Callable[[bytes, Sequence[bytes], Sequence[bytes], Random], bytes]


def _slice(data: bytes, rng: Random) -> tuple[int, int]:
    begin = rng.randint(0, len(data))
    return begin, min(len(data), begin + int(rng.expovariate(1 / 20)))


def _flip(data: bytes, _: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    sign = bytes([rng.choice((rng.randrange(256), rng.randrange(32, 127)))])
    return data[:place] + sign + data[place + 1 :]


def _cut(data: bytes, _: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    begin, end = _slice(data, rng)
    return data[:begin] + data[end:]


def _shorten(data: bytes, _: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    place = rng.randint(0, len(data))
    return data[:place] if rng.random() < 0.7 else data[place:]


def _double(data: bytes, _: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    begin, end = _slice(data, rng)
    return data[:begin] + data[begin:end] * rng.choice((2, 2, 3, 20)) + data[end:]


def _move(data: bytes, _: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    begin, end = _slice(data, rng)
    rest = data[:begin] + data[end:]
    place = rng.randint(0, len(rest))
    return rest[:place] + data[begin:end] + rest[place:]


def _insert(data: bytes, tokens: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    place = rng.randint(0, len(data))
    return data[:place] + rng.choice(tokens) * rng.choice((1, 1, 1, 2, 50)) + data[place:]


def _wrap(data: bytes, tokens: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    begin, end = _slice(data, rng)
    return b"".join(
        (data[:begin], rng.choice(tokens), data[begin:end], rng.choice(tokens), data[end:])
    )


def _splice(data: bytes, _: Sequence[bytes], others: Sequence[bytes], rng: Random) -> bytes:
    other = rng.choice(others)
    begin, end = _slice(other, rng)
    place = rng.randint(0, len(data))
    return data[:place] + other[begin:end] + data[place:]


def _recode(data: bytes, _: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-8-sig", "latin-1", "cp1251", "shift_jis"))
    if rng.random() < 0.5:
        return re.sub(rb"(?i)utf-8", encoding.encode(), data)
    return text.encode(encoding, "replace")


def _line_ends(data: bytes, _: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"")))


def _elements(data: bytes, _: Sequence[bytes], __: Sequence[bytes], rng: Random) -> bytes:
    """Move, remove, double, rename or swap whole tags, so that XML often stays XML."""
    tags = list(MARKUP.finditer(data))
    if not tags:
        return data
    one = rng.choice(tags)
    element = _element(data, one)
    match rng.randrange(5):
        case 0:
            return data.replace(element, b"", 1)
        case 1:
            return data.replace(element, element * 2, 1)
        case 2:
            rest = data.replace(element, b"", 1)
            place = rng.choice([tag.end() for tag in MARKUP.finditer(rest)] or [0])
            return rest[:place] + element + rest[place:]
        case 3:
            other = _element(data, rng.choice(tags))
            return data.replace(element, other)
        case _:
            inner = element[one.end() - one.start() : element.rfind(b"<")]
            return data.replace(element, inner, 1)


def _element(data: bytes, tag: re.Match[bytes]) -> bytes:
    """Return an element from its opening tag to the first closing tag of its name."""
    name = re.match(rb"<([\w:.-]+)", tag.group())
    if name is None or tag.group().endswith(b"/>"):
        return tag.group()
    closing = b"</" + name[1] + b">"
    end = data.find(closing, tag.end())
    return tag.group() if end < 0 else data[tag.start() : end + len(closing)]


MUTATIONS: tuple[Mutation, ...] = (
    _flip, _flip, _cut, _shorten, _double, _move, _insert, _insert, _insert, _wrap, _splice,
    _recode, _line_ends, _elements, _elements, _elements,
)  # fmt: skip
