"""I2: exactly one line out for each line in, whatever is in it."""

import io
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dragoman
from dragoman.cli.translate import translate
from dragoman.cli.translate_lines import _print
from dragoman.config.recurrent import RecurrentSettings
from dragoman.core.errors import ConfigError, DataError, RunError
from dragoman.engine.build import build_model
from dragoman.metrics.loops import loop
from dragoman.tasks.translation.bare_translator import BareTranslator, Translation, _one_line

HOSTILE = [
    b"sun moon",
    b"",
    b"\xff\xfe\x80 not UTF-8 \xc3",
    b"a\x00b\x00",
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbfsun",
    b"sun\r",
    b"lone\rreturn",
    b"next\xc2\x85line",
    b"line\xe2\x80\xa8separator",
    b"vertical\x0btab",
    b"file\x1cseparator",
    b"   ",
    b"\t\t",
    "🦜👩‍👩‍👧 ﷽".encode(),
    "שלום עולם".encode(),
    b"\xed\xa0\x80",
    b"sun " * 200,
    b"\xe2\x96\x81\xe2\x96\x81",
    b"last line without its end",
]


def bare_text(translator, source):
    return translator.translate(source, beam=1)


@pytest.fixture(scope="module")
def translator(tiny):
    return BareTranslator.load(tiny.run)


@pytest.fixture(scope="module")
def copying(translator):
    """Give a translator whose network is replaced by one that repeats what it reads."""

    class Copying(BareTranslator):
        def _search(self, sources, chosen, nbest, told, held):
            texts = [self.tokenizer.source.decode(ids) for ids in sources]
            return [[Translation(_one_line(text), 0.0, 0.0)] for text in texts]

    return Copying(
        translator.model,
        translator.tokenizer,
        translator.decoding,
        longest=translator.longest,
        device=translator.device,
    )


def through_the_verb(translator, content, **options):
    """Put bytes through `dragoman translate` on stdin, and return the bytes on stdout."""
    given, out = (
        SimpleNamespace(buffer=io.BytesIO(content), isatty=lambda: False),
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline=""),
    )
    kept = sys.stdin, sys.stdout, BareTranslator.load
    sys.stdin, sys.stdout, BareTranslator.load = given, out, lambda run, **_: translator
    try:
        translate(Path("run"), **options)
        out.flush()
        return out.buffer.getvalue()
    finally:
        sys.stdin, sys.stdout, BareTranslator.load = kept


def fed(path, run, **options):
    """Translate the lines of a file as `dragoman translate RUN < FILE` does."""
    kept, sys.stdin = (
        sys.stdin,
        SimpleNamespace(buffer=io.BytesIO(path.read_bytes()), isatty=lambda: False),
    )
    try:
        translate(run, **options)
    finally:
        sys.stdin = kept


def lines_in(content):
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def cleaned(line, first=False):
    """Return what a copying translator makes of a line."""
    raw = line.removesuffix(b"\r")
    raw = raw.removeprefix(b"\xef\xbb\xbf") if first else raw
    text = " ".join(raw.decode("utf-8", "replace").replace("\x00", "").split())
    return unicodedata.normalize("NFC", text)


def test_hostile_lines_come_out_one_for_one(translator):
    content = b"\n".join(HOSTILE)
    out = through_the_verb(translator, content, beam=1).decode("utf-8")
    assert out.endswith("\n")
    lines = out.split("\n")[:-1]
    assert len(lines) == len(HOSTILE) == len(out.splitlines())
    for line, source in zip(lines, HOSTILE, strict=True):
        assert (line == "") == (cleaned(source) == "")


def test_each_line_is_translated_as_it_is_alone_and_order_is_kept(translator):
    sources = ["sun moon", "", "red blue cat dog tree", "sea", "sun moon"]
    out = through_the_verb(translator, "\n".join(sources).encode(), beam=1, raw=True)
    out = out.decode().split("\n")
    assert out[:-1] == [bare_text(translator, source) for source in sources]


LOOPING = ["sun moon", "red blue cat dog tree", "sea", "so so so so so", "dog " * 30]


@pytest.mark.parametrize("options", [{"beam": 1}, {"beam": 4}, {"nbest": 3}, {"search": "sample"}])
def test_raw_lines_are_what_the_bare_network_says(translator, options):
    out = through_the_verb(translator, "\n".join(LOOPING).encode(), raw=True, **options).decode()
    lines = [row.split("\t")[-1] for row in out.removesuffix("\n").split("\n")]
    search = options.pop("search", None)
    bare = translator
    if search:
        bare = translator.searching(translator.decoding.model_copy(update={"search": search}))
    found = bare.candidates(LOOPING, **options)
    assert lines == [one.text for each in found for one in each]


@pytest.mark.parametrize("options", [{"beam": 1}, {"beam": 4}, {"search": "sample"}])
def test_no_loop_comes_out_of_the_pipeline(translator, options):
    out = through_the_verb(translator, "\n".join(LOOPING).encode(), **options).decode()
    for line, source in zip(out.removesuffix("\n").split("\n"), LOOPING, strict=True):
        assert loop(line, source) is None


MIXED = [
    "Sun moon. Red blue cat! Sea sky?",
    "blue {name} sky %d at 12:30",
    "BLUE SKY RED SUN",
    "",
    "cat <b>dog</b> tree. See https://example.org/a now.",
    "12 — 14",
]


def test_lines_files_and_python_translate_alike(tiny, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("\n".join(MIXED) + "\n")
    fed(tmp_path / "in.txt", tiny.run)
    lines = capsys.readouterr().out.removesuffix("\n").split("\n")
    translate(tiny.run, [tmp_path / "in.txt"], output=tmp_path / "out.txt")
    written = (tmp_path / "out.txt").read_text().removesuffix("\n").split("\n")
    translator = dragoman.Translator.load(tiny.run)
    assert lines == written == translator.translate(MIXED)
    assert translator.translate(MIXED[0]) == lines[0]
    assert "{name}" in lines[1]
    assert "%d" in lines[1]
    assert lines[3] == ""
    assert lines[5] == MIXED[5]


def test_raw_is_the_bare_network_in_python_too(tiny, translator):
    loaded = dragoman.Translator.load(tiny.run)
    assert loaded.translate(MIXED, raw=True) == translator.translate(MIXED)
    assert loaded.translate(MIXED) != translator.translate(MIXED)
    told = loaded.translate("sun moon", prefix="my cat")
    assert told == translator.translate("sun moon", prefix="my cat")
    assert loaded.candidates(["sun"], nbest=2) == translator.candidates(["sun"], nbest=2)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"nbest": 2}, "--nbest"),
        ({"scores": True}, "--scores"),
        ({"prefix": "red"}, "--prefix"),
        ({"term": ["fish"]}, "--term"),
    ],
)
def test_an_option_of_the_bare_network_says_so(tiny, tmp_path, capsys, options, name):
    (tmp_path / "in.txt").write_text("sun moon\n")
    fed(tmp_path / "in.txt", tiny.run, **options)
    assert f"{name} asks the bare network, as --raw does" in capsys.readouterr().err
    (tmp_path / "terms.tsv").write_text("sun\tdog\n")
    with pytest.raises(ConfigError, match=f"{name} asks the bare network, which knows no --gloss"):
        fed(tmp_path / "in.txt", tiny.run, glossary=tmp_path / "terms.tsv", **options)


def test_lines_have_a_glossary_and_a_memory_as_files_do(tiny, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("sun moon\nsea sky\n")
    (tmp_path / "terms.tsv").write_text("moon\n")
    (tmp_path / "memory.tsv").write_text("sea sky\twater above\n")
    books = {"glossary": tmp_path / "terms.tsv", "memory": tmp_path / "memory.tsv"}
    fed(tmp_path / "in.txt", tiny.run, **books)
    lines = capsys.readouterr().out.splitlines()
    assert "moon" in lines[0]
    assert lines[1] == "water above"
    assert dragoman.Translator.load(tiny.run, **books).translate(["sun moon", "sea sky"]) == lines


def test_a_line_in_a_script_that_the_model_does_not_read_is_told(tiny, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("sun moon\n" + "привет дорогой друг\n" * 7)
    fed(tmp_path / "in.txt", tiny.run)
    out, said = capsys.readouterr()
    assert out.count("\n") == 8
    assert "line 2: " in said
    assert "line 6: " in said
    assert "line 7: " not in said
    assert "… and 2 more" in said


def test_what_became_of_terms_is_said_at_the_end(tiny, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("sun moon\nsea sky\n")
    (tmp_path / "terms.tsv").write_text("moon\tbird|dog\nsea\t☃☃☃\n")
    fed(tmp_path / "in.txt", tiny.run, glossary=tmp_path / "terms.tsv")
    assert "glossary terms: " in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\n", b"a", b"a\n", b"\r\n", b"\xef\xbb\xbf\n"])
def test_line_ends_are_counted_as_they_are(copying, content):
    assert through_the_verb(copying, content).count(b"\n") == lines_in(content)


def spoken(text):
    """Count the letters and digits of a text."""
    return Counter(one for one in text.casefold() if one.isalnum())


def check_copy(copying, lines, ended):
    content = b"\n".join(lines) + (b"\n" if ended else b"")
    out = through_the_verb(copying, content)
    assert out.count(b"\n") == lines_in(content)
    read = content.removesuffix(b"\n").split(b"\n") if content else []
    expected = [cleaned(line, first=number == 0) for number, line in enumerate(read)]
    found = out.decode("utf-8").split("\n")[:-1]
    for line, text in zip(
        found, expected, strict=True
    ):  # casing and accelerators are the pipeline's
        assert not spoken(text) - spoken(line)
    bare = through_the_verb(copying, content, raw=True).decode("utf-8").split("\n")[:-1]
    assert [text.replace(" ", "") for text in bare] == [t.replace(" ", "") for t in expected]


LINES = st.lists(
    st.binary(max_size=60) | st.text(max_size=40).map(lambda t: t.encode("utf-8", "replace")),
    max_size=8,
)
LINES = LINES.map(lambda lines: [line.replace(b"\n", b"") for line in lines])


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=LINES, ended=st.booleans())
def test_any_bytes_come_out_line_for_line_with_nothing_lost(copying, lines, ended):
    check_copy(copying, lines, ended)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(lines=LINES, ended=st.booleans())
def test_many_more_bytes_come_out_line_for_line_with_nothing_lost(copying, lines, ended):
    check_copy(copying, lines, ended)


UNITS = ["ab ", "नमस्ते। ", "🦜", "a" * 500 + " "]


@pytest.mark.parametrize(
    "unit", ["sun moon. ", *(pytest.param(u, marks=pytest.mark.slow) for u in ("x", *UNITS))]
)
def test_a_line_of_a_megabyte_is_cut_and_nothing_is_lost(copying, unit):
    text = (unit * (1_000_000 // len(unit.encode()))).strip()
    out = through_the_verb(copying, text.encode() + b"\nend\n").decode().split("\n")
    assert len(out) == 3
    assert out[0].replace(" ", "") == text.replace(" ", "")
    assert out[1] == "end"


def test_a_long_text_is_cut_at_sentence_ends(translator, monkeypatch):
    seen = []
    encode = translator.tokenizer.source.encode
    monkeypatch.setattr(translator, "_search", lambda s, *_: seen.extend(s) or [[None]] * len(s))
    sentences = ["sun moon sea.", "red blue cat dog?", "tree bird!", "fish song sky red sun."]
    monkeypatch.setattr(
        "dragoman.tasks.translation.bare_translator.join_translations", lambda parts, each: parts
    )
    translator.candidates([" ".join(sentences)])
    assert sorted(seen) == sorted(encode(sentence) for sentence in sentences)


def test_several_translations_of_a_line_bear_its_number_and_scores(translator):
    out = through_the_verb(translator, b"sun moon\n\nsea\n", nbest=2, scores=True).decode()
    rows = [line.split("\t") for line in out.splitlines()]
    assert [row[0] for row in rows] == ["1", "1", "2", "3", "3"]
    assert float(rows[0][1]) >= float(rows[1][1])


def test_bad_bytes_are_spoken_of_once(copying, capsys):
    through_the_verb(copying, b"ok\n\xff\n\xff\n")
    assert capsys.readouterr().err.count("stdin:2: is not valid UTF-8") == 1


def test_every_line_begins_with_the_words_that_are_asked_for(translator):
    out = through_the_verb(translator, b"sun moon\n\nsea sky\n", beam=1, prefix=" my  cat ")
    first, empty, last = out.decode().splitlines()
    assert first.startswith("my cat")
    assert last.startswith("my cat")
    assert empty == ""


def test_each_line_has_its_own_beginning_from_a_file(tiny, translator, tmp_path, capsysbinary):
    begins = tmp_path / "begins.txt"
    begins.write_text("red\n\ncat dog\n", encoding="utf-8")
    content = b"sun moon\nsun moon\nsea sky\n"
    lines = through_the_verb(translator, content, beam=1, prefixes=begins).decode().splitlines()
    assert lines[0].startswith("red")
    assert lines[1] == bare_text(translator, "sun moon")
    assert lines[2].startswith("cat dog")
    (tmp_path / "in.txt").write_bytes(content)
    fed(tmp_path / "in.txt", tiny.run, beam=1, prefixes=begins)
    assert capsysbinary.readouterr().out.decode().splitlines() == lines


def test_beginnings_that_do_not_fit_the_lines_are_told(tiny, translator, tmp_path):
    begins, text = tmp_path / "begins.txt", tmp_path / "in.txt"
    begins.write_text("red\n")
    text.write_text("sun\nmoon\n")
    with pytest.raises(DataError, match=r"begins.txt: has fewer lines than the text"):
        through_the_verb(translator, b"sun\nmoon\n", prefixes=begins)
    with pytest.raises(DataError, match=r"begins.txt: has more lines than the text"):
        through_the_verb(translator, b"", prefixes=begins)
    with pytest.raises(DataError, match=r"none.txt: there is no such file"):
        fed(text, tiny.run, prefixes=tmp_path / "none.txt")
    with pytest.raises(ConfigError, match="--prefix and --prefixes"):
        fed(text, tiny.run, prefix="red", prefixes=begins)


def test_every_line_holds_the_terms_that_are_asked_for(translator, capsys):
    out = through_the_verb(
        translator, b"sun moon\n\nsea\n", beam=4, term=["fish", "zebra | sky red"]
    )
    first, empty, last = out.decode().splitlines()
    assert empty == ""
    for line in (first, last):
        assert "fish" in line
        assert "zebra" in line or "sky red" in line
    assert "refused" not in capsys.readouterr().err


def test_a_translation_without_room_for_its_terms_is_spoken_of(translator, capsys):
    found = [[Translation("sun", 0.0, 0.0, unmet=2)], [Translation("moon", 0.0, 0.0)]]
    _print(found, 7, numbers=False, scores=False)
    out, said = capsys.readouterr()
    assert out == "sun\nmoon\n"
    assert "line 7: 2 of its terms refused" in said
    assert "line 8" not in said


def test_the_options_of_the_search_are_those_of_the_recipe(translator):
    content = b"sun moon\nsea\n"

    def found(**options):
        return through_the_verb(translator, content, **options)

    drawn = found(search="sample", seed=4, nbest=2, scores=True)
    assert drawn == found(search="sample", change=["seed=4"], nbest=2, scores=True)
    assert drawn != found(search="sample", seed=5, nbest=2, scores=True)
    weighed = found(search="mbr", samples=6, seed=4, raw=True).decode().splitlines()
    chosen = translator.decoding.model_copy(update={"search": "mbr", "samples": 6, "seed": 4})
    wanted = translator.searching(chosen).candidates(["sun moon", "sea"])
    assert weighed == [each[0].text for each in wanted]
    assert found(change=["groups=2", "beam=4"], nbest=4).count(b"\n") >= 4
    assert translator.decoding.search == "beam"
    for change, told in (
        ("groups=3", "decoding: a beam of 2 does not part into 3 equal groups"),
        ("bean=3", "decoding.bean: unknown key. Did you mean 'beam'?"),
        ("sampling.top_p=2", r"decoding.sampling.top_p: .* less than or equal to 1"),
    ):
        with pytest.raises(ConfigError, match=told):
            found(change=[change])


def test_a_run_with_itself_translates_as_it_does_alone(tiny, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("sun moon\nsea sky red\n")
    fed(tmp_path / "in.txt", tiny.run, beam=2)
    alone = capsys.readouterr().out
    fed(tmp_path / "in.txt", tiny.run, beam=2, also=[tiny.run, tiny.run])
    assert capsys.readouterr().out == alone
    with pytest.raises(ConfigError, match="--attention plots one network"):
        translate(tiny.run, also=[tiny.run], attention=tmp_path / "seen.png")


def test_a_missing_file_and_a_missing_run_are_told_with_the_nearest_name(tiny, tmp_path):
    with pytest.raises(DataError, match="there is no such file to translate"):
        translate(tiny.run, [tmp_path / "none.txt"])
    with pytest.raises(RunError, match="no such run folder. Did you mean 'run'?"):
        translate(tiny.run.with_name("rum"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match="has no recipe.toml, so it is not a trained run"):
        translate(tmp_path / "empty")


def test_attention_is_drawn_by_the_ending_of_its_file(tiny, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("sun moon\n\nsea sky red\n")
    fed(tmp_path / "in.txt", tiny.run, beam=1, raw=True)
    alone = capsys.readouterr().out
    for name, first in (("seen.html", b"<!doctype html>"), ("seen.png", b"\x89PNG")):
        fed(tmp_path / "in.txt", tiny.run, beam=1, attention=tmp_path / name)
        out, said = capsys.readouterr()
        assert out == alone
        assert f"is in {tmp_path / name}" in said.replace("\n", "")
        assert (tmp_path / name).read_bytes().startswith(first)
    page = (tmp_path / "seen.html").read_text(encoding="utf-8")
    assert page.count('"source":"') == 2  # the empty line is not drawn
    assert '"source":"sea sky red"' in page


def test_a_page_holds_the_first_twenty_lines_and_says_what_it_leaves_out(tiny, tmp_path, capsys):
    lines = ["sun " * 200, *(f"sun moon {word}" for word in ["sea", "sky"] * 12)]
    (tmp_path / "in.txt").write_text("\n".join(lines))
    fed(tmp_path / "in.txt", tiny.run, beam=1, attention=tmp_path / "seen.html")
    assert (tmp_path / "seen.html").read_text(encoding="utf-8").count('"source":"') == 20
    assert "1 line is too long to plot, and left out" in capsys.readouterr().err


def test_without_a_line_to_draw_no_picture_is_written_and_that_is_said(tiny, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("\n \n")
    fed(tmp_path / "in.txt", tiny.run, attention=tmp_path / "seen.html")
    assert "not written; no line has a translation to plot" in capsys.readouterr().err
    assert not (tmp_path / "seen.html").exists()


def test_a_picture_that_cannot_be_drawn_is_told_before_anything_is_translated(
    tiny, translator, tmp_path, capsys
):
    (tmp_path / "in.txt").write_text("sun moon\n")
    for path, error, told in (
        (tmp_path / "seen.svg", ConfigError, r"the name must end in .html or .png"),
        (tmp_path / "none" / "seen.png", DataError, r"none: there is no such folder"),
    ):
        with pytest.raises(error, match=told):
            fed(tmp_path / "in.txt", tiny.run, attention=path)
    fixed = BareTranslator(
        build_model(RecurrentSettings(width=8, context="first"), translator.tokenizer, 1),
        translator.tokenizer,
        translator.decoding,
        longest=translator.longest,
        device=translator.device,
    )
    with pytest.raises(ConfigError, match="this model has no attention to be drawn") as told:
        through_the_verb(fixed, b"sun moon\n", attention=tmp_path / "seen.html")
    assert "\n" not in str(told.value)
    assert capsys.readouterr().out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
