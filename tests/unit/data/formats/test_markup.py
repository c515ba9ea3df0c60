"""TMX and XLIFF, as honest tools write them and as hostile people do."""

import resource

import pytest

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.languages import LanguagePair, choose
from dragoman.data.formats.read import read_pairs

TMX = (
    '<?xml version="1.0"?><tmx version="1.4"><header srclang="{srclang}"/><body>{body}</body></tmx>'
)
UNIT = '<tu><tuv xml:lang="{}"><seg>{}</seg></tuv><tuv xml:lang="{}"><seg>{}</seg></tuv></tu>'
BODIES = {
    "a.tmx": TMX.format(srclang="en", body=UNIT.format("en", "a", "de", "&x;")),
    "a.xlf": '<xliff version="1.2"><file source-language="en" target-language="de"><body>'
    "<trans-unit><source>a</source><target>&x;</target></trans-unit></body></file></xliff>",
}


def pairs_of(path, source="source", target="target"):
    wanted = LanguagePair(source, target)
    return list(read_pairs([path], longest=2000, repair=True, findings=Findings(), wanted=wanted))


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("wanted", "found", "chosen"),
    [
        ("en", ["de", "en"], "en"),
        ("en", ["en-GB", "en"], "en"),
        ("en", ["eng", "EN_us"], "EN_us"),
        ("en-GB", ["en-US", "en"], "en"),
        ("pt-BR", ["pt-PT"], None),
        ("source", ["en", "de"], None),
        ("zh", ["zh-Hant-TW"], "zh-Hant-TW"),
    ],
)
def test_a_language_is_chosen_by_its_code_or_the_beginning_of_it(wanted, found, chosen):
    assert choose(wanted, found) == chosen


def test_a_memory_of_two_languages_needs_no_telling(write):
    body = UNIT.format("de-DE", "Hund", "en-US", "dog") + UNIT.format(
        "en-US", "cat", "de-DE", "Katze"
    )
    path = write("a.tmx", TMX.format(srclang="en-US", body=body))
    assert pairs_of(path) == [("dog", "Hund"), ("cat", "Katze")]
    assert pairs_of(path, "de", "en") == [("Hund", "dog"), ("Katze", "cat")]


@pytest.mark.parametrize("languages", [("source", "target"), ("en", "fr"), ("en", "en")])
def test_languages_that_are_not_there_are_answered_with_those_that_are(write, languages):
    body = UNIT.format("de", "Hund", "en", "dog") + UNIT.format("it", "gatto", "en", "cat")
    path = write("a.tmx", TMX.format(srclang="en", body=body))
    with pytest.raises(DataError, match=r"a\.tmx: which languages .*it has: de, en, it\. Name two"):
        pairs_of(path, *languages)


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "UTF-8-SIG", "ISO-8859-1"])
def test_xml_in_the_encoding_it_declares_is_read(write, encoding):
    declared = {"UTF-16LE": "UTF-16", "UTF-8-SIG": "UTF-8"}.get(encoding, encoding)
    text = TMX.format(srclang="en", body=UNIT.format("en", "bear", "de", "Bär"))
    text = text.replace('version="1.0"?', f'version="1.0" encoding="{declared}"?')
    mark = "\ufeff" if encoding == "UTF-16LE" else ""
    assert pairs_of(write("a.tmx", (mark + text).encode(encoding))) == [("bear", "Bär")]


def test_inline_tags_become_the_text_inside_them(write):
    xliff = (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file><body>'
        '<trans-unit><source>Press <g id="1">Save <x id="2"/>now</g><!-- or --> with <ph id="3">'
        "%s</ph></source>"
        "<target>Jetzt <g>speichern</g><mrk> mit</mrk> <ph>%s</ph></target></trans-unit></body>"
        "</file></xliff>"
    )
    assert pairs_of(write("a.xlf", xliff)) == [("Press Save now with %s", "Jetzt speichern mit %s")]
    newer = (
        '<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file><unit><segment>'
        '<source>a <pc id="1">b</pc></source><target>c <mrk id="m">d</mrk></target></segment>'
        "<segment><source>open</source></segment></unit></file></xliff>"
    )
    assert pairs_of(write("b.xlf", newer)) == [("a b", "c d")]


@pytest.mark.parametrize(
    "head",
    [
        '<xliff version="1.2"><file source-language="de-DE" target-language="en-US"><body>'
        "<trans-unit>{}</trans-unit></body></file></xliff>",
        '<xliff version="2.0" srcLang="de" trgLang="en"><file><unit><segment>{}</segment></unit>'
        "</file></xliff>",
    ],
)
def test_an_xliff_of_the_other_direction_is_turned_round(write, head):
    path = write("a.xlf", head.format("<source>Hund</source><target>dog</target>"))
    assert pairs_of(path) == pairs_of(path, "de", "en") == [("Hund", "dog")]
    assert pairs_of(path, "en", "de") == [("dog", "Hund")]


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>',
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p; <!ENTITY x "">]>',
        "<!DOCTYPE a [<!ENTITY l0 'ha'>"
        + "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12))
        + "<!ENTITY x '&l11;'>]>",
        '<!DOCTYPE tmx SYSTEM "tmx14.dtd">',
    ],
)
def test_a_doctype_is_refused_and_nothing_it_names_is_read(write, name, doctype):
    content = BODIES[name].replace('<?xml version="1.0"?>', "")
    with pytest.raises(DataError, match=rf"{name}:\d+: (the file has a DOCTYPE|not valid XML)"):
        pairs_of(write(name, doctype + content))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"plain text\n",
        b"<tmx><body><tu>",
        b"<other/>",
        b"<?xml version='1.0' encoding='UTF-8'?><tmx>\xff\xfe</tmx>",
        b"<?xml version='1.0' encoding='made-up'?><tmx></tmx>",
        b"<tmx>" + b"<a>" * 5000,
        b"<tmx><body><tu><tuv xml:lang='en'><seg>" + b"x" * 11_000_000,
        BODIES["a.tmx"].encode(),
    ],
)
def test_what_is_not_xml_of_the_kind_is_refused(write, content):
    with pytest.raises(DataError, match=r"a\.tmx:\d+: not "):
        pairs_of(write("a.tmx", content))


def test_a_large_memory_is_read_in_little_room(write, tmp_path):
    unit = UNIT.format(
        "en", "a sentence of some length " * 4, "de", "ein Satz von einiger Länge " * 4
    )
    path = tmp_path / "a.tmx"
    head, tail = TMX.format(srclang="en", body="@").split("@")
    with path.open("w", encoding="utf-8") as stream:
        stream.write(head)
        stream.writelines(unit + "\n" for _ in range(60_000))
        stream.write(tail)
    wanted = LanguagePair("en", "de")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pairs = read_pairs([path], longest=2000, repair=True, findings=Findings(), wanted=wanted)
    assert sum(1 for _ in pairs) == 60_000
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 8_000  # kB, where the file has 18,000


def test_two_files_that_each_hold_both_sides_are_a_mistake(write):
    files = [write(name, BODIES["a.tmx"]) for name in ("a.tmx", "b.tmx")]
    with pytest.raises(DataError, match=r"a\.tmx: a TMX file holds both sides\. Give it alone"):
        list(read_pairs(files, longest=2000, repair=True, findings=Findings()))


@pytest.mark.parametrize(
    "content", ["<tmx><a\n\n b=<", "<tmx>\n</tmy\n>", "\n\n<", "<tmx><b:c/></tmx>"]
)
def test_what_is_not_xml_is_refused_in_one_line_with_its_place(write, content):
    path = write("a.tmx", content)
    with pytest.raises(DataError, match=r"a\.tmx:\d: not valid XML \(") as error:
        pairs_of(path)
    assert "\n" not in str(error.value)


def test_of_many_languages_the_first_are_named(write):
    units = "".join(UNIT.format(f"x{n:03}\n", "a", "de", "b") for n in range(300))
    with pytest.raises(DataError, match=r"it has: de, x000, x001.* …\. Name two") as error:
        pairs_of(write("a.tmx", TMX.format(srclang="en", body=units)))
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 600
