"""Hostile patterns of every format: files of any size that make a careless reader slow.

Each is a pattern that is repeated, or one that is nested, so that the same file can be made of
10 kB and of 100 kB.
"""

import io
import struct
import zipfile
from collections.abc import Callable, Iterable
from typing import NamedTuple

Maker = Callable[[int], bytes]


class Pattern(NamedTuple):
    """A file that grows."""

    format: str
    """A format of documents, or `corpus/` and one of corpora."""
    what: str
    make: Maker

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"{self.format} {self.what}"


def repeat(unit: str, before: str = "", after: str = "") -> Maker:
    """Repeat a text."""
    return lambda size: (before + unit * (size // len(unit.encode())) + after).encode()


def nest(
    opening: str, closing: str, inside: str = "a", around: tuple[str, str] = ("", "")
) -> Maker:
    """Nest a text in itself."""

    def make(size: int) -> bytes:
        times = size // len((opening + closing).encode())
        return (around[0] + opening * times + inside + closing * times + around[1]).encode()

    return make


def count(unit: Callable[[int], str], before: str = "", after: str = "") -> Maker:
    """Repeat a text that has a number in it."""

    def make(size: int) -> bytes:
        parts: list[str] = []
        length = 0
        while length < size:
            parts.append(unit(len(parts)))
            length += len(parts[-1])
        return (before + "".join(parts) + after).encode()

    return make


def archive(maker: Maker) -> Maker:
    """Give a DOCX file the main part that is made."""

    def make(size: int) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as packed:
            packed.writestr("[Content_Types].xml", "<Types/>")
            packed.writestr("word/document.xml", maker(size))
        return out.getvalue()

    return make


def catalogue(messages: Callable[[int], Iterable[tuple[bytes, bytes]]], plurals: int = 2) -> Maker:
    """Compile a catalogue of so many messages."""
    head = b"Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=%d; plural=0;\n"

    def make(size: int) -> bytes:
        rows = [(b"", head % plurals), *messages(size)]
        texts, places = bytearray(), ([], [])
        begin = 28 + 16 * len(rows)
        for row in rows:
            for side, text in zip(places, row, strict=True):
                side.append(struct.pack("<2I", len(text), begin + len(texts)))
                texts += text + b"\0"
        words = (0x950412DE, 0, len(rows), 28, 28 + 8 * len(rows), 0, 0)
        return struct.pack("<7I", *words) + b"".join(places[0] + places[1]) + bytes(texts)

    return make


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
BODY = (f"<w:document {W}><w:body>", "</w:body></w:document>")
PARAGRAPH = (f"{BODY[0]}<w:p>", f"</w:p>{BODY[1]}")
TEXT = "<w:r><w:t>a</w:t></w:r>"
XLIFF = (
    '<xliff version="1.2"><file source-language="en" target-language="hi"><body>',
    "</body></file></xliff>",
)
UNIT = (f'{XLIFF[0]}<trans-unit id="1"><source>', f"</source></trans-unit>{XLIFF[1]}")
XLIFF2 = ('<xliff version="2.0" srcLang="en" trgLang="hi"><file id="f">', "</file></xliff>")
TMX = ('<tmx version="1.4"><header srclang="en"/><body>', "</body></tmx>")
SEG = (f'{TMX[0]}<tu><tuv xml:lang="en"><seg>', f"</seg></tuv></tu>{TMX[1]}")
CUE = "1\n00:00:01,000 --> 00:00:02,000\n"
PLURAL = 'msgid ""\nmsgstr "Plural-Forms: nplurals=99; plural=0;\\n"\n\n'

MAKERS: dict[str, dict[str, Maker]] = {
    "plain": {
        "lines": repeat("a b\n"),
        "one line": repeat("a b "),
        "blanks": repeat(" ", "a", "b"),
        "carriage returns": repeat("\r", "a", "b"),
        "marks": repeat("\ufeff"),
        "line ends": repeat("\n"),
        "separators": repeat("a\u2028"),
    },
    "markdown": {
        "list in list": repeat("- ", after="a"),
        "numbers in numbers": repeat("1. ", after="a"),
        "quotation in quotation": repeat("> ", after="a"),
        "list in quotation": repeat("> - ", after="a"),
        "deeper lists": count(lambda n: " " * (2 * (n % 200)) + "- a\n"),
        "links without end": repeat("[a]("),
        "links": repeat("[a](b) "),
        "targets in targets": repeat("[a](b(", after=")"),
        "brackets": nest("[", "]"),
        "pictures": nest("![", "](b)"),
        "labels": repeat("[a][b"),
        "closing brackets": repeat("]"),
        "backticks": count(lambda n: "`" * (n % 150) + " a "),
        "backticks unclosed": repeat("`a ``b "),
        "stars and lines": repeat("*_"),
        "stars": repeat("*a "),
        "closing stars": repeat("a* "),
        "strikes": repeat("~~a"),
        "entities": repeat("&amp;"),
        "ampersands": repeat("&a"),
        "less": repeat("<a"),
        "tags": repeat("<b>a"),
        "addresses": repeat("<a@"),
        "comments": repeat("<!-- a "),
        "rules": repeat("- - - \n"),
        "long rule": repeat("* ", after="a"),
        "row of lines": repeat("|-", "a|b\n", "x"),
        "table": repeat("|a", "a|b\n-|-\n"),
        "many tables": repeat("a|b\n-|-\nc|d\n\n"),
        "pipes in text": repeat("a|b\n"),
        "headings": repeat("# a\n"),
        "hashes": repeat("#", "# a "),
        "braces of headings": repeat("{", "# a", "}"),
        "definitions": count(lambda n: f"[a{n}]: b\n"),
        "labels used": count(lambda n: f"[a{n}] ", "[a1]: b\n\n"),
        "fences": repeat("```\n"),
        "fences unclosed": repeat("~~~a\n\n````\n"),
        "html blocks": repeat("<div>\n\na\n\n"),
        "scripts": repeat("<script>a\n\n"),
        "escapes": repeat("\\"),
        "hard breaks": repeat("a  \n"),
        "spaces": repeat(" ", "a", "\nb"),
        "tabs": repeat("\t", "-", "a"),
        "paragraph": repeat("a\n"),
        "footnotes": repeat("[^a]: b\n"),
        "front matter": repeat("---\n"),
        "setext": repeat("a\n=\n"),
        "items": repeat("* a\n"),
    },
    "html": {
        "open tags": repeat("<b>a"),
        "nested": nest("<b>", "</b>"),
        "blocks": nest("<div>", "</div>"),
        "closing tags": repeat("</b>a"),
        "less": repeat("<"),
        "less and letter": repeat("<a"),
        "attributes": repeat(" a=b", "<p", ">c"),
        "named attributes": count(lambda n: f' a{n}="b"', "<p", ">c"),
        "titles": repeat('<b title="a">b</b>'),
        "titles inside": repeat('<img alt="a">', "<p>a", "b"),
        "quotes unclosed": repeat('<a b="'),
        "comments": repeat("<!--"),
        "comments ended": repeat("<!--a-->", "<p>a", "b"),
        "declarations": repeat("<!"),
        "instructions": repeat("<?"),
        "scripts": repeat("<script>"),
        "scripts ended": repeat("<script>a</script>"),
        "title elements": repeat("<title>a</title>"),
        "drawings": nest("<svg>", "</svg>"),
        "kept": nest("<pre>", "</pre>"),
        "not translated": repeat('<p translate="no">a'),
        "entities": repeat("&lt;"),
        "numbers": repeat("&#1114112;"),
        "long number": repeat("1", "<p>a&#", ";"),
        "ampersands": repeat("&"),
        "line breaks": repeat("<br>", "<p>a", "b"),
        "code": repeat("<code>a</code>", "<p>b "),
        "languages": repeat('<html lang="en">', "<p>a"),
        "slashes": repeat("/", "<p", ">a"),
        "blanks": repeat(" ", "<p>a", "b"),
        "crossed": repeat("<b><i></b></i>", "<p>a"),
    },
    "docx": {
        name: archive(maker)
        for name, maker in {
            "paragraphs": repeat(f"<w:p>{TEXT}</w:p>", *BODY),
            "runs": repeat(TEXT, *PARAGRAPH),
            "different runs": repeat(f"{TEXT}<w:r><w:rPr/><w:t>b</w:t></w:r>", *PARAGRAPH),
            "text outside of runs": repeat("<w:t>a</w:t>", *PARAGRAPH),
            "tabs": repeat("<w:r><w:tab/></w:r>", PARAGRAPH[0] + TEXT, TEXT + PARAGRAPH[1]),
            "links": repeat(f"<w:hyperlink>{TEXT}</w:hyperlink>", *PARAGRAPH),
            "fields": repeat(
                '<w:r><w:fldChar w:fldCharType="begin"/></w:r>', PARAGRAPH[0] + TEXT, PARAGRAPH[1]
            ),
            "ends of fields": repeat(
                '<w:r><w:fldChar w:fldCharType="end"/></w:r>', PARAGRAPH[0] + TEXT, PARAGRAPH[1]
            ),
            "bookmarks": repeat(
                '<w:bookmarkStart w:id="1"/>', PARAGRAPH[0] + TEXT, TEXT + PARAGRAPH[1]
            ),
            "ends of bookmarks": repeat(
                '<w:bookmarkEnd w:id="1"/>', PARAGRAPH[0] + TEXT, TEXT + PARAGRAPH[1]
            ),
            "texts in a run": repeat(
                "<w:t>a</w:t>", f"{PARAGRAPH[0]}<w:r>", f"</w:r>{PARAGRAPH[1]}"
            ),
            "comments": repeat("<!--a-->", PARAGRAPH[0] + TEXT, TEXT + PARAGRAPH[1]),
            "boxes": repeat(f"<w:r><w:pict><w:p>{TEXT}</w:p></w:pict></w:r>{TEXT}", *PARAGRAPH),
            "unknown": repeat("<w:x/>", PARAGRAPH[0] + TEXT, TEXT + PARAGRAPH[1]),
            "entities": repeat(
                "&amp;", f"{PARAGRAPH[0]}<w:r><w:t>a", f"</w:t></w:r>{PARAGRAPH[1]}"
            ),
        }.items()
    },
    "xliff": {
        "units": repeat('<trans-unit id="1"><source>a</source></trans-unit>', *XLIFF),
        "targets": repeat(
            '<trans-unit id="1"><source>a</source><target>b</target></trans-unit>', *XLIFF
        ),
        "codes": repeat('<x id="1"/>', UNIT[0] + "a", "b" + UNIT[1]),
        "opening codes": repeat('<bpt id="1"/>', UNIT[0] + "a", "b" + UNIT[1]),
        "closing codes": repeat('<ept id="1"/>a', UNIT[0], UNIT[1]),
        "crossed codes": repeat('<bpt id="1"/>a<bpt id="2"/>b<ept id="1"/>', *UNIT),
        "groups": repeat("<g id='1'>a</g>", *UNIT),
        "comments": repeat("<!---->", UNIT[0] + "a", "b" + UNIT[1]),
        "sections": repeat("<![CDATA[a]]>", *UNIT),
        "entities": repeat("&lt;", UNIT[0] + "a", UNIT[1]),
        "attributes": count(lambda n: f' a{n}="b"', f"{XLIFF[0]}<trans-unit", "/>" + XLIFF[1]),
        "files": repeat(
            '<file source-language="en"><trans-unit><source>a</source></trans-unit></file>',
            "<xliff>", "</xliff>"),
        "segments": repeat(
            "<unit id='1'><segment><source>a</source></segment></unit>", *XLIFF2),
        "segments of one unit": repeat(
            "<segment><source>a</source></segment>", f"{XLIFF2[0]}<unit id='1'>",
            f"</unit>{XLIFF2[1]}"),
        "other children": repeat(
            "<note/>", f"{XLIFF[0]}<trans-unit id='1'>",
            f"<source>a</source></trans-unit>{XLIFF[1]}"),
        "blanks": repeat(" ", UNIT[0] + "a", "b" + UNIT[1]),
        "line ends": repeat("\n", XLIFF[0], XLIFF[1]),
    },
    "tmx": {
        "units": repeat('<tu><tuv xml:lang="en"><seg>a</seg></tuv></tu>', *TMX),
        "empty units": repeat("<tu/>", TMX[0], f"{SEG[0].removeprefix(TMX[0])}a{SEG[1]}"),
        "variants": count(
            lambda n: f'<tuv xml:lang="x{n}"><seg>b</seg></tuv>',
            f'{TMX[0]}<tu><tuv xml:lang="en"><seg>a</seg></tuv>', f"</tu>{TMX[1]}"),
        "languages": count(
            lambda n: f'<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="x{n}"><seg>b</seg>'
            "</tuv></tu>", *TMX),
        "highlights": repeat("<hi>a</hi>", *SEG),
        "codes": repeat('<bpt i="1"/>a', *SEG),
        "long code": repeat("a", f"{SEG[0]}a<ph>", f"</ph>b{SEG[1]}"),
        "nested highlights": nest("<sub>", "</sub>", around=(f"{SEG[0]}<ph>", f"</ph>a{SEG[1]}")),
        "references": repeat("&#65;", *SEG),
        "attributes of a variant": count(
            lambda n: f' a{n}="b"', f'{TMX[0]}<tu><tuv xml:lang="en"',
            f"><seg>a</seg></tuv></tu>{TMX[1]}"),
    },
    "json": {
        "texts": repeat(',"a b"', '["a"', "]"),
        "short texts": repeat('"a",', "[", '"a"]'),
        "long text": repeat("a ", '["', '"]'),
        "names": count(lambda n: f'"a{n}":"b",', "{", '"z":"a"}'),
        "long names": nest('{"' + "a" * 150 + '":', "}", '"a"'),
        "arrays unclosed": repeat("["),
        "arrays": nest("[", "]", '"a"'),
        "empty arrays": repeat("[],", "[", '"a"]'),
        "numbers": repeat("1", "[", ',"a"]'),
        "many numbers": repeat("1,", "[", '"a"]'),
        "escapes": repeat("\\u0041", '["', '"]'),
        "backslashes": repeat("\\\\", '["', 'a"]'),
        "quotes": repeat('"'),
        "unclosed text": repeat("a", '["'),
        "blanks": repeat(" \n", "[", '"a"]'),
        "notes": repeat('"@a":"b",', "{", '"z":"a"}'),
        "lines": repeat('"a",\n', "[", '"a"]'),
    },
    "yaml": {
        "items": repeat("- a b\n"),
        "long text": repeat("b ", "a: "),
        "names": count(lambda n: f"a{n}: b\n"),
        "flow": repeat("a,", "[", "a]"),
        "flow mappings": repeat("{a: b},", "[", "a]"),
        "brackets unclosed": repeat("["),
        "braces unclosed": repeat("{"),
        "flow names": repeat("{a: ", after="b"),
        "deeper": count(lambda n: " " * n + "a:\n"),
        "lists in lists": repeat("- ", after="a"),
        "questions": repeat("? "),
        "anchors": count(lambda n: f"- &a{n} b\n"),
        "aliases": repeat("- *a\n", "- &a b\n"),
        "tags": repeat("- !a b\n"),
        "documents": repeat("---\na\n"),
        "comments": repeat("# a\n", after="a: b"),
        "long comment": repeat("#", after="\na: b"),
        "block": repeat("  a\n", "a: |\n"),
        "folded block": repeat("  a\n\n", "a: >\n"),
        "blocks": repeat("- |\n  a\n"),
        "quoted": repeat("- 'a'\n"),
        "doubled quotes": repeat("''", "a: 'b", "'"),
        "escapes": repeat("\\x41", 'a: "', '"'),
        "quote unclosed": repeat("a ", 'a: "'),
        "lines of a quote": repeat("a\n\n ", 'a: "', '"'),
        "lines of a text": repeat("a\n ", "a: "),
        "empty lines": repeat("\n", "a:", " b"),
        "blanks": repeat(" ", "a: b", "\nc: d"),
        "colons": repeat(":", "a", " b"),
        "anchors alone": repeat("&a "),
        "long anchor": repeat("a", "- &", " b"),
        "long tag": repeat("a", "- !", " b"),
        "one name": repeat("  - a b\n", "en:\n"),
    },
    "subtitles": {
        "cues": repeat(f"{CUE}a b\n\n"),
        "lines": repeat("a\n", CUE),
        "tags": repeat("<i>a</i> b\n", CUE),
        "open tags": repeat("<i>", CUE, "a"),
        "nested tags": nest("<i>", "</i>", around=(CUE, "")),
        "less": repeat("<", CUE, "a"),
        "less and letter": repeat("<i ", CUE, "a"),
        "braces": repeat("{\\", CUE, "a"),
        "brace tags": repeat("{b}a{/b}", CUE),
        "classes": repeat("<c.a>b</c>", f"WEBVTT\n\n{CUE}"),
        "times": repeat("<00:00:01.000>a", f"WEBVTT\n\n{CUE}"),
        "entities": repeat("&amp;", f"WEBVTT\n\n{CUE}a"),
        "notes": repeat("NOTE a\n\n", "WEBVTT\n\n"),
        "arrows": repeat("-->", CUE, "a"),
        "timings": repeat("00:00:01,000 --> 00:00:02,000\n", CUE),
        "digits": repeat("0:", after="\na"),
        "blanks": repeat(" ", f"{CUE}a", "b"),
        "empty lines": repeat("\n", f"{CUE}a"),
    },
    "po": {
        "messages": repeat('msgid "a b"\nmsgstr ""\n\n'),
        "long text": repeat(" b", 'msgid "a', '"\nmsgstr ""\n'),
        "strings": repeat('"a"\n', 'msgid ""\n', 'msgstr ""\n'),
        "strings in a line": repeat('"a" ', "msgid ", 'msgstr ""\n'),
        "comments": repeat("# a\n", after='msgid "a"\nmsgstr ""\n'),
        "flags": repeat(", a", "#", '\nmsgid "a"\nmsgstr ""\n'),
        "fuzzy": repeat(", fuzzy", "#", '\nmsgid "a"\nmsgstr "b"\n'),
        "fuzzy messages": repeat('#, fuzzy\n#| msgid "b"\nmsgid "a"\nmsgstr "c"\n\n'),
        "obsolete": repeat('#~ msgid "a"\n', after='msgid "a"\nmsgstr ""\n'),
        "forms": count(lambda n: f'msgstr[{n}] "b"\n', 'msgid "a"\nmsgid_plural "c"\n'),
        "missing forms": repeat('msgid "a"\nmsgid_plural "c"\nmsgstr[0] ""\n\n', PLURAL),
        "escapes": repeat("\\n", 'msgid "a', '"\nmsgstr ""\n'),
        "bytes": repeat("\\x41", 'msgid "a', '"\nmsgstr ""\n'),
        "backslashes": repeat("\\\\", 'msgid "a', '"\nmsgstr ""\n'),
        "quotes": repeat('"'),
        "unclosed": repeat("a", 'msgid "'),
        "words": repeat("a", "msgid"),
        "contexts": count(lambda n: f'msgctxt "{n}"\nmsgid "a"\nmsgstr ""\n'),
        "headers": repeat('msgid ""\nmsgstr "charset=CHARSET"\n', after='msgid "a"\nmsgstr ""\n'),
        "types": repeat('"Content-Type: ', 'msgid ""\nmsgstr ""\n'),
        "blanks": repeat(" \n", after='msgid "a"\nmsgstr ""\n'),
    },
    "mo": {
        "messages": catalogue(lambda size: ((b"a %d" % n, b"") for n in range(size // 24))),
        "long message": catalogue(lambda size: [(b"a b " * (size // 4), b"c")]),
        "forms": catalogue(lambda size: [(b"a\0b", b"\0".join([b"c"] * (size // 2)))]),
        "gaps": catalogue(lambda size: [(b"a\0b", b"\0" * size)]),
        "plurals": catalogue(
            lambda size: ((b"a %d\0b" % n, b"c") for n in range(size // 26)), plurals=99),
        "ids": catalogue(lambda size: [(b"a\0" * (size // 2), b"c")]),
        "contexts": catalogue(lambda size: [(b"a\x04" * (size // 2), b"c")]),
    },
    "tsv": {
        "rows": repeat("a b\tc\n", "a\tb\n"),
        "one cell": repeat("a b ", "a\n"),
        "tabs": repeat("\t", "a"),
        "rows of tabs": repeat("a\t\t\t\t\t\t\t\t\t\n"),
        "empty rows": repeat("\n", "a\n", "b"),
        "carriage returns": repeat("\r", "a\n"),
        "empty cells": repeat("\t\n", "a\n"),
    },
    "csv": {
        "rows": repeat('a b,"c"\n', "a,b\n"),
        "quoted": repeat('"a"\n'),
        "doubled quotes": repeat('a ""b"" ', 'a\n"', '"\n'),
        "quotes": repeat('"'),
        "odd quotes": repeat('"', '"'),
        "unclosed": repeat("a\n", '"'),
        "lines of a cell": repeat("a\n", '"', '"'),
        "commas": repeat(",", "a"),
        "semicolons": repeat("a;b\n"),
        "carriage returns": repeat('"a"\r\n'),
        "quote after text": repeat('a"b\n'),
    },
    "corpus/tsv": {"rows": repeat("a\tb\n"), "tabs": repeat("\t"), "blanks": repeat(" ", "a\tb")},
    "corpus/csv": {
        "rows": repeat('a,"b"\n'),
        "lines of a cell": repeat("a\n", '"', '",b\n'),
        "doubled quotes": repeat('""', '"', '",b\n'),
        "unclosed": repeat("a\n", '"'),
        "columns": repeat("a,"),
        "long cell": repeat("a ", after=",b"),
    },
    "corpus/jsonl": {
        "objects": repeat('{"source":"a","target":"b"}\n'),
        "keys": count(lambda n: f'"a{n}":1,', "{", '"source":"a","target":"b"}'),
        "nested": nest("[", "]", around=('{"source":"a","target":', "}")),
        "unclosed": repeat('{"a":'),
        "escapes": repeat("\\u0041", '{"source":"', '","target":"b"}'),
        "blank lines": repeat("\n", '{"source":"a","target":"b"}\n'),
    },
    "corpus/po": {
        "messages": repeat('msgid "a"\nmsgstr "b"\n\n'),
        "strings": repeat('"a"\n', 'msgid ""\n', 'msgstr "b"\n'),
        "forms": count(lambda n: f'msgstr[{n}] "b"\n', 'msgid "a"\nmsgid_plural "c"\n'),
        "escapes": repeat("\\n", 'msgid "a', '"\nmsgstr "b"\n'),
        "quotes": repeat('\\"', 'msgid "a', '"\nmsgstr "b"\n'),
        "comments": repeat("#, fuzzy\n", after='msgid "a"\nmsgstr "b"\n'),
        "line ends": repeat("\\r\\n", 'msgid "a', 'b"\nmsgstr "b"\n'),
    },
    "corpus/mo": {
        "messages": catalogue(lambda size: ((b"a %d" % n, b"b") for n in range(size // 24))),
        "forms": catalogue(lambda size: [(b"a\0b", b"\0".join([b"c"] * (size // 2)))]),
        "empty": catalogue(lambda size: [(b"", b"charset=")] * (size // 30)),
    },
    "corpus/tmx": {
        "units": repeat(
            '<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="hi"><seg>b</seg></tuv></tu>',
            *TMX),
        "variants": count(
            lambda n: f'<tuv xml:lang="x{n}"><seg>b</seg></tuv>',
            f'{TMX[0]}<tu><tuv xml:lang="en"><seg>a</seg></tuv>', f"</tu>{TMX[1]}"),
        "nested units": nest("<tu>", "</tu>", "", TMX),
        "other elements": repeat("<note/>", *TMX),
        "highlights": repeat("<hi>a</hi>", *SEG),
        "line ends": repeat("a\n", *SEG),
    },
    "corpus/xliff": {
        "units": repeat(
            "<trans-unit><source>a</source><target>b</target></trans-unit>", *XLIFF),
        "nested units": nest("<trans-unit>", "</trans-unit>", "", XLIFF),
        "groups": repeat("<group/>", *XLIFF),
        "other children": repeat(
            "<note/>", f"{XLIFF[0]}<trans-unit>", f"<source>a</source></trans-unit>{XLIFF[1]}"),
        "units in groups": nest("<group><trans-unit/>", "</group>", "", XLIFF),
    },
    "corpus/labeled": {
        "rows": repeat("a\tb\n"),
        "tabs in a cell": repeat("\\t", '{"text":"a', 'b","label":"c"}'),
        "objects": repeat('{"text":"a","label":1}\n'),
        "numbers": repeat("1", '{"text":"a","label":', "}"),
    },
    "corpus/captioned": {
        "rows": repeat("a.png\tb\n"),
        "keywords": repeat("|a", "image\tcaption\tkeywords\na.png\tb\tc"),
        "columns": repeat("image\t", after="caption"),
        "many columns": count(lambda n: f"a{n}\t", "image\tcaption\t"),
    },
    "corpus/lines": {
        "lines": repeat("a b\n"),
        "one line": repeat("a b "),
        "empty lines": repeat("\n", "a\n"),
        "line ends": repeat("\r\n"),
    },
}  # fmt: skip
PATTERNS = [
    Pattern(format, what, make)
    for format, makers in MAKERS.items()
    for what, make in makers.items()
]
