"""`dragoman translate RUN FILE...`: real files, a real and barely trained network."""

import json
import re
import stat
from math import log

import polib
import pytest
import yaml

from dragoman.core.errors import DataError
from dragoman.data.documents.open import FORMATS, read_document, translated_name
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.logistic import Logistic
from dragoman.pipeline.confidence import FEATURES, Confidence

PO = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    '#: a.c:1\nmsgid "blue %s"\nmsgstr ""\n\n'
    'msgid "cat sky"\nmsgstr "done"\n\n'
    '#, fuzzy\nmsgid "sun"\nmsgstr "perhaps"\n'
)


@pytest.fixture
def translated(dragoman, tiny, tmp_path, monkeypatch):
    """Give a function that translates files in a folder of their own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return dragoman("translate", tiny.run, *arguments, "--beam", 1)

    return run


def test_a_file_is_written_beside_its_source_and_the_source_stays(translated, tmp_path):
    source = tmp_path / "letter.txt"
    source.write_bytes(b"blue cat\r\n\r\nsky sun")
    code, out, said = translated("letter.txt")
    assert (code, out) == (0, "")
    assert "letter.target.txt: 2 of 2 texts translated" in said
    assert source.read_bytes() == b"blue cat\r\n\r\nsky sun"
    lines = (tmp_path / "letter.target.txt").read_bytes().split(b"\n")
    assert len(lines) == 3
    assert lines[1] == b"\r"
    assert lines[0].endswith(b"\r")


def test_texts_that_the_model_cannot_read_are_named_by_line_or_key(translated, tmp_path):
    (tmp_path / "a.txt").write_text("blue cat\nПривет, мир\n" + 6 * "Привет всем\n")
    code, _, said = translated("a.txt")
    assert code == 0
    assert "a.txt:2: is written in Cyrillic, which the model does not read" in said
    assert "a.txt:1:" not in said
    assert said.count("Cyrillic") == 5
    assert "… and 2 more" in said
    assert "7 unlike what the model was trained on" in said
    (tmp_path / "b.json").write_text('{"menu": {"open": "Привет, мир"}}')
    _, _, said = translated("b.json")
    assert "b.json:1: key menu.open: is written in Cyrillic" in said


def test_only_what_is_missing_in_a_po_is_filled_unless_all_is_asked_for(translated, tmp_path):
    (tmp_path / "a.po").write_text(PO, encoding="utf-8")
    assert translated("a.po")[0] == 0
    found = polib.pofile(str(tmp_path / "a.target.po"))
    assert [entry.msgstr for entry in found][1:] == ["done", "perhaps"]
    assert found[0].msgstr.count("%s") == 1
    assert found[2].fuzzy
    assert translated("a.po", "--all", "--force")[0] == 0
    again = polib.pofile(str(tmp_path / "a.target.po"))
    assert "done" not in [entry.msgstr for entry in again]


def test_in_place_only_when_it_is_said(translated, tmp_path):
    path = tmp_path / "a.po"
    path.write_text(PO, encoding="utf-8")
    assert translated("a.po", "--in-place")[0] == 0
    assert polib.pofile(str(path))[0].msgstr
    assert not list(tmp_path.glob("*.target.po"))
    code, _, said = translated("a.po", "--output", "a.po")
    assert code == 2
    assert "--in-place" in said


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_in_place_a_file_keeps_its_mode_and_a_link_stays_a_link(translated, tmp_path, mode):
    path = tmp_path / "a.txt"
    path.write_text("blue sky\n")
    path.chmod(mode)
    (tmp_path / "link.txt").symlink_to("a.txt")
    assert translated("link.txt", "--in-place")[0] == 0
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert (tmp_path / "link.txt").is_symlink()
    assert path.read_text(encoding="utf-8") != "blue sky\n"


def test_files_that_would_be_written_to_one_place_are_refused(translated, tmp_path):
    for folder in ("a", "b", "out"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.txt").write_text(f"blue {folder}\n")
    for files in (["a/m.txt", "b/m.txt", "--output", "out"], ["a/m.txt", "b/../a/m.txt"]):
        code, out, said = translated(*files)
        assert (code, out) == (2, "")
        assert "would both be written to" in said
        assert len(said.strip().splitlines()) == 1
    assert not list(tmp_path.rglob("*.target.txt"))


def test_an_edited_yaml_of_rails_is_not_written_over(translated, tmp_path):
    (tmp_path / "a.yml").write_text("source:\n  a: blue\n  b: sky\n")
    assert translated("a.yml")[0] == 0
    path = tmp_path / "a.target.yml"
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert list(found) == ["target"]
    path.write_text("target:\n  a: mine\n")
    code, _, said = translated("a.yml")
    assert code == 0
    assert "1 of 2 texts translated; 1 kept as they were" in said
    again = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert again["target"] == {"a": "mine", "b": found["target"]["b"]}


@pytest.fixture
def sure_of_short_texts(run, monkeypatch, tmp_path, dragoman):
    """Give a function that translates with a run whose confidence hangs on the length alone."""
    place = FEATURES.index("log_source_tokens")
    zeros = [0.0] * len(FEATURES)
    weights = tuple([*zeros[:place], -20.0, *zeros[place + 1 :]])
    regression = Logistic(tuple(zeros), tuple([1.0] * len(FEATURES)), weights, 20 * log(8), 1.0)
    folder = RunFolder(run)
    Confidence(TokenizerPair.load(folder.tokenizer), regression, 20).save(folder)
    monkeypatch.chdir(tmp_path)
    return lambda *files: dragoman("translate", run, *files, "--beam", 1, "--min-confidence", 0.5)


LONG = "red blue cat dog tree bird fish song red blue cat dog"


def test_what_is_not_sure_enough_is_fuzzy_in_a_po(sure_of_short_texts, tmp_path):
    messages = "".join(f'msgid "{text}"\nmsgstr ""\n\n' for text in ("sun", LONG, "moon"))
    (tmp_path / "a.po").write_text(PO.split("\n\n")[0] + "\n\n" + messages, encoding="utf-8")
    code, _, said = sure_of_short_texts("a.po")
    assert code == 0
    assert "2 of 3 texts translated; 1 below --min-confidence" in said
    found = polib.pofile(str(tmp_path / "a.target.po"))
    assert [entry.fuzzy for entry in found] == [False, True, False]
    assert all(entry.msgstr for entry in found)


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.md"])
def test_what_is_not_sure_enough_is_left_alone_elsewhere(sure_of_short_texts, tmp_path, name):
    lines = ["sun", LONG, "moon"]
    text = json.dumps(lines, indent=0) if name == "a.json" else "\n\n".join(lines) + "\n"
    (tmp_path / name).write_text(text)
    code, _, said = sure_of_short_texts(name)
    assert code == 0
    assert "2 of 3 texts translated; 1 below --min-confidence" in said
    after = (tmp_path / name.replace("a.", "a.target.")).read_text(encoding="utf-8")
    before, found = text.split("\n"), after.split("\n")
    assert len(found) == len(before)
    for old, new in zip(before, found, strict=True):
        assert (old == new) == (old == "" or LONG in old or old in "[]")


def test_a_translated_file_is_not_written_over(translated, tmp_path):
    (tmp_path / "a.txt").write_text("blue\n")
    (tmp_path / "a.target.txt").write_text("mine\n")
    code, _, said = translated("a.txt")
    assert code == 2
    assert "a.target.txt: exists already" in said
    assert (tmp_path / "a.target.txt").read_text() == "mine\n"


def test_of_a_json_file_only_new_keys_are_translated(translated, tmp_path):
    (tmp_path / "en.json").write_text(json.dumps({"a": "blue", "b": {"c": "sky"}}))
    (tmp_path / "en.target.json").write_text(json.dumps({"a": "mine"}))
    assert translated("en.json")[0] == 0
    found = json.loads((tmp_path / "en.target.json").read_text(encoding="utf-8"))
    assert found["a"] == "mine"
    assert found["b"]["c"]


def test_several_files_go_into_a_folder_and_one_to_stdout(translated, tmp_path):
    (tmp_path / "out").mkdir()
    for name in ("a.txt", "b.md"):
        (tmp_path / name).write_text("blue sky\n")
    assert translated("a.txt", "b.md", "--output", "out")[0] == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "a.target.txt",
        "b.target.md",
    ]
    code, out, _ = translated("a.txt", "--output", "-")
    assert code == 0
    assert out == (tmp_path / "out" / "a.target.txt").read_text(encoding="utf-8")


def test_a_column_of_a_table_is_filled(translated, tmp_path):
    (tmp_path / "t.csv").write_text('id,text,done\n1,"blue, sky",\n2,sun,yes\n')
    assert translated("t.csv", "--column", "text", "--into", "done")[0] == 0
    rows = (tmp_path / "t.target.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "id,text,done"
    assert rows[1].startswith('1,"blue, sky",')
    assert rows[1] != '1,"blue, sky",'
    assert rows[2] == "2,sun,yes"


def test_memory_and_glossary_are_used(translated, tmp_path):
    (tmp_path / "a.txt").write_text("Blue sky.\nsun moon\n")
    (tmp_path / "known.tsv").write_text("Blue sky.\tknown\n")
    (tmp_path / "terms.tsv").write_text("sun\tcat\n")
    code, _, said = translated("a.txt", "--memory", "known.tsv", "--glossary", "terms.tsv")
    assert code == 0
    assert "1 from the translation memory" in said
    lines = (tmp_path / "a.target.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "known"
    what = "placed" if re.search(r"\bcat\b", lines[1]) else "refused, because"  # a poor network
    assert f"1 glossary terms {what}" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.txt"], "there is no such file"),
        (["."], "is not a file"),
        (["a.pdf"], "Save it as"),
        (["a.txt", "--nbest", "2"], "are for lines"),
        (["--all"], "are for files"),
        (["a.txt", "--min-confidence", "0.5"], "--confidence` makes it"),
        (["a.txt", "b.txt", "--output", "-"], "takes one file"),
        (["a.txt", "b.txt", "--output", "nowhere"], "there is no such folder"),
        (["a.txt", "--output", "nowhere/x.txt"], "there is no such folder"),
        (["a.txt", "--glossary", "none.tsv"], "no such file"),
        (["bad.txt"], "bad.txt:2"),
        (["bad.json"], "bad.json:1"),
        (["bad.po"], "bad.po:1"),
        (["bad.xlf"], "bad.xlf:1"),
        (["bad.docx"], "bad.docx"),
        (["bad.yaml"], "bad.yaml:1"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_two(translated, tmp_path, arguments, said):
    for name in ("a.txt", "b.txt", "a.pdf"):
        (tmp_path / name).write_text("blue\n")
    (tmp_path / "bad.txt").write_bytes(b"good\n\xff\xfe\n")
    for name in ("bad.json", "bad.po", "bad.xlf", "bad.docx", "bad.yaml"):
        (tmp_path / name).write_bytes(b'{"a": "b')
    code, out, err = translated(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_what_follows_a_bad_file_is_not_half_done(translated, tmp_path):
    (tmp_path / "a.txt").write_text("blue\n")
    (tmp_path / "bad.txt").write_bytes(b"\xff\n")
    assert translated("a.txt", "bad.txt")[0] == 2
    assert not list(tmp_path.glob("*.target.*"))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("letter.txt", "letter.hi.txt"),
        ("en.json", "hi.json"),
        ("app.en.yaml", "app.hi.yaml"),
        ("README", "README.hi"),
        ("a.b.c.md", "a.b.c.hi.md"),
    ],
)
def test_a_translated_file_is_named_by_its_language(tmp_path, name, wanted):
    assert translated_name(tmp_path / name, LanguagePair("en", "hi")) == tmp_path / wanted


@pytest.mark.parametrize("format", [*FORMATS, "plain"])
def test_no_format_takes_a_nul_byte_or_what_is_no_text(format):
    for data in (b"a\0b\n", b"\x80\xfa\xff"):
        with pytest.raises(DataError, match="x.file"):
            read_document(format, data, "x.file", LanguagePair("en", "hi"))
