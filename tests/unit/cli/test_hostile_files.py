"""People's files as bad as can be: put through the verb, refused in one line or kept in step."""

import csv
import gettext
import io
import json
import os
import pickle
import struct
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dragoman.cli.translate import translate
from dragoman.core.errors import DragomanError
from dragoman.data.documents.open import open_document
from dragoman.data.formats.languages import LanguagePair
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.translation import Translation

WANTED = LanguagePair("source", "target")
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PO = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'


class Echo(BareTranslator):
    """Says what it is shown."""

    def candidates(self, texts, **options):
        return [[Translation(" ".join(text.split()), 0.0, -1.0, (5,))] for text in texts]


@pytest.fixture(scope="module")
def verb(tiny):
    """Give the verb with a translator that is there already, and says what it is shown."""
    real = BareTranslator.load(tiny.run)
    echo = Echo(real.model, real.tokenizer, real.decoding, longest=real.longest, device=real.device)

    def run(path, **options):
        kept, BareTranslator.load = BareTranslator.load, lambda run, **_: echo
        try:
            translate(tiny.run, [path], **options)
        finally:
            BareTranslator.load = kept

    return run


def zipped(**parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        for name, content in parts.items():
            archive.writestr(f"word/{name}.xml", content)
    return out.getvalue()


def in_paragraphs(texts):
    body = "".join(f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>" for text in texts)
    return zipped(document=f"<w:document {W}><w:body>{body}</w:body></w:document>")


def compiled(messages):
    count, texts = len(messages), b""
    place, rows = 28 + 16 * count, ([], [])
    for side, values in enumerate((messages.keys(), messages.values())):
        for value in values:
            rows[side].append(struct.pack("<2I", len(value), place + len(texts)))
            texts += value + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0)
    return head + b"".join(rows[0] + rows[1]) + texts


def as_csv(texts, **options):
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n", **options)
    rows.writerows([["text", "more"], *([text, "x"] for text in texts)])
    return out.getvalue()


def as_po(texts):
    return PO + "".join(
        f'msgctxt {json.dumps(str(n))}\nmsgid {json.dumps(text, ensure_ascii=False)}\nmsgstr ""\n'
        for n, text in enumerate(texts)
        if text.isprintable() and text
    )


def units(texts, unit, around):
    return around.format("".join(unit.format(escape(text)) for text in texts))


WRAPPED = {
    "txt": "\n".join,
    "md": "\n\n".join,
    "html": lambda texts: "".join(f"<p>{escape(text)}</p>\n" for text in texts),
    "json": json.dumps,
    "yaml": lambda texts: "".join(f"- {json.dumps(text)}\n" for text in texts),
    "csv": as_csv,
    "tsv": lambda texts: "text\tmore\n" + "".join(f"{' '.join(t.split())}\tx\n" for t in texts),
    "po": as_po,
    "srt": lambda texts: "".join(
        f"{n}\n00:00:01,000 --> 00:00:02,000\n{text}\n\n" for n, text in enumerate(texts, 1)
    ),
    "tmx": lambda texts: units(
        texts,
        '<tu><tuv xml:lang="source"><seg>{}</seg></tuv></tu>',
        '<tmx version="1.4"><header srclang="source"/><body>{}</body></tmx>',
    ),
    "xlf": lambda texts: units(
        texts,
        "<trans-unit id='1'><source>{}</source></trans-unit>",
        "<xliff version='1.2'><file source-language='source' target-language='target'>"
        "<body>{}</body></file></xliff>",
    ),
    "docx": in_paragraphs,
    "mo": lambda texts: compiled(
        {b"": b"Content-Type: text/plain; charset=UTF-8\n"}
        | {f"{n}\x04{text}".encode(): b"" for n, text in enumerate(texts)}
    ),
}
HOSTILE = ["", "\ufeffsun", "sun\r", "lone\rreturn", "next\x85line", "line\u2028separator",
           "v\x0bt", "file\x1cseparator", "   ", "\t\t", "🦜👩‍👩‍👧 ﷽", "שלום עולם", "%s {x} <b>",
           "▁▁", "a\0b", "((((((", "&&&&", "]]>", "-->", "<!--", "\\", '"', "'", "｟3｠",
           "so so so so so so", "\u202e", "e\u0301", "_Open", "42", "msgid", "- a: b",
           "```"]  # fmt: skip
TEXTS = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=30), min_size=1, max_size=8)


def refused(verb, path, **options):
    """Translate a file; return what is said where that is not done, which is one line."""
    try:
        verb(path, **options)
    except DragomanError as error:
        said = str(error)
    else:
        return None
    assert "\n" not in said
    return said


def put_through(verb, folder, ending, data):
    """Translate a file; return it and its translation, or None where it was refused rightly."""
    path, place = folder / f"a.{ending}", folder / f"a.target.{ending}"
    place.unlink(missing_ok=True)
    path.write_bytes(data)
    said = refused(verb, path, column="1" if ending in ("csv", "tsv") else "", everything=True)
    if said is not None:
        assert said.startswith(str(path))
        assert not place.exists()
        return None
    assert path.read_bytes() == data
    return data, place.read_bytes()


def check_lines(verb, folder, lines, end):
    both = put_through(verb, folder, "txt", end.join(lines))
    if both:
        assert both[1].count(b"\n") == both[0].count(b"\n")
        for old, new in zip(both[0].split(b"\n"), both[1].split(b"\n"), strict=True):
            assert (new.strip() == b"") == (old.strip() == b"")


LINES = st.lists(
    st.binary(max_size=40)
    | st.text(max_size=30).map(lambda text: text.encode("utf-8", "replace"))
    | st.sampled_from([text.encode() for text in HOSTILE]),
    min_size=1,
    max_size=8,
)
QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
MANY = settings(QUICK, max_examples=1000)


def check_formats(verb, folder, ending, texts):
    made = WRAPPED[ending](texts)
    data = made if isinstance(made, bytes) else made.encode("utf-8", "replace")
    both = put_through(verb, folder, ending, data)
    if not both:
        return
    before, after = (
        open_document(folder / f"a.{name}", WANTED, columns(ending))
        for name in (ending, f"target.{ending}")
    )
    assert [one.key for one in after.segments] == [one.key for one in before.segments]
    if ending in ("po", "mo", "xlf", "tmx"):
        assert [one.text for one in after.segments] == [one.text for one in before.segments]


def columns(ending):
    from dragoman.data.documents.table import TableColumns

    return TableColumns("1", "") if ending in ("csv", "tsv") else None


@QUICK
@given(lines=LINES, end=st.sampled_from([b"\n", b"\r\n"]))
def test_any_bytes_in_a_file_stay_in_step_or_are_refused(verb, tmp_path, lines, end):
    check_lines(verb, tmp_path, lines, end)


@pytest.mark.slow
@MANY
@given(lines=LINES, end=st.sampled_from([b"\n", b"\r\n"]))
def test_many_more_bytes_in_a_file_stay_in_step_or_are_refused(verb, tmp_path, lines, end):
    check_lines(verb, tmp_path, lines, end)


@QUICK
@given(ending=st.sampled_from([*WRAPPED]), texts=TEXTS)
@example(ending="csv", texts=HOSTILE)
@example(ending="mo", texts=[text for text in HOSTILE if "\0" not in text])
def test_any_texts_in_a_file_of_any_kind_stay_in_step(verb, tmp_path, ending, texts):
    check_formats(verb, tmp_path, ending, texts)


@pytest.mark.slow
@MANY
@given(ending=st.sampled_from([*WRAPPED]), texts=TEXTS)
def test_many_more_texts_in_files_of_any_kind_stay_in_step(verb, tmp_path, ending, texts):
    check_formats(verb, tmp_path, ending, texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "size"),
    [("a", 10_000_000), ("a" * 500 + " ", 10_000_000), ("Blue sky. ", 500_000), ("%s ", 500_000)],
)
def test_a_line_of_up_to_ten_megabytes_is_one_line(verb, tmp_path, unit, size):
    line = (unit * (size // len(unit.encode()))).strip().encode()
    both = put_through(verb, tmp_path, "txt", b"first\n" + line + b"\nlast")
    assert both is not None
    lines = both[1].split(b"\n")
    assert (lines[0], len(lines), lines[2]) == (b"first", 3, b"last")
    assert lines[1].replace(b" ", b"") == line.replace(b" ", b"")


def payloads(marker):
    """Files that would make a marker, if anybody ran what is in them."""
    touch = f"touch {marker}"
    plural = f"nplurals=2; plural=__import__('os').system('{touch}')"
    header = f"Content-Type: text/plain; charset=UTF-8\nPlural-Forms: {plural};\n"
    entity = f'<!DOCTYPE a [<!ENTITY x SYSTEM "expect://{touch}">]>'
    command = f"$({touch})`{touch}`;{touch}"
    pickled = pickle.dumps(_Runs(touch))
    return {
        "po": f'msgid ""\nmsgstr {json.dumps(header)}\n\nmsgid "a"\nmsgid_plural "b"\n'
        f'msgstr[0] ""\nmsgstr[1] ""\n'.encode(),
        "mo": compiled({b"": header.encode(), b"a\0b": b""}),
        "yaml": f"a: !!python/object/apply:os.system ['{touch}']\nb: c\n".encode(),
        "json": json.dumps({"__reduce__": ["os.system", touch], "$(x)": command}).encode(),
        "tmx": (entity + WRAPPED["tmx"]([command])).encode(),
        "xlf": (entity + WRAPPED["xlf"]([command])).encode(),
        "html": f"<script>{command}</script><!--#exec cmd='{touch}'--><?php `{touch}` ?>a".encode(),
        "md": f"```sh\n{touch}\n```\n{{{{ {command} }}}} <% {command} %>\n".encode(),
        "csv": f"a\n\"=cmd|'/C {touch}'!A0\"\n".encode(),
        "tsv": f"a\n=HYPERLINK({command})\n".encode(),
        "srt": WRAPPED["srt"]([command]).encode(),
        "txt": f"{command}\n".encode(),
        "docx": zipped(document=in_paragraphs([command])[:0] + pickled, vbaProject=pickled),
        **{f"pickled.{ending}": pickled for ending in WRAPPED},
    }


class _Runs:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


NAMES = [*payloads(Path("marker"))]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_a_file_is_run(verb, tmp_path, name):
    marker = tmp_path / "marker"
    data, ending = payloads(marker)[name], name.split(".")[-1]
    path = tmp_path / f"a.{ending}"
    path.write_bytes(data)
    for options in ({}, {"memory": path}, {"glossary": path}):
        if options:
            (tmp_path / "b.txt").write_text("blue\n")
        refused(verb, tmp_path / "b.txt" if options else path, force=True, **options)
        assert not marker.exists()


def test_the_payloads_would_make_the_marker(tmp_path):
    marker = tmp_path / "marker"
    made = payloads(marker)
    pickle.loads(made["pickled.txt"])
    assert marker.exists()
    with pytest.raises(ValueError, match="plural"):  # Python's own gettext refuses this one
        gettext.GNUTranslations(io.BytesIO(made["mo"]))
