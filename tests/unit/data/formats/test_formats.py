"""The same pairs come out of every format, however it is compressed."""

import bz2
import csv
import gettext
import gzip
import io
import json
import lzma
import random
from xml.sax.saxutils import escape

import polib
import pytest
import zstandard

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.read import format_of, read_pairs

PAIRS = [
    Pair("Open the file", "फ़ाइल खोलें"),
    Pair('He said "no", twice; <b>loud</b> & clear', "उसने दो बार „नहीं“ कहा; <b>ज़ोर</b> & साफ़"),
    Pair("back\\slash and %s, {name}", "बैक\\स्लैश और %s, {name}"),
    Pair("  two  spaces inside ", "अंदर  दो  रिक्त"),
    Pair("emoji 🐫, é and e\u0301", "ऊँट 🐫"),
]
ENGLISH_HINDI = LanguagePair("en", "hi")


def pairs_of(*files, wanted=None, format="auto", longest=2000):
    findings = Findings()
    found = read_pairs(
        files, longest=longest, repair=True, findings=findings, format=format, wanted=wanted
    )
    return list(found), findings


def as_tsv(pairs):
    return "".join(f"{s}\t{t}\n" for s, t in pairs).encode()


def as_csv(pairs):
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerows([("id", "target", "source"), *((n, t, s) for n, (s, t) in enumerate(pairs))])
    return table.getvalue().encode()


def as_json_lines(pairs):
    rows = ({"translation": {"hi": t, "en": s}} for s, t in pairs)
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def catalogue(pairs):
    po = polib.POFile(wrapwidth=30)
    po.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": "hi"}
    po.extend(polib.POEntry(msgid=s, msgstr=t) for s, t in pairs)
    return po


def as_po(pairs):
    return str(catalogue(pairs)).encode()


def as_mo(pairs):
    return catalogue(pairs).to_binary()


def as_tmx(pairs, encoding="UTF-8"):
    units = "".join(
        f'<tu><note>x</note><tuv xml:lang="hi-IN"><seg>{escape(t)}</seg></tuv>'
        f'<tuv xml:lang="EN-us"><prop type="x">no</prop><seg>{escape(s)}</seg></tuv>'
        '<tuv xml:lang="de"><seg>etwas</seg></tuv></tu>\n'
        for s, t in pairs
    )
    head = '<header srclang="en" datatype="plaintext"/>'
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<tmx version="1.4">{head}<body>{units}'
    return f"{text}</body></tmx>".encode(encoding)


def as_xliff_1(pairs):
    units = "".join(
        f'<trans-unit id="{n}" approved="no"><source>{escape(s)}</source>'
        f'<seg-source>no</seg-source><target state="needs-review">{escape(t)}</target>'
        "<alt-trans><source>no</source><target>no</target></alt-trans></trans-unit>\n"
        for n, (s, t) in enumerate(pairs)
    )
    return (
        '<?xml version="1.0"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
        f'<file original="a" source-language="en-US" target-language="hi"><body><group>{units}'
        "</group></body></file></xliff>"
    ).encode()


def as_xliff_2(pairs):
    units = "".join(
        f'<unit id="{n}"><segment><source>{escape(s)}</source><target>{escape(t)}</target>'
        "</segment><ignorable><source> </source></ignorable></unit>\n"
        for n, (s, t) in enumerate(pairs)
    )
    return (
        '<xliff version="2.0" srcLang="en" trgLang="hi" '
        f'xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f">{units}</file></xliff>'
    ).encode()


WRITERS = {
    "a.tsv": as_tsv,
    "a.csv": as_csv,
    "a.jsonl": as_json_lines,
    "a.po": as_po,
    "a.mo": as_mo,
    "a.tmx": as_tmx,
    "a.xlf": as_xliff_1,
    "a.xliff": as_xliff_2,
}
PACKERS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_in_every_packing_holds_the_same_pairs(write, name, ending):
    path = write(name + ending, PACKERS[ending](WRITERS[name](PAIRS)))
    pairs, findings = pairs_of(path, wanted=ENGLISH_HINDI)
    assert sorted(pairs) == sorted(PAIRS)  # an MO file is sorted by its messages
    assert findings.lines() == []


@pytest.mark.parametrize("ending", PACKERS)
def test_two_plain_files_may_be_packed_too(write, ending):
    sides = [
        "".join(f"{side}\n" for side in column).encode() for column in zip(*PAIRS, strict=True)
    ]
    files = [write(f"a.{n}{ending}", PACKERS[ending](side)) for n, side in enumerate(sides)]
    assert pairs_of(*files)[0] == PAIRS


@pytest.mark.parametrize("name", WRITERS)
def test_the_format_may_be_told_where_the_name_does_not_say_it(write, name):
    path = write("data.bin", WRITERS[name](PAIRS))
    pairs, _ = pairs_of(path, wanted=ENGLISH_HINDI, format=format_of(write(name, b"")))
    assert sorted(pairs) == sorted(PAIRS)


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_several_packed_parts_after_one_another_are_one_file(write, ending):
    halves = [PACKERS[ending](as_tsv(half)) for half in (PAIRS[:2], PAIRS[2:])]
    assert pairs_of(write("a.tsv" + ending, b"".join(halves)))[0] == PAIRS


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_a_packed_file_cut_anywhere_is_refused(write, ending):
    rows = [Pair(f"sentence {n} {n * n % 977}", f"Satz {n}") for n in range(2000)]
    whole = PACKERS[ending](as_tsv(rows))
    for part in (0.2, 0.5, 0.9, 0.999):
        path = write("a.tsv" + ending, whole[: int(part * len(whole))])
        with pytest.raises(DataError, match=r"a\.tsv\.\w+:\d+: the \w+ file is cut off or damaged"):
            pairs_of(path)


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_a_bomb_is_refused_before_it_has_gone_off(write, ending):
    bomb = PACKERS[ending](bytes(50_000_000))
    assert len(bomb) < 100_000
    with pytest.raises(DataError, match=r"unpack to more than [\d,]+, as text does not"):
        pairs_of(write("a.tsv" + ending, bomb))


@pytest.mark.parametrize("ending", [".bz2", ".xz", ".zst"])
def test_a_packed_file_in_disguise_is_recognized(write, ending):
    with pytest.raises(
        DataError, match=rf"the file is compressed by .*Let its name end in \{ending}"
    ):
        pairs_of(write("a.tsv", PACKERS[ending](b"a\tb\n")))


def test_line_ends_inside_a_segment_become_spaces(write):
    broken = [Pair("one\n  two\r\nthree", "eins\nzwei\n")]
    whole = [Pair("one two three", "eins zwei")]
    for name in ("a.csv", "a.jsonl", "a.po", "a.mo", "a.tmx", "a.xlf", "a.xliff"):
        assert pairs_of(write(name, WRITERS[name](broken)), wanted=ENGLISH_HINDI)[0] == whole, name


@pytest.mark.parametrize(
    ("content", "wanted", "pairs"),
    [
        ("a,b\nc,d\n", None, [("a", "b"), ("c", "d")]),
        ("a;b\nd;e, f\n", None, [("a", "b"), ("d", "e, f")]),
        ("a,b,x\nc,d,y\n", None, [("a", "b"), ("c", "d")]),
        ("tgt,src\nb,a\n", None, [("a", "b")]),
        ("hi,note,en-GB\nb,x,a\n", ENGLISH_HINDI, [("a", "b")]),
        ('"a ""b""\nc","d"\r\n', None, [('a "b" c', "d")]),
        ("\ufeffsource,target\na,b\n\n", None, [("a", "b")]),
    ],
)
def test_the_columns_of_a_csv_file_are_found_by_name_or_are_the_first_two(
    write, content, wanted, pairs
):
    assert pairs_of(write("a.csv", content), wanted=wanted)[0] == pairs


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\nc\n", r"a\.csv:2: 1 columns"),
        ("a,b\nc,d,e\n", r"a\.csv:2: 3 columns.* first row has 2"),
        ("alone\n", r"a\.csv:1: 1 columns"),
        ('a,"b\nc,d\n', r"a\.csv:2: not CSV .*quotation mark"),
        ('a,"b"c\n', r"a\.csv:1: not CSV"),
        ('a,"' + "b" * 200_000 + '"\n', r"a\.csv:1: not CSV \(field larger"),
        (b"a,\xff\n", r"a\.csv:1: not UTF-8"),
    ],
)
def test_a_csv_file_that_could_shift_its_columns_is_refused(write, content, words):
    with pytest.raises(DataError, match=words):
        pairs_of(write("a.csv", content))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('{"source": "a", "target": "b"}', None),
        ('{"tgt": "b", "src": "a", "id": 3}', None),
        ('{"hi": "b", "en": "a", "score": 0.5}', ENGLISH_HINDI),
        ('{"hi_IN": "b", "en_GB": "a"}', ENGLISH_HINDI),
        ('{"en": "a", "hi": "b"}', None),
        ('{"id": "7", "translation": {"hi": "b", "en": "a"}}', ENGLISH_HINDI),
    ],
)
def test_the_keys_of_json_lines(write, line, wanted):
    assert pairs_of(write("a.jsonl", f"{line}\n\n{line}"), wanted=wanted)[0] == [("a", "b")] * 2


def test_an_object_of_two_keys_keeps_the_order_of_the_first_one(write):
    content = '{"en": "a", "hi": "b"}\n{"hi": "d", "en": "c"}\n'
    assert pairs_of(write("a.jsonl", content))[0] == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1, 2]", "not a JSON object"),
        ("{nonsense", "no pair in this line"),
        ('{"de": "a", "fr": "b", "it": "c"}', "its keys are 'de', 'fr', 'it'"),
        ('{"source": 3, "target": "b"}', "a side is of type int"),
        ('{"source": "\\ud800", "target": "b"}', "a lone surrogate"),
        ("[" * 100_000, "no pair in this line"),
        ('{"source": ' + "9" * 5000 + "}", "no pair in this line"),
    ],
)
def test_json_lines_that_are_no_pairs_are_refused_with_their_number(write, line, words):
    good = '{"source": "a", "target": "b"}'
    with pytest.raises(DataError, match=rf"a\.jsonl:2: .*{words}"):
        pairs_of(write("a.jsonl", f"{good}\n{line}\n"))


def messages():
    po = catalogue([])
    entries = [
        polib.POEntry(msgid="one", msgstr="eins"),
        polib.POEntry(msgid="open", msgctxt="verb", msgstr="öffnen"),
        polib.POEntry(msgid="open", msgctxt="state", msgstr="offen"),
        polib.POEntry(msgid="%d file", msgid_plural="%d files", msgstr_plural={0: "a", 1: "b"}),
        polib.POEntry(msgid="unsure", msgstr="unsicher", flags=["fuzzy", "c-format"]),
        polib.POEntry(msgid="bare"),
        polib.POEntry(msgid='tab\t"quote"\\n', msgstr="Tab\t„x“\\n", comment="a note"),
        polib.POEntry(msgid="gone", msgstr="weg", obsolete=True),
    ]
    po.extend(entries)
    return po


EXPECTED = [
    ("one", "eins"),
    ("open", "öffnen"),
    ("open", "offen"),
    ("%d file", "a"),
    ("%d files", "b"),
    ('tab\t"quote"\\n', "Tab\t„x“\\n"),
]


def test_a_po_file_gives_its_finished_messages_and_counts_the_others(write):
    pairs, findings = pairs_of(write("a.po", str(messages())))
    assert pairs == EXPECTED
    assert findings.count(FindingKind.UNFINISHED) == 2
    assert findings.count(FindingKind.EMPTY_SIDE) == 1


def test_an_mo_file_gives_what_gettext_reads(write):
    path = write("a.mo", messages().to_binary())
    assert sorted(pairs_of(path)[0]) == sorted(EXPECTED)
    with path.open("rb") as stream:
        read = gettext.GNUTranslations(stream)
    assert read.pgettext("verb", "open") == "öffnen"
    assert read.ngettext("%d file", "%d files", 2) == "b"


def test_an_mo_file_of_the_other_byte_order_and_another_charset_is_read(write):
    import struct

    texts = [
        (b"", b"Content-Type: text/plain; charset=ISO-8859-1\n"),
        (b"a", "ä".encode("latin-1")),
    ]
    body, table = b"", []
    for side in (0, 1):
        for entry in texts:
            table.append((len(entry[side]), 28 + 32 + len(body)))
            body += entry[side] + b"\0"
    head = struct.pack(">7I", 0x950412DE, 0, 2, 28, 44, 0, 0)
    data = head + b"".join(struct.pack(">2I", *row) for row in table) + body
    assert pairs_of(write("a.mo", data))[0] == [("a", "ä")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('msgid "a"\nmsgstr b\n', r"a\.po:2: not PO"),
        ('"lost"\n', r"a\.po:1: not PO \(a text before any msgid"),
        ('msgid "a"\nmsgid "b"\n', r"a\.po:2: not PO \(a second msgid"),
        ('msgid "a"\nmsgstr "b"c"\n', r"a\.po:2: not PO \(a quotation mark inside"),
        ('msgid "a"\nmsgstr "b\\"\n', r"a\.po:2: not PO"),
        (b'msgid "a"\nmsgstr "\xe4"\n', r"a\.po:2: not UTF-8"),
    ],
)
def test_a_broken_po_file_is_refused_with_its_line(write, content, words):
    with pytest.raises(DataError, match=words):
        pairs_of(write("a.po", content))


@pytest.mark.parametrize("charset", [b"punycode", b"unicode_escape", b"rot13", b"utf-99"])
def test_an_mo_file_in_an_encoding_that_is_no_charset_is_refused(write, charset):
    data = as_mo([Pair("a", "b")]).replace(b"charset=UTF-8", b"charset=" + charset)
    short = len(charset) - len("UTF-8")
    data = data.replace(b"Language: hi\n", b"Language: hi\n"[short:]) if short > 0 else data
    with pytest.raises(DataError, match=r"a\.mo: entry 1 is cut off or damaged \(unknown encoding"):
        pairs_of(write("a.mo", data))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"source": "a\\u0000b", "target": "c"}\n'),
        ("a.po", 'msgid "a\\000b"\nmsgstr "c"\n'),
    ],
)
def test_a_nul_written_as_an_escape_is_removed_and_counted(write, name, content):
    pairs, findings = pairs_of(write(name, content))
    assert pairs == [("ab", "c")]
    assert findings.count(FindingKind.NUL) == 1


def test_an_mo_file_cut_anywhere_is_refused_or_keeps_what_is_whole(write):
    data = as_mo(PAIRS)
    for end in range(0, len(data) - 1, 7):
        with pytest.raises(DataError, match=r"a\.mo: (not an MO|entry \d+ is cut off)"):
            pairs_of(write("a.mo", data[:end]))


def mutated(draw, data):
    """Flip, cut, repeat or insert a few bytes."""
    data = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(data) or 1)
        match draw.randrange(4):
            case 0:
                data[at : at + 1] = bytes([draw.randrange(256)])
            case 1:
                del data[at : at + draw.choice([1, 1, 8, 200])]
            case 2:
                data[at:at] = data[at : at + draw.choice([1, 8, 200])]
            case 3:
                data[at:at] = draw.choice([b"\0", b"\xff", b'"', b"<", b"&x;", b"\\", b"\n", b"}"])
    return bytes(data)


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("name", WRITERS)
def test_a_mutated_file_is_read_or_refused_and_nothing_else(write, name, ending):
    draw = random.Random(name + ending)
    whole = PACKERS[ending](WRITERS[name](PAIRS))
    for _ in range(60):
        path = write(name + ending, mutated(draw, whole))
        refused, pairs = "", []
        try:
            pairs, _ = pairs_of(path, wanted=draw.choice([None, ENGLISH_HINDI]))
        except DataError as error:
            refused = str(error)
        assert not refused or str(path) in refused
        assert all("\n" not in side and side.strip() for pair in pairs for side in pair)
        assert all(side.encode() for pair in pairs for side in pair)
